fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[3], f32>
  %a = call_function @example.softcap.default(%x, 2.0) : (!fx.tensor<[3], f32>) -> !fx.tensor<[3], f32>
  %b = call_function @example.softcap.default(%a) : (!fx.tensor<[3], f32>) -> !fx.tensor<[3], f32>
  %c = call_function @example.softcap.default(%b, cap = 5) : (!fx.tensor<[3], f32>) -> !fx.tensor<[3], f32>
  %d = call_function @example.squareplus.default(%c) : (!fx.tensor<[3], f32>) -> !fx.tensor<[3], f32>
  output(%d) : (!fx.tensor<[3], f32>)
}
