// RUN: fx-opt %s -fx-functionalize -split-input-file -verify-diagnostics

fx.graph @custom {
  %x = placeholder "x" : !fx.tensor<[1], f32>
  // expected-remark @below {{graph @custom stays as it is: the effects of 'mylib.foo.default' are not known}}
  %foo = call_function @mylib.foo.default(%x) : (!fx.tensor<[1], f32>) -> !fx.tensor<[1], f32>
  output(%foo) : (!fx.tensor<[1], f32>)
}

// -----

// A second name of the tensor that the branches write.
fx.graph private @writes {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %y = placeholder "y" : !fx.tensor<[4], f32>
  %relu_ = call_function @aten.relu_.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %add = call_function @aten.add.Tensor(%relu_, %y) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%add) : (!fx.tensor<[4], f32>)
}
fx.graph @branches {
  %p = placeholder "p" : !fx.tensor<[], i1>
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %v = call_function @aten.view.default(%x, [4]) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %g = get_attr @writes : !fx.graph_ref
  // expected-remark @below {{graph @branches stays as it is: a sub-graph writes what it also has by another name}}
  %c = cond(%p, %g, %g, [%x, %v]) : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.graph_ref, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%c) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph private @condition {
  %x = placeholder "x" : !fx.tensor<[], f32>
  %relu_ = call_function @aten.relu_.default(%x) : (!fx.tensor<[], f32>) -> !fx.tensor<[], f32>
  %lt = call_function @aten.lt.Scalar(%relu_, 3) : (!fx.tensor<[], f32>) -> !fx.tensor<[], i1>
  output(%lt) : (!fx.tensor<[], i1>)
}
fx.graph private @body attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[], f32>
  %add = call_function @aten.add.Tensor(%x, 1) : (!fx.tensor<[], f32>) -> !fx.tensor<[], f32>
  output(%add) : (!fx.tensor<[], f32>)
}
fx.graph @loop {
  %x = placeholder "x" : !fx.tensor<[], f32>
  %c = get_attr @condition : !fx.graph_ref
  %b = get_attr @body : !fx.graph_ref
  // expected-remark @below {{graph @loop stays as it is: the condition of a loop mutates}}
  %w = higher_order @while_loop(%c, %b, [%x], []) : (!fx.graph_ref, !fx.graph_ref, !fx.tensor<[], f32>) -> !fx.tensor<[], f32>
  output(%w) : (!fx.tensor<[], f32>)
}

// -----

fx.graph private @row {
  %x = placeholder "x" : !fx.tensor<[], f32>
  %relu_ = call_function @aten.relu_.default(%x) : (!fx.tensor<[], f32>) -> !fx.tensor<[], f32>
  output(%relu_) : (!fx.tensor<[], f32>)
}
fx.graph @rows {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %r = get_attr @row : !fx.graph_ref
  // expected-remark @below {{graph @rows stays as it is: the body of a loop writes to what it carries or walks}}
  %w = higher_order @map_impl(%r, [%x], []) : (!fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%w) : (!fx.tensor<[4], f32>)
}
