// RUN: fx-opt %s | fx-opt | FileCheck %s
// RUN: fx-opt %s --fx-cpu-emit-kernels | FileCheck %s --check-prefix=EXPAND

// Where no kernel takes the op, the filter is computed from its transform.
// CHECK-LABEL: func.func @filter
// CHECK: fx_kernel.untransform %{{.+}} tile = 4 : tensor<36x8x16xf32> -> tensor<3x3x8x16xf32>
// EXPAND-LABEL: func.func @filter
// EXPAND: linalg.generic
// EXPAND-NOT: fx_kernel.untransform
// EXPAND: return %{{.+}} : tensor<3x3x8x16xf32>
func.func @filter(%u: tensor<36x8x16xf32>) -> tensor<3x3x8x16xf32> {
  %w = fx_kernel.untransform %u tile = 4 : tensor<36x8x16xf32> -> tensor<3x3x8x16xf32>
  return %w : tensor<3x3x8x16xf32>
}
