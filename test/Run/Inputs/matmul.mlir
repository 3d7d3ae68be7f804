fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[256, 256], f32>
  %y = placeholder "y" : !fx.tensor<[256, 256], f32>
  %z = call_function @aten.mm.default(%x, %y) : (!fx.tensor<[256, 256], f32>, !fx.tensor<[256, 256], f32>) -> !fx.tensor<[256, 256], f32>
  output(%z) : (!fx.tensor<[256, 256], f32>)
}
