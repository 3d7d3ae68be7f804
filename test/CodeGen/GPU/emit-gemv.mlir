// Matmuls of few rows.
// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels --canonicalize --cse | FileCheck %s
// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels=tensor-cores=false --canonicalize --cse | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: #fx_kernel.gemv

// The weight lies along K: a warp computes one column, and loads four vectors of
// the weight at once.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.gemv<width = 8, columns = 1, unroll = 4, warps = 1, along_k = true>
// CHECK: scf.if
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c128, {{.*}}) threads({{.*}}) in (%{{.*}} = %c128
// CHECK: scf.for {{.*}} to %c128 step %c128
// CHECK-COUNT-5: vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
// CHECK-COUNT-8: math.fma
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
// CHECK-COUNT-24: math.fma
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: else
func.func private @kernel_0(%x: tensor<1x1024xbf16>, %w: tensor<512x1024xbf16>, %out: tensor<1x512xf32>) -> tensor<1x512xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<1x512xf32>) -> tensor<1x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x1024xbf16>, tensor<512x1024xbf16>) outs(%f : tensor<1x512xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<1x512xf32>
  return %r : tensor<1x512xf32>
}

// -----

// The weight lies along N: 4 lanes have 4 columns each, and the others of 8
// warps share K.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.gemv<width = 4, columns = 4, unroll = 4, warps = 8, along_k = false>
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c32, {{.*}}) threads({{.*}}) in (%{{.*}} = %c256
// CHECK: scf.for {{.*}} to %c1024 step %c256
// CHECK-COUNT-4: vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK: math.fma
// CHECK: gpu.shuffle xor
// CHECK: gpu.barrier
func.func private @kernel_0(%x: tensor<2x1024xf32>, %w: tensor<1024x512xf32>, %out: tensor<2x512xf32>) -> tensor<2x512xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<2x512xf32>) -> tensor<2x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x1024xf32>, tensor<1024x512xf32>) outs(%f : tensor<2x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x512xf32>
  return %r : tensor<2x512xf32>
}
