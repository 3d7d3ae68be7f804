// Weights of four bits: a layer in f32 with groups of 32 for one row and for 16
// rows, and one in bf16 with a scale for each row for four rows.
fx.state @q : !fx.tensor<[1024, 4096], i8> = dense<249> : tensor<4194304xui8>
fx.state @g : !fx.tensor<[1024, 128], f16> = dense<1> : tensor<262144xui8>
fx.state @s : !fx.tensor<[1024], f32> = dense<1> : tensor<4096xui8>
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[1, 4096], f32>
  %many = placeholder "many" : !fx.tensor<[16, 4096], f32>
  %half = placeholder "half" : !fx.tensor<[4, 4096], bf16>
  %q = placeholder "q" buffer @q : !fx.tensor<[1024, 4096], i8>
  %g = placeholder "g" buffer @g : !fx.tensor<[1024, 128], f16>
  %s = placeholder "s" buffer @s : !fx.tensor<[1024], f32>
  %scales = call_function @aten.to.dtype(%g, f32) : (!fx.tensor<[1024, 128], f16>) -> !fx.tensor<[1024, 128], f32>
  %w = call_function @quantized_decomposed.dequantize_per_channel_group.default(%q, %scales, None, -8, 7, i8, 32, f32) : (!fx.tensor<[1024, 4096], i8>, !fx.tensor<[1024, 128], f32>) -> !fx.tensor<[1024, 4096], f32>
  %v = call_function @quantized_decomposed.dequantize_per_channel.default(%q, %s, None, 0, -8, 7, i8) : (!fx.tensor<[1024, 4096], i8>, !fx.tensor<[1024], f32>) -> !fx.tensor<[1024, 4096], f32>
  %b = call_function @aten.to.dtype(%v, bf16) : (!fx.tensor<[1024, 4096], f32>) -> !fx.tensor<[1024, 4096], bf16>
  %one = call_function @aten.linear.default(%x, %w) : (!fx.tensor<[1, 4096], f32>, !fx.tensor<[1024, 4096], f32>) -> !fx.tensor<[1, 1024], f32>
  %rows = call_function @aten.linear.default(%many, %w) : (!fx.tensor<[16, 4096], f32>, !fx.tensor<[1024, 4096], f32>) -> !fx.tensor<[16, 1024], f32>
  %low = call_function @aten.linear.default(%half, %b) : (!fx.tensor<[4, 4096], bf16>, !fx.tensor<[1024, 4096], bf16>) -> !fx.tensor<[4, 1024], bf16>
  output(%one, %rows, %low) : (!fx.tensor<[1, 1024], f32>, !fx.tensor<[16, 1024], f32>, !fx.tensor<[4, 1024], bf16>)
}
