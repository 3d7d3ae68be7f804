fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2, 3], f32>
  %add = call_function @aten.add.Tensor(%x, 1) : (!fx.tensor<[2, 3], f32>) -> !fx.tensor<[2, 3], f32>
  %mul = call_function @aten.mul.Tensor(%add, %x) : (!fx.tensor<[2, 3], f32>, !fx.tensor<[2, 3], f32>) -> !fx.tensor<[2, 3], f32>
  %exp = call_function @aten.exp.default(%mul) : (!fx.tensor<[2, 3], f32>) -> !fx.tensor<[2, 3], f32>
  output(%exp) : (!fx.tensor<[2, 3], f32>)
}
