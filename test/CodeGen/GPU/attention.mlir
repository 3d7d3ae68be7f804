// RUN: fx-opt %s --fx-gpu-round-attention --canonicalize --cse --fx-form-kernels="gpu=1 matrix-unit=mma" --fx-gpu-emit-kernels | FileCheck %s
// RUN: fx-opt %s --fx-gpu-round-attention --canonicalize --cse --fx-form-kernels=gpu | FileCheck %s --check-prefix=APART

#q = affine_map<(b, m, n, k) -> (b, m, k)>
#k = affine_map<(b, m, n, k) -> (b, n, k)>
#v = affine_map<(b, m, n, k) -> (b, k, n)>
#y = affine_map<(b, m, n, k) -> (b, m, n)>
#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>

// Six ops become one kernel, whose blocks have 128 rows: two parts for each
// warp. Keys and values use a ring of two buffers of 16 KiB. The queries and
// the sums of the rows lie behind the ring. A causal mask bounds the number of
// pieces.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.attention
// CHECK: scf.if
// CHECK: gpu.launch
// CHECK-SAME: threads(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %c128{{.*}} dynamic_shared_memory_size %c49664_i32
// Blocks are numbered from the end: the first rows are computed last.
// CHECK: %[[ROW:.*]] = arith.subi
// CHECK: %[[ROW0:.*]] = arith.muli %{{.*}}, %c128
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: %[[SEEN:.*]] = arith.maxsi
// CHECK: %[[KEYS:.*]] = arith.minsi
// CHECK: %[[PIECES:.*]] = arith.divui
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: gpu.barrier
// The first loop is over the pieces that all rows of the block see. It neither
// multiplies scores by their scale nor compares keys.
// CHECK: %[[COMMON:.*]] = arith.divui
// CHECK: %[[WHOLE:.*]] = arith.minsi %[[COMMON]], %[[PIECES]]
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[WHOLE]]
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK: nvvm.mma.sync
// CHECK-NOT: arith.mulf
// CHECK-NOT: arith.select
// CHECK: arith.maximumf
// CHECK: gpu.shuffle {{ *}}xor
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK: llvm.fptrunc %{{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK: nvvm.mma.sync
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[PIECES]]
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK: nvvm.mma.sync
// CHECK: arith.cmpi sgt
// CHECK-NEXT: arith.select
// CHECK: arith.maximumf
// CHECK: gpu.shuffle {{ *}}xor
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK: llvm.fptrunc %{{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK: nvvm.mma.sync
// CHECK: scf.yield
// Results are stored 16 bytes at a time.
// CHECK: arith.divf
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<{{.*}}xbf16{{.*}}>, vector<8xbf16>
// If the operands are not aligned, single elements are copied.
// CHECK: } else {
// CHECK-NOT: nvvm.cp.async.shared.global

// APART: @kernel_2
func.func @main(%q: tensor<4x?x64xbf16>, %k: tensor<4x?x64xbf16>, %v: tensor<4x?x64xbf16>) -> tensor<4x?x64xbf16> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %q, %c1 : tensor<4x?x64xbf16>
  %keys = tensor.dim %k, %c1 : tensor<4x?x64xbf16>
  %e0 = tensor.empty(%rows, %keys) : tensor<4x?x?xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<4x?x64xbf16>, tensor<4x?x64xbf16>) outs(%f0 : tensor<4x?x?xf32>) attrs = {fx.attention = 0 : i64} {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %aw = arith.extf %a : bf16 to f32
    %bw = arith.extf %b : bf16 to f32
    %m = arith.mulf %aw, %bw : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<4x?x?xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<4x?x?xf32>) outs(%e0 : tensor<4x?x?xf32>) attrs = {fx.attention = 0 : i64} {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %m = arith.mulf %a, %scale : f32
    %in = arith.cmpi sle, %j, %i : index
    %r = arith.select %in, %m, %lowest : f32
    linalg.yield %r : f32
  } -> tensor<4x?x?xf32>
  %e1 = tensor.empty(%rows) : tensor<4x?xf32>
  %f1 = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<4x?xf32>) -> tensor<4x?xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<4x?x?xf32>) outs(%f1 : tensor<4x?xf32>) attrs = {fx.attention = 0 : i64} {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<4x?xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<4x?x?xf32>, tensor<4x?xf32>) outs(%e0 : tensor<4x?x?xf32>) attrs = {fx.attention = 0 : i64} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<4x?x?xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x?xf32>) -> tensor<4x?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<4x?x?xf32>) outs(%f2 : tensor<4x?xf32>) attrs = {fx.attention = 0 : i64} {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<4x?xf32>
  %e3 = tensor.empty(%rows) : tensor<4x?x64xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<4x?x64xf32>) -> tensor<4x?x64xf32>
  %y = linalg.generic {indexing_maps = [#q, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<4x?x?xf32>, tensor<4x?x64xbf16>) outs(%f3 : tensor<4x?x64xf32>) attrs = {fx.attention = 0 : i64} {
  ^bb0(%a: f32, %b: bf16, %o: f32):
    %w = arith.extf %b : bf16 to f32
    %m = arith.mulf %a, %w : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<4x?x64xf32>
  %e4 = tensor.empty(%rows) : tensor<4x?x64xbf16>
  %z = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %sum : tensor<4x?x64xf32>, tensor<4x?xf32>) outs(%e4 : tensor<4x?x64xbf16>) attrs = {fx.attention = 0 : i64} {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %d = arith.divf %a, %b : f32
    %r = arith.truncf %d : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<4x?x64xbf16>
  return %z : tensor<4x?x64xbf16>
}
