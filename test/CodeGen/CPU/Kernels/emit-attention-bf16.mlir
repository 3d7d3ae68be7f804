// RUN: fx-opt %s --fx-cpu-kernels="lanes=16 bf16=true" | FileCheck %s
// RUN: fx-opt %s --fx-cpu-kernels="lanes=16" | FileCheck %s --check-prefix=F32
// RUN: fx-opt %s --fx-cpu-kernels="lanes=16 bf16=true tiles=bf16" | FileCheck %s --check-prefix=TILES

#q = affine_map<(h, t, s, e) -> (h, t, e)>
#k = affine_map<(h, t, s, e) -> (h, s, e)>
#s = affine_map<(h, t, s, e) -> (h, t, s)>
#p = affine_map<(h, t, e, s) -> (h, t, s)>
#v = affine_map<(h, t, e, s) -> (h, s, e)>
#y = affine_map<(h, t, e, s) -> (h, t, e)>
#id = affine_map<(h, t, s) -> (h, t, s)>
#row = affine_map<(h, t, s) -> (h, t)>

// Queries, keys, terms and values are rounded in the memory of a task. 24 sums of
// 12 rows by two vectors are added to by one instruction each.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: memref<2x100x32xf32
// CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK-COUNT-24: dpbf16ps.512
// CHECK: vector.reduction <maximumf>
// CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK: vector.reduction <add>
// The values of two keys alternate.
// CHECK: vector.interleave
// CHECK-COUNT-24: dpbf16ps.512
// CHECK-NOT: vector.fma
// F32-NOT: bf16ps
// F32-NOT: truncf

// Two by two tiles of scores, and of sums. 50 keys are 25 pairs, and seven pairs
// of zeros fill the last tile.
// TILES-LABEL: func.func private @kernel_0
// TILES: ldtilecfg
// TILES-COUNT-4: tilezero
// TILES: tileloadd64"(%c4_i8
// TILES: tileloadd64"(%c6_i8
// TILES: tdpbf16ps"(%c0_i8, %c4_i8, %c6_i8)
// TILES: tileloadd64"(%c7_i8
// TILES: tdpbf16ps"(%c1_i8, %c4_i8, %c7_i8)
// TILES: tileloadd64"(%c5_i8
// TILES: tdpbf16ps"(%c2_i8, %c5_i8, %c6_i8)
// TILES: tdpbf16ps"(%c3_i8, %c5_i8, %c7_i8)
// TILES-COUNT-4: tilestored64
// TILES: vector.reduction <maximumf>
// TILES: vector.reduction <add>
// TILES: vector.interleave
// TILES: scf.for {{.*}} = %c25 to %c32 step %c1
// TILES-COUNT-4: tileloadd64"(%c{{[0-3]}}_i8
// TILES: scf.for {{.*}} to %c32 step %c16
// TILES-COUNT-4: tdpbf16ps
// TILES-COUNT-4: tilestored64
// TILES: tilerelease
// TILES-NOT: vector.fma
func.func @main(%q: tensor<2x100x32xf32>, %k: tensor<2x50x32xf32>, %v: tensor<2x50x32xf32>) -> tensor<2x100x32xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x100x50xf32>
  %r = tensor.empty() : tensor<2x100xf32>
  %o = tensor.empty() : tensor<2x100x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x100x50xf32>) -> tensor<2x100x50xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x100x32xf32>, tensor<2x50x32xf32>) outs(%f : tensor<2x100x50xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b {fx_kernel.bf16} : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x50xf32>
  %fm = linalg.fill ins(%lowest : f32) outs(%r : tensor<2x100xf32>) -> tensor<2x100xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<2x100x50xf32>) outs(%fm : tensor<2x100xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.maximumf %c, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x100xf32>
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<2x100x50xf32>, tensor<2x100xf32>) outs(%e : tensor<2x100x50xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x50xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%r : tensor<2x100xf32>) -> tensor<2x100xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%exp : tensor<2x100x50xf32>) outs(%fs : tensor<2x100xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.addf %c, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x100xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%exp, %sum : tensor<2x100x50xf32>, tensor<2x100xf32>) outs(%e : tensor<2x100x50xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x100x50xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%o : tensor<2x100x32xf32>) -> tensor<2x100x32xf32>
  %y = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x100x50xf32>, tensor<2x50x32xf32>) outs(%fo : tensor<2x100x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b {fx_kernel.bf16} : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x32xf32>
  return %y : tensor<2x100x32xf32>
}
