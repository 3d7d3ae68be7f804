// RUN: fx-opt %s --fx-correct-types | FileCheck %s

// Torch records the gradient's dtype, but eager mode promotes both operands.
// The users of the result get the corrected dtype, too.
// CHECK-LABEL: fx.graph @main
// CHECK: %[[Y:.*]] = call_function @aten.threshold_backward.default({{.*}}) : (!fx.tensor<[4], f16>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
// CHECK: %[[Z:.*]] = call_function @aten.mul.Tensor(%[[Y]], 2) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
// CHECK: output(%[[Z]]) : (!fx.tensor<[4], f32>)
fx.graph @main {
  %g = placeholder "g" : !fx.tensor<[4], f16>
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %y = call_function @aten.threshold_backward.default(%g, %x, 0) : (!fx.tensor<[4], f16>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f16>
  %z = call_function @aten.mul.Tensor(%y, 2) : (!fx.tensor<[4], f16>) -> !fx.tensor<[4], f16>
  output(%z) : (!fx.tensor<[4], f16>)
}

// The result is written to a state, which keeps its dtype, so nothing is
// corrected.
// CHECK-LABEL: fx.graph @written
// CHECK: aten.threshold_backward.default({{.*}}) : (!fx.tensor<[4], f16>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f16>
fx.state @s : !fx.tensor<[4], f16>
fx.graph @written {
  %s = placeholder "s" buffer @s : !fx.tensor<[4], f16>
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %y = call_function @aten.threshold_backward.default(%s, %x, 0) : (!fx.tensor<[4], f16>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f16>
  output(%y) signature [#fx.output_spec<buffer_mutation, "s">] : (!fx.tensor<[4], f16>)
}
