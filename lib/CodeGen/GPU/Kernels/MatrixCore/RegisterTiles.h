//===- RegisterTiles.h - tiles of operands through registers ----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CDNA 3 has no asynchronous copies of 16 bytes to shared memory. So a tile of
// an operand is loaded to registers while others are multiplied, and stored to
// shared memory afterwards.
//
// Rows extend along K in shared memory, because v_mfma takes elements that
// follow each other along K, and there is no transposing load. Where the
// operand's memory extends along M or N instead, a thread loads words of
// several terms of K, and transposes them in registers.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_REGISTERTILES_H
#define FX_LIB_CODEGEN_GPU_REGISTERTILES_H

#include "../TileMatMul.h"
#include "MatrixCore.h"

namespace fx::gpu {

/// Returns the values that `load` loads of the `piece`-th piece, or `old` if it
/// is not below `pieces`. `load` gets the scope of its insertion point.
llvm::SmallVector<mlir::Value> loadBelow(
    codegen::KernelCode &code, codegen::Scope &scope,
    const codegen::Index &piece, const codegen::Index &pieces,
    llvm::ArrayRef<mlir::Value> old,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(codegen::Scope &)> load);

struct RegisterTiles {
  TileMatMul &plan;
  MatrixCore &matrix;

  /// Describes an operand. Its tiles can be loaded if its description says that
  /// it is copied in chunks.
  TileOperand describe(bool isLhs);
  /// Loads the tile of an operand that begins at row (column of the right
  /// operand) `first` and at `k0` of K, and appends what the thread has to
  /// `loaded`. Elements beyond the operand's end are zeros.
  void load(codegen::Scope &scope, const TileOperand &operand,
            const codegen::Index &first, const codegen::Index &k0,
            llvm::SmallVectorImpl<mlir::Value> &loaded);
  /// Stores the first of the `loaded` values, those of a tile of the operand,
  /// to the shared memory at `to`, and removes them from the list.
  void store(const TileOperand &operand, llvm::ArrayRef<mlir::Value> &loaded,
             mlir::Value to);
  /// Returns the number and the types of the values of a tile.
  llvm::SmallVector<mlir::Type> getTypes(const TileOperand &operand);

private:
  /// What threads load of an operand: chunks of its rows, or, where a row of it
  /// is a term of K, words of the rows of a chunk.
  struct Units {
    int64_t perRow, total;
  };
  /// The unit that a thread takes: number `inRow` of row `row` + `below`.
  /// `isThere` is null if every thread has one.
  struct Unit {
    mlir::Value row, inRow, isThere;
    int64_t below;
  };
  Units getUnits(const TileOperand &operand) const;
  void forUnits(const TileOperand &operand,
                llvm::function_ref<void(const Unit &)> body);
  /// Returns `load()`, a value of `type`, or zeros if `condition` (null: true)
  /// does not hold.
  mlir::Value loadIf(mlir::Value condition, mlir::Type type,
                     llvm::function_ref<mlir::Value()> load);
  /// Returns the chunks of neighbouring columns that words of 4 bytes hold, a
  /// word for each term of K.
  llvm::SmallVector<mlir::Value, 2>
  transpose(llvm::ArrayRef<mlir::Value> words);
  int64_t chunk() const { return kChunkBytes / plan.elementBytes(); }
};

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_REGISTERTILES_H
