// All final values are computed before any state is written: two states that
// are swapped, an input that becomes its own transpose, and a state that
// becomes a view of another state that is written, too.
// RUN: rm -rf %t && %npy write %t/in 'array([[1, 2], [3, 4]], "f4")' 'array([5, 6], "f4")'
// RUN: fx-run %s --inputs %t/in --outputs %t/out --interpret
// RUN: %npy show %t/out | FileCheck %s
// RUN: fx-run %s --inputs %t/in --outputs %t/native --no-fallback
// RUN: %npy show %t/native | FileCheck %s

// CHECK: out_0: float32[2] [3.0, 4.0]
// CHECK-NEXT: out_1: float32[2] [1.0, 2.0]
// CHECK-NEXT: out_2: float32[2, 2] {{\[\[}}1.0, 3.0], [2.0, 4.0]]
// CHECK-NEXT: out_3: float32[2] [2.0, 4.0]

fx.state @a : !fx.tensor<[2], f32> = dense<[0, 0, 128, 63, 0, 0, 0, 64]> : tensor<8xui8>
fx.state @b : !fx.tensor<[2], f32> = dense<[0, 0, 64, 64, 0, 0, 128, 64]> : tensor<8xui8>

fx.graph @main {
  %a = placeholder "a" buffer @a : !fx.tensor<[2], f32>
  %b = placeholder "b" buffer @b : !fx.tensor<[2], f32>
  %x = placeholder "x" : !fx.tensor<[2, 2], f32>
  %y = placeholder "y" : !fx.tensor<[2], f32>
  %t = call_function @aten.t.default(%x) : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  %column = call_function @aten.select.int(%x, 1, 1) : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2], f32>
  output(%b, %a, %t, %column, %a, %b, %x, %y) signature [#fx.output_spec<buffer_mutation, "a">, #fx.output_spec<buffer_mutation, "b">, #fx.output_spec<user_input_mutation, "x">, #fx.output_spec<user_input_mutation, "y">, #fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>] : (!fx.tensor<[2], f32>, !fx.tensor<[2], f32>, !fx.tensor<[2, 2], f32>, !fx.tensor<[2], f32>, !fx.tensor<[2], f32>, !fx.tensor<[2], f32>, !fx.tensor<[2, 2], f32>, !fx.tensor<[2], f32>)
}
