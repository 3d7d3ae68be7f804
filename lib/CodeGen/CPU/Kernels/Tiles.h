//===- Tiles.h - instructions for AMX tiles ---------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_KERNELS_TILES_H
#define FX_LIB_CODEGEN_CPU_KERNELS_TILES_H

#include "fx/CodeGen/Common/KernelCode.h"

namespace fx::cpu {

/// The rows and columns of a tile of sums, and the bytes of a row.
inline constexpr int64_t kTileRows = 16, kTileColumns = 16, kTileRowBytes = 64;
/// Sums use tiles 0 to 3: the ones of row i and column j of two by two tiles
/// have number 2 i + j. The left operand uses tiles from `kLeftTile` on, and
/// the right one those from `kRightTile` on.
inline constexpr int64_t kLeftTile = 4, kRightTile = 6;

/// Calls the intrinsic `name` with the numbers of `tiles`, then `operands`.
void callTile(codegen::KernelCode &code, llvm::StringRef name,
              llvm::ArrayRef<int64_t> tiles, mlir::ValueRange operands = {});
/// Returns the address of element `at` of `flat` as a pointer.
mlir::Value addressOf(codegen::KernelCode &code, mlir::Value flat,
                      const codegen::Index &at);
/// Returns a number of bytes as an operand of the intrinsics.
mlir::Value tileStride(codegen::KernelCode &code, const codegen::Index &bytes);
/// Allocates memory for a configuration of the tiles, or for what they load.
mlir::Value allocateForTiles(codegen::KernelCode &code, int64_t size,
                             mlir::Type element);

/// The shapes of the tiles: numbers of rows, and bytes of a row.
struct TileShapes {
  llvm::SmallVector<int8_t> bytes;
  /// Rows that are known at run time, and where they are in `bytes`.
  llvm::SmallVector<std::pair<int64_t, codegen::Index>> heights;
  TileShapes();
  /// Sets the shape of a tile, unless it has no rows.
  void set(int64_t tile, const codegen::Index &rows, int64_t rowBytes);
  /// Loads the configuration, for which there is `memory`. The tiles lose their
  /// contents.
  void load(codegen::KernelCode &code, mlir::Value memory) const;
};

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_KERNELS_TILES_H
