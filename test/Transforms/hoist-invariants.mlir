// RUN: fx-opt %s -fx-hoist-invariants -split-input-file | FileCheck %s

!v = !fx.tensor<[4], f32>
!m = !fx.tensor<[3, 4], f32>

// %e is the same for each row and is hoisted. %r draws in each iteration, %y
// needs the row, and the view %u stays, since no hoisted node needs it.
// CHECK-NOT: @row(
// CHECK-LABEL: fx.graph private @row_hoisted attributes {functional}
// CHECK-NEXT: %x = placeholder "x"
// CHECK-NEXT: %w = placeholder "w"
// CHECK-NEXT: %[[H:.*]] = placeholder "hoisted" : !fx.tensor<[4], f32>
// CHECK-NEXT: %u = call_function @aten.view.default(%w, [4])
// CHECK-NEXT: %r = call_function @aten.rand_like.default(%w)
// CHECK-NEXT: %y = call_function @aten.mul.Tensor(%x, %[[H]])
// CHECK-NEXT: %z = call_function @aten.add.Tensor(%y, %r)
// CHECK-NEXT: output(%z, %u)
// CHECK-LABEL: fx.graph @main
// CHECK: %v = call_function @aten.view.default(%w, [4])
// CHECK-NEXT: %e = call_function @aten.exp.default(%v)
// CHECK-NEXT: %[[G:.*]] = get_attr @row_hoisted
// CHECK-NEXT: higher_order @map_impl(%[[G]], [%xs], [%w, %e])
fx.graph private @row attributes {functional} {
  %x = placeholder "x" : !v
  %w = placeholder "w" : !v
  %v = call_function @aten.view.default(%w, [4]) : (!v) -> !v
  %u = call_function @aten.view.default(%w, [4]) : (!v) -> !v
  %e = call_function @aten.exp.default(%v) : (!v) -> !v
  %r = call_function @aten.rand_like.default(%w) : (!v) -> !v
  %y = call_function @aten.mul.Tensor(%x, %e) : (!v, !v) -> !v
  %z = call_function @aten.add.Tensor(%y, %r) : (!v, !v) -> !v
  output(%z, %u) : (!v, !v)
}
fx.graph @main attributes {functional} {
  %xs = placeholder "xs" : !m
  %w = placeholder "w" : !v
  %row = get_attr @row : !fx.graph_ref
  %y, %z = higher_order @map_impl(%row, [%xs], [%w]) : (!fx.graph_ref, !m, !v) -> (!m, !m)
  output(%y, %z) : (!m, !m)
}

// -----

!v = !fx.tensor<[4], f32>
!s = !fx.tensor<[], f32>

// The condition takes the same operands as the body. A hoisted result that the
// body returns is passed as well. The second call of the body gets its own
// copy.
// CHECK-LABEL: fx.graph private @less_hoisted
// CHECK-NEXT: placeholder "i"
// CHECK-NEXT: placeholder "w"
// CHECK-NEXT: placeholder "hoisted"
// CHECK-NEXT: aten.lt.Scalar
// CHECK-LABEL: fx.graph private @iteration_hoisted
// CHECK: %[[H:.*]] = placeholder "hoisted" : !fx.tensor<[], f32>
// CHECK-NEXT: %n = call_function @aten.add.Tensor(%i, %[[H]])
// CHECK-NEXT: output(%n)
// CHECK-LABEL: fx.graph @main
// CHECK: %t = call_function @aten.sum.default(%w)
// CHECK: %[[C:.*]] = get_attr @less_hoisted
// CHECK: %[[B:.*]] = get_attr @iteration_hoisted
// CHECK: higher_order @while_loop(%[[C]], %[[B]], [%i], [%w, %t])
fx.graph private @less attributes {functional} {
  %i = placeholder "i" : !s
  %w = placeholder "w" : !v
  %lt = call_function @aten.lt.Scalar(%i, 3) : (!s) -> !fx.tensor<[], i1>
  output(%lt) : (!fx.tensor<[], i1>)
}
fx.graph private @iteration attributes {functional} {
  %i = placeholder "i" : !s
  %w = placeholder "w" : !v
  %t = call_function @aten.sum.default(%w) : (!v) -> !s
  %n = call_function @aten.add.Tensor(%i, %t) : (!s, !s) -> !s
  output(%n) : (!s)
}
fx.graph @main attributes {functional} {
  %i = placeholder "i" : !s
  %w = placeholder "w" : !v
  %less = get_attr @less : !fx.graph_ref
  %iteration = get_attr @iteration : !fx.graph_ref
  %r = higher_order @while_loop(%less, %iteration, [%i], [%w]) : (!fx.graph_ref, !fx.graph_ref, !s, !v) -> !s
  output(%r) : (!s)
}

// -----

// Nothing is hoisted from a graph that mutates, nor anything that depends on
// the carried values.
// CHECK-LABEL: fx.graph private @body attributes {functional}
// CHECK: aten.exp.default(%c)
// CHECK-LABEL: fx.graph @main
// CHECK-NEXT: placeholder
// CHECK-NEXT: placeholder
// CHECK-NEXT: get_attr @body
!v = !fx.tensor<[4], f32>
!m = !fx.tensor<[3, 4], f32>
fx.graph private @body attributes {functional} {
  %c = placeholder "c" : !v
  %x = placeholder "x" : !v
  %e = call_function @aten.exp.default(%c) : (!v) -> !v
  %y = call_function @aten.mul.Tensor(%x, %e) : (!v, !v) -> !v
  output(%e, %y) : (!v, !v)
}
fx.graph @main attributes {functional} {
  %xs = placeholder "xs" : !m
  %w = placeholder "w" : !v
  %body = get_attr @body : !fx.graph_ref
  %c, %y = higher_order @scan(%body, [%w], [%xs], []) : (!fx.graph_ref, !v, !m) -> (!v, !m)
  output(%c, %y) : (!v, !m)
}
