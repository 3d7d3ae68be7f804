// Causal attention with 16 query heads and 4 key and value heads, of 64 and of
// 128 elements, and one of 128 elements with a mask.
fx.graph @main attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[4, 16, 512, 64], bf16>
  %k = placeholder "k" : !fx.tensor<[4, 4, 512, 64], bf16>
  %v = placeholder "v" : !fx.tensor<[4, 4, 512, 64], bf16>
  %q2 = placeholder "q2" : !fx.tensor<[4, 16, 512, 128], f16>
  %k2 = placeholder "k2" : !fx.tensor<[4, 4, 512, 128], f16>
  %v2 = placeholder "v2" : !fx.tensor<[4, 4, 512, 128], f16>
  %mask = placeholder "mask" : !fx.tensor<[4, 1, 512, 512], i1>
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v, None, 0.0, true, enable_gqa = true) : (!fx.tensor<[4, 16, 512, 64], bf16>, !fx.tensor<[4, 4, 512, 64], bf16>, !fx.tensor<[4, 4, 512, 64], bf16>) -> !fx.tensor<[4, 16, 512, 64], bf16>
  %z = call_function @aten.scaled_dot_product_attention.default(%q2, %k2, %v2, None, 0.0, true, enable_gqa = true) : (!fx.tensor<[4, 16, 512, 128], f16>, !fx.tensor<[4, 4, 512, 128], f16>, !fx.tensor<[4, 4, 512, 128], f16>) -> !fx.tensor<[4, 16, 512, 128], f16>
  %w = call_function @aten.scaled_dot_product_attention.default(%q2, %k2, %v2, %mask, enable_gqa = true) : (!fx.tensor<[4, 16, 512, 128], f16>, !fx.tensor<[4, 4, 512, 128], f16>, !fx.tensor<[4, 4, 512, 128], f16>, !fx.tensor<[4, 1, 512, 512], i1>) -> !fx.tensor<[4, 16, 512, 128], f16>
  output(%y, %z, %w) : (!fx.tensor<[4, 16, 512, 64], bf16>, !fx.tensor<[4, 16, 512, 128], f16>, !fx.tensor<[4, 16, 512, 128], f16>)
}
