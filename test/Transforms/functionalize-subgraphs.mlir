// Sub-graphs that write to their arguments return the final values.
// RUN: fx-opt %s --fx-functionalize | FileCheck %s

!v = !fx.tensor<[4], f32>
!s = !fx.tensor<[], f32>

fx.graph private @yes {
  %n = placeholder "n" : !v
  %x = placeholder "x" : !v
  %add_ = call_function @aten.add_.Tensor(%n, 1) : (!v) -> !v
  %y = call_function @aten.add.Tensor(%x, %add_) : (!v, !v) -> !v
  output(%y) : (!v)
}
fx.graph private @no attributes {functional} {
  %n = placeholder "n" : !v
  %x = placeholder "x" : !v
  output(%x) : (!v)
}
// The branch that writes nothing returns its argument.
// CHECK-LABEL: fx.graph private @yes_functional attributes {functional}
// CHECK: %add = call_function @aten.add.Tensor(%n, 1)
// CHECK: %y = call_function @aten.add.Tensor(%x, %add)
// CHECK: output(%add, %y)
// CHECK-LABEL: fx.graph private @no_functional attributes {functional}
// CHECK: output(%n, %x)

fx.state @n : !v
// CHECK-LABEL: fx.graph @branches attributes {functional}
fx.graph @branches {
  %n = placeholder "n" buffer @n : !v
  %p = placeholder "p" : !fx.tensor<[], i1>
  %x = placeholder "x" : !v
  %yes = get_attr @yes : !fx.graph_ref
  %no = get_attr @no : !fx.graph_ref
  // CHECK: %[[N:.*]], %c = cond(%p, %yes_functional, %no_functional, [%n, %x])
  %c = cond(%p, %yes, %no, [%n, %x]) : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.graph_ref, !v, !v) -> !v
  // CHECK: %r = call_function @aten.neg.default(%[[N]])
  %r = call_function @aten.neg.default(%n) : (!v) -> !v
  // CHECK: output(%[[N]], %c, %r) signature [#fx.output_spec<buffer_mutation, "n">
  output(%c, %r) : (!v, !v)
}

fx.graph private @less attributes {functional} {
  %i = placeholder "i" : !s
  %k = placeholder "k" : !v
  %n = placeholder "n" : !v
  %lt = call_function @aten.lt.Scalar(%i, 3) : (!s) -> !fx.tensor<[], i1>
  output(%lt) : (!fx.tensor<[], i1>)
}
fx.graph private @iteration {
  %i = placeholder "i" : !s
  %k = placeholder "k" : !v
  %n = placeholder "n" : !v
  %add_ = call_function @aten.add_.Tensor(%n, %k) : (!v, !v) -> !v
  %next = call_function @aten.add.Tensor(%i, 1) : (!s) -> !s
  output(%next) : (!s)
}
// A loop carries the tensors that it writes.
// CHECK-LABEL: fx.graph @loop attributes {functional}
fx.graph @loop {
  %i = placeholder "i" : !s
  %k = placeholder "k" : !v
  %n = placeholder "n" : !v
  %less = get_attr @less : !fx.graph_ref
  %iteration = get_attr @iteration : !fx.graph_ref
  // CHECK: %w, %[[N:.*]] = higher_order @while_loop(%less_functional, %iteration_functional, [%i, %n], [%k])
  %w = higher_order @while_loop(%less, %iteration, [%i], [%k, %n], mutated_arg_indices = "2") : (!fx.graph_ref, !fx.graph_ref, !s, !v, !v) -> !s
  // CHECK: output(%[[N]], %w, %[[N]]) signature [#fx.output_spec<user_input_mutation, "n">
  output(%w, %n) : (!s, !v)
}

fx.graph private @step {
  %x = placeholder "x" : !s
  %n = placeholder "n" : !v
  %add_ = call_function @aten.add_.Tensor(%n, %x) : (!v, !s) -> !v
  %y = call_function @aten.neg.default(%x) : (!s) -> !s
  output(%y) : (!s)
}
// A map that writes becomes a scan.
// CHECK-LABEL: fx.graph @rows attributes {functional}
fx.graph @rows {
  %x = placeholder "x" : !v
  %n = placeholder "n" : !v
  %step = get_attr @step : !fx.graph_ref
  // CHECK: %[[N:.*]], %m = higher_order @scan(%step_functional, [%n], [%x], [])
  %m = higher_order @map_impl(%step, [%x], [%n]) : (!fx.graph_ref, !v, !v) -> !v
  // CHECK: output(%[[N]], %m)
  output(%m) : (!v)
}
// CHECK-NOT: fx.graph private @yes {
