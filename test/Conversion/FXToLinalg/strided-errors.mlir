// RUN: fx-opt %s --convert-fx-to-linalg -verify-diagnostics

// as_strided reads the operand's memory, but this operand's elements in order
// are not its memory. fx-functionalize rewrites such a view to a view of the
// memory in order. ATen cannot be called instead: it would get the elements,
// too.
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4, 4], f32, #fx.meta<strides = [1, 4]>>
  // expected-error @below {{'aten.as_strided.default' has no native code: expected an operand whose memory is known, got '!fx.tensor<[4, 4], f32, #fx.meta<strides = [1, 4]>>'}}
  %y = call_function @aten.as_strided.default(%x, [3], [2], 0) : (!fx.tensor<[4, 4], f32, #fx.meta<strides = [1, 4]>>) -> !fx.tensor<[3], f32>
  output(%y) : (!fx.tensor<[3], f32>)
}
