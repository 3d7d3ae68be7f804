// x * s twice with the same number, and a guard on a size.
fx.graph @square.pattern {
  %x = placeholder "x" : !fx.any
  %s = placeholder "s" : !fx.sym_float
  %a = call_function @aten.mul.Tensor(%x, %s) : (!fx.any, !fx.sym_float) -> !fx.any
  %b = call_function @aten.mul.Tensor(%x, %s) : (!fx.any, !fx.sym_float) -> !fx.any
  %y = call_function @aten.mul.Tensor(%a, %b) : (!fx.any, !fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @square.replacement {
  %x = placeholder "x" : !fx.any
  %s = placeholder "s" : !fx.sym_float
  %a = call_function @aten.mul.Tensor(%x, %s) : (!fx.any, !fx.sym_float) -> !fx.any
  %y = call_function @aten.square.default(%a) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @small.pattern {
  %x = placeholder "x" : !fx.tensor<[n, n], f32>
  guard "n < 8" : lt(n, 8)
  %y = call_function @aten.sin.default(%x) : (!fx.tensor<[n, n], f32>) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @small.replacement {
  %x = placeholder "x" : !fx.tensor<[n, n], f32>
  %y = call_function @aten.cos.default(%x) : (!fx.tensor<[n, n], f32>) -> !fx.any
  output(%y) : (!fx.any)
}
// The replacement returns an input of the match.
fx.graph @second.pattern {
  %x = placeholder "x" : !fx.tensor<[5], f32>
  %y = placeholder "y" : !fx.any
  %z = call_function @aten.sub.Tensor(%x, %y) : (!fx.tensor<[5], f32>, !fx.any) -> !fx.any
  output(%z) : (!fx.any)
}
fx.graph @second.replacement {
  %x = placeholder "x" : !fx.tensor<[5], f32>
  %y = placeholder "y" : !fx.any
  output(%y) : (!fx.any)
}
