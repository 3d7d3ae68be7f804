//===- WarpgroupAttention.h - attention on sm_90a ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedule of FlashAttention-3 (Shah et al., 2024) for compute capability
// 9.0a. One thread of a block copies the queries, and keys and values piece by
// piece, to shared memory. Each of two or three other warpgroups computes 64
// rows by wgmma. The scores, the probabilities (the left operand of the second
// product) and the results are in registers. A warpgroup starts the scores of a
// piece and the products of the piece before, and computes the softmax while
// the latter are multiplied:
//
//   x = mask(Q K^T) of the first piece; p = exp(x - m)
//   for each further piece:
//     start x = Q K^T; start y = y + p V of the piece before
//     wait for x; x = mask(x); m, l, s = as FlashAttention.h says
//     wait for y; y = s y; p = rounded exp(x - m)
//   y = y + p V of the last piece
//
// With turns, a warpgroup starts its products when the one before has started
// its own ones, so that tensor cores multiply for one while the other one
// computes exponentials.
//
// The last keys come first: they need masks, and the other pieces then are in a
// loop without. All rows of a block are of one head.
//
// The host chooses the kernel at run time. If the loaded image does not have
// it, or an operand is not aligned, the host launches the kernel for mma.sync.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_WARPGROUPATTENTION_H
#define FX_LIB_CODEGEN_GPU_WARPGROUPATTENTION_H

#include "../Warpgroup/TensorMap.h"
#include "../Warpgroup/WarpgroupMatMul.h"
#include "FlashAttention.h"

namespace fx::gpu {

struct WarpgroupAttention : FlashAttention {
  /// `plan` is analysed, but its loops are not split.
  explicit WarpgroupAttention(const FlashAttention &plan)
      : FlashAttention(plan), group{{code.b, code.loc}, mlir::Type()} {}
  Warpgroup group;
  std::optional<TensorMap> queryMap, keyMap, valueMap;
  /// The warpgroups that multiply, and the stages of the ring of pieces.
  int64_t warpgroups = 2, stages = 2;
  bool hasTurns = false;

  // Values within the launch.
  BoxMemory boxes;
  mlir::Value queries, keys, values; ///< the tensor maps
  mlir::Value warp;
  /// The pieces of keys that rows of the block see: their number, which is at
  /// least one, and the first one. They are computed from the last one on.
  codegen::Index pieces, firstPiece = codegen::Index::of(0);

  /// What a warpgroup carries from one piece to the next.
  struct State {
    Rows rows;
    /// The rounded probabilities of the piece.
    llvm::SmallVector<mlir::Value> probabilities;
    Ring ring; ///< the place of the piece
  };

  //===--- ChooseForm.cpp: whether and how -------------------------------===//
  /// Splits the loops and chooses the tiles. Returns false if the operands are
  /// no boxes of tensor maps, or if the kernel for mma.sync is expected to be
  /// faster, or was asked for.
  bool matches();
  bool findMaps();
  bool findTiles();
  void setTiles(int64_t numWarpgroups, int64_t numKeys);
  bool fits() const;
  bool areSizesKnown() const;
  bool isFaster() const;
  double estimate() const;
  double estimateMMA() const;

  //===--- EmitWarpgroupAttention.cpp: the kernel ------------------------===//
  /// Emits the launch, and the host code that calls `otherwise` to emit the
  /// launches for other chips and operands.
  void emit(llvm::function_ref<void()> otherwise);
  void emitLaunch(llvm::ArrayRef<mlir::Value> addresses);
  mlir::Value canLaunch(mlir::Value multiprocessors,
                        llvm::ArrayRef<mlir::Value> addresses);
  /// Returns true if a bound of the keys is in memory, so that the kernel waits
  /// for the one before it at its start.
  bool readsBounds() const;
  /// Sets `pieces` and `firstPiece`.
  void placePieces(codegen::Scope &scope);
  /// Returns the piece that is the `number`-th to be computed.
  codegen::Index pieceOf(const codegen::Index &number) {
    codegen::Index last = code.sub(pieces, codegen::Index::of(1));
    return code.add(firstPiece, code.sub(last, number));
  }
  void beginMemory(mlir::Value first);
  /// Emits the code of the thread that starts copies.
  void produce(Launch &launch);
  /// Starts the copy of `tileRows` rows from `row` on to `to`.
  void copyBoxes(const TensorMap &map, MatMulPlan &plan, mlir::Value value,
                 mlir::Value to, mlir::Value full, const codegen::Index &row,
                 int64_t tileRows, int64_t columns);
  void copyKeys(const Ring &ring, const codegen::Index &piece);
  void copyValues(const Ring &ring, const codegen::Index &piece);

  //===--- ConsumePieces.cpp: the warpgroups that multiply ---------------===//
  void consume(codegen::Scope &scope);
  /// Start the products of a piece and make them a group. Return the sums,
  /// which are not complete yet.
  mlir::Value startScores(const Ring &ring);
  mlir::Value startProducts(const State &state);
  /// Waits for the keys of the piece that is the `number`-th to be computed, if
  /// it exists.
  void waitForKeys(const Ring &ring, const codegen::Index &number);
  /// The last warpgroup permits the first turn of the first one.
  void beginTurns();
  /// Begins the warpgroup's turn to start the products of a piece, and permits
  /// the turn of the next one. After the last warpgroup it is the turn of the
  /// first one, for the `number`-th piece.
  void beginTurn();
  void endTurn(const codegen::Index &number);
  /// Emits `body` so that it runs if there is a `number`-th piece to compute.
  void ifThere(const codegen::Index &number, llvm::function_ref<void()> body);
  /// Emits the first piece to be computed, which is the last piece of keys, and
  /// waits for the keys of the next one.
  State beginPieces(codegen::Scope &scope, bool isMasked);
  /// Emits a loop over pieces, whose keys are there; the `from`-th to be
  /// computed is the first one.
  void walkPieces(codegen::Scope &scope, const codegen::Index &from,
                  const codegen::Index &to, bool isMasked, State &state);
  /// Applies masks and the softmax to the scores of a piece. Returns the
  /// probabilities, which are not rounded yet, and the factors of `softmax`.
  std::pair<llvm::SmallVector<mlir::Value>, llvm::SmallVector<mlir::Value>>
  computePiece(codegen::Scope &scope, const codegen::Index &number,
               bool isMasked, mlir::Value scores, Rows &rows);
  llvm::SmallVector<mlir::Value>
  roundAll(llvm::ArrayRef<mlir::Value> probabilities);
  /// Passes the rows to the other ops of the group.
  void finishRows(codegen::Scope &scope, Rows rows);
  /// Marks the keys (values) of a stage as read by this warp.
  void release(mlir::Value barrier);
  /// Returns the number of this warpgroup among those that multiply.
  mlir::Value myNumber() { return i.add(i.div(warp, 4), -1); }
  /// Returns true if some piece needs masks.
  bool hasMasks() const;

  //===--- shared memory -------------------------------------------------===//
  static int64_t boxesOf(int64_t columns) {
    return llvm::divideCeil(columns, kBoxColumns);
  }
  int64_t headSize() const { return scores.kSize.constant; }
  int64_t queryBytes() const {
    return tiles.m * boxesOf(headSize()) * kBoxBytes;
  }
  int64_t keyBytes() const { return tiles.k * boxesOf(headSize()) * kBoxBytes; }
  int64_t valueBytes() const { return tiles.k * boxesOf(tiles.n) * kBoxBytes; }
  int64_t stageStart(int64_t stage) const {
    return queryBytes() + stage * (keyBytes() + valueBytes());
  }
  int64_t barrierStart() const { return stageStart(stages); }
  /// The sums of rows, and the memory of the epilogue of each warp.
  int64_t rowSumStart() const { return barrierStart() + 256; }
  int64_t sumStart() const { return rowSumStart() + tiles.m * 4; }
  int64_t boxBytes() const {
    return sumStart() + warpgroups * 4 * kSumBytes + kBoxAlignment;
  }
  mlir::Value place(mlir::Value offset) {
    return core.pointer(boxes.pointer, offset, 3);
  }
  /// Returns the offset of the keys of a stage; the values follow.
  mlir::Value stageOffset(mlir::Value stage) {
    return i.add(i.mul(stage, keyBytes() + valueBytes()), queryBytes());
  }
  /// The barriers of stages: of copied and of read keys and values.
  enum Kind { FullKeys, FullValues, EmptyKeys, EmptyValues, kKinds };
  mlir::Value barrier(Kind kind, mlir::Value stage) {
    return place(
        i.add(i.mul(stage, 8), barrierStart() + 8 * (1 + kind * stages)));
  }
  mlir::Value queryBarrier() { return place(i.of(barrierStart())); }

  /// Registers of a thread of each role; all threads of an SM share 65536.
  int64_t producerRegisters() const {
    return warpgroups == 2 ? kProducerRegisters : 32;
  }
  int64_t consumerRegisters() const { return warpgroups == 2 ? 232 : 160; }
};

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_WARPGROUPATTENTION_H
