// RUN: fx-opt %s -fx-inline-wrappers | FileCheck %s

// CHECK-NOT: @no_grad
fx.graph private @no_grad {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %sin = call_function @aten.sin.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%sin) : (!fx.tensor<[4], f32>)
}
fx.graph private @outer {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %no_grad = get_attr @no_grad : !fx.graph_ref
  %w = higher_order @wrap_with_set_grad_enabled(false, %no_grad, %x) : (!fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%w) : (!fx.tensor<[4], f32>)
}
// CHECK-LABEL: fx.graph @main
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // CHECK-NEXT: %x = placeholder
  // CHECK-NEXT: %sin = call_function @aten.sin.default(%x)
  %sin = call_function @aten.sin.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %outer = get_attr @outer : !fx.graph_ref
  // CHECK-NEXT: %sin_1 = call_function @aten.sin.default(%sin)
  %s = higher_order @strict_mode(%outer, [%sin]) : (!fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK-NEXT: %wrap = get_attr
  %wrap = get_attr @other : !fx.graph_ref
  // CHECK-NEXT: higher_order @wrap_with_autocast
  %a = higher_order @wrap_with_autocast("cpu", bf16, true, None, %wrap, %s) : (!fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK-NEXT: output(%a, %sin_1)
  output(%a, %s) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
}
// CHECK: fx.graph private @other
fx.graph private @other {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}
