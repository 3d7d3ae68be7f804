// RUN: fx-opt %s --split-input-file --cse --canonicalize --cse | FileCheck %s

// A graph that mutates: `v = x[0]; v.sin(); x.add_(1); v.sin()`. The two sines
// differ.
// CHECK-LABEL: fx.graph @alias
fx.graph @alias {
  %x = placeholder "x" : !fx.tensor<[2, 4], f32>
  // CHECK: %v = call_function @aten.select.int
  %v = call_function @aten.select.int(%x, 0, 0) : (!fx.tensor<[2, 4], f32>) -> !fx.tensor<[4], f32>
  // CHECK: %sin = call_function @aten.sin.default(%v)
  %sin = call_function @aten.sin.default(%v) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK: call_function @aten.add_.Tensor
  %add_ = call_function @aten.add_.Tensor(%x, 1) : (!fx.tensor<[2, 4], f32>) -> !fx.tensor<[2, 4], f32>
  // CHECK: %sin_1 = call_function @aten.sin.default(%v)
  %sin_1 = call_function @aten.sin.default(%v) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK: output(%sin, %sin_1)
  output(%sin, %sin_1) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
}

// -----

// Two allocations are not merged if one of them is written later.
// CHECK-LABEL: fx.graph @allocations
fx.graph @allocations {
  // CHECK: %zeros = call_function @aten.zeros.default
  %zeros = call_function @aten.zeros.default([4]) : () -> !fx.tensor<[4], f32>
  // CHECK: %zeros_1 = call_function @aten.zeros.default
  %zeros_1 = call_function @aten.zeros.default([4]) : () -> !fx.tensor<[4], f32>
  %add_ = call_function @aten.add_.Tensor(%zeros, 1) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK: output(%zeros, %zeros_1)
  output(%zeros, %zeros_1) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
}

// -----

// Dead calls are removed even here, unless they write.
// CHECK-LABEL: fx.graph @dead
fx.graph @dead {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // CHECK-NOT: aten.sin
  %sin = call_function @aten.sin.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK: @aten.relu_.default
  %relu_ = call_function @aten.relu_.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

// CHECK-LABEL: fx.graph @functional
fx.graph @functional attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // CHECK: %sin = call_function @aten.sin.default
  // CHECK-NOT: aten.sin.default
  // CHECK-NOT: aten.cos.default
  %sin = call_function @aten.sin.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %sin_1 = call_function @aten.sin.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %cos = call_function @aten.cos.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK: output(%sin, %sin)
  output(%sin, %sin_1) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
}

// -----

// Random operators, assertions and nodes that define a symbol stay, even in a
// functional graph.
// CHECK-LABEL: fx.graph @ordered
fx.graph @ordered attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // CHECK: %rand = call_function @aten.rand_like.default
  // CHECK: %rand_1 = call_function @aten.rand_like.default
  %rand = call_function @aten.rand_like.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %rand_1 = call_function @aten.rand_like.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK: call_function @aten.dropout.default(%x, 0.5, true)
  %drop = call_function @aten.dropout.default(%x, 0.5, true) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // In evaluation mode dropout draws nothing.
  // CHECK-NOT: aten.dropout
  %eval = call_function @aten.dropout.default(%x, 0.5, false) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %zero = call_function @aten.dropout.default(%x, 0.0, true) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK: %item = call_function @aten.item.default
  %item = call_function @aten.item.default(%x) : (!fx.tensor<[4], f32>) -> !fx.sym_int<u0>
  // CHECK: %item_1 = call_function @aten.item.default
  %item_1 = call_function @aten.item.default(%x) : (!fx.tensor<[4], f32>) -> !fx.sym_int<u1>
  // CHECK: %ge = call_function @_operator.ge
  // CHECK-NOT: _operator.ge
  %ge = call_function @_operator.ge(%item, 0) : (!fx.sym_int<u0>) -> !fx.sym_bool<ge(u0, 0)>
  %ge_1 = call_function @_operator.ge(%item, 0) : (!fx.sym_int<u0>) -> !fx.sym_bool<ge(u0, 0)>
  // CHECK: call_function @aten._assert_scalar.default(%ge
  call_function @aten._assert_scalar.default(%ge, "a") : (!fx.sym_bool<ge(u0, 0)>) -> ()
  // A custom operator may have any effect.
  // CHECK: call_function @mylib.op.default
  %op = call_function @mylib.op.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK: output(%rand, %rand_1, %ge, %ge)
  output(%rand, %rand_1, %ge, %ge_1) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>, !fx.sym_bool<ge(u0, 0)>, !fx.sym_bool<ge(u0, 0)>)
}

// -----

// A training batch norm updates its statistics, although no annotation of the
// schema says so.
// CHECK-LABEL: fx.graph @batch_norm
fx.graph @batch_norm {
  %x = placeholder "x" : !fx.tensor<[2, 4], f32>
  %mean = placeholder "mean" : !fx.tensor<[4], f32>
  // CHECK: call_function @aten.batch_norm.default({{.*}}, true, {{.*}}, true)
  %train = call_function @aten.batch_norm.default(%x, None, None, %mean, %mean, true, 0.1, 1.0e-5, true) : (!fx.tensor<[2, 4], f32>, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[2, 4], f32>
  // CHECK-NOT: call_function @aten.batch_norm.default
  %eval = call_function @aten.batch_norm.default(%x, None, None, %mean, %mean, false, 0.1, 1.0e-5, true) : (!fx.tensor<[2, 4], f32>, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[2, 4], f32>
  // CHECK: output
  output(%x) : (!fx.tensor<[2, 4], f32>)
}

// -----

fx.graph private @pure attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %sin = call_function @aten.sin.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%sin) : (!fx.tensor<[4], f32>)
}
fx.graph private @random attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %rand = call_function @aten.rand_like.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%rand) : (!fx.tensor<[4], f32>)
}
// A conditional has the effects of its graphs.
// CHECK-LABEL: fx.graph @cond
fx.graph @cond attributes {functional} {
  %p = placeholder "p" : !fx.tensor<[], i1>
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %pure = get_attr @pure : !fx.graph_ref
  // CHECK: %random = get_attr @random
  %random = get_attr @random : !fx.graph_ref
  // CHECK: cond(%p, %pure, %random, [%x])
  %a = cond(%p, %pure, %random, [%x]) : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK-NOT: cond(
  %b = cond(%p, %pure, %pure, [%x]) : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK: output
  output(%x) : (!fx.tensor<[4], f32>)
}
