// A decode step of 4 sequences, with 32 query heads and 8 key and value heads
// of 128 elements, over 64 pages of 16 positions. Two layers share the mask.
fx.graph @main attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[4, 32, 1, 128], bf16>
  %k = placeholder "k" : !fx.tensor<[512, 16, 8, 128], bf16>
  %v = placeholder "v" : !fx.tensor<[512, 16, 8, 128], bf16>
  %k2 = placeholder "k2" : !fx.tensor<[512, 8, 16, 128], bf16>
  %v2 = placeholder "v2" : !fx.tensor<[512, 8, 16, 128], bf16>
  %table = placeholder "table" : !fx.tensor<[4, 64], i64>
  %lengths = placeholder "lengths" : !fx.tensor<[4, 1], i64>
  %at = call_function @aten.arange.default(1024) : () -> !fx.tensor<[1024], i64>
  %seen = call_function @aten.lt.Tensor(%at, %lengths) : (!fx.tensor<[1024], i64>, !fx.tensor<[4, 1], i64>) -> !fx.tensor<[4, 1024], i1>
  %mask = call_function @aten.view.default(%seen, [4, 1, 1, 1024]) : (!fx.tensor<[4, 1024], i1>) -> !fx.tensor<[4, 1, 1, 1024], i1>
  %kp = call_function @aten.index.Tensor(%k, [%table]) : (!fx.tensor<[512, 16, 8, 128], bf16>, !fx.tensor<[4, 64], i64>) -> !fx.tensor<[4, 64, 16, 8, 128], bf16>
  %vp = call_function @aten.index.Tensor(%v, [%table]) : (!fx.tensor<[512, 16, 8, 128], bf16>, !fx.tensor<[4, 64], i64>) -> !fx.tensor<[4, 64, 16, 8, 128], bf16>
  %kf = call_function @aten.flatten.using_ints(%kp, 1, 2) : (!fx.tensor<[4, 64, 16, 8, 128], bf16>) -> !fx.tensor<[4, 1024, 8, 128], bf16>
  %vf = call_function @aten.flatten.using_ints(%vp, 1, 2) : (!fx.tensor<[4, 64, 16, 8, 128], bf16>) -> !fx.tensor<[4, 1024, 8, 128], bf16>
  %kt = call_function @aten.transpose.int(%kf, 1, 2) : (!fx.tensor<[4, 1024, 8, 128], bf16>) -> !fx.tensor<[4, 8, 1024, 128], bf16>
  %vt = call_function @aten.transpose.int(%vf, 1, 2) : (!fx.tensor<[4, 1024, 8, 128], bf16>) -> !fx.tensor<[4, 8, 1024, 128], bf16>
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %kt, %vt, %mask, enable_gqa = true) : (!fx.tensor<[4, 32, 1, 128], bf16>, !fx.tensor<[4, 8, 1024, 128], bf16>, !fx.tensor<[4, 8, 1024, 128], bf16>, !fx.tensor<[4, 1, 1, 1024], i1>) -> !fx.tensor<[4, 32, 1, 128], bf16>
  %kp2 = call_function @aten.index.Tensor(%k2, [%table]) : (!fx.tensor<[512, 8, 16, 128], bf16>, !fx.tensor<[4, 64], i64>) -> !fx.tensor<[4, 64, 8, 16, 128], bf16>
  %vp2 = call_function @aten.index.Tensor(%v2, [%table]) : (!fx.tensor<[512, 8, 16, 128], bf16>, !fx.tensor<[4, 64], i64>) -> !fx.tensor<[4, 64, 8, 16, 128], bf16>
  %kt2 = call_function @aten.transpose.int(%kp2, 1, 2) : (!fx.tensor<[4, 64, 8, 16, 128], bf16>) -> !fx.tensor<[4, 8, 64, 16, 128], bf16>
  %vt2 = call_function @aten.transpose.int(%vp2, 1, 2) : (!fx.tensor<[4, 64, 8, 16, 128], bf16>) -> !fx.tensor<[4, 8, 64, 16, 128], bf16>
  %kf2 = call_function @aten.flatten.using_ints(%kt2, 2, 3) : (!fx.tensor<[4, 8, 64, 16, 128], bf16>) -> !fx.tensor<[4, 8, 1024, 128], bf16>
  %vf2 = call_function @aten.flatten.using_ints(%vt2, 2, 3) : (!fx.tensor<[4, 8, 64, 16, 128], bf16>) -> !fx.tensor<[4, 8, 1024, 128], bf16>
  %z = call_function @aten.scaled_dot_product_attention.default(%y, %kf2, %vf2, %mask, enable_gqa = true) : (!fx.tensor<[4, 32, 1, 128], bf16>, !fx.tensor<[4, 8, 1024, 128], bf16>, !fx.tensor<[4, 8, 1024, 128], bf16>, !fx.tensor<[4, 1, 1, 1024], i1>) -> !fx.tensor<[4, 32, 1, 128], bf16>
  output(%z) : (!fx.tensor<[4, 32, 1, 128], bf16>)
}
