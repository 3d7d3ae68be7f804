// RUN: fx-opt %s -split-input-file -verify-diagnostics

!v = !fx.tensor<[4], f32>
fx.graph private @g {
  %x = placeholder "x" : !v
  output(%x) : (!v)
}
fx.graph @main {
  %x = placeholder "x" : !v
  %g = get_attr @g : !fx.graph_ref
  // [H1]
  // expected-error @below {{expected a graph as argument 1, got 1 arguments}}
  %w = higher_order @while_loop(%g) : (!fx.graph_ref) -> !v
  output(%w) : (!v)
}

// -----

!v = !fx.tensor<[4], f32>
fx.graph private @g {
  %x = placeholder "x" : !v
  output(%x) : (!v)
}
fx.graph @main {
  %x = placeholder "x" : !v
  %g = get_attr @g : !fx.graph_ref
  // [H2]
  // expected-error @below {{expected a list as argument 1}}
  %w = higher_order @map_impl(%g, %x, []) : (!fx.graph_ref, !v) -> !v
  output(%w) : (!v)
}

// -----

!v = !fx.tensor<[4], f32>
fx.graph @main {
  %x = placeholder "x" : !v
  // [H2]
  // expected-error @below {{expected a list of graphs as argument 1}}
  %w = higher_order @switch(0, [], [%x]) : (!v) -> !v
  output(%w) : (!v)
}

// -----

!v = !fx.tensor<[4], f32>
fx.graph private @g {
  %x = placeholder "x" : !v
  output(%x) : (!v)
}
fx.graph private @h {
  %x = placeholder "x" : !v
  output(%x, %x) : (!v, !v)
}
fx.graph @main {
  %x = placeholder "x" : !v
  %g = get_attr @g : !fx.graph_ref
  %h = get_attr @h : !fx.graph_ref
  // [H6]
  // expected-error @below {{the branch 1 graph @h: expected 1 results, got 2}}
  %w = higher_order @switch(0, [%g, %h], [%x]) : (!fx.graph_ref, !fx.graph_ref, !v) -> !v
  output(%w) : (!v)
}

// -----

!v = !fx.tensor<[4], f32>
fx.graph private @g {
  %x = placeholder "x" : !v
  output(%x) : (!v)
}
fx.graph @main {
  %x = placeholder "x" : !v
  %g = get_attr @g : !fx.graph_ref
  // [H3]
  // expected-error @below {{the condition graph @g takes 1 operands, got 2}}
  %w:2 = higher_order @while_loop(%g, %g, [%x, %x], []) : (!fx.graph_ref, !fx.graph_ref, !v, !v) -> (!v, !v)
  output(%w#0) : (!v)
}

// -----

!v = !fx.tensor<[4], f32>
fx.graph private @g {
  %x = placeholder "x" : !v
  output(%x) : (!v)
}
fx.graph @main {
  %x = placeholder "x" : !v
  %g = get_attr @g : !fx.graph_ref
  // [H4]
  // expected-error @below {{operand 0 of the body graph @g: expected slices of '!fx.tensor<[4], f32>', got '!fx.tensor<[4], f32>'}}
  %w = higher_order @map_impl(%g, [%x], []) : (!fx.graph_ref, !v) -> !v
  output(%w) : (!v)
}

// -----

!v = !fx.tensor<[4], f32>
fx.graph private @g {
  %x = placeholder "x" : !v
  output(%x, %x) : (!v, !v)
}
fx.graph @main {
  %x = placeholder "x" : !v
  %g = get_attr @g : !fx.graph_ref
  // [H6]
  // expected-error @below {{the body graph @g: expected 1 results, got 2}}
  %w = higher_order @invoke_subgraph(%g, "id", %x) : (!fx.graph_ref, !v) -> !v
  output(%w) : (!v)
}

// -----

!v = !fx.tensor<[4], f32>
fx.graph private @c {
  %x = placeholder "x" : !v
  output(%x, %x) : (!v, !v)
}
fx.graph private @g {
  %x = placeholder "x" : !v
  output(%x) : (!v)
}
fx.graph @main {
  %x = placeholder "x" : !v
  %c = get_attr @c : !fx.graph_ref
  %g = get_attr @g : !fx.graph_ref
  // [H5]
  // expected-error @below {{the condition graph @c: expected one result, got 2}}
  %w = higher_order @while_loop(%c, %g, [%x], []) : (!fx.graph_ref, !fx.graph_ref, !v) -> !v
  output(%w) : (!v)
}

// -----

!v = !fx.tensor<[4], f32>
fx.graph private @g {
  %x = placeholder "x" : !v
  %y = call_function @aten.sum.default(%x) : (!v) -> !fx.tensor<[], f32>
  output(%y) : (!fx.tensor<[], f32>)
}
fx.graph @main {
  %x = placeholder "x" : !v
  %p = placeholder "p" : !fx.tensor<[], i1>
  %g = get_attr @g : !fx.graph_ref
  // [H9]
  // expected-error @below {{result 0 of the true graph @g: expected '!fx.tensor<[4], f32>', got '!fx.tensor<[], f32>'}}
  %w = cond(%p, %g, %g, [%x]) : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.graph_ref, !v) -> !v
  output(%w) : (!v)
}
