fx.graph @main symbols [s0 in [0, 9], s1 in [0, 9]] {
  %n = placeholder "n" : !fx.sym_int<s0*s1>
  %y = call_function @aten.full.default([2], 1.0) : () -> !fx.tensor<[2], f32>
  output(%y) : (!fx.tensor<[2], f32>)
}
