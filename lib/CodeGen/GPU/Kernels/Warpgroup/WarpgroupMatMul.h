//===- WarpgroupMatMul.h - matmuls on tensor cores of sm_90a ----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_WARPGROUPMATMUL_H
#define FX_LIB_CODEGEN_GPU_WARPGROUPMATMUL_H

#include "ImageMap.h"
#include "TensorMap.h"
#include "Warpgroup.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fx::gpu {

/// The number of warpgroups that multiply, and the rows of a tile.
inline constexpr int64_t kConsumers = 2;
inline constexpr int64_t kBlockRows = kConsumers * kWarpgroupRows;
/// The sums of a warp, 16 rows, go through shared memory `kSumColumns` columns
/// at a time.
inline constexpr int64_t kSumColumns = 64, kSumRow = kSumColumns * 4;
inline constexpr int64_t kSumBytes = 16 * kSumRow;

/// The tiles of a launch, and who computes them.
struct WarpgroupTiles {
  int64_t columns = 128, stages = 6;
  /// Blocks that share a tile; each computes the sums of a part of K.
  int64_t parts = 1;
  /// Warpgroups that share a tile.
  int64_t warpgroups = kConsumers;
  /// Blocks of a cluster, 1 or 2.
  int64_t cluster = 1;

  /// Whether the blocks of a cluster compute the parts of K of one tile.
  /// Otherwise their tiles are neighbours and share the larger operand.
  bool arePartsInCluster() const { return cluster > 1 && parts == cluster; }
  bool sharesOperand() const { return cluster > 1 && !arePartsInCluster(); }
  /// Whether the tiles of a cluster have the same rows.
  bool sharesRows() const { return sharesOperand() && columns < kBlockRows; }
  bool sharesColumns() const { return sharesOperand() && !sharesRows(); }
  /// The rows and columns of the tiles of a cluster.
  int64_t clusterRows() const {
    return sharesColumns() ? cluster * kBlockRows : kBlockRows;
  }
  int64_t clusterColumns() const {
    return sharesRows() ? cluster * columns : columns;
  }
  /// The rows of the left, and the columns of the right operand that a block
  /// copies.
  int64_t copiedRows() const {
    return sharesRows() ? kBlockRows / cluster : kBlockRows;
  }
  int64_t copiedColumns() const {
    return sharesColumns() ? columns / cluster : columns;
  }
  int64_t lhsBytes() const { return kBlockRows * kBoxBytes; }
  int64_t stageBytes() const { return lhsBytes() + columns * kBoxBytes; }
  int64_t barrierStart() const { return stages * stageBytes(); }
  int64_t sumStart() const { return barrierStart() + 256; }
  /// Where sums of the other block of a cluster arrive: 64 rows of a tile.
  int64_t exchangeStart() const {
    return sumStart() + kConsumers * 4 * kSumBytes;
  }
  int64_t exchangeBytes() const {
    return arePartsInCluster() ? kWarpgroupRows * columns * 4 : 0;
  }
  int64_t bytes() const { return exchangeStart() + exchangeBytes(); }
  /// The number of 64 rows that a warpgroup multiplies.
  int64_t products() const { return kConsumers / warpgroups; }
};

/// The tiles of launches of at most `rows` rows.
struct RowRange {
  int64_t rows;
  WarpgroupTiles tiles;
};

/// Returns the tiles that are expected to take the least time. If M is dynamic,
/// there are different ones for different numbers of rows: the numbers of rows
/// increase, and the last one is INT64_MAX. K has `pieces` of 128 bytes, of
/// which a convolution's may be empty in part.
llvm::SmallVector<RowRange> chooseWarpgroupTiles(MatMulPlan &plan,
                                                 const codegen::Index &pieces);

/// Returns true if the sums of a piece of K are added to those of the pieces
/// before by instructions of f32. Tensor cores keep about 14 bits of the sums
/// of eight-bit floats (DeepSeek-AI, "DeepSeek-V3 Technical Report",
/// 2024, 3.3.2).
bool addsPieces(const MatMulPlan &plan);
/// The most columns of a tile then: there are two sums for each element.
inline constexpr int64_t kAddedColumns = 128;

/// Returns the cost (`bodyCost`) of an element of the group's pointwise ops.
/// Ops of one loop do not count: they compute values of columns, which are
/// evaluated once for several rows.
int64_t getPointwiseCost(const MatMulPlan &plan);

/// The epilogue of a warp: passes sums to the group's pointwise ops, or stores
/// them to a workspace.
struct WarpgroupEpilogue {
  MatMulPlan &plan;
  Int32 i;
  Warpgroup core;
  int64_t productColumns;     ///< a multiple of `kSumColumns`
  int64_t blockRows;          ///< the rows of a block's tile
  bool hasRuns;               ///< threads store runs of columns
  mlir::Value lane;           ///< the number of the lane, an i32
  mlir::Value buffer;         ///< the warp's `kSumBytes` bytes of shared memory
  mlir::Value workspace;      ///< null: the group's outputs are stored
  codegen::Index firstOfPart; ///< of the part's sums in the workspace

  /// `sums` are the results of the products, each of 64 rows; `row0` is the
  /// warp's first row in the first one.
  void emit(codegen::Scope &scope, const codegen::Index &row0,
            const codegen::Index &column0, mlir::ValueRange sums);

private:
  /// A lane's first column of a run, and that in shared memory. Both are those
  /// of the last run if `isThere`, which may be null, is false.
  struct Column {
    codegen::Index column;
    mlir::Value mine, isThere;
  };

  bool isCostly() const;
  mlir::Value at(mlir::Value base, mlir::Value offset);
  void stage(mlir::Value sums, int64_t first);
  void stageAny(mlir::ValueRange sums, mlir::Value product, mlir::Value chunk);
  llvm::SmallVector<Column> placeColumns(const codegen::Index &first);
  void forPart(codegen::Scope &scope, const codegen::Index &at,
               const codegen::Index &size, int64_t tile,
               llvm::function_ref<void(codegen::Scope &)> body);
  void emitRows(codegen::Scope &scope, const codegen::Index &row0,
                const Column &columns);
  llvm::SmallVector<mlir::Value> load(mlir::Value row, mlir::Value column);
  MatMulPlan::Stores evaluate(codegen::Scope &scope, const codegen::Index &row,
                              const codegen::Index &column,
                              mlir::ValueRange sums);
};

/// What a block computes at a time: a tile, and a part of K in pieces.
struct WorkItem {
  codegen::Index row0, column0, part, firstPiece, pieces;
};

/// A matmul or convolution by the kernel that EmitWarpgroup.cpp describes.
struct WarpgroupMatMul : MatMulPlan {
  explicit WarpgroupMatMul(codegen::KernelCode &code)
      : MatMulPlan(code), i{code.b, code.loc},
        core{{code.b, code.loc}, mlir::Type()} {}
  Int32 i;
  Warpgroup core;
  std::optional<TensorMap> lhs, rhs;
  std::optional<ImageMap> images; ///< instead of `lhs`
  WarpgroupTiles tiles;
  bool hasRuns = false; ///< threads store runs of columns

  // Values within the launch.
  mlir::Value memory;  ///< the first stage, a pointer
  mlir::Value address; ///< the same, an i32
  mlir::Value lhsMap, rhsMap;
  mlir::Value warp, lane;
  /// The block's number in its cluster, an i32; null: there are no clusters.
  mlir::Value rank;
  mlir::Value workspace; ///< the sums of the parts of K, if there are several
  codegen::Index tileCount, pieces;

  bool matches();
  bool fits();
  mlir::Value canLaunch(mlir::Value multiprocessors, mlir::Value left,
                        mlir::Value right, int64_t cluster);
  void emit(llvm::ArrayRef<RowRange> ranges);
  /// Emits the launch, and that of the combination of parts.
  void emitLaunches(mlir::Value multiprocessors, mlir::Value left,
                    mlir::Value right);
  void emitLaunch(mlir::Value multiprocessors, mlir::Value left,
                  mlir::Value right);
  void beginMemory(Launch &launch, mlir::Value thread);
  void produce(Launch &launch);
  void copy(const TensorMap &map, mlir::Value value, mlir::Value to,
            mlir::Value full, const codegen::Index &x0,
            const codegen::Index &k0, mlir::Value tap = mlir::Value());
  void copyImages(mlir::Value to, mlir::Value full,
                  llvm::ArrayRef<mlir::Value> first,
                  const ImageMap::Piece &part);
  mlir::Value allBlocks();
  void consume(Launch &launch, codegen::Scope &scope);
  /// The sums of a warpgroup's products, and the position after their pieces.
  struct Sums {
    llvm::SmallVector<mlir::Value> complete;
    Ring after;
  };
  /// Emits the sums of the pieces of an item, from `ring` on. The tensor cores
  /// add them, while the next piece is copied and multiplied. If `turn` is not
  /// null, arrives there when all products were started.
  Sums sumPieces(codegen::Scope &scope, const WorkItem &item, Ring ring,
                 mlir::Value turn);
  /// The same for `addsPieces`: waits for the products of each piece.
  Sums addPieces(codegen::Scope &scope, const WorkItem &item, Ring ring);
  /// Marks a stage as empty.
  void release(mlir::Value stage);
  llvm::SmallVector<mlir::Value> multiply(mlir::Value stage,
                                          mlir::ValueRange sums, bool isFirst);
  void finish(codegen::Scope &scope, const WorkItem &item,
              mlir::ValueRange sums);
  void exchange(codegen::Scope &scope, const WorkItem &item, mlir::Value sums,
                mlir::Value parity);
  mlir::scf::ForOp beginItems(Launch &launch, mlir::Value first, int64_t apart,
                              mlir::ValueRange carried);
  WorkItem placeItem(mlir::Value number);
  /// The number of items of all blocks, or of all clusters.
  codegen::Index itemCount() {
    int64_t parts = tiles.arePartsInCluster() ? 1 : tiles.parts;
    return code.mul(tileCount, codegen::Index::of(parts));
  }
  int64_t piecesOfPart() const {
    return llvm::divideCeil(pieces.constant, tiles.parts);
  }
  bool areInTurns() const { return tiles.warpgroups == 1; }
  bool isLhsAlongK() const { return images || lhs->isAlongK; }
  codegen::Index countPieces() {
    return images ? codegen::Index::of(images->countPieces())
                  : code.ceilDiv(kSize, getBoxColumns(core.element));
  }

  mlir::Value at(mlir::Value base, mlir::Value offset) {
    return TensorCore{code.b, code.loc, core.element}.pointer(base, offset, 3);
  }
  mlir::Value fullBarrier(mlir::Value stage) {
    return at(memory, i.add(i.mul(stage, 8), tiles.barrierStart()));
  }
  mlir::Value emptyBarrier(mlir::Value stage) {
    return at(memory,
              i.add(i.mul(stage, 8), tiles.barrierStart() + 8 * tiles.stages));
  }
  /// The barrier at which a consumer waits for its turn.
  mlir::Value turnBarrier(mlir::Value consumer) {
    return at(memory, i.add(i.mul(consumer, 8),
                            tiles.barrierStart() + 16 * tiles.stages));
  }
  /// The barriers that tell that sums of the other block have come, and that
  /// the place for sums in the other block is free.
  mlir::Value exchangeBarrier(bool isFree) {
    return at(memory,
              i.of(tiles.barrierStart() + 16 * tiles.stages + 16 + 8 * isFree));
  }
  mlir::Value isEqual(mlir::Value x, int64_t c) {
    return mlir::arith::CmpIOp::create(
        code.b, code.loc, mlir::arith::CmpIPredicate::eq, x, i.of(c));
  }
  Ring next(Ring ring) { return ring.next(i, tiles.stages); }
};

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_WARPGROUPMATMUL_H
