// RUN: fx-opt %s --fx-cpu-emit-kernels=lanes=4 --canonicalize --cse | FileCheck %s

// 10 rows of 8 columns become panels of 4 rows. Blocks of 4 by 4 are transposed
// in registers; the two rows of the last panel are stored one column at a time.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.forall (%[[P:.+]]) in (3)
// CHECK: scf.for
// CHECK-COUNT-4: vector.load
// CHECK: vector.shuffle %{{.+}}, %{{.+}} [0, 4, 1, 5]
// CHECK: vector.shuffle %{{.+}}, %{{.+}} [2, 6, 3, 7]
// CHECK-COUNT-4: vector.store
// CHECK: scf.for
// CHECK: vector.gather
// CHECK: vector.store
func.func private @kernel_0(%w: tensor<10x8xf32>, %out: tensor<3x8x4xf32>) -> tensor<3x8x4xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %p = linalg.pack %w padding_value(%zero : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [4] into %out {fx_kernel.schedule = #fx_kernel.pack} : tensor<10x8xf32> -> tensor<3x8x4xf32>
  return %p : tensor<3x8x4xf32>
}
func.func @main(%w: tensor<10x8xf32>) -> tensor<3x8x4xf32> {
  %e = tensor.empty() : tensor<3x8x4xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%w : tensor<10x8xf32>) outs(%e : tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  return %r : tensor<3x8x4xf32>
}
