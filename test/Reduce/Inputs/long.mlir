!v = !fx.tensor<[s0, 4], f32>
fx.state @w : !fx.tensor<[4], f32>
fx.graph private @body {
  %x = placeholder "x" : !v
  %sin = call_function @aten.sin.default(%x) : (!v) -> !v
  %cos = call_function @aten.cos.default(%sin) : (!v) -> !v
  output(%cos) : (!v)
}
fx.graph @main symbols [s0 in [2, 8]] attributes {fx.in_spec = "x"} {
  %w = placeholder "w" parameter @w : !fx.tensor<[4], f32>
  %x = placeholder "x" : !v
  guard "L['x'].size()[0] > 3" : gt(s0, 3)
  %mul = call_function @aten.mul.Tensor(%x, %w) : (!v, !fx.tensor<[4], f32>) -> !v
  %tanh = call_function @aten.tanh.default(%mul) : (!v) -> !v
  %relu = call_function @aten.relu.default(%tanh) : (!v) -> !v
  %body = get_attr @body : !fx.graph_ref
  %wrap = higher_order @wrap(%body, %relu) : (!fx.graph_ref, !v) -> !v
  %add = call_function @aten.add.Tensor(%wrap, %tanh) : (!v, !v) -> !v
  %sum = call_function @aten.sum.default(%add) : (!v) -> !fx.tensor<[], f32>
  output(%add, %sum, [%relu, 3]) : (!v, !fx.tensor<[], f32>, !v)
}
