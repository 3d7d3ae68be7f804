// RUN: fx-opt %s --convert-fx-to-torch --allow-unregistered-dialect --split-input-file --verify-diagnostics

// expected-error@+1 {{mutates; run fx-functionalize first}}
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph private @g attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}
fx.graph @main attributes {functional} {
  %p = placeholder "p" : !fx.tensor<[], i1>
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error@+1 {{has no form in the torch dialect}}
  %g = get_attr @g : !fx.graph_ref
  %c = cond(%p, %g, %g, [%x]) : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%c) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @main attributes {functional} {
  %n = placeholder "n" : !fx.sym_int<s0>
  // expected-error@+1 {{'math.sqrt' has no form in the torch dialect}}
  %r = call_function @math.sqrt(%n) : (!fx.sym_int<s0>) -> !fx.sym_float
  output(%r) : (!fx.sym_float)
}
