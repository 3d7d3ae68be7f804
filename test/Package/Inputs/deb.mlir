fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2, 2], f32>
  %neg = call_function @aten.neg.default(%x) : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  output(%neg) : (!fx.tensor<[2, 2], f32>)
}
