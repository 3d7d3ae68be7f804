fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2, 3], f32>
  %a = call_function @aten.view.default(%x, [5]) as "a" : (!fx.tensor<[2, 3], f32>) -> !fx.tensor<[2, 3], f32>
  %b:2 = call_function @aten.topk.default(%x, 4) as "b" : (!fx.tensor<[2, 3], f32>) -> (!fx.tensor<[2, 4], f32>, !fx.tensor<[2, 4], i64>)
  %c = call_function @aten.relu.default(%x) as "c" : (!fx.tensor<[2, 3], f32>) -> !fx.tensor<[2, 3], f64>
  %d = call_function @aten.zeros.default([2305843009213693952], dtype = f64) as "d" : () -> !fx.tensor<[2305843009213693952], f64>
  %e = call_function @aten.full.default([70368744177664], 1.0) as "e" : () -> !fx.tensor<[70368744177664], f32>
  %f = call_function @aten.full.default([35184372088832], 1.0) as "f" : () -> !fx.tensor<[35184372088832], f32>
  %g = call_function @aten.expand.default(%x, [70368744177664, 2, 3]) as "g" : (!fx.tensor<[2, 3], f32>) -> !fx.tensor<[70368744177664, 2, 3], f32>
  output(%a, %b#0, %c) : (!fx.tensor<[2, 3], f32>, !fx.tensor<[2, 4], f32>, !fx.tensor<[2, 3], f64>)
}
