// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-flatten-groups,fx-integer-contractions,fx-cpu-pack-weights{lanes=16 f16=true})' | FileCheck %s --check-prefixes=CHECK,F16
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-flatten-groups,fx-integer-contractions,fx-cpu-pack-weights{lanes=16})' | FileCheck %s --check-prefixes=CHECK,F32
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16 f16=true})' | FileCheck %s --check-prefix=EMIT

// Scales of groups in 16 bits are packed as they are, also if the columns are
// the elements of heads. A CPU that cannot extend vectors of f16 gets f32.

#x = affine_map<(m, h, n, k) -> (m, k)>
#w = affine_map<(m, h, n, k) -> (h, n, k)>
#y = affine_map<(m, h, n, k) -> (m, h, n)>
#cube = affine_map<(n, g, i) -> (n, g, i)>
#group = affine_map<(n, g, i) -> (n, g)>
#id = affine_map<(n, g) -> (n, g)>

// CHECK-LABEL: func.func @f16
// CHECK-SAME: %[[T:[^:]+]]: tensor<1024x8xf16>
// F16: %[[E:.+]] = tensor.expand_shape %[[T]]
// F16: %[[P:.+]] = linalg.pack %[[E]] {{.*}} -> tensor<4x8x8x32xf16>
// F16: fx_kernel.unpack %[[P]] {{.*}} : tensor<4x8x8x32xf16> -> tensor<4x256x8xf32>
// F32: linalg.pack {{.*}} -> tensor<4x8x8x32xf32>
// EMIT: vector.load {{.*}} vector<16xf16>
// EMIT: arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
func.func @f16(%x: tensor<3x256xf32>, %p: tensor<1024x256xi8> {fx.state = @p}, %t: tensor<1024x8xf16> {fx.state = @t}) -> tensor<3x4x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1024x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<1024x8xf16>) outs(%e0 : tensor<1024x8xf32>) {
  ^bb0(%i: f16, %o: f32):
    %0 = arith.extf %i : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<1024x8xf32>
  %q = tensor.expand_shape %p [[0], [1, 2]] output_shape [1024, 8, 32] : tensor<1024x256xi8> into tensor<1024x8x32xi8>
  %e1 = tensor.empty() : tensor<1024x8x32xf32>
  %d = linalg.generic {indexing_maps = [#cube, #group, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %s : tensor<1024x8x32xi8>, tensor<1024x8xf32>) outs(%e1 : tensor<1024x8x32xf32>) {
  ^bb0(%i: i8, %j: f32, %o: f32):
    %0 = arith.sitofp %i : i8 to f32
    %1 = arith.mulf %0, %j : f32
    linalg.yield %1 : f32
  } -> tensor<1024x8x32xf32>
  %c = tensor.collapse_shape %d [[0], [1, 2]] : tensor<1024x8x32xf32> into tensor<1024x256xf32>
  %w = tensor.expand_shape %c [[0, 1], [2]] output_shape [4, 256, 256] : tensor<1024x256xf32> into tensor<4x256x256xf32>
  %e2 = tensor.empty() : tensor<3x4x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e2 : tensor<3x4x256xf32>) -> tensor<3x4x256xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<3x256xf32>, tensor<4x256x256xf32>) outs(%f : tensor<3x4x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x4x256xf32>
  return %r : tensor<3x4x256xf32>
}
