// In-place operators write through views; a mutated state and a mutated input
// get their new values; order matters.
// RUN: rm -rf %t && %npy write %t/in 'array([[1, 2], [3, 4]], "f4")'
// RUN: fx-run %s --inputs %t/in --outputs %t/out
// RUN: %npy show %t/out | FileCheck %s

// The example of the design: two sins of one view with a write in between.
// CHECK: out_0: float32[2] [0.841{{.*}}, 0.909{{.*}}]
// CHECK-NEXT: out_1: float32[2] [0.909{{.*}}, 0.141{{.*}}]
// The input's value at the end of the run.
// CHECK-NEXT: out_2: float32[2, 2] {{\[\[}}2.0, 3.0], [4.0, 5.0]]
// CHECK-NEXT: out_3: int64[1] [5]
// CHECK-NEXT: out_4: int64[1] [105]

fx.state @counter : !fx.tensor<[1], i64> = dense<[4, 0, 0, 0, 0, 0, 0, 0]> : tensor<8xui8>

fx.graph @main {
  %b = placeholder "b" buffer @counter : !fx.tensor<[1], i64>
  %x = placeholder "x" : !fx.tensor<[2, 2], f32>
  %v = call_function @aten.select.int(%x, 0, 0) : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2], f32>
  %s0 = call_function @aten.sin.default(%v) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  %add_ = call_function @aten.add_.Tensor(%x, 1) : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  %s1 = call_function @aten.sin.default(%v) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  %n = call_function @aten.add_.Tensor(%b, 1) : (!fx.tensor<[1], i64>) -> !fx.tensor<[1], i64>
  %c = call_function @aten.clone.default(%n) : (!fx.tensor<[1], i64>) -> !fx.tensor<[1], i64>
  %m = call_function @aten.add.Tensor(%n, 100) : (!fx.tensor<[1], i64>) -> !fx.tensor<[1], i64>
  output(%m, %s0, %s1, %x, %c, %b) signature [#fx.output_spec<buffer_mutation, "counter">, #fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>] : (!fx.tensor<[1], i64>, !fx.tensor<[2], f32>, !fx.tensor<[2], f32>, !fx.tensor<[2, 2], f32>, !fx.tensor<[1], i64>, !fx.tensor<[1], i64>)
}
