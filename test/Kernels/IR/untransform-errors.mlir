// RUN: fx-opt %s --split-input-file --verify-diagnostics

func.func @f(%u: tensor<25x8x16xf32>) {
  // expected-error @+1 {{expected a tile of 2 or 4, got 3}}
  %w = fx_kernel.untransform %u tile = 3 : tensor<25x8x16xf32> -> tensor<3x3x8x16xf32>
  return
}

// -----

func.func @f(%u: tensor<16x8x16xf32>) {
  // expected-error @+1 {{expected a source of 36 by channels by columns, got 'tensor<16x8x16xf32>'}}
  %w = fx_kernel.untransform %u tile = 4 : tensor<16x8x16xf32> -> tensor<3x3x8x16xf32>
  return
}

// -----

func.func @f(%u: tensor<36x8x16xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<3x3x8x16xf32>', got 'tensor<3x3x16x8xf32>'}}
  %w = fx_kernel.untransform %u tile = 4 : tensor<36x8x16xf32> -> tensor<3x3x16x8xf32>
  return
}
