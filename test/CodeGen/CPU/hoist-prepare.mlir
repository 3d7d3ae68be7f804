// RUN: fx-opt %s --fx-hoist-prepare | FileCheck %s

// The sum of two states is computed once; what reads the input stays, and so
// does what reads a state that the model changes.
// CHECK-LABEL: func.func @prepare
// CHECK-SAME: (%[[A:[^:]+]]: tensor<4xf32> {fx.state = @a}, %[[B:[^:]+]]: tensor<4xf32> {fx.state = @b}) -> tensor<4xf32>
// CHECK: %[[S:.+]] = linalg.add ins(%[[A]], %[[B]]
// CHECK: return %[[S]]
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[C:[^:]+]]: tensor<4xf32> {fx.mutable, fx.state = @c}, %[[P:[^:]+]]: tensor<4xf32> {fx.prepared = 0 : i64}
// CHECK: linalg.add ins(%{{.+}}, %[[P]]
// CHECK: linalg.add ins(%[[C]], %[[P]]
func.func @main(%x: tensor<4xf32>, %a: tensor<4xf32> {fx.state = @a}, %b: tensor<4xf32> {fx.state = @b}, %c: tensor<4xf32> {fx.state = @c, fx.mutable}) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.add ins(%x, %s : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %z = linalg.add ins(%c, %s : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}
