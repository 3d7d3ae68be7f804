// RUN: fx-opt %s --convert-fx-to-linalg --fx-strip-attributes=embed-states --split-input-file --verify-diagnostics

fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], complex<f32>>
  // expected-error@+1 {{expected linalg only, got the operator 'aten.tan.default', which only ATen runs: }}
  %y = call_function @aten.tan.default(%x) : (!fx.tensor<[4], complex<f32>>) -> !fx.tensor<[4], complex<f32>>
  output(%y) : (!fx.tensor<[4], complex<f32>>)
}

// -----

// expected-error@+1 {{state 'w': }}
fx.state @w : !fx.tensor<[2], f32>
fx.graph @main attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2], f32>
  %y = call_function @aten.neg.default(%w) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%y) : (!fx.tensor<[2], f32>)
}

// -----

// expected-error@+1 {{state 'w': it ends beyond its storage}}
fx.state @w : !fx.tensor<[2], f32> = dense<[0, 0, 128, 63]> : tensor<4xui8>
fx.graph @main attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2], f32>
  %y = call_function @aten.neg.default(%w) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%y) : (!fx.tensor<[2], f32>)
}

// -----

fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error@+1 {{expected random numbers that linalg can draw, got others: the distribution 'any_integers' has no form there}}
  %y = call_function @aten.random.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%y) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @main attributes {functional} {
  %p = placeholder "p" : !fx.tensor<[], i1>
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %t = get_attr @yes : !fx.graph_ref
  %f = get_attr @no : !fx.graph_ref
  %y = cond(%p, %t, %f, [%x]) : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%y) : (!fx.tensor<[4], f32>)
}
fx.graph private @yes attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error@+1 {{expected random numbers that linalg can draw, got others: they are drawn inside of control flow}}
  %y = call_function @aten.rand_like.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%y) : (!fx.tensor<[4], f32>)
}
fx.graph private @no attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}
