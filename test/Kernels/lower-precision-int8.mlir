// RUN: fx-opt %s --fx-lower-precision='bf16=false int8=true' | FileCheck %s --implicit-check-not=bf16 --implicit-check-not=truncf
// RUN: fx-opt %s --fx-lower-precision='int8=true' | FileCheck %s --check-prefix=BOTH

// Only the products with converted integers may be rounded to 8 bits.
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<16x64xf32>, tensor<64x32xf32>)
// CHECK: arith.mulf {{.*}} {fx_kernel.int8} : f32
// BOTH: tensor<16x64xbf16>, tensor<64x32xbf16>
// BOTH: arith.mulf {{.*}} {fx_kernel.bf16, fx_kernel.int8} : f32
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<16x64xf32>, %w: tensor<64x32xf32>, %p: tensor<64x32xi8>) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %r = linalg.matmul ins(%x, %w : tensor<16x64xf32>, tensor<64x32xf32>) outs(%f : tensor<16x32xf32>) -> tensor<16x32xf32>
  %v = tensor.empty() : tensor<64x32xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<64x32xi8>) outs(%v : tensor<64x32xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<64x32xf32>
  %s = linalg.matmul ins(%x, %q : tensor<16x64xf32>, tensor<64x32xf32>) outs(%f : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %r, %s : tensor<16x32xf32>, tensor<16x32xf32>
}
