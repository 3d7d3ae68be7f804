// RUN: fx-opt %s --split-input-file --verify-diagnostics

func.func @f(%p: tensor<4x64x32xf32>, %n: index) {
  // expected-error @+1 {{expected 0 sizes, got 1}}
  %u = fx_kernel.unpack %p sizes(%n) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<4x64x32xf32> -> tensor<100x64xf32>
  return
}

// -----

func.func @f(%p: tensor<4x64x32xf32>) {
  // expected-error @+1 {{expected a permutation of 2 dimensions as outer_dims_perm}}
  %u = fx_kernel.unpack %p outer_dims_perm = [0, 0] inner_dims_pos = [0] inner_tiles = [32] : tensor<4x64x32xf32> -> tensor<100x64xf32>
  return
}

// -----

func.func @f(%p: tensor<4x64x32xf32>) {
  // expected-error @+1 {{expected different dimensions of the result as inner_dims_pos}}
  %u = fx_kernel.unpack %p outer_dims_perm = [0, 1] inner_dims_pos = [2] inner_tiles = [32] : tensor<4x64x32xf32> -> tensor<100x64xf32>
  return
}

// -----

func.func @f(%p: tensor<4x64x32xf32>) {
  // expected-error @+1 {{expected a positive tile for each of inner_dims_pos}}
  %u = fx_kernel.unpack %p outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [0] : tensor<4x64x32xf32> -> tensor<100x64xf32>
  return
}

// -----

func.func @f(%p: tensor<4x64x32xf32>) {
  // expected-error @+1 {{expected a source of type 'tensor<7x64x16xf32>', got 'tensor<4x64x32xf32>'}}
  %u = fx_kernel.unpack %p outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [16] : tensor<4x64x32xf32> -> tensor<100x64xf32>
  return
}

// -----

func.func @f(%p: tensor<2x8x32x4xi8>) {
  // expected-error @+1 {{expected an even number of tiles of four i8}}
  %u = fx_kernel.unpack %p outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [32, 2] nibbles : tensor<2x8x32x4xi8> -> tensor<40x64xi8>
  return
}

// -----

func.func @f(%p: tensor<2x8x32xf32>) {
  // expected-error @+1 {{expected a source of type 'tensor<2x8x32xf16>', got 'tensor<2x8x32xf32>'}}
  %u = fx_kernel.unpack %p outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<2x8x32xf32> -> tensor<40x8xf16>
  return
}
