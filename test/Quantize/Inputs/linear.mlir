// y = 2 x, twice.
fx.state @w : !fx.tensor<[2, 2], f32> = dense<[0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64]> : tensor<16xui8>
fx.graph @main attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2, 2], f32>
  %x = placeholder "x" : !fx.tensor<[2, 2], f32>
  %y = call_function @aten.linear.default(%x, %w) : (!fx.tensor<[2, 2], f32>, !fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  %z = call_function @aten.linear.default(%y, %w) : (!fx.tensor<[2, 2], f32>, !fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  output(%z) : (!fx.tensor<[2, 2], f32>)
}
