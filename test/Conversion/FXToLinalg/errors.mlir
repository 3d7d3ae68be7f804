// RUN: fx-opt %s --convert-fx-to-linalg --split-input-file --verify-diagnostics

fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error @below {{mutates its argument; run fx-functionalize first}}
  %y = call_function @aten.add_.Tensor(%x, 1) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%y) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.any
  // expected-error @below {{expected results whose dtype and rank are known, got '!fx.any'}}
  %y = call_method @relu(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
