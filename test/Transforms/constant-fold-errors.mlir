// REQUIRES: libtorch
// RUN: not fx-opt %s -fx-constant-fold -split-input-file -o %t 2>&1 | FileCheck %s

// A state without a value.
// CHECK: error: cannot evaluate constants: {{.*}}w
fx.state @w : !fx.tensor<[2], f32>
fx.graph @main attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2], f32>
  %e = call_function @aten.exp.default(%w) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%e) : (!fx.tensor<[2], f32>)
}

// -----

// A wrong type.
// CHECK: error: expected a constant of type '!fx.tensor<[2], f64>', got float32[2]
fx.state @w : !fx.tensor<[2], f32> = dense<0> : tensor<8xui8>
fx.graph @main attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2], f32>
  %e = call_function @aten.exp.default(%w) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f64>
  output(%e) : (!fx.tensor<[2], f64>)
}
