// RUN: fx-opt %s --fx-decompose | FileCheck %s

// An operator on lists becomes one operator for each tensor.
// CHECK-LABEL: fx.graph @main
// CHECK: %[[A:.*]] = call_function @aten.add.Tensor(%x, %x, alpha = 2)
// CHECK: %[[B:.*]] = call_function @aten.add.Tensor(%y, %y, alpha = 2)
// CHECK: %[[C:.*]] = call_function @aten.clamp_min.default(%[[A]], 1.0)
// CHECK: %[[D:.*]] = call_function @aten.clamp_min.default(%[[B]], 2.0)
// CHECK: %[[E:.*]] = call_function @aten.zeros_like.default(%[[C]])
// CHECK: output(%[[E]], %[[D]])
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %y = placeholder "y" : !fx.tensor<[3], f32>
  %a, %b = call_function @aten._foreach_add.List([%x, %y], [%x, %y], alpha = 2) outs [[#fx.operand, #fx.operand]] : (!fx.tensor<[2], f32>, !fx.tensor<[3], f32>, !fx.tensor<[2], f32>, !fx.tensor<[3], f32>) -> (!fx.tensor<[2], f32>, !fx.tensor<[3], f32>)
  %c, %d = call_function @aten._foreach_maximum.ScalarList([%a, %b], [1.0, 2.0]) outs [[#fx.operand, #fx.operand]] : (!fx.tensor<[2], f32>, !fx.tensor<[3], f32>) -> (!fx.tensor<[2], f32>, !fx.tensor<[3], f32>)
  %e = call_function @aten._foreach_zero.default([%c]) outs [[#fx.operand]] : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%e, %d) : (!fx.tensor<[2], f32>, !fx.tensor<[3], f32>)
}
