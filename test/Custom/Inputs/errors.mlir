fx.graph @main attributes {functional} {
  // expected-error @below {{the decomposition of 'example.softcap.default': no argument 'x' is given}}
  %a = call_function @example.softcap.default() : () -> !fx.tensor<[3], f32>
  output(%a) : (!fx.tensor<[3], f32>)
}

// -----

fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[3], f32>
  // expected-error @below {{the decomposition of 'example.softcap.default': expected at most 2 arguments, got 3}}
  %a = call_function @example.softcap.default(%x, 1.0, 2.0) : (!fx.tensor<[3], f32>) -> !fx.tensor<[3], f32>
  output(%a) : (!fx.tensor<[3], f32>)
}

// -----

fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[3], f32>
  // expected-error @below {{the decomposition of 'example.softcap.default': has no argument "speed"}}
  %a = call_function @example.softcap.default(%x, speed = 1.0) : (!fx.tensor<[3], f32>) -> !fx.tensor<[3], f32>
  output(%a) : (!fx.tensor<[3], f32>)
}

// -----

fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[3], f32>
  // expected-error @below {{expected a result '!fx.tensor<[4], f32>', got '!fx.tensor<[3], f32>'}}
  %a = call_function @example.softcap.default(%x) : (!fx.tensor<[3], f32>) -> !fx.tensor<[4], f32>
  output(%a) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[3], f32>
  // expected-error @below {{expected 2 results, got 1}}
  %a, %b = call_function @example.softcap.default(%x) : (!fx.tensor<[3], f32>) -> (!fx.tensor<[3], f32>, !fx.tensor<[3], f32>)
  output(%a) : (!fx.tensor<[3], f32>)
}
