// RUN: fx-opt %s -split-input-file -fx-verify-functional -verify-diagnostics

fx.graph @stale attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %v = call_function @aten.alias.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // expected-note @below {{the last value is made here}}
  %a = call_function @aten.add.Tensor(%x, 1) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // expected-error @below {{reads what 'x' held at first, expected its last value}}
  %m = call_function @aten.mul.Tensor(%v, 2) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%a, %m) signature [#fx.output_spec<user_input_mutation, "x">, #fx.output_spec<user_output>] : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
}

// -----

fx.graph @memory attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %r = call_function @aten.relu.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // expected-error @below {{expected an input or a copy of a value, got a value whose memory is not known}}
  %v = call_function @aten.as_strided.default(%r, [2], [2]) : (!fx.tensor<[4], f32>) -> !fx.tensor<[2], f32>
  output(%v) : (!fx.tensor<[2], f32>)
}

// -----

// The final value of %x is a view of its first value: a user of the view reads
// the final value.
fx.graph @view_of_itself attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2, 2], f32>
  %t = call_function @aten.t.default(%x) : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  %m = call_function @aten.mul.Tensor(%t, 2) : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  output(%t, %m) signature [#fx.output_spec<user_input_mutation, "x">, #fx.output_spec<user_output>] : (!fx.tensor<[2, 2], f32>, !fx.tensor<[2, 2], f32>)
}
