// Kernels of each kind, in several dtypes.
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[37, 100], f32>
  %h = placeholder "h" : !fx.tensor<[37, 64], f16>
  %b = placeholder "b" : !fx.tensor<[64, 70], bf16>
  %c = placeholder "c" : !fx.tensor<[70, 130], bf16>
  %d = placeholder "d" : !fx.tensor<[9, 300], f64>
  %i = placeholder "i" : !fx.tensor<[21], i64>
  %n = placeholder "n" : !fx.tensor<[33, 40], i32>
  %w = placeholder "w" : !fx.tensor<[20, 3, 3, 3], f32>
  %p = placeholder "p" : !fx.tensor<[2, 3, 18, 14], f32>
  %tanh = call_function @aten.tanh.default(%x) : (!fx.tensor<[37, 100], f32>) -> !fx.tensor<[37, 100], f32>
  %exp = call_function @aten.exp.default(%tanh) : (!fx.tensor<[37, 100], f32>) -> !fx.tensor<[37, 100], f32>
  %sin = call_function @aten.sin.default(%exp) : (!fx.tensor<[37, 100], f32>) -> !fx.tensor<[37, 100], f32>
  %softmax = call_function @aten._softmax.default(%h, -1, false) : (!fx.tensor<[37, 64], f16>) -> !fx.tensor<[37, 64], f16>
  %mm = call_function @aten.mm.default(%b, %c) : (!fx.tensor<[64, 70], bf16>, !fx.tensor<[70, 130], bf16>) -> !fx.tensor<[64, 130], bf16>
  %log = call_function @aten.log.default(%d) : (!fx.tensor<[9, 300], f64>) -> !fx.tensor<[9, 300], f64>
  %sum = call_function @aten.sum.dim_IntList(%log, [1]) : (!fx.tensor<[9, 300], f64>) -> !fx.tensor<[9], f64>
  %rsqrt = call_function @aten.rsqrt.default(%sum) : (!fx.tensor<[9], f64>) -> !fx.tensor<[9], f64>
  %rows = call_function @aten.index_select.default(%x, 0, %i) : (!fx.tensor<[37, 100], f32>, !fx.tensor<[21], i64>) -> !fx.tensor<[21, 100], f32>
  %cat = call_function @aten.cat.default([%rows, %x]) : (!fx.tensor<[21, 100], f32>, !fx.tensor<[37, 100], f32>) -> !fx.tensor<[58, 100], f32>
  %all = call_function @aten.sum.dim_IntList(%n, [0, 1]) : (!fx.tensor<[33, 40], i32>) -> !fx.tensor<[], i64>
  %conv = call_function @aten.convolution.default(%p, %w, None, [2, 2], [1, 1], [1, 1], false, [0, 0], 1) : (!fx.tensor<[2, 3, 18, 14], f32>, !fx.tensor<[20, 3, 3, 3], f32>) -> !fx.tensor<[2, 20, 9, 7], f32>
  %relu = call_function @aten.relu.default(%conv) : (!fx.tensor<[2, 20, 9, 7], f32>) -> !fx.tensor<[2, 20, 9, 7], f32>
  output(%sin, %softmax, %mm, %rsqrt, %cat, %all, %relu) : (!fx.tensor<[37, 100], f32>, !fx.tensor<[37, 64], f16>, !fx.tensor<[64, 130], bf16>, !fx.tensor<[9], f64>, !fx.tensor<[58, 100], f32>, !fx.tensor<[], i64>, !fx.tensor<[2, 20, 9, 7], f32>)
}
