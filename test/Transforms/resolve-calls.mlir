// RUN: fx-opt %s --fx-resolve-calls --split-input-file --verify-diagnostics | FileCheck %s

// States become inputs once. An immediate is substituted for a size.
// CHECK-NOT: private
// CHECK: fx.graph @main
// CHECK-NEXT: %[[W:.*]] = placeholder "l_w" parameter @l.w :
// CHECK-NEXT: %x = placeholder "x"
// CHECK-NEXT: %[[A:.*]] = call_function @aten.mul.Tensor(%x, %[[W]])
// CHECK-NEXT: %[[B:.*]] = call_function @aten.mul.Tensor(%[[A]], %[[W]])
// CHECK-NEXT: %[[L:.*]], %[[R:.*]] = call_function @aten.split.Tensor(%[[B]], 1)
// CHECK-NEXT: output(%[[R]], 2, {"k" = [2]}, %[[L]]) :
fx.state @l.w : !fx.tensor<[2], f32>
fx.graph private @main.l {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %w = placeholder "l_w" parameter @l.w : !fx.tensor<[2], f32>
  %mul = call_function @aten.mul.Tensor(%x, %w) : (!fx.tensor<[2], f32>, !fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%mul) : (!fx.tensor<[2], f32>)
}
fx.graph private @main.size {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  output(2)
}
fx.graph private @main.split {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %a, %b = call_function @aten.split.Tensor(%x, 1) outs [[#fx.operand, #fx.operand]] : (!fx.tensor<[2], f32>) -> (!fx.tensor<[1], f32>, !fx.tensor<[1], f32>)
  output(%a, %b) : (!fx.tensor<[1], f32>, !fx.tensor<[1], f32>)
}
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %a = call_module @l(%x) {fx.body = @main.l} : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  %b = call_module @l(%a) {fx.body = @main.l} : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  %n = call_method @size(%b, 0) {fx.body = @main.size} : (!fx.tensor<[2], f32>) -> !fx.sym_int
  %s, %t = call_function @torch.split(%b, %n) outs [#fx.operand, #fx.operand] {fx.function, fx.body = @main.split} : (!fx.tensor<[2], f32>, !fx.sym_int) -> (!fx.tensor<[1], f32>, !fx.tensor<[1], f32>)
  output(%t, %n, {"k" = [%n]}, %s) : (!fx.tensor<[1], f32>, !fx.sym_int, !fx.sym_int, !fx.tensor<[1], f32>)
}

// -----

// Calls whose body does not fit, or that have no recorded body, stay.
// CHECK: fx.graph @main
// CHECK: call_module @a(%x)
// CHECK: call_method @b(%x)
// CHECK: call_method @c(%x)
// CHECK: call_method @d(%x)
fx.graph private @one {
  %x = placeholder "x" : !fx.tensor<[3], f32>
  output(%x) : (!fx.tensor<[3], f32>)
}
fx.graph private @none {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  output(None)
}
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  // expected-remark @+1 {{its tensors are not those of 'one'}}
  %a = call_module @a(%x) {fx.body = @one} : (!fx.tensor<[2], f32>) -> !fx.any
  // expected-remark @+1 {{its values are not those of 'none'}}
  %b = call_method @b(%x) {fx.body = @none} : (!fx.tensor<[2], f32>) -> !fx.any
  // expected-remark @+1 {{nothing was recorded of it}}
  %c = call_method @c(%x) : (!fx.tensor<[2], f32>) -> !fx.any
  // expected-remark @+1 {{expected 'fx.body' to name a graph}}
  %d = call_method @d(%x) {fx.body = @main} : (!fx.tensor<[2], f32>) -> !fx.any
  output(%a, %b, %c, %d) : (!fx.any, !fx.any, !fx.any, !fx.any)
}
