// RUN: fx-opt %s --split-input-file --verify-diagnostics

func.func @main(%e: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{callee 'kernel_0' is not a function}}
  %r = fx_kernel.invoke @kernel_0 outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func private @kernel_0(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @main(%e: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{callee 'kernel_0' takes 2 arguments, got 1}}
  %r = fx_kernel.invoke @kernel_0 outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func private @kernel_0(memref<5xf32>)
func.func @main(%e: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{callee 'kernel_0' takes 'memref<5xf32>', got 'tensor<4xf32>'}}
  %r = fx_kernel.invoke @kernel_0 outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @+1 {{fx_kernel.strided: expected an array of i64, got 3 : i64}}
func.func private @kernel_0(memref<4xf32>) attributes {fx_kernel.strided = 3 : i64}
