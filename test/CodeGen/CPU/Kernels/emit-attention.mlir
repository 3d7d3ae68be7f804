// RUN: fx-opt %s --fx-cpu-kernels=lanes=8 | FileCheck %s

#q = affine_map<(h, t, s, e) -> (h, t, e)>
#k = affine_map<(h, t, s, e) -> (h, s, e)>
#s = affine_map<(h, t, s, e) -> (h, t, s)>
#p = affine_map<(h, t, e, s) -> (h, t, s)>
#v = affine_map<(h, t, e, s) -> (h, s, e)>
#y = affine_map<(h, t, e, s) -> (h, t, e)>
#id = affine_map<(h, t, s) -> (h, t, s)>
#mask = affine_map<(h, t, s) -> (t, s)>
#row = affine_map<(h, t, s) -> (h, t)>

// CHECK-LABEL: func.func @main
// CHECK-NOT: linalg.generic
// CHECK: fx_kernel.invoke @kernel_0
// CHECK-NOT: fx_kernel.invoke
// CHECK: return

// 100 rows are two tasks of 54 rows, nine tiles of six rows. Blocks of 128 keys
// that the mask hides from all rows of a task are skipped.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.attention
// CHECK: scf.forall (%{{.+}}, %{{.+}}) in (2, 2)
// CHECK: scf.for
// CHECK: %[[VISIBLE:.+]]:2 = scf.while
// CHECK: scf.if %[[VISIBLE]]#1
// The keys are transposed to panels.
// CHECK-COUNT-24: vector.shuffle
// CHECK: scf.for
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-12: vector.fma
// The scores get the mask; then their maximum and the terms are computed.
// CHECK: arith.select
// CHECK: vector.reduction <maximumf>
// CHECK: vector.reduction <add>
// CHECK-COUNT-12: vector.fma
// CHECK: arith.divf
func.func @main(%q: tensor<2x100x16xf32>, %k: tensor<2x256x16xf32>, %v: tensor<2x256x16xf32>, %m: tensor<100x256xi1>) -> tensor<2x100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2x100x256xf32>
  %e1 = tensor.empty() : tensor<2x100xf32>
  %e2 = tensor.empty() : tensor<2x100x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x100x256xf32>) -> tensor<2x100x256xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<2x100xf32>) -> tensor<2x100xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x100xf32>) -> tensor<2x100xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x100x16xf32>) -> tensor<2x100x16xf32>
  %scores = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x100x16xf32>, tensor<2x256x16xf32>) outs(%s0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x256xf32>
  %x = linalg.generic {indexing_maps = [#id, #mask, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %m : tensor<2x100x256xf32>, tensor<100x256xi1>) outs(%e0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %0 = arith.select %b, %a, %lowest : f32
    linalg.yield %0 : f32
  } -> tensor<2x100x256xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x100x256xf32>) outs(%m0 : tensor<2x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x100xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x100x256xf32>, tensor<2x100xf32>) outs(%e0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x256xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x100x256xf32>) outs(%l0 : tensor<2x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x100xf32>
  %y = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x100x256xf32>, tensor<2x256x16xf32>) outs(%y0 : tensor<2x100x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x16xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %sum : tensor<2x100x16xf32>, tensor<2x100xf32>) outs(%e2 : tensor<2x100x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x100x16xf32>
  return %r : tensor<2x100x16xf32>
}
