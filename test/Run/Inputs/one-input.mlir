fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2, 3], f32>
  %y = call_function @aten.mul.Tensor(%x, 2) : (!fx.tensor<[2, 3], f32>) -> !fx.tensor<[2, 3], f32>
  output(%y) : (!fx.tensor<[2, 3], f32>)
}
