// RUN: fx-opt %s -fx-functionalize -split-input-file -verify-diagnostics

fx.graph @expanded {
  %x = placeholder "x" : !fx.tensor<[1], f32>
  %e = call_function @aten.expand.default(%x, [4]) : (!fx.tensor<[1], f32>) -> !fx.tensor<[4], f32, #fx.meta<strides = [0]>>
  // expected-remark @below {{graph @expanded stays as it is: writes through a view that has no inverse, 'aten.expand.default'}}
  %relu_ = call_function @aten.relu_.default(%e) : (!fx.tensor<[4], f32, #fx.meta<strides = [0]>>) -> !fx.tensor<[4], f32, #fx.meta<strides = [0]>>
  output(%x) : (!fx.tensor<[1], f32>)
}

// -----

fx.graph @custom {
  %x = placeholder "x" : !fx.tensor<[1], f32>
  // expected-remark @below {{graph @custom stays as it is: the effects of 'mylib.foo.default' are not known}}
  %foo = call_function @mylib.foo.default(%x) : (!fx.tensor<[1], f32>) -> !fx.tensor<[1], f32>
  output(%foo) : (!fx.tensor<[1], f32>)
}

// -----

// expected-remark @below {{graph @writes stays as it is: it mutates its inputs}}
fx.graph private @writes {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %relu_ = call_function @aten.relu_.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%relu_) : (!fx.tensor<[4], f32>)
}
fx.graph @branches {
  %p = placeholder "p" : !fx.tensor<[], i1>
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %g = get_attr @writes : !fx.graph_ref
  // expected-remark @below {{graph @branches stays as it is: a sub-graph mutates}}
  %c = cond(%p, %g, %g, [%x]) : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%c) : (!fx.tensor<[4], f32>)
}
