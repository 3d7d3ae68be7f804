// RUN: fx-opt %s -fx-fuse -split-input-file | FileCheck %s
// RUN: fx-opt %s -fx-fuse='min-size=4 prefix=part' -split-input-file | FileCheck %s --check-prefix=SIZE
// RUN: fx-opt %s -fx-fuse=max-size=2 -split-input-file | FileCheck %s --check-prefix=MAX
// Inlining the bodies restores the graph.
// RUN: fx-opt %s -fx-fuse -fx-resolve-calls -split-input-file | FileCheck %s --check-prefix=BACK

// A matmul is fused with the ops behind it. A value that two groups need is in
// neither.

// CHECK-LABEL: fx.state @w
// CHECK: fx.graph private @main.fused_linear_relu_mul symbols [s0 in [2, 64]] attributes {functional} {
// CHECK-NEXT: %w = placeholder "w" parameter @w
// CHECK-NEXT: %[[X:.*]] = placeholder "e"
// CHECK-NEXT: %l = call_function @aten.linear.default(%[[X]], %w)
// CHECK-NEXT: %r = call_function @aten.relu.default(%l)
// CHECK-NEXT: %v = call_function @aten.view.default(%r, [-1])
// CHECK-NEXT: %m = call_function @aten.mul.Tensor(%v, %v)
// CHECK-NEXT: output(%m)
// CHECK: fx.graph private @main.fused_sin_add
// CHECK: fx.graph @main
// CHECK: %e = call_function @aten.exp.default(%x)
// CHECK-NEXT: %fused_linear_relu_mul = call_module @fused_linear_relu_mul(%e) {fx.body = @main.fused_linear_relu_mul}
// CHECK-NEXT: %fused_sin_add = call_module @fused_sin_add(%e)
// CHECK-NEXT: output(%fused_linear_relu_mul, %fused_sin_add)

// Views do not count towards the size.
// SIZE-NOT: private @main.part
// MAX: fx.graph private @main.fused_linear_relu symbols
// MAX: fx.graph private @main.fused_sin_add

// BACK-NOT: private
// BACK: %e = call_function @aten.exp.default(%x)
// BACK-NEXT: %l = call_function @aten.linear.default(%e, %w)
// BACK-NEXT: %r = call_function @aten.relu.default(%l)
// BACK-NEXT: %v = call_function @aten.view.default(%r, [-1])
// BACK-NEXT: %m = call_function @aten.mul.Tensor(%v, %v)
// BACK-NEXT: %s = call_function @aten.sin.default(%e)
// BACK-NEXT: %a = call_function @aten.add.Tensor(%s, %e)
// BACK-NEXT: output(%m, %a)
fx.state @w : !fx.tensor<[4, 4], f32>
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[4, 4], f32>
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %e = call_function @aten.exp.default(%x) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  %l = call_function @aten.linear.default(%e, %w) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[4, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  %r = call_function @aten.relu.default(%l) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  %v = call_function @aten.view.default(%r, [-1]) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[4*s0], f32>
  %m = call_function @aten.mul.Tensor(%v, %v) : (!fx.tensor<[4*s0], f32>, !fx.tensor<[4*s0], f32>) -> !fx.tensor<[4*s0], f32>
  %s = call_function @aten.sin.default(%e) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  %a = call_function @aten.add.Tensor(%s, %e) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  output(%m, %a) : (!fx.tensor<[4*s0], f32>, !fx.tensor<[s0, 4], f32>)
}

// -----

// A matmul's producer, a matmul that is broadcast, a second matmul and a
// reduction after a matmul are not fused. A reduction is fused with the ops
// around it.

// CHECK-LABEL: fx.graph private @main.fused_add_exp_sum_div
// CHECK: fx.graph @main
// CHECK: %t = call_function @aten.tanh.default(%x)
// CHECK-NEXT: %p = call_function @aten.mm.default(%t, %x)
// CHECK-NEXT: %q = call_function @aten.mm.default(%p, %x)
// CHECK-NEXT: %fused_add_exp_sum_div = call_module @fused_add_exp_sum_div(%p, %q)
// CHECK-NEXT: %o = call_function @aten.mm.default(%x, %y)
// CHECK-NEXT: %b = call_function @aten.add.Tensor(%x, %o)
// CHECK-NEXT: output(%fused_add_exp_sum_div, %b)
// SIZE: fx.graph private @main.part_add_exp_sum_div
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4, 4], f32>
  %y = placeholder "y" : !fx.tensor<[4, 1], f32>
  %t = call_function @aten.tanh.default(%x) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %p = call_function @aten.mm.default(%t, %x) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %q = call_function @aten.mm.default(%p, %x) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %a = call_function @aten.add.Tensor(%p, %q) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %n = call_function @aten.exp.default(%a) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %s = call_function @aten.sum.dim_IntList(%n, [1], true) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 1], f32>
  %d = call_function @aten.div.Tensor(%n, %s) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 1], f32>) -> !fx.tensor<[4, 4], f32>
  %o = call_function @aten.mm.default(%x, %y) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 1], f32>) -> !fx.tensor<[4, 1], f32>
  %b = call_function @aten.add.Tensor(%x, %o) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 1], f32>) -> !fx.tensor<[4, 4], f32>
  output(%d, %b) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>)
}

// -----

// Random numbers keep their order.

// CHECK: fx.graph @main
// CHECK-NOT: call_module
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %d = call_function @aten.dropout.default(%x, 0.5, true) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %e = call_function @aten.exp.default(%d) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%e) : (!fx.tensor<[4], f32>)
}
