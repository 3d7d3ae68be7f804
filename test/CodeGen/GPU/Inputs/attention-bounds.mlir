// A part of a prompt over a cache of 4,096 positions: each query sees the keys
// up to its position, and 500 of them at most. Two layers share the mask.
fx.graph @main attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[1, 16, 2048, 64], bf16>
  %k = placeholder "k" : !fx.tensor<[1, 4, 4096, 64], bf16>
  %v = placeholder "v" : !fx.tensor<[1, 4, 4096, 64], bf16>
  %k2 = placeholder "k2" : !fx.tensor<[1, 4, 4096, 64], bf16>
  %v2 = placeholder "v2" : !fx.tensor<[1, 4, 4096, 64], bf16>
  %position = placeholder "position" : !fx.tensor<[2048, 1], i64>
  %at = call_function @aten.arange.default(4096) : () -> !fx.tensor<[4096], i64>
  %below = call_function @aten.le.Tensor(%at, %position) : (!fx.tensor<[4096], i64>, !fx.tensor<[2048, 1], i64>) -> !fx.tensor<[2048, 4096], i1>
  %start = call_function @aten.sub.Tensor(%position, 500) : (!fx.tensor<[2048, 1], i64>) -> !fx.tensor<[2048, 1], i64>
  %above = call_function @aten.gt.Tensor(%at, %start) : (!fx.tensor<[4096], i64>, !fx.tensor<[2048, 1], i64>) -> !fx.tensor<[2048, 4096], i1>
  %mask = call_function @aten.logical_and.default(%below, %above) : (!fx.tensor<[2048, 4096], i1>, !fx.tensor<[2048, 4096], i1>) -> !fx.tensor<[2048, 4096], i1>
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v, %mask, enable_gqa = true) : (!fx.tensor<[1, 16, 2048, 64], bf16>, !fx.tensor<[1, 4, 4096, 64], bf16>, !fx.tensor<[1, 4, 4096, 64], bf16>, !fx.tensor<[2048, 4096], i1>) -> !fx.tensor<[1, 16, 2048, 64], bf16>
  %z = call_function @aten.scaled_dot_product_attention.default(%y, %k2, %v2, %mask, enable_gqa = true) : (!fx.tensor<[1, 16, 2048, 64], bf16>, !fx.tensor<[1, 4, 4096, 64], bf16>, !fx.tensor<[1, 4, 4096, 64], bf16>, !fx.tensor<[2048, 4096], i1>) -> !fx.tensor<[1, 16, 2048, 64], bf16>
  output(%z) : (!fx.tensor<[1, 16, 2048, 64], bf16>)
}
