fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2, 3], f32>
  %a = call_function @aten.view.default(%x, [5]) as "a" : (!fx.tensor<[2, 3], f32>) -> !fx.tensor<[2, 3], f32>
  %b:2 = call_function @aten.topk.default(%x, 4) as "b" : (!fx.tensor<[2, 3], f32>) -> (!fx.tensor<[2, 4], f32>, !fx.tensor<[2, 4], i64>)
  %c = call_function @aten.relu.default(%x) as "c" : (!fx.tensor<[2, 3], f32>) -> !fx.tensor<[2, 3], f64>
  output(%a, %b#0, %c) : (!fx.tensor<[2, 3], f32>, !fx.tensor<[2, 4], f32>, !fx.tensor<[2, 3], f64>)
}
