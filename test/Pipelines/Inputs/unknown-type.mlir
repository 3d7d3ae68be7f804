fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %y = call_function @aten.add.Tensor(%x, 1) : (!fx.tensor<[4], f32>) -> !fx.any
  output(%y) : (!fx.any)
}
