// RUN: fx-opt %s --convert-fx-to-tosa --split-input-file --verify-diagnostics

fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error@+1 {{'aten.cumsum.default' on these arguments has no form in TOSA}}
  %y = call_function @aten.cumsum.default(%x, 0) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%y) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @main symbols [s0 in [2, 8]] attributes {functional} {
  // expected-error@+1 {{expected a tensor of static size for TOSA, got '!fx.tensor<[s0], f32>'}}
  %x = placeholder "x" : !fx.tensor<[s0], f32>
  output(%x) : (!fx.tensor<[s0], f32>)
}

// -----

// PyTorch truncates, TOSA rounds.
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error@+1 {{'aten._to_copy.default' on these arguments has no form in TOSA}}
  %y = call_function @aten._to_copy.default(%x, dtype = i32) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], i32>
  output(%y) : (!fx.tensor<[4], i32>)
}

// -----

// PyTorch compares in f32.
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], i32>
  // expected-error@+1 {{'aten.lt.Scalar' on these arguments has no form in TOSA}}
  %y = call_function @aten.lt.Scalar(%x, 0.5) : (!fx.tensor<[4], i32>) -> !fx.tensor<[4], i1>
  output(%y) : (!fx.tensor<[4], i1>)
}

// -----

// The tensor's dtype does not have the number.
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], i8>
  // expected-error@+1 {{'aten.lt.Scalar' on these arguments has no form in TOSA}}
  %y = call_function @aten.lt.Scalar(%x, 300) : (!fx.tensor<[4], i8>) -> !fx.tensor<[4], i1>
  output(%y) : (!fx.tensor<[4], i1>)
}

// -----

// TOSA orders integers as signed ones.
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], ui8>
  // expected-error@+1 {{'aten.lt.Scalar' on these arguments has no form in TOSA}}
  %y = call_function @aten.lt.Scalar(%x, 100) : (!fx.tensor<[4], ui8>) -> !fx.tensor<[4], i1>
  output(%y) : (!fx.tensor<[4], i1>)
}

// -----

fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], ui8>
  %y = placeholder "y" : !fx.tensor<[4], ui8>
  // expected-error@+1 {{'aten.maximum.default' on these arguments has no form in TOSA}}
  %z = call_function @aten.maximum.default(%x, %y) : (!fx.tensor<[4], ui8>, !fx.tensor<[4], ui8>) -> !fx.tensor<[4], ui8>
  output(%z) : (!fx.tensor<[4], ui8>)
}

// -----

fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], ui8>
  // expected-error@+1 {{'aten.amin.default' on these arguments has no form in TOSA}}
  %y = call_function @aten.amin.default(%x) : (!fx.tensor<[4], ui8>) -> !fx.tensor<[], ui8>
  output(%y) : (!fx.tensor<[], ui8>)
}

// -----

// PyTorch compares in i16.
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], ui8>
  %y = placeholder "y" : !fx.tensor<[4], i8>
  // expected-error@+1 {{'aten.eq.Tensor' on these arguments has no form in TOSA}}
  %z = call_function @aten.eq.Tensor(%x, %y) : (!fx.tensor<[4], ui8>, !fx.tensor<[4], i8>) -> !fx.tensor<[4], i1>
  output(%z) : (!fx.tensor<[4], i1>)
}

// -----

// A cast of TOSA extends the sign.
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], ui8>
  // expected-error@+1 {{'aten._to_copy.default' on these arguments has no form in TOSA}}
  %y = call_function @aten._to_copy.default(%x, dtype = f32) : (!fx.tensor<[4], ui8>) -> !fx.tensor<[4], f32>
  output(%y) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], ui8>
  %y = placeholder "y" : !fx.tensor<[4], i32>
  // expected-error@+1 {{'aten.add.Tensor' on these arguments has no form in TOSA}}
  %z = call_function @aten.add.Tensor(%x, %y) : (!fx.tensor<[4], ui8>, !fx.tensor<[4], i32>) -> !fx.tensor<[4], i32>
  output(%z) : (!fx.tensor<[4], i32>)
}
