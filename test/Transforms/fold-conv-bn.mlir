// RUN: fx-opt %s -fx-fold-conv-bn -split-input-file | FileCheck %s

// CHECK-LABEL: fx.graph @conv2d
// CHECK: %[[M:.*]] = call_function @aten._to_copy.default(%m, dtype = f64)
// CHECK: %[[V:.*]] = call_function @aten._to_copy.default(%v, dtype = f64)
// CHECK: %add = call_function @aten.add.Tensor(%[[V]], 1.0{{[0-9]*}}e-05)
// CHECK: %rsqrt = call_function @aten.rsqrt.default(%add)
// CHECK: %[[G:.*]] = call_function @aten._to_copy.default(%g, dtype = f64)
// CHECK: %mul = call_function @aten.mul.Tensor(%rsqrt, %[[G]])
// CHECK: %mul_1 = call_function @aten.mul.Tensor(%[[M]], %mul)
// CHECK: %[[B:.*]] = call_function @aten._to_copy.default(%b, dtype = f64)
// CHECK: %sub = call_function @aten.sub.Tensor(%[[B]], %mul_1)
// CHECK: %[[W:.*]] = call_function @aten._to_copy.default(%w, dtype = f64)
// CHECK: %view = call_function @aten.view.default(%mul, [8, 1, 1, 1])
// CHECK: %mul_2 = call_function @aten.mul.Tensor(%[[W]], %view)
// CHECK: %[[NW:.*]] = call_function @aten._to_copy.default(%mul_2, dtype = f32)
// CHECK: %[[NB:.*]] = call_function @aten._to_copy.default(%sub, dtype = f32)
// CHECK: %bn = call_function @aten.conv2d.default(%x, %[[NW]], %[[NB]], [2, 2], [1, 1])
// CHECK-NOT: batch_norm
// CHECK: output(%bn)
fx.state @w : !fx.tensor<[8, 4, 3, 3], f32>
fx.state @g : !fx.tensor<[8], f32>
fx.state @b : !fx.tensor<[8], f32>
fx.state @m : !fx.tensor<[8], f32>
fx.state @v : !fx.tensor<[8], f32>
fx.graph @conv2d symbols [s0 in [1, 64]] attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[8, 4, 3, 3], f32>
  %g = placeholder "g" parameter @g : !fx.tensor<[8], f32>
  %b = placeholder "b" parameter @b : !fx.tensor<[8], f32>
  %m = placeholder "m" buffer @m : !fx.tensor<[8], f32>
  %v = placeholder "v" buffer @v : !fx.tensor<[8], f32>
  %x = placeholder "x" : !fx.tensor<[s0, 4, 16, 16], f32>
  %conv2d = call_function @aten.conv2d.default(%x, %w, None, [2, 2], [1, 1]) : (!fx.tensor<[s0, 4, 16, 16], f32>, !fx.tensor<[8, 4, 3, 3], f32>) -> !fx.tensor<[s0, 8, 8, 8], f32>
  %bn = call_function @aten.batch_norm.default(%conv2d, %g, %b, %m, %v, false, 0.1, 1.0e-05, true) : (!fx.tensor<[s0, 8, 8, 8], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[s0, 8, 8, 8], f32>
  output(%bn) : (!fx.tensor<[s0, 8, 8, 8], f32>)
}

// -----

// A transposed convolution after decomposition, with a bias; the norm has
// neither weight nor bias.
// CHECK-LABEL: fx.graph @convolution
// CHECK: %rsqrt = call_function @aten.rsqrt.default
// CHECK: %sub = call_function @aten.sub.Tensor(
// CHECK: %mul = call_function @aten.mul.Tensor(%sub, %rsqrt)
// CHECK: %neg = call_function @aten.neg.default(%mul)
// CHECK: %view = call_function @aten.view.default(%rsqrt, [1, 8, 1])
// CHECK: %mul_1 = call_function @aten.mul.Tensor({{.*}}, %view)
// CHECK: %[[W:.*]] = call_function @aten._to_copy.default(%mul_1, dtype = f32)
// CHECK: %[[B:.*]] = call_function @aten._to_copy.default(%neg, dtype = f32)
// CHECK: %y = call_function @aten.convolution.default(%x, %[[W]], %[[B]], [1], [0], [1], true, [0], 1)
fx.state @w : !fx.tensor<[4, 8, 3], f32>
fx.state @cb : !fx.tensor<[8], f32>
fx.state @m : !fx.tensor<[8], f32>
fx.state @v : !fx.tensor<[8], f32>
fx.graph @convolution attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[4, 8, 3], f32>
  %cb = placeholder "cb" parameter @cb : !fx.tensor<[8], f32>
  %m = placeholder "m" buffer @m : !fx.tensor<[8], f32>
  %v = placeholder "v" buffer @v : !fx.tensor<[8], f32>
  %x = placeholder "x" : !fx.tensor<[2, 4, 5], f32>
  %c = call_function @aten.convolution.default(%x, %w, %cb, [1], [0], [1], true, [0], 1) : (!fx.tensor<[2, 4, 5], f32>, !fx.tensor<[4, 8, 3], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[2, 8, 7], f32>
  %y, %mean, %rstd = call_function @aten._native_batch_norm_legit_no_training.default(%c, None, None, %m, %v, 0.1, 1.0e-05) : (!fx.tensor<[2, 8, 7], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> (!fx.tensor<[2, 8, 7], f32>, !fx.tensor<[0], f32>, !fx.tensor<[0], f32>)
  output(%y) : (!fx.tensor<[2, 8, 7], f32>)
}

// -----

// addmm with a transposed weight, which is computed from a state and so folds,
// too.
// CHECK-LABEL: fx.graph @addmm
// CHECK: %view = call_function @aten.view.default(%{{.*}}, [1, 8])
// CHECK: %[[P:.*]] = call_function @aten.mul.Tensor({{.*}}, %view)
// CHECK: %[[W:.*]] = call_function @aten._to_copy.default(%[[P]], dtype = f32)
// CHECK: %bn = call_function @aten.addmm.default(%{{.*}}, %x, %[[W]])
fx.state @w : !fx.tensor<[8, 4], f32>
fx.state @cb : !fx.tensor<[8], f32>
fx.state @m : !fx.tensor<[8], f32>
fx.state @v : !fx.tensor<[8], f32>
fx.graph @addmm attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[8, 4], f32>
  %cb = placeholder "cb" parameter @cb : !fx.tensor<[8], f32>
  %m = placeholder "m" buffer @m : !fx.tensor<[8], f32>
  %v = placeholder "v" buffer @v : !fx.tensor<[8], f32>
  %x = placeholder "x" : !fx.tensor<[2, 4], f32>
  %t = call_function @aten.permute.default(%w, [1, 0]) : (!fx.tensor<[8, 4], f32>) -> !fx.tensor<[4, 8], f32>
  %c = call_function @aten.addmm.default(%cb, %x, %t) : (!fx.tensor<[8], f32>, !fx.tensor<[2, 4], f32>, !fx.tensor<[4, 8], f32>) -> !fx.tensor<[2, 8], f32>
  %bn = call_function @aten.batch_norm.default(%c, %cb, %cb, %m, %v, false, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 8], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[2, 8], f32>
  output(%bn) : (!fx.tensor<[2, 8], f32>)
}

// -----

// Nothing folds: the convolution has another use, the norm trains, a statistic
// is mutated, the weight is an input, the channels are not the last dimension
// of a linear layer, the graph is not functional.
// CHECK-LABEL: fx.graph @keep
// CHECK-COUNT-5: @aten.batch_norm.default
// CHECK-LABEL: fx.graph @not_functional
// CHECK: @aten.batch_norm.default
fx.state @w : !fx.tensor<[8, 8, 1, 1], f32>
fx.state @l : !fx.tensor<[8, 8], f32>
fx.state @m : !fx.tensor<[8], f32>
fx.state @v : !fx.tensor<[8], f32>
fx.state @k : !fx.tensor<[8], f32>
fx.graph @keep attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[8, 8, 1, 1], f32>
  %l = placeholder "l" parameter @l : !fx.tensor<[8, 8], f32>
  %m = placeholder "m" buffer @m : !fx.tensor<[8], f32>
  %v = placeholder "v" buffer @v : !fx.tensor<[8], f32>
  %k = placeholder "k" buffer @k : !fx.tensor<[8], f32>
  %x = placeholder "x" : !fx.tensor<[2, 8, 4, 4], f32>
  %wi = placeholder "wi" : !fx.tensor<[8, 8, 1, 1], f32>
  %z = placeholder "z" : !fx.tensor<[2, 8, 8], f32>
  %c0 = call_function @aten.conv2d.default(%x, %w) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8, 8, 1, 1], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %b0 = call_function @aten.batch_norm.default(%c0, None, None, %m, %v, false, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %c1 = call_function @aten.conv2d.default(%c0, %w) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8, 8, 1, 1], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %b1 = call_function @aten.batch_norm.default(%c1, None, None, None, None, true, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 8, 4, 4], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %c2 = call_function @aten.conv2d.default(%x, %w) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8, 8, 1, 1], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %b2 = call_function @aten.batch_norm.default(%c2, None, None, %m, %k, false, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %c3 = call_function @aten.conv2d.default(%x, %wi) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8, 8, 1, 1], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %b3 = call_function @aten.batch_norm.default(%c3, None, None, %m, %v, false, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %c4 = call_function @aten.linear.default(%z, %l) : (!fx.tensor<[2, 8, 8], f32>, !fx.tensor<[8, 8], f32>) -> !fx.tensor<[2, 8, 8], f32>
  %b4 = call_function @aten.batch_norm.default(%c4, None, None, %m, %v, false, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 8, 8], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[2, 8, 8], f32>
  output(%m, %b0, %b1, %b2, %b3, %b4) signature [#fx.output_spec<buffer_mutation, "k">, #fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>] : (!fx.tensor<[8], f32>, !fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[2, 8, 8], f32>)
}
fx.graph @not_functional {
  %w = placeholder "w" parameter @w : !fx.tensor<[8, 8, 1, 1], f32>
  %m = placeholder "m" buffer @m : !fx.tensor<[8], f32>
  %v = placeholder "v" buffer @v : !fx.tensor<[8], f32>
  %x = placeholder "x" : !fx.tensor<[2, 8, 4, 4], f32>
  %c0 = call_function @aten.conv2d.default(%x, %w) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8, 8, 1, 1], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %b0 = call_function @aten.batch_norm.default(%c0, None, None, %m, %v, false, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  output(%b0) : (!fx.tensor<[2, 8, 4, 4], f32>)
}

// -----

// Two groups of a transposed convolution; a matmul without a bias, in f64.
// CHECK-LABEL: fx.graph @groups
// CHECK: %reshape = call_function @aten.reshape.default({{.*}}, [2, 2, 3, 5])
// CHECK: %view = call_function @aten.view.default({{.*}}, [2, 1, 3, 1])
// CHECK: %[[P:.*]] = call_function @aten.mul.Tensor(%reshape, %view)
// CHECK: call_function @aten.view.default(%[[P]], [4, 3, 5])
// CHECK: %y = call_function @aten.conv_transpose1d.default(%x, %{{[^,]*}}, %{{[^,]*}}, [2], [0], [0], 2)
// CHECK-NOT: _to_copy{{.*}}%dv
// CHECK: %z = call_function @aten.addmm.default(%neg{{.*}}, %d, %mul{{.*}})
// CHECK-NOT: batch_norm
fx.state @w : !fx.tensor<[4, 3, 5], f32>
fx.state @m : !fx.tensor<[6], f32>
fx.state @v : !fx.tensor<[6], f32>
fx.state @dw : !fx.tensor<[4, 3], f64>
fx.state @dm : !fx.tensor<[3], f64>
fx.state @dv : !fx.tensor<[3], f64>
fx.graph @groups attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[4, 3, 5], f32>
  %m = placeholder "m" buffer @m : !fx.tensor<[6], f32>
  %v = placeholder "v" buffer @v : !fx.tensor<[6], f32>
  %dw = placeholder "dw" parameter @dw : !fx.tensor<[4, 3], f64>
  %dm = placeholder "dm" buffer @dm : !fx.tensor<[3], f64>
  %dv = placeholder "dv" buffer @dv : !fx.tensor<[3], f64>
  %x = placeholder "x" : !fx.tensor<[2, 4, 7], f32>
  %d = placeholder "d" : !fx.tensor<[2, 4], f64>
  %c = call_function @aten.conv_transpose1d.default(%x, %w, None, [2], [0], [0], 2) : (!fx.tensor<[2, 4, 7], f32>, !fx.tensor<[4, 3, 5], f32>) -> !fx.tensor<[2, 6, 17], f32>
  %y = call_function @aten.batch_norm.default(%c, None, None, %m, %v, false, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 6, 17], f32>, !fx.tensor<[6], f32>, !fx.tensor<[6], f32>) -> !fx.tensor<[2, 6, 17], f32>
  %mm = call_function @aten.mm.default(%d, %dw) : (!fx.tensor<[2, 4], f64>, !fx.tensor<[4, 3], f64>) -> !fx.tensor<[2, 3], f64>
  %z, %s0, %s1 = call_function @aten.native_batch_norm.default(%mm, None, None, %dm, %dv, false, 0.1, 1.0e-05) : (!fx.tensor<[2, 3], f64>, !fx.tensor<[3], f64>, !fx.tensor<[3], f64>) -> (!fx.tensor<[2, 3], f64>, !fx.tensor<[0], f64>, !fx.tensor<[0], f64>)
  output(%y, %z) : (!fx.tensor<[2, 6, 17], f32>, !fx.tensor<[2, 3], f64>)
}

// -----

// A statistic shares the storage of a state that is written.
// CHECK-LABEL: fx.graph @tied
// CHECK: @aten.batch_norm.default
fx.state @w : !fx.tensor<[2, 2, 1], f32>
fx.state @m : !fx.tensor<[2], f32> = dense<0> : tensor<8xui8>
fx.state @n : !fx.tensor<[2], f32> = dense<0> : tensor<8xui8>
fx.graph @tied attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2, 2, 1], f32>
  %m = placeholder "m" buffer @m : !fx.tensor<[2], f32>
  %n = placeholder "n" buffer @n : !fx.tensor<[2], f32>
  %x = placeholder "x" : !fx.tensor<[2, 2, 4], f32>
  %c = call_function @aten.conv1d.default(%x, %w) : (!fx.tensor<[2, 2, 4], f32>, !fx.tensor<[2, 2, 1], f32>) -> !fx.tensor<[2, 2, 4], f32>
  %y = call_function @aten.batch_norm.default(%c, None, None, %m, %m, false, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 2, 4], f32>, !fx.tensor<[2], f32>, !fx.tensor<[2], f32>) -> !fx.tensor<[2, 2, 4], f32>
  %a = call_function @aten.add.Tensor(%n, 1) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%a, %y) signature [#fx.output_spec<buffer_mutation, "n">, #fx.output_spec<user_output>] : (!fx.tensor<[2], f32>, !fx.tensor<[2, 2, 4], f32>)
}

// -----

// Modules of a live graph: the first pair becomes a convolution, whose weights
// are computed from states. The other pairs stay: an unknown module runs
// between the two, another module shares the norm's statistics (two pairs), the
// convolution's result has two uses, the norm is in training mode.
// CHECK-LABEL: fx.graph @main
// CHECK: rsqrt
// CHECK: %[[Y:.*]] = call_function @aten.conv2d.default(%x, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK-NEXT: %act = call_module @act(%[[Y]])
// CHECK-NEXT: call_module @conv1(%act)
// CHECK-NEXT: call_method @poke(%x)
// CHECK-NEXT: call_module @bn1
// CHECK-NEXT: call_module @conv2
// CHECK-NEXT: call_module @bn2
// CHECK-NEXT: call_module @conv3
// CHECK-NEXT: call_module @bn3
// CHECK-NEXT: call_module @conv4
// CHECK-NEXT: call_module @bn4
// CHECK-NEXT: output
fx.state @w0 : !fx.tensor<[8, 8, 1, 1], f32>
fx.state @m0 : !fx.tensor<[8], f32>
fx.state @v0 : !fx.tensor<[8], f32>
fx.state @w1 : !fx.tensor<[8, 8, 1, 1], f32>
fx.state @m1 : !fx.tensor<[8], f32>
fx.state @v1 : !fx.tensor<[8], f32>
fx.state @w2 : !fx.tensor<[8, 8, 1, 1], f32>
fx.state @m2 : !fx.tensor<[8], f32>
fx.state @v2 : !fx.tensor<[8], f32>
fx.state @w3 : !fx.tensor<[8, 8, 1, 1], f32>
fx.state @m3 : !fx.tensor<[8], f32>
fx.state @v3 : !fx.tensor<[8], f32>
fx.state @w4 : !fx.tensor<[8, 8, 1, 1], f32>
fx.state @m4 : !fx.tensor<[8], f32>
fx.state @v4 : !fx.tensor<[8], f32>
fx.graph private @main.conv0 {
  %w = placeholder "w" parameter @w0 : !fx.tensor<[8, 8, 1, 1], f32>
  %x = placeholder "x" : !fx.tensor<[2, 8, 4, 4], f32>
  %y = call_function @aten.conv2d.default(%x, %w) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8, 8, 1, 1], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  output(%y) : (!fx.tensor<[2, 8, 4, 4], f32>)
}
fx.graph private @main.bn0 {
  %m = placeholder "m" buffer @m0 : !fx.tensor<[8], f32>
  %v = placeholder "v" buffer @v0 : !fx.tensor<[8], f32>
  %x = placeholder "x" : !fx.tensor<[2, 8, 4, 4], f32>
  %y = call_function @aten.batch_norm.default(%x, None, None, %m, %v, false, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  output(%y) : (!fx.tensor<[2, 8, 4, 4], f32>)
}
fx.graph private @main.conv1 {
  %w = placeholder "w" parameter @w1 : !fx.tensor<[8, 8, 1, 1], f32>
  %x = placeholder "x" : !fx.tensor<[2, 8, 4, 4], f32>
  %y = call_function @aten.conv2d.default(%x, %w) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8, 8, 1, 1], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  output(%y) : (!fx.tensor<[2, 8, 4, 4], f32>)
}
fx.graph private @main.bn1 {
  %m = placeholder "m" buffer @m1 : !fx.tensor<[8], f32>
  %v = placeholder "v" buffer @v1 : !fx.tensor<[8], f32>
  %x = placeholder "x" : !fx.tensor<[2, 8, 4, 4], f32>
  %y = call_function @aten.batch_norm.default(%x, None, None, %m, %v, false, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  output(%y) : (!fx.tensor<[2, 8, 4, 4], f32>)
}
fx.graph private @main.conv2 {
  %w = placeholder "w" parameter @w2 : !fx.tensor<[8, 8, 1, 1], f32>
  %x = placeholder "x" : !fx.tensor<[2, 8, 4, 4], f32>
  %y = call_function @aten.conv2d.default(%x, %w) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8, 8, 1, 1], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  output(%y) : (!fx.tensor<[2, 8, 4, 4], f32>)
}
fx.graph private @main.bn2 {
  %m = placeholder "m" buffer @m3 : !fx.tensor<[8], f32>
  %v = placeholder "v" buffer @v3 : !fx.tensor<[8], f32>
  %x = placeholder "x" : !fx.tensor<[2, 8, 4, 4], f32>
  %y = call_function @aten.batch_norm.default(%x, None, None, %m, %v, false, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  output(%y) : (!fx.tensor<[2, 8, 4, 4], f32>)
}
fx.graph private @main.conv3 {
  %w = placeholder "w" parameter @w3 : !fx.tensor<[8, 8, 1, 1], f32>
  %x = placeholder "x" : !fx.tensor<[2, 8, 4, 4], f32>
  %y = call_function @aten.conv2d.default(%x, %w) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8, 8, 1, 1], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  output(%y) : (!fx.tensor<[2, 8, 4, 4], f32>)
}
fx.graph private @main.bn3 {
  %m = placeholder "m" buffer @m3 : !fx.tensor<[8], f32>
  %v = placeholder "v" buffer @v3 : !fx.tensor<[8], f32>
  %x = placeholder "x" : !fx.tensor<[2, 8, 4, 4], f32>
  %y = call_function @aten.batch_norm.default(%x, None, None, %m, %v, false, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  output(%y) : (!fx.tensor<[2, 8, 4, 4], f32>)
}
fx.graph private @main.conv4 {
  %w = placeholder "w" parameter @w4 : !fx.tensor<[8, 8, 1, 1], f32>
  %x = placeholder "x" : !fx.tensor<[2, 8, 4, 4], f32>
  %y = call_function @aten.conv2d.default(%x, %w) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8, 8, 1, 1], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  output(%y) : (!fx.tensor<[2, 8, 4, 4], f32>)
}
fx.graph private @main.bn4 {
  %m = placeholder "m" buffer @m4 : !fx.tensor<[8], f32>
  %v = placeholder "v" buffer @v4 : !fx.tensor<[8], f32>
  %x = placeholder "x" : !fx.tensor<[2, 8, 4, 4], f32>
  %y = call_function @aten.batch_norm.default(%x, None, None, %m, %v, true, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  output(%y) : (!fx.tensor<[2, 8, 4, 4], f32>)
}
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2, 8, 4, 4], f32>
  %conv = call_module @conv(%x) {fx.body = @main.conv0} : (!fx.tensor<[2, 8, 4, 4], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %bn = call_module @bn(%conv) {fx.body = @main.bn0} : (!fx.tensor<[2, 8, 4, 4], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %act = call_module @act(%bn) : (!fx.tensor<[2, 8, 4, 4], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %conv1 = call_module @conv1(%act) {fx.body = @main.conv1} : (!fx.tensor<[2, 8, 4, 4], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %p = call_method @poke(%x) : (!fx.tensor<[2, 8, 4, 4], f32>) -> !fx.any
  %bn1 = call_module @bn1(%conv1) {fx.body = @main.bn1} : (!fx.tensor<[2, 8, 4, 4], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %conv2 = call_module @conv2(%bn1) {fx.body = @main.conv2} : (!fx.tensor<[2, 8, 4, 4], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %bn2 = call_module @bn2(%conv2) {fx.body = @main.bn2} : (!fx.tensor<[2, 8, 4, 4], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %conv3 = call_module @conv3(%bn2) {fx.body = @main.conv3} : (!fx.tensor<[2, 8, 4, 4], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %bn3 = call_module @bn3(%conv3) {fx.body = @main.bn3} : (!fx.tensor<[2, 8, 4, 4], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %conv4 = call_module @conv4(%bn3) {fx.body = @main.conv4} : (!fx.tensor<[2, 8, 4, 4], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  %bn4 = call_module @bn4(%conv4) {fx.body = @main.bn4} : (!fx.tensor<[2, 8, 4, 4], f32>) -> !fx.tensor<[2, 8, 4, 4], f32>
  output(%bn4, %conv3) : (!fx.tensor<[2, 8, 4, 4], f32>, !fx.tensor<[2, 8, 4, 4], f32>)
}
