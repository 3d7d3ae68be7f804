// RUN: fx-opt %s --split-input-file --verify-diagnostics

func.func @f(%p: f64, %e: tensor<4xf32>) {
  // expected-error@+1 {{expected a known distribution, got 'gauss'}}
  %a = fx_kernel.random "gauss" of f32 (%p, %p : f64) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: f64, %e: tensor<4xi64>) {
  // expected-error@+1 {{expected parameters of type i64 for 'integers', got 'f64'}}
  %a = fx_kernel.random "integers" of i64 (%p, %p : f64) outs(%e : tensor<4xi64>) -> tensor<4xi64>
  return
}

// -----

func.func @f(%p: f64, %e: tensor<4xf32>) {
  // expected-error@+1 {{expected an output of dtype 'f64', got elements of 'f32'}}
  %a = fx_kernel.random "normal" of f64 (%p, %p : f64) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: f64, %e: tensor<4xf32>) {
  // expected-error@+1 {{expected a result for a tensor, and none for a buffer}}
  fx_kernel.random "normal" of f32 (%p, %p : f64) outs(%e : tensor<4xf32>)
  return
}
