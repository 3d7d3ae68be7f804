fx.graph @main symbols [s17 in [3, 10]] {
  %x = placeholder "x" : !fx.tensor<[s17, 3], f32>
  %y = placeholder "y" : !fx.tensor<[s17 + 1, 3], f32>
  %n = placeholder "n" : !fx.sym_int<2*s17>
  %mode = placeholder "mode" constant_input value("sum") : !fx.string
  %k = placeholder "k" constant_input value(3) : !fx.sym_int
  guard "L['x'].size()[0] != 5" : ne(s17, 5)
  output(%n) : (!fx.sym_int<2*s17>)
}
