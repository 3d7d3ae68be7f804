// A pointwise kernel, a kernel of rows, and a matmul of one row.
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[64, 1024], bf16>
  %y = placeholder "y" : !fx.tensor<[64, 1024], bf16>
  %v = placeholder "v" : !fx.tensor<[1, 1024], bf16>
  %w = placeholder "w" : !fx.tensor<[512, 1024], bf16>
  %add = call_function @aten.add.Tensor(%x, %y) : (!fx.tensor<[64, 1024], bf16>, !fx.tensor<[64, 1024], bf16>) -> !fx.tensor<[64, 1024], bf16>
  %softmax = call_function @aten._softmax.default(%x, -1, false) : (!fx.tensor<[64, 1024], bf16>) -> !fx.tensor<[64, 1024], bf16>
  %linear = call_function @aten.linear.default(%v, %w) : (!fx.tensor<[1, 1024], bf16>, !fx.tensor<[512, 1024], bf16>) -> !fx.tensor<[1, 512], bf16>
  output(%add, %softmax, %linear) : (!fx.tensor<[64, 1024], bf16>, !fx.tensor<[64, 1024], bf16>, !fx.tensor<[1, 512], bf16>)
}
