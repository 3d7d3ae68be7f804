fx.state @w : !fx.tensor<[2, 1, 3, 3], f32> = dense<0> : tensor<72xui8>
fx.state @g : !fx.tensor<[2], f32> = dense<0> : tensor<8xui8>
fx.graph @main attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2, 1, 3, 3], f32>
  %g = placeholder "g" parameter @g : !fx.tensor<[2], f32>
  %b = placeholder "b" parameter @g : !fx.tensor<[2], f32>
  %x = placeholder "x" : !fx.tensor<[2, 1, 4, 4], f32>
  %conv = call_function @aten.conv2d.default(%x, %w, None, [1, 1], [1, 1]) : (!fx.tensor<[2, 1, 4, 4], f32>, !fx.tensor<[2, 1, 3, 3], f32>) -> !fx.tensor<[2, 2, 4, 4], f32>
  %bn = call_function @aten.batch_norm.default(%conv, %g, %b, %b, %g, false, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 2, 4, 4], f32>, !fx.tensor<[2], f32>, !fx.tensor<[2], f32>, !fx.tensor<[2], f32>, !fx.tensor<[2], f32>) -> !fx.tensor<[2, 2, 4, 4], f32>
  %y = call_function @aten.relu.default(%bn) : (!fx.tensor<[2, 2, 4, 4], f32>) -> !fx.tensor<[2, 2, 4, 4], f32>
  output(%y) : (!fx.tensor<[2, 2, 4, 4], f32>)
}
