// RUN: fx-opt %s --fx-cpu-count-flops | FileCheck %s

#map = affine_map<(m, n) -> (m, n)>

// 2 * 8 * 4 * 16 of the matmul and 8 * 4 of the bias. Conversions, comparisons
// and selects do not count.
// CHECK: func.func private @kernel_0({{.*}} attributes {fx.flops = 1056 : i64, fx.kernel}
func.func private @kernel_0(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %z: tensor<8x4xbf16>, %out: tensor<8x4xf32>) -> tensor<8x4xf32> attributes {fx.kernel} {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%out : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x4xf32>
  %s = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%r, %z : tensor<8x4xf32>, tensor<8x4xbf16>) outs(%out : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: bf16, %o: f32):
    %0 = arith.extf %b : bf16 to f32
    %1 = arith.addf %a, %0 : f32
    %2 = arith.cmpf ogt, %1, %0 : f32
    %3 = arith.select %2, %1, %0 : f32
    linalg.yield %3 : f32
  } -> tensor<8x4xf32>
  return %s : tensor<8x4xf32>
}

// The number of rows is not known.
// CHECK: func.func private @kernel_1({{.*}} attributes {fx.kernel}
func.func private @kernel_1(%x: tensor<?x4xf32>, %out: tensor<?x4xf32>) -> tensor<?x4xf32> attributes {fx.kernel} {
  %s = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}
