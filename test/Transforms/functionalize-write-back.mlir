// RUN: fx-opt %s --fx-functionalize --fx-verify-functional | FileCheck %s

// The mutations of inputs that a decomposed graph returns are written back by
// `copy_`, which converts and broadcasts.

// `buffer.fill_(1)`, decomposed: a tensor of no dimensions.
// CHECK-LABEL: fx.graph @broadcasts
// CHECK: %[[X:.*]] = placeholder "x"
// CHECK: %[[ONE:.*]] = call_function @aten.full.default([], 1)
// CHECK: %[[COPY:.*]] = call_function @aten.copy.default(%[[X]], %[[ONE]]) : (!fx.tensor<[2, 3], f32>, !fx.tensor<[], f32>) -> !fx.tensor<[2, 3], f32>
// CHECK: output(%[[COPY]])
fx.graph @broadcasts attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2, 3], f32>
  %one = call_function @aten.full.default([], 1) : () -> !fx.tensor<[], f32>
  output(%one) signature [#fx.output_spec<user_input_mutation, "x">] : (!fx.tensor<[], f32>)
}

// The graph returns the input, too: torch returns the input itself, with its
// dtype. Other users read the unconverted value.
// CHECK-LABEL: fx.graph @converts
// CHECK: %[[X:.*]] = placeholder "x"
// CHECK: %[[SUM:.*]] = call_function @aten.add.Tensor
// CHECK: %[[MUL:.*]] = call_function @aten.mul.Tensor(%[[SUM]], 2)
// CHECK: %[[COPY:.*]] = call_function @aten.copy.default(%[[X]], %[[SUM]]) : (!fx.tensor<[4], f16>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f16>
// CHECK: output(%[[COPY]], %[[COPY]], %[[MUL]])
fx.graph @converts attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f16>
  %y = placeholder "y" : !fx.tensor<[4], f32>
  %sum = call_function @aten.add.Tensor(%x, %y) : (!fx.tensor<[4], f16>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %mul = call_function @aten.mul.Tensor(%sum, 2) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%sum, %sum, %mul) signature [#fx.output_spec<user_input_mutation, "x">, #fx.output_spec<user_output>, #fx.output_spec<user_output>] : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
}

// A state is found by its target, even if a user input has the same name.
// CHECK-LABEL: fx.graph @names
// CHECK: %[[A:.*]] = placeholder "a" : !fx.tensor<[3], f32>
// CHECK: %[[B:.*]] = placeholder "b" buffer @a
// CHECK: aten.copy.default(%[[B]], %{{.*}}) : (!fx.tensor<[2], f32>, !fx.tensor<[], f32>) -> !fx.tensor<[2], f32>
fx.state @a : !fx.tensor<[2], f32>
fx.graph @names attributes {functional} {
  %a = placeholder "a" : !fx.tensor<[3], f32>
  %b = placeholder "b" buffer @a : !fx.tensor<[2], f32>
  %sum = call_function @aten.sum.default(%a) : (!fx.tensor<[3], f32>) -> !fx.tensor<[], f32>
  output(%sum, %a) signature [#fx.output_spec<buffer_mutation, "a">, #fx.output_spec<user_output>] : (!fx.tensor<[], f32>, !fx.tensor<[3], f32>)
}

// A final value that has the input's type is not copied.
// CHECK-LABEL: fx.graph @same
// CHECK-NOT: aten.copy
fx.graph @same attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %r = call_function @aten.relu.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%r, %r) signature [#fx.output_spec<user_input_mutation, "x">, #fx.output_spec<user_output>] : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
}
