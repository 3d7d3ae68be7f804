// RUN: fx-opt %s --split-input-file --fx-hoist-prepare | FileCheck %s

// The sum of two states is computed once. Ops that read the input, or a state
// that the model changes, stay.
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

// -----

// Calls of ATen stay at run time, where LibTorch is available, also inside of a
// region. So do the ops that read their results.
// CHECK-LABEL: func.func @prepare
// CHECK-NOT: fx.eager
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[P:[^:]+]]: tensor<64xf32> {fx.prepared = 0 : i64}
// CHECK: %[[F:.+]] = fx.eager @aten.foo.default(%[[P]])
// CHECK: linalg.add ins(%[[F]], %[[P]]
// CHECK: scf.if
// CHECK: fx.eager @aten.foo.default(%[[P]])
func.func @main(%x: i1, %a: tensor<64xf32> {fx.state = @a}) -> (tensor<64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %s = linalg.add ins(%a, %a : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %f = fx.eager @aten.foo.default(%s) {fx.pure} : (tensor<64xf32>) -> tensor<64xf32>
  %y = linalg.add ins(%f, %s : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %true = arith.constant true
  %z = scf.if %true -> tensor<64xf32> {
    %g = fx.eager @aten.foo.default(%s) {fx.pure} : (tensor<64xf32>) -> tensor<64xf32>
    scf.yield %g : tensor<64xf32>
  } else {
    scf.yield %s : tensor<64xf32>
  }
  return %y, %z : tensor<64xf32>, tensor<64xf32>
}
