// RUN: fx-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<2x4000xf32>, %e: tensor<2x4xf32>, %f: tensor<2x4xi64>) {
  // expected-error @+1 {{expected rows of 1 to 2048 elements}}
  %v, %i = fx_kernel.sort %x outs(%e, %f : tensor<2x4xf32>, tensor<2x4xi64>) : tensor<2x4000xf32>
  return
}

// -----

func.func @f(%x: tensor<2x40xf64>, %e: tensor<2x4xf64>, %f: tensor<2x4xi64>) {
  // expected-error @+1 {{expected elements of at most 32 bits, got 'f64'}}
  %v, %i = fx_kernel.sort %x outs(%e, %f : tensor<2x4xf64>, tensor<2x4xi64>) : tensor<2x40xf64>
  return
}

// -----

func.func @f(%x: tensor<2x40xf32>, %e: tensor<2x4xf32>, %f: tensor<2x4xi32>) {
  // expected-error @+1 {{expected outputs of 'f32' and i64 of one shape}}
  %v, %i = fx_kernel.sort %x outs(%e, %f : tensor<2x4xf32>, tensor<2x4xi32>) : tensor<2x40xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %e: tensor<2x4xf32>, %f: tensor<2x4xi64>) {
  // expected-error @+1 {{expected 1 to 3 elements of each row}}
  %v, %i = fx_kernel.sort %x outs(%e, %f : tensor<2x4xf32>, tensor<2x4xi64>) : tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<8x4xf32>, %e: tensor<8x4xf32>, %zero: f32) {
  // expected-error @+1 {{expected three dimensions, got 'tensor<8x4xf32>'}}
  %y = fx_kernel.scan ins(%x : tensor<8x4xf32>) start(%zero : f32) outs(%e : tensor<8x4xf32>) {
  ^bb0(%i: index, %a: f32, %sum: f32):
    fx_kernel.yield %a, %sum : f32, f32
  } -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x4xf32>, %e: tensor<1x8x4xf32>, %zero: f32) {
  // expected-error @+1 {{expected a body with arguments for the index, the elements and the carried values}}
  %y = fx_kernel.scan ins(%x : tensor<1x8x4xf32>) start(%zero : f32) outs(%e : tensor<1x8x4xf32>) {
  ^bb0(%a: f32, %sum: f32):
    fx_kernel.yield %a, %sum : f32, f32
  } -> tensor<1x8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x4xf32>, %e: tensor<1x8x4xf32>, %zero: f32) {
  // expected-error @+1 {{expected the body to yield 'f32', got 'f64'}}
  %y = fx_kernel.scan ins(%x : tensor<1x8x4xf32>) start(%zero : f32) outs(%e : tensor<1x8x4xf32>) {
  ^bb0(%i: index, %a: f32, %sum: f32):
    %wide = arith.extf %a : f32 to f64
    fx_kernel.yield %wide, %sum : f64, f32
  } -> tensor<1x8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x4xf32>, %e: tensor<1x8x4xf32>, %t: tensor<4xf32>, %zero: f32) {
  // expected-error @+1 {{expected elementwise ops in the body, got 'tensor.extract'}}
  %y = fx_kernel.scan ins(%x : tensor<1x8x4xf32>) start(%zero : f32) outs(%e : tensor<1x8x4xf32>) {
  ^bb0(%i: index, %a: f32, %sum: f32):
    %v = tensor.extract %t[%i] : tensor<4xf32>
    fx_kernel.yield %v, %sum : f32, f32
  } -> tensor<1x8x4xf32>
  return
}
