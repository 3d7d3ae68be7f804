//===- EmitTranspose.cpp - transposition through shared memory ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the last dimension of an operand is not that of the output, either the
// loads or the stores of a warp touch 32 lines of memory. A block copies square
// tiles of such operands to shared memory, along the rows of the operand, and
// computes the output from the columns of the tiles. A row of a tile has one
// more element than is used, so that the elements of a column lie in different
// banks.
//
//===----------------------------------------------------------------------===//

#include "../Launch.h"

#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/Common/TransposedOperands.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Coords;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;
using codegen::TransposedOperands;

/// Rows and columns of a tile, and those of tiles of narrow elements if there
/// are enough of them to occupy the device. A thread of these has more loads in
/// flight.
static constexpr int64_t kTile = 32, kWideTile = 64;
/// Below this size a tile would be mostly empty.
static constexpr int64_t kMinSize = 16;

namespace {
struct TransposeEmitter {
  KernelCode &code;
  TransposedOperands found;
  int64_t rank, merged;
  /// The length of the output along `found.rowDim`, and along the merged
  /// dimensions.
  Index rows, columns;
  int64_t tile = kTile;

  TransposeEmitter(KernelCode &code, TransposedOperands found, int64_t merged)
      : code(code), found(std::move(found)),
        rank(cast<RankedTensorType>(code.output(0).getType()).getRank()),
        merged(merged) {}

  bool fits();
  void chooseTile();
  int64_t bytesOf(const TransposedOperands::Operand &operand) {
    return codegen::getElementBytes(code.buffer(operand.tensor)->element);
  }
  /// Returns the elements of a row of a tile. The elements of a column lie in
  /// different banks, also if a bank holds two or four of them.
  int64_t rowElements(const TransposedOperands::Operand &operand) {
    return tile +
           std::max<int64_t>(1, tile == kTile ? 1 : 4 / bytesOf(operand));
  }
  void
  forTile(Launch &launch, const Index &first, const Index &firstFast,
          const Index &below, const Index &belowFast,
          llvm::function_ref<void(Scope &, const Index &, const Index &)> body);
  void emit();
};
} // namespace

/// Returns true if the tiles fit into shared memory, and all devices that the
/// kernel may run on can hold the elements there: without matrix units the
/// target may be Vulkan, where smaller types need an extension.
bool TransposeEmitter::fits() {
  int64_t bytes = 0;
  for (const TransposedOperands::Operand &operand : found.operands) {
    Type element = code.buffer(operand.tensor)->element;
    if (!element.isIntOrFloat())
      return false;
    int64_t bits = element.getIntOrFloatBitWidth();
    if (bits != 32 && code.machine.matrixUnit == kernel::MatrixUnit::None)
      return false;
    // Wide tiles have elements of at most two bytes.
    bytes += std::max(kTile * (kTile + 1) * ((bits + 7) / 8),
                      bits <= 16 ? kWideTile * (kWideTile + 4) * bits / 8 : 0);
  }
  return bytes <= code.machine.staticShared;
}

/// Runs `body(scope, slow, fast)` for the elements of a tile that a thread
/// takes. Neighboring threads take neighbors along `fast`. Elements that are
/// not below the bounds are left out.
void TransposeEmitter::forTile(
    Launch &launch, const Index &first, const Index &firstFast,
    const Index &below, const Index &belowFast,
    llvm::function_ref<void(Scope &, const Index &, const Index &)> body) {
  auto bound = [&](const Index &size) {
    return isMultiple(size, tile) ? Index::of(-1) : size;
  };
  SmallVector<Index> mine = delinearize(
      code, launch.thread, {Index::of(kThreads / tile), Index::of(tile)});
  for (int64_t i = 0; i < tile; i += kThreads / tile) {
    Index slow = code.add(mine[0], Index::of(i));
    guarded(code, launch.scope,
            {{code.add(first, slow), bound(below)},
             {code.add(firstFast, mine[1]), bound(belowFast)}},
            [&](Scope &scope) { body(scope, slow, mine[1]); });
  }
}

void TransposeEmitter::chooseTile() {
  bool isNarrow = llvm::all_of(
      found.operands, [&](auto &operand) { return bytesOf(operand) <= 2; });
  int64_t tiles = kWideTile * kWideTile;
  if (isNarrow && rows.isStatic() && columns.isStatic() &&
      rows.constant % kWideTile == 0 && columns.constant % kWideTile == 0 &&
      rows.constant * columns.constant / tiles >=
          2 * code.machine.multiprocessors)
    tile = kWideTile;
}

void TransposeEmitter::emit() {
  SmallVector<Index> sizes;
  columns = Index::of(1);
  for (int64_t d = 0; d < rank; ++d) {
    Index size = code.size(code.outputArg(0), d);
    if (d >= rank - merged)
      columns = code.mul(columns, size);
    else if (d == found.rowDim)
      rows = size;
    if (d < rank - merged)
      sizes.push_back(size);
  }
  chooseTile();
  SmallVector<Index> grid(sizes);
  grid[found.rowDim] = code.ceilDiv(rows, tile);
  grid.push_back(code.ceilDiv(columns, tile));
  Launch launch(code, product(code, grid), kThreads);
  SmallVector<Index> at = delinearize(code, launch.block, grid);
  Index row0 = code.mul(at[found.rowDim], Index::of(tile)),
        column0 = code.mul(at.back(), Index::of(tile));
  at.resize(rank, Index::of(0));
  auto place = [&](const Index &row, const Index &column) {
    SmallVector<Index> result(at);
    for (int64_t d = rank - merged; d < rank; ++d)
      result[d] = Index::of(0);
    result[found.rowDim] = code.add(row0, row);
    result[rank - 1] = code.add(column0, column);
    return result;
  };
  SmallVector<Value> tiles;
  for (const TransposedOperands::Operand &operand : found.operands)
    tiles.push_back(launch.shared({tile, rowElements(operand)},
                                  code.buffer(operand.tensor)->element));
  forTile(launch, column0, row0, columns, rows,
          [&](Scope &, const Index &column, const Index &row) {
            for (auto [operand, memory] : llvm::zip(found.operands, tiles)) {
              Value value = code.load(
                  *code.buffer(operand.tensor),
                  codegen::getCoords(operand.dims, place(row, column)));
              memref::StoreOp::create(
                  code.b, code.loc, value, memory,
                  ValueRange{code.materialize(column), code.materialize(row)});
            }
          });
  mlir::gpu::BarrierOp::create(code.b, code.loc);
  auto all = llvm::to_vector(llvm::seq<int>(0, rank));
  forTile(launch, row0, column0, rows, columns,
          [&](Scope &scope, const Index &row, const Index &column) {
            SmallVector<Index> where = place(row, column);
            for (auto [operand, memory] : llvm::zip(found.operands, tiles)) {
              Value value = memref::LoadOp::create(
                  code.b, code.loc, memory,
                  ValueRange{code.materialize(column), code.materialize(row)});
              code.know(scope, operand.tensor,
                        codegen::getCoords(operand.dims, where), value);
            }
            Coords coords = codegen::getCoords(all, where);
            for (unsigned i = 0; i < code.numOutputs(); ++i)
              code.store(*code.buffer(code.outputArg(i)), coords,
                         code.eval(scope, code.output(i), coords));
          });
  launch.close();
}

static void emitTranspose(KernelCode &code) {
  int64_t merged = codegen::countMergedDims(code);
  std::optional<TransposedOperands> found =
      TransposedOperands::find(code, merged, kMinSize);
  if (!found)
    return code.fail("no operand is transposed");
  TransposeEmitter e(code, std::move(*found), merged);
  if (!e.fits())
    return code.fail("the tiles do not fit into shared memory");
  e.emit();
}

static std::optional<codegen::KernelMatch>
matchTranspose(func::FuncOp kernel, const kernel::TargetInfo &) {
  if (!getReductions(kernel).empty())
    return std::nullopt;
  return codegen::KernelMatch{kernel,
                              kernel::TransposeAttr::get(kernel.getContext())};
}

namespace fx::gpu {
codegen::KernelClass getTransposeClass() {
  return {kernel::TransposeAttr::getMnemonic(), /*benefit=*/2, matchTranspose,
          emitTranspose};
}
} // namespace fx::gpu
