// Linear layers on one input become one; three before two, and SwiGLU first.
//
// fx-opt -fx-functionalize -fx-rewrite=patterns=merge-linear.mlir -canonicalize

// silu(x w1^T) * (x w2^T)
fx.graph @swiglu.pattern {
  %x = placeholder "x" : !fx.any
  %w1 = placeholder "w1" : !fx.tensor<[n, k], f32>
  %w2 = placeholder "w2" : !fx.tensor<[n, k], f32>
  %a = call_function @aten.linear.default(%x, %w1) : (!fx.any, !fx.tensor<[n, k], f32>) -> !fx.any
  %s = call_function @aten.silu.default(%a) : (!fx.any) -> !fx.any
  %b = call_function @aten.linear.default(%x, %w2) : (!fx.any, !fx.tensor<[n, k], f32>) -> !fx.any
  %y = call_function @aten.mul.Tensor(%s, %b) : (!fx.any, !fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @swiglu.replacement {
  %x = placeholder "x" : !fx.any
  %w1 = placeholder "w1" : !fx.tensor<[n, k], f32>
  %w2 = placeholder "w2" : !fx.tensor<[n, k], f32>
  %w = call_function @aten.cat.default([%w1, %w2], 0) : (!fx.tensor<[n, k], f32>, !fx.tensor<[n, k], f32>) -> !fx.any
  %l = call_function @aten.linear.default(%x, %w) : (!fx.any, !fx.any) -> !fx.any
  %n1 = call_function @aten.sym_size.int(%w1, 0) : (!fx.tensor<[n, k], f32>) -> !fx.any
  %n2 = call_function @aten.sym_size.int(%w2, 0) : (!fx.tensor<[n, k], f32>) -> !fx.any
  %a, %b = call_function @aten.split_with_sizes.default(%l, [%n1, %n2], -1) outs [[#fx.operand, #fx.operand]] : (!fx.any, !fx.any, !fx.any) -> (!fx.any, !fx.any)
  %s = call_function @aten.silu.default(%a) : (!fx.any) -> !fx.any
  %y = call_function @aten.mul.Tensor(%s, %b) : (!fx.any, !fx.any) -> !fx.any
  output(%y) : (!fx.any)
}

fx.graph @linear3_bias.pattern {
  %x = placeholder "x" : !fx.any
  %w1 = placeholder "w1" : !fx.tensor<[n1, k], f32>
  %b1 = placeholder "b1" : !fx.tensor<[n1], f32>
  %w2 = placeholder "w2" : !fx.tensor<[n2, k], f32>
  %b2 = placeholder "b2" : !fx.tensor<[n2], f32>
  %w3 = placeholder "w3" : !fx.tensor<[n3, k], f32>
  %b3 = placeholder "b3" : !fx.tensor<[n3], f32>
  %y1 = call_function @aten.linear.default(%x, %w1, %b1) : (!fx.any, !fx.tensor<[n1, k], f32>, !fx.tensor<[n1], f32>) -> !fx.any
  %y2 = call_function @aten.linear.default(%x, %w2, %b2) : (!fx.any, !fx.tensor<[n2, k], f32>, !fx.tensor<[n2], f32>) -> !fx.any
  %y3 = call_function @aten.linear.default(%x, %w3, %b3) : (!fx.any, !fx.tensor<[n3, k], f32>, !fx.tensor<[n3], f32>) -> !fx.any
  output(%y1, %y2, %y3) : (!fx.any, !fx.any, !fx.any)
}
fx.graph @linear3_bias.replacement {
  %x = placeholder "x" : !fx.any
  %w1 = placeholder "w1" : !fx.tensor<[n1, k], f32>
  %b1 = placeholder "b1" : !fx.tensor<[n1], f32>
  %w2 = placeholder "w2" : !fx.tensor<[n2, k], f32>
  %b2 = placeholder "b2" : !fx.tensor<[n2], f32>
  %w3 = placeholder "w3" : !fx.tensor<[n3, k], f32>
  %b3 = placeholder "b3" : !fx.tensor<[n3], f32>
  %w = call_function @aten.cat.default([%w1, %w2, %w3], 0) : (!fx.tensor<[n1, k], f32>, !fx.tensor<[n2, k], f32>, !fx.tensor<[n3, k], f32>) -> !fx.any
  %b = call_function @aten.cat.default([%b1, %b2, %b3], 0) : (!fx.tensor<[n1], f32>, !fx.tensor<[n2], f32>, !fx.tensor<[n3], f32>) -> !fx.any
  %y = call_function @aten.linear.default(%x, %w, %b) : (!fx.any, !fx.any, !fx.any) -> !fx.any
  %n1 = call_function @aten.sym_size.int(%w1, 0) : (!fx.tensor<[n1, k], f32>) -> !fx.any
  %n2 = call_function @aten.sym_size.int(%w2, 0) : (!fx.tensor<[n2, k], f32>) -> !fx.any
  %n3 = call_function @aten.sym_size.int(%w3, 0) : (!fx.tensor<[n3, k], f32>) -> !fx.any
  %y1, %y2, %y3 = call_function @aten.split_with_sizes.default(%y, [%n1, %n2, %n3], -1) outs [[#fx.operand, #fx.operand, #fx.operand]] : (!fx.any, !fx.any, !fx.any, !fx.any) -> (!fx.any, !fx.any, !fx.any)
  output(%y1, %y2, %y3) : (!fx.any, !fx.any, !fx.any)
}

fx.graph @linear3.pattern {
  %x = placeholder "x" : !fx.any
  %w1 = placeholder "w1" : !fx.tensor<[n1, k], f32>
  %w2 = placeholder "w2" : !fx.tensor<[n2, k], f32>
  %w3 = placeholder "w3" : !fx.tensor<[n3, k], f32>
  %y1 = call_function @aten.linear.default(%x, %w1) : (!fx.any, !fx.tensor<[n1, k], f32>) -> !fx.any
  %y2 = call_function @aten.linear.default(%x, %w2) : (!fx.any, !fx.tensor<[n2, k], f32>) -> !fx.any
  %y3 = call_function @aten.linear.default(%x, %w3) : (!fx.any, !fx.tensor<[n3, k], f32>) -> !fx.any
  output(%y1, %y2, %y3) : (!fx.any, !fx.any, !fx.any)
}
fx.graph @linear3.replacement {
  %x = placeholder "x" : !fx.any
  %w1 = placeholder "w1" : !fx.tensor<[n1, k], f32>
  %w2 = placeholder "w2" : !fx.tensor<[n2, k], f32>
  %w3 = placeholder "w3" : !fx.tensor<[n3, k], f32>
  %w = call_function @aten.cat.default([%w1, %w2, %w3], 0) : (!fx.tensor<[n1, k], f32>, !fx.tensor<[n2, k], f32>, !fx.tensor<[n3, k], f32>) -> !fx.any
  %y = call_function @aten.linear.default(%x, %w) : (!fx.any, !fx.any) -> !fx.any
  %n1 = call_function @aten.sym_size.int(%w1, 0) : (!fx.tensor<[n1, k], f32>) -> !fx.any
  %n2 = call_function @aten.sym_size.int(%w2, 0) : (!fx.tensor<[n2, k], f32>) -> !fx.any
  %n3 = call_function @aten.sym_size.int(%w3, 0) : (!fx.tensor<[n3, k], f32>) -> !fx.any
  %y1, %y2, %y3 = call_function @aten.split_with_sizes.default(%y, [%n1, %n2, %n3], -1) outs [[#fx.operand, #fx.operand, #fx.operand]] : (!fx.any, !fx.any, !fx.any, !fx.any) -> (!fx.any, !fx.any, !fx.any)
  output(%y1, %y2, %y3) : (!fx.any, !fx.any, !fx.any)
}

fx.graph @linear2_bias.pattern {
  %x = placeholder "x" : !fx.any
  %w1 = placeholder "w1" : !fx.tensor<[n1, k], f32>
  %b1 = placeholder "b1" : !fx.tensor<[n1], f32>
  %w2 = placeholder "w2" : !fx.tensor<[n2, k], f32>
  %b2 = placeholder "b2" : !fx.tensor<[n2], f32>
  %y1 = call_function @aten.linear.default(%x, %w1, %b1) : (!fx.any, !fx.tensor<[n1, k], f32>, !fx.tensor<[n1], f32>) -> !fx.any
  %y2 = call_function @aten.linear.default(%x, %w2, %b2) : (!fx.any, !fx.tensor<[n2, k], f32>, !fx.tensor<[n2], f32>) -> !fx.any
  output(%y1, %y2) : (!fx.any, !fx.any)
}
fx.graph @linear2_bias.replacement {
  %x = placeholder "x" : !fx.any
  %w1 = placeholder "w1" : !fx.tensor<[n1, k], f32>
  %b1 = placeholder "b1" : !fx.tensor<[n1], f32>
  %w2 = placeholder "w2" : !fx.tensor<[n2, k], f32>
  %b2 = placeholder "b2" : !fx.tensor<[n2], f32>
  %w = call_function @aten.cat.default([%w1, %w2], 0) : (!fx.tensor<[n1, k], f32>, !fx.tensor<[n2, k], f32>) -> !fx.any
  %b = call_function @aten.cat.default([%b1, %b2], 0) : (!fx.tensor<[n1], f32>, !fx.tensor<[n2], f32>) -> !fx.any
  %y = call_function @aten.linear.default(%x, %w, %b) : (!fx.any, !fx.any, !fx.any) -> !fx.any
  %n1 = call_function @aten.sym_size.int(%w1, 0) : (!fx.tensor<[n1, k], f32>) -> !fx.any
  %n2 = call_function @aten.sym_size.int(%w2, 0) : (!fx.tensor<[n2, k], f32>) -> !fx.any
  %y1, %y2 = call_function @aten.split_with_sizes.default(%y, [%n1, %n2], -1) outs [[#fx.operand, #fx.operand]] : (!fx.any, !fx.any, !fx.any) -> (!fx.any, !fx.any)
  output(%y1, %y2) : (!fx.any, !fx.any)
}

fx.graph @linear2.pattern {
  %x = placeholder "x" : !fx.any
  %w1 = placeholder "w1" : !fx.tensor<[n1, k], f32>
  %w2 = placeholder "w2" : !fx.tensor<[n2, k], f32>
  %y1 = call_function @aten.linear.default(%x, %w1) : (!fx.any, !fx.tensor<[n1, k], f32>) -> !fx.any
  %y2 = call_function @aten.linear.default(%x, %w2) : (!fx.any, !fx.tensor<[n2, k], f32>) -> !fx.any
  output(%y1, %y2) : (!fx.any, !fx.any)
}
fx.graph @linear2.replacement {
  %x = placeholder "x" : !fx.any
  %w1 = placeholder "w1" : !fx.tensor<[n1, k], f32>
  %w2 = placeholder "w2" : !fx.tensor<[n2, k], f32>
  %w = call_function @aten.cat.default([%w1, %w2], 0) : (!fx.tensor<[n1, k], f32>, !fx.tensor<[n2, k], f32>) -> !fx.any
  %y = call_function @aten.linear.default(%x, %w) : (!fx.any, !fx.any) -> !fx.any
  %n1 = call_function @aten.sym_size.int(%w1, 0) : (!fx.tensor<[n1, k], f32>) -> !fx.any
  %n2 = call_function @aten.sym_size.int(%w2, 0) : (!fx.tensor<[n2, k], f32>) -> !fx.any
  %y1, %y2 = call_function @aten.split_with_sizes.default(%y, [%n1, %n2], -1) outs [[#fx.operand, #fx.operand]] : (!fx.any, !fx.any, !fx.any) -> (!fx.any, !fx.any)
  output(%y1, %y2) : (!fx.any, !fx.any)
}
