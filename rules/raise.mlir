// Raises what was written, or decomposed, as a formula to one operator.
//
// fx-opt -fx-functionalize -fx-rewrite=patterns=raise.mlir

// x * sigmoid(x)
fx.graph @silu.pattern {
  %x = placeholder "x" : !fx.any
  %s = call_function @aten.sigmoid.default(%x) : (!fx.any) -> !fx.any
  %y = call_function @aten.mul.Tensor(%x, %s) : (!fx.any, !fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @silu.replacement {
  %x = placeholder "x" : !fx.any
  %y = call_function @aten.silu.default(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}

fx.graph @silu_swapped.pattern {
  %x = placeholder "x" : !fx.any
  %s = call_function @aten.sigmoid.default(%x) : (!fx.any) -> !fx.any
  %y = call_function @aten.mul.Tensor(%s, %x) : (!fx.any, !fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @silu_swapped.replacement {
  %x = placeholder "x" : !fx.any
  %y = call_function @aten.silu.default(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}

// 0.5 * x * (1 + erf(x / sqrt(2)))
fx.graph @gelu_div.pattern {
  %x = placeholder "x" : !fx.any
  %half = call_function @aten.mul.Tensor(%x, 0.5) : (!fx.any) -> !fx.any
  %d = call_function @aten.div.Tensor(%x, 1.4142135623730951) : (!fx.any) -> !fx.any
  %e = call_function @aten.erf.default(%d) : (!fx.any) -> !fx.any
  %o = call_function @aten.add.Tensor(%e, 1.0) : (!fx.any) -> !fx.any
  %y = call_function @aten.mul.Tensor(%half, %o) : (!fx.any, !fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @gelu_div.replacement {
  %x = placeholder "x" : !fx.any
  %y = call_function @aten.gelu.default(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}

// 0.5 * x * (1 + erf(x * sqrt(1/2)))
fx.graph @gelu_mul.pattern {
  %x = placeholder "x" : !fx.any
  %half = call_function @aten.mul.Tensor(%x, 0.5) : (!fx.any) -> !fx.any
  %d = call_function @aten.mul.Tensor(%x, 0.7071067811865476) : (!fx.any) -> !fx.any
  %e = call_function @aten.erf.default(%d) : (!fx.any) -> !fx.any
  %o = call_function @aten.add.Tensor(%e, 1.0) : (!fx.any) -> !fx.any
  %y = call_function @aten.mul.Tensor(%half, %o) : (!fx.any, !fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @gelu_mul.replacement {
  %x = placeholder "x" : !fx.any
  %y = call_function @aten.gelu.default(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}

// 0.5 * x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))), as GPT-2 has it
fx.graph @gelu_tanh.pattern {
  %x = placeholder "x" : !fx.any
  %half = call_function @aten.mul.Tensor(%x, 0.5) : (!fx.any) -> !fx.any
  %p = call_function @aten.pow.Tensor_Scalar(%x, 3.0) : (!fx.any) -> !fx.any
  %c = call_function @aten.mul.Tensor(%p, 0.044715) : (!fx.any) -> !fx.any
  %s = call_function @aten.add.Tensor(%x, %c) : (!fx.any, !fx.any) -> !fx.any
  %d = call_function @aten.mul.Tensor(%s, 0.7978845608028654) : (!fx.any) -> !fx.any
  %t = call_function @aten.tanh.default(%d) : (!fx.any) -> !fx.any
  %o = call_function @aten.add.Tensor(%t, 1.0) : (!fx.any) -> !fx.any
  %y = call_function @aten.mul.Tensor(%half, %o) : (!fx.any, !fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @gelu_tanh.replacement {
  %x = placeholder "x" : !fx.any
  %y = call_function @aten.gelu.default(%x, approximate = "tanh") : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}

// exp(x - max) / sum
fx.graph @softmax.pattern {
  %x = placeholder "x" : !fx.any
  %d = placeholder "d" : !fx.sym_int
  %m = call_function @aten.amax.default(%x, [%d], true) : (!fx.any, !fx.sym_int) -> !fx.any
  %c = call_function @aten.sub.Tensor(%x, %m) : (!fx.any, !fx.any) -> !fx.any
  %e = call_function @aten.exp.default(%c) : (!fx.any) -> !fx.any
  %s = call_function @aten.sum.dim_IntList(%e, [%d], true) : (!fx.any, !fx.sym_int) -> !fx.any
  %y = call_function @aten.div.Tensor(%e, %s) : (!fx.any, !fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @softmax.replacement {
  %x = placeholder "x" : !fx.any
  %d = placeholder "d" : !fx.sym_int
  %y = call_function @aten.softmax.int(%x, %d) : (!fx.any, !fx.sym_int) -> !fx.any
  output(%y) : (!fx.any)
}

// Before RMS norm, which is a part of it: (x - mean) * rsqrt(mean((x - mean)^2) + eps) * w + b
fx.graph @layer_norm.pattern {
  %x = placeholder "x" : !fx.any
  %w = placeholder "w" : !fx.tensor<[n], f32>
  %b = placeholder "b" : !fx.tensor<[n], f32>
  %eps = placeholder "eps" : !fx.sym_float
  %m = call_function @aten.mean.dim(%x, [-1], true) : (!fx.any) -> !fx.any
  %c = call_function @aten.sub.Tensor(%x, %m) : (!fx.any, !fx.any) -> !fx.any
  %p = call_function @aten.pow.Tensor_Scalar(%c, 2) : (!fx.any) -> !fx.any
  %v = call_function @aten.mean.dim(%p, [-1], true) : (!fx.any) -> !fx.any
  %a = call_function @aten.add.Tensor(%v, %eps) : (!fx.any, !fx.sym_float) -> !fx.any
  %r = call_function @aten.rsqrt.default(%a) : (!fx.any) -> !fx.any
  %s = call_function @aten.mul.Tensor(%c, %r) : (!fx.any, !fx.any) -> !fx.any
  %t = call_function @aten.mul.Tensor(%s, %w) : (!fx.any, !fx.tensor<[n], f32>) -> !fx.any
  %y = call_function @aten.add.Tensor(%t, %b) : (!fx.any, !fx.tensor<[n], f32>) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @layer_norm.replacement {
  %x = placeholder "x" : !fx.any
  %w = placeholder "w" : !fx.tensor<[n], f32>
  %b = placeholder "b" : !fx.tensor<[n], f32>
  %eps = placeholder "eps" : !fx.sym_float
  %n = call_function @aten.sym_size.int(%w, 0) : (!fx.tensor<[n], f32>) -> !fx.any
  %y = call_function @aten.layer_norm.default(%x, [%n], %w, %b, %eps) : (!fx.any, !fx.any, !fx.tensor<[n], f32>, !fx.tensor<[n], f32>, !fx.sym_float) -> !fx.any
  output(%y) : (!fx.any)
}

// x * rsqrt(mean(x^2) + eps) * w
fx.graph @rms_norm.pattern {
  %x = placeholder "x" : !fx.any
  %w = placeholder "w" : !fx.tensor<[n], f32>
  %eps = placeholder "eps" : !fx.sym_float
  %p = call_function @aten.pow.Tensor_Scalar(%x, 2) : (!fx.any) -> !fx.any
  %m = call_function @aten.mean.dim(%p, [-1], true) : (!fx.any) -> !fx.any
  %a = call_function @aten.add.Tensor(%m, %eps) : (!fx.any, !fx.sym_float) -> !fx.any
  %r = call_function @aten.rsqrt.default(%a) : (!fx.any) -> !fx.any
  %s = call_function @aten.mul.Tensor(%x, %r) : (!fx.any, !fx.any) -> !fx.any
  %y = call_function @aten.mul.Tensor(%s, %w) : (!fx.any, !fx.tensor<[n], f32>) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @rms_norm.replacement {
  %x = placeholder "x" : !fx.any
  %w = placeholder "w" : !fx.tensor<[n], f32>
  %eps = placeholder "eps" : !fx.sym_float
  %n = call_function @aten.sym_size.int(%w, 0) : (!fx.tensor<[n], f32>) -> !fx.any
  %y = call_function @aten.rms_norm.default(%x, [%n], %w, %eps) : (!fx.any, !fx.any, !fx.tensor<[n], f32>, !fx.sym_float) -> !fx.any
  output(%y) : (!fx.any)
}

fx.graph @rms_norm_swapped.pattern {
  %x = placeholder "x" : !fx.any
  %w = placeholder "w" : !fx.tensor<[n], f32>
  %eps = placeholder "eps" : !fx.sym_float
  %p = call_function @aten.pow.Tensor_Scalar(%x, 2) : (!fx.any) -> !fx.any
  %m = call_function @aten.mean.dim(%p, [-1], true) : (!fx.any) -> !fx.any
  %a = call_function @aten.add.Tensor(%m, %eps) : (!fx.any, !fx.sym_float) -> !fx.any
  %r = call_function @aten.rsqrt.default(%a) : (!fx.any) -> !fx.any
  %s = call_function @aten.mul.Tensor(%x, %r) : (!fx.any, !fx.any) -> !fx.any
  %y = call_function @aten.mul.Tensor(%w, %s) : (!fx.tensor<[n], f32>, !fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @rms_norm_swapped.replacement {
  %x = placeholder "x" : !fx.any
  %w = placeholder "w" : !fx.tensor<[n], f32>
  %eps = placeholder "eps" : !fx.sym_float
  %n = call_function @aten.sym_size.int(%w, 0) : (!fx.tensor<[n], f32>) -> !fx.any
  %y = call_function @aten.rms_norm.default(%x, [%n], %w, %eps) : (!fx.any, !fx.any, !fx.tensor<[n], f32>, !fx.sym_float) -> !fx.any
  output(%y) : (!fx.any)
}

// softmax(q k^T * scale) v
fx.graph @attention.pattern {
  %q = placeholder "q" : !fx.any
  %k = placeholder "k" : !fx.any
  %v = placeholder "v" : !fx.any
  %scale = placeholder "scale" : !fx.sym_float
  %t = call_function @aten.transpose.int(%k, -2, -1) : (!fx.any) -> !fx.any
  %m = call_function @aten.matmul.default(%q, %t) : (!fx.any, !fx.any) -> !fx.any
  %s = call_function @aten.mul.Tensor(%m, %scale) : (!fx.any, !fx.sym_float) -> !fx.any
  %p = call_function @aten.softmax.int(%s, -1) : (!fx.any) -> !fx.any
  %y = call_function @aten.matmul.default(%p, %v) : (!fx.any, !fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @attention.replacement {
  %q = placeholder "q" : !fx.any
  %k = placeholder "k" : !fx.any
  %v = placeholder "v" : !fx.any
  %scale = placeholder "scale" : !fx.sym_float
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v, scale = %scale) : (!fx.any, !fx.any, !fx.any, !fx.sym_float) -> !fx.any
  output(%y) : (!fx.any)
}
