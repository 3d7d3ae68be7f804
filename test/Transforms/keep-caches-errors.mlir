// RUN: fx-opt %s --split-input-file --verify-diagnostics --fx-keep-caches=capacity=32

// A cache in front of which values are put does not grow in place.
// expected-error @below {{expected a cache: an output that is `cat` of an input, whose size in that dimension is a symbol, and new values}}
fx.graph @main symbols [s0 in [0, 100]] attributes {functional} {
  %k = placeholder "k" : !fx.tensor<[s0, 4], f32>
  %x = placeholder "x" : !fx.tensor<[1, 4], f32>
  %cat = call_function @aten.cat.default([%x, %k]) : (!fx.tensor<[1, 4], f32>, !fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0 + 1, 4], f32>
  output(%cat) : (!fx.tensor<[s0 + 1, 4], f32>)
}

// -----

// expected-error @below {{expected a functional graph}}
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[1, 4], f32>
  output(%x) : (!fx.tensor<[1, 4], f32>)
}

// -----

fx.graph @main symbols [s0 in [0, 100]] attributes {functional} {
  %k = placeholder "k" : !fx.tensor<[s0, 4], f32>
  // expected-error @below {{cache 'v': expected as many new values as for the cache 'k', got '!fx.tensor<[2, 4], f32>'}}
  %v = placeholder "v" : !fx.tensor<[s0, 4], f32>
  %x = placeholder "x" : !fx.tensor<[1, 4], f32>
  %y = placeholder "y" : !fx.tensor<[2, 4], f32>
  %cat = call_function @aten.cat.default([%k, %x]) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[1, 4], f32>) -> !fx.tensor<[s0 + 1, 4], f32>
  %cat_1 = call_function @aten.cat.default([%v, %y]) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[2, 4], f32>) -> !fx.tensor<[s0 + 2, 4], f32>
  output(%cat, %cat_1) : (!fx.tensor<[s0 + 1, 4], f32>, !fx.tensor<[s0 + 2, 4], f32>)
}

// -----

fx.graph @main symbols [s0 in [0, 100]] attributes {functional} {
  // expected-error @below {{cache 'k': a state of 32 rows is too large}}
  %k = placeholder "k" : !fx.tensor<[s0, 4611686018427387904], f32>
  %x = placeholder "x" : !fx.tensor<[1, 4611686018427387904], f32>
  %cat = call_function @aten.cat.default([%k, %x]) : (!fx.tensor<[s0, 4611686018427387904], f32>, !fx.tensor<[1, 4611686018427387904], f32>) -> !fx.tensor<[s0 + 1, 4611686018427387904], f32>
  output(%cat) : (!fx.tensor<[s0 + 1, 4611686018427387904], f32>)
}

// -----

fx.state @k : !fx.tensor<[1, 4], f32>
fx.graph @main symbols [s0 in [0, 100]] attributes {functional} {
  // expected-error @below {{cache 'k': the model has a state of the name}}
  %k = placeholder "k" : !fx.tensor<[s0, 4], f32>
  %x = placeholder "x" : !fx.tensor<[1, 4], f32>
  %cat = call_function @aten.cat.default([%k, %x]) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[1, 4], f32>) -> !fx.tensor<[s0 + 1, 4], f32>
  output(%cat) : (!fx.tensor<[s0 + 1, 4], f32>)
}
