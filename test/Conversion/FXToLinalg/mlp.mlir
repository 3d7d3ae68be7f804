// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s

// The function's contract: user inputs come before states; the attributes have
// symbols, guards and outputs.

fx.state @w1 : !fx.tensor<[16, 8], f32>
fx.state @b1 : !fx.tensor<[16], f32>
fx.state @unused : !fx.tensor<[16], f32>
fx.state @count : !fx.tensor<[], i64>

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<?x3x8xf32> {fx.kind = "user_input", fx.name = "x", fx.type = !fx.tensor<[s0, 3, 8], f32>}
// CHECK-SAME: %[[W:.*]]: tensor<16x8xf32> {fx.kind = "parameter", fx.name = "w", fx.state = @w1
// CHECK-SAME: %[[B:.*]]: tensor<16xf32> {fx.kind = "parameter", fx.name = "b", fx.state = @b1
// CHECK-SAME: %[[C:.*]]: tensor<i64> {fx.kind = "buffer", fx.mutable, fx.name = "count", fx.state = @count
// CHECK-SAME: -> (tensor<i64> {fx.mutates = @count, fx.type = !fx.tensor<[], i64>}, tensor<?x3x16xf32> {fx.type = !fx.tensor<[s0, 3, 16], f32>})
// CHECK-SAME: fx.guards = {{\[\[}}#fx.expr<gt(s0, 3)>, "L['x'].size()[0] > 3"]]
// CHECK-SAME: fx.inputs = [{argument = 0 : i64, name = "x", type = !fx.tensor<[s0, 3, 8], f32>}, {name = "flag", value = #fx.none}]
// CHECK-SAME: fx.outputs = [{result = 1 : i64}, #fx.none]
// CHECK-SAME: fx.symbols = [#fx.range<s0 in [2, 1024]>]
fx.graph @main symbols [s0 in [2, 1024]] attributes {functional} {
  %w = placeholder "w" parameter @w1 : !fx.tensor<[16, 8], f32>
  %b = placeholder "b" parameter @b1 : !fx.tensor<[16], f32>
  %u = placeholder "u" parameter @unused : !fx.tensor<[16], f32>
  %count = placeholder "count" buffer @count : !fx.tensor<[], i64>
  %x = placeholder "x" : !fx.tensor<[s0, 3, 8], f32>
  %flag = placeholder "flag" constant_input value(None) : !fx.none_type
  guard "L['x'].size()[0] > 3" : gt(s0, 3)

  // A linear layer is a matmul of rows by its weight [N, K], which is not
  // transposed, and a pointwise bias.
  // CHECK-DAG: %[[D:.*]] = tensor.dim %[[X]]
  // CHECK-DAG: %[[ROWS:.*]] = arith.muli %[[D]]
  // CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<?x3x8xf32> into tensor<?x8xf32>
  // CHECK: %[[MM:.*]] = linalg.generic {indexing_maps = [#[[$MK:.*]], #[[$NK:.*]], #[[$MN:.*]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[FLAT]], %[[W]]
  // CHECK: arith.mulf
  // CHECK: arith.addf
  // CHECK: linalg.generic {{.*}} ins(%[[MM]], %[[B]]
  // CHECK: arith.addf
  // CHECK: tensor.expand_shape {{.*}} {{\[\[}}0, 1], [2]] output_shape [%[[D]], 3, 16]
  %l = call_function @aten.linear.default(%x, %w, %b) : (!fx.tensor<[s0, 3, 8], f32>, !fx.tensor<[16, 8], f32>, !fx.tensor<[16], f32>) -> !fx.tensor<[s0, 3, 16], f32>
  // CHECK: math.erf
  %g = call_function @aten.gelu.default(%l) : (!fx.tensor<[s0, 3, 16], f32>) -> !fx.tensor<[s0, 3, 16], f32>
  // CHECK: arith.addi {{.*}} : i64
  %c = call_function @aten.add.Tensor(%count, 1) : (!fx.tensor<[], i64>) -> !fx.tensor<[], i64>
  output(%c, %g, None) signature [#fx.output_spec<buffer_mutation, "count">, #fx.output_spec<user_output>, #fx.output_spec<user_output>] : (!fx.tensor<[], i64>, !fx.tensor<[s0, 3, 16], f32>)
}
