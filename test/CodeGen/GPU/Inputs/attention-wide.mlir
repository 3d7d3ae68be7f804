// Causal attention with heads of 256 elements (Gemma), one with heads of 192
// elements and values of 128 (DeepSeek), and one with a mask.
fx.graph @main attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[2, 16, 256, 256], bf16>
  %k = placeholder "k" : !fx.tensor<[2, 4, 256, 256], bf16>
  %v = placeholder "v" : !fx.tensor<[2, 4, 256, 256], bf16>
  %q2 = placeholder "q2" : !fx.tensor<[2, 16, 256, 192], bf16>
  %k2 = placeholder "k2" : !fx.tensor<[2, 4, 256, 192], bf16>
  %v2 = placeholder "v2" : !fx.tensor<[2, 4, 256, 128], bf16>
  %mask = placeholder "mask" : !fx.tensor<[2, 1, 256, 256], i1>
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v, None, 0.0, true, enable_gqa = true) : (!fx.tensor<[2, 16, 256, 256], bf16>, !fx.tensor<[2, 4, 256, 256], bf16>, !fx.tensor<[2, 4, 256, 256], bf16>) -> !fx.tensor<[2, 16, 256, 256], bf16>
  %z = call_function @aten.scaled_dot_product_attention.default(%q2, %k2, %v2, None, 0.0, true, enable_gqa = true) : (!fx.tensor<[2, 16, 256, 192], bf16>, !fx.tensor<[2, 4, 256, 192], bf16>, !fx.tensor<[2, 4, 256, 128], bf16>) -> !fx.tensor<[2, 16, 256, 128], bf16>
  %w = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v, %mask, enable_gqa = true) : (!fx.tensor<[2, 16, 256, 256], bf16>, !fx.tensor<[2, 4, 256, 256], bf16>, !fx.tensor<[2, 4, 256, 256], bf16>, !fx.tensor<[2, 1, 256, 256], i1>) -> !fx.tensor<[2, 16, 256, 256], bf16>
  output(%y, %z, %w) : (!fx.tensor<[2, 16, 256, 256], bf16>, !fx.tensor<[2, 16, 256, 128], bf16>, !fx.tensor<[2, 16, 256, 256], bf16>)
}
