// RUN: fx-opt %s -fx-inline-wrappers | FileCheck %s

// CHECK-NOT: fx.graph private @no_grad
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
  // An autocast region that has sub-graphs stays.
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
  %inner = get_attr @inner : !fx.graph_ref
  %m = higher_order @map_impl(%inner, [%x], []) : (!fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%m) : (!fx.tensor<[4], f32>)
}
fx.graph private @inner {
  %x = placeholder "x" : !fx.tensor<[], f32>
  output(%x) : (!fx.tensor<[], f32>)
}

// Operators that run in the region's dtype, in f32, and in the dtype of their
// operands.
fx.graph private @region {
  %x = placeholder "x" : !fx.tensor<[4, 4], f32>
  %mm = call_function @aten.mm.default(%x, %x) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], bf16>
  %softmax = call_function @aten.softmax.int(%mm, -1) : (!fx.tensor<[4, 4], bf16>) -> !fx.tensor<[4, 4], f32>
  %relu = call_function @aten.relu.default(%mm) : (!fx.tensor<[4, 4], bf16>) -> !fx.tensor<[4, 4], bf16>
  output(%softmax, %relu) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], bf16>)
}
// CHECK-LABEL: fx.graph @autocast
fx.graph @autocast {
  %x = placeholder "x" : !fx.tensor<[4, 4], f32>
  %region = get_attr @region : !fx.graph_ref
  // CHECK: %[[A:.*]] = call_function @aten._to_copy.default(%x, dtype = bf16)
  // CHECK: %[[B:.*]] = call_function @aten._to_copy.default(%x, dtype = bf16)
  // CHECK: %mm = call_function @aten.mm.default(%[[A]], %[[B]])
  // CHECK: %[[C:.*]] = call_function @aten._to_copy.default(%mm, dtype = f32)
  // CHECK: call_function @aten.softmax.int(%[[C]], -1)
  // CHECK: call_function @aten.relu.default(%mm)
  %s, %r = higher_order @wrap_with_autocast("cpu", bf16, true, None, %region, %x) : (!fx.graph_ref, !fx.tensor<[4, 4], f32>) -> (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], bf16>)
  output(%s, %r) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], bf16>)
}

// CHECK-LABEL: fx.graph @known_condition
fx.graph @known_condition {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %yes = get_attr @no_grad : !fx.graph_ref
  %no = get_attr @outer : !fx.graph_ref
  // CHECK-NOT: cond
  // CHECK: call_function @aten.sin.default(%x)
  %c = cond(true, %yes, %no, [%x]) : (!fx.graph_ref, !fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%c) : (!fx.tensor<[4], f32>)
}

// CHECK-LABEL: fx.graph @effects
fx.graph @effects {
  // CHECK: %token = placeholder
  %token = placeholder "token" token : !fx.token
  %x = placeholder "x" : !fx.tensor<[4], i8>
  // CHECK: call_function @aten._print.default("one") : () -> ()
  %t = higher_order @with_effects(%token, #fx.operator<"aten._print.default">, "one") : (!fx.token) -> !fx.token
  // CHECK: %[[W:.*]] = call_function @aten._to_copy.default(%x, dtype = i32)
  // CHECK: %{{.*}} = call_function @aten.mul.Tensor(%[[W]], 2) : (!fx.tensor<[4], i32>) -> !fx.tensor<[4], i32>
  %o = higher_order @out_dtype(#fx.operator<"aten.mul.Tensor">, i32, %x, 2) : (!fx.tensor<[4], i8>) -> !fx.tensor<[4], i32>
  // CHECK: output(%token
  output(%t, %o) signature [#fx.output_spec<token>, #fx.output_spec<user_output>] : (!fx.token, !fx.tensor<[4], i32>)
}
