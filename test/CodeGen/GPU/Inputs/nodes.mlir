fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[64, 64], f32>
  %a = call_function @aten.relu.default(%x) : (!fx.tensor<[64, 64], f32>) -> !fx.tensor<[64, 64], f32>
  %y = call_function @aten.mm.default(%a, %x) : (!fx.tensor<[64, 64], f32>, !fx.tensor<[64, 64], f32>) -> !fx.tensor<[64, 64], f32>
  output(%y) : (!fx.tensor<[64, 64], f32>)
}
