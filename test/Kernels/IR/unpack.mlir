// RUN: fx-opt %s | fx-opt | FileCheck %s
// RUN: fx-opt %s --canonicalize --cse | FileCheck %s --check-prefix=KEPT
// RUN: fx-opt %s --fx-cpu-emit-kernels | FileCheck %s --check-prefix=EXPAND
// RUN: fx-opt %s --fx-gpu-emit-kernels | FileCheck %s --check-prefix=EXPAND

// The op does not fold with the packing that defines its source.
// CHECK-LABEL: func.func @plain
// CHECK: fx_kernel.unpack %{{.+}} outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<4x64x32xf32> -> tensor<100x64xf32>
// KEPT-LABEL: func.func @plain
// KEPT: %[[P:.+]] = linalg.pack
// KEPT: fx_kernel.unpack %[[P]]
// EXPAND-LABEL: func.func @plain
// EXPAND: %[[P:.+]] = linalg.pack
// EXPAND: %[[E:.+]] = tensor.empty() : tensor<100x64xf32>
// EXPAND: linalg.unpack %[[P]] outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] into %[[E]]
func.func @plain(%w: tensor<100x64xf32>) -> tensor<100x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64x32xf32>
  %p = linalg.pack %w padding_value(%zero : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] into %e : tensor<100x64xf32> -> tensor<4x64x32xf32>
  %u = fx_kernel.unpack %p outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<4x64x32xf32> -> tensor<100x64xf32>
  return %u : tensor<100x64xf32>
}

// CHECK-LABEL: func.func @dynamic
// CHECK: fx_kernel.unpack %{{.+}} sizes(%{{.+}}) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [16, 2] : tensor<?x32x16x2xbf16> -> tensor<64x?xbf16>
// EXPAND-LABEL: func.func @dynamic
// EXPAND-SAME: %[[N:[^ :]+]]: index
// EXPAND: %[[E:.+]] = tensor.empty(%[[N]]) : tensor<64x?xbf16>
// EXPAND: linalg.unpack %{{.+}} outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [16, 2] into %[[E]]
func.func @dynamic(%p: tensor<?x32x16x2xbf16>, %n: index) -> tensor<64x?xbf16> {
  %u = fx_kernel.unpack %p sizes(%n) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [16, 2] : tensor<?x32x16x2xbf16> -> tensor<64x?xbf16>
  return %u : tensor<64x?xbf16>
}

// Each byte holds a number of an even and of an odd tile.
// CHECK-LABEL: func.func @nibbles
// CHECK: fx_kernel.unpack %{{.+}} outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [32, 4] nibbles : tensor<2x8x32x4xi8> -> tensor<40x64xi8>
// EXPAND-LABEL: func.func @nibbles
// EXPAND: linalg.generic {indexing_maps = [#[[AT:.+]], #{{.+}}], iterator_types = ["parallel", "parallel"]} ins(%{{.+}} : tensor<2x8x32x4xi8>)
// EXPAND: %[[I:.+]] = linalg.index 1
// EXPAND: arith.divui %[[I]], %c4
// EXPAND: arith.andi
// EXPAND: %[[UP:.+]] = arith.shli
// EXPAND: %[[HIGH:.+]] = arith.select %{{.+}}, %{{.+}}, %[[UP]] : i8
// EXPAND: arith.shrsi %[[HIGH]]
// EXPAND: } -> tensor<40x64xi8>
func.func @nibbles(%p: tensor<2x8x32x4xi8>) -> tensor<40x64xi8> {
  %u = fx_kernel.unpack %p outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [32, 4] nibbles : tensor<2x8x32x4xi8> -> tensor<40x64xi8>
  return %u : tensor<40x64xi8>
}

// Elements of 16 bits become f32.
// CHECK-LABEL: func.func @extended
// CHECK: fx_kernel.unpack %{{.+}} : tensor<2x8x32xf16> -> tensor<40x8xf32>
// EXPAND-LABEL: func.func @extended
// EXPAND: %[[W:.+]] = linalg.generic
// EXPAND: arith.extf {{.*}} : f16 to f32
// EXPAND: } -> tensor<2x8x32xf32>
// EXPAND: linalg.unpack %[[W]]
func.func @extended(%p: tensor<2x8x32xf16>) -> tensor<40x8xf32> {
  %u = fx_kernel.unpack %p outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<2x8x32xf16> -> tensor<40x8xf32>
  return %u : tensor<40x8xf32>
}
