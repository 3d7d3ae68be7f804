//===- EmitColumns.cpp - reductions over the rows of columns --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over outer dimensions, such as those of batch norms. A thread has a run
// of neighbouring columns, and takes the rows in turns with the threads that
// have the same columns. The results of these threads are combined with
// shuffles within warps and through shared memory between warps, always in the
// same order.
//
// If the columns do not occupy the device, blocks that have the same columns
// take parts of the rows and store their results to a workspace. A second
// launch combines them.
//
//===----------------------------------------------------------------------===//

#include "../Runs.h"

#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/Common/RowPlan.h"
#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Coords;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;
using kernel::LoopLabels;

/// The fewest rows for which threads share a column.
static constexpr int64_t kMinRows = 32;
/// The same if there are many results.
static constexpr int64_t kManyRows = 256;
/// The rows that a thread loads at once, and how often it should do so if
/// several blocks share columns.
static constexpr int64_t kUnroll = 4, kMinSteps = 4;
/// The most parts, whose results one thread combines.
static constexpr int64_t kMaxParts = 64;

namespace {
struct ColumnsEmitter {
  KernelCode &code;
  linalg::GenericOp root;
  SmallVector<kernel::Combiner> combiners;
  LoopLabels labels;
  /// The loops of the result's dimensions and of the reduction.
  SmallVector<unsigned> kept, reduced;
  SmallVector<Index> keptSizes, reducedSizes;
  SmallVector<Index> at; ///< the coordinate of each loop
  Runs *runs = nullptr;
  /// The lanes of a warp that have different columns, and the warps of a block.
  int64_t lanes = 8, warps = kThreads / kWarp;

  ColumnsEmitter(KernelCode &code, linalg::GenericOp root)
      : code(code), root(root) {}
  bool analyse();
  void chooseSchedule(const Index &numRuns);
  Value neutral(unsigned i);
  Coords place(ArrayRef<int> of);
  /// The number of parts of the rows, the rows of a part, and the workspaces
  /// for the results of the parts, one for each combiner.
  int64_t parts = 1, partRows = 0;
  SmallVector<Value> workspaces;

  void split(int64_t runWidth);
  int64_t rowStep() const { return warps * (kWarp / lanes); }
  SmallVector<Value> reduceRows(Scope &scope, const Index &column,
                                const Index &slice, const Index &part);
  void emitLaunch();
  void combineParts();
  /// Returns the combination of the results at `first`, `first` + `step`... in
  /// each of `memories`.
  SmallVector<Value> combineStored(ArrayRef<Value> memories, const Index &first,
                                   int64_t step, int64_t count);
  void storeOutputs(Scope &scope, ArrayRef<Value> totals);
  void finish(Scope &scope, ArrayRef<Value> memories, const Index &thread,
              const Index &column0, const Index &part);
};
} // namespace

bool ColumnsEmitter::analyse() {
  auto found = kernel::matchReduction(root);
  if (!found)
    return false;
  combiners = *found;
  SmallVector<Operation *> ops;
  for (Operation &op : code.source.getBody().front().without_terminator())
    ops.push_back(&op);
  auto loops = llvm::to_vector(llvm::seq<int>(0, root.getNumLoops()));
  if (!labels.label(root, loops, ops))
    return false;
  for (unsigned i = 0; i < code.numOutputs(); ++i)
    if (labels.ofTensor(code.output(i)).empty())
      return false;
  for (const kernel::Combiner &c : combiners)
    if (!arith::getNeutralElement(c.op))
      return false;
  AffineMap map = root.getIndexingMapMatchingResult(root->getResult(0));
  for (AffineExpr expr : map.getResults()) {
    kept.push_back(cast<AffineDimExpr>(expr).getPosition());
    keptSizes.push_back(code.loopSize(root, kept.back()));
  }
  root.getReductionDims(reduced);
  for (unsigned loop : reduced)
    reducedSizes.push_back(code.loopSize(root, loop));
  at.assign(root.getNumLoops(), Index::of(0));
  return !kept.empty() && !code.failed();
}

/// A cache line of columns in each warp is enough for full memory speed. With
/// many columns, more of a warp's lanes take different ones.
void ColumnsEmitter::chooseSchedule(const Index &numRuns) {
  int64_t most = numRuns.isStatic() ? numRuns.constant : kDeviceThreads;
  for (const Index &size : ArrayRef(keptSizes).drop_back())
    most *= size.isStatic() ? size.constant : 1;
  while (lanes < kWarp && most / (2 * lanes) >= kDeviceBlocks)
    lanes *= 2;
}

/// Splits the rows into parts if there are too few blocks and many rows.
void ColumnsEmitter::split(int64_t runWidth) {
  int64_t rows = 1, results = 1;
  for (auto sizes : {&keptSizes, &reducedSizes})
    for (const Index &size : *sizes) {
      if (!size.isStatic())
        return;
      (sizes == &keptSizes ? results : rows) *= size.constant;
    }
  if (!results)
    return;
  int64_t width = lanes * runWidth;
  int64_t blocks = results / keptSizes.back().constant *
                   llvm::divideCeil(keptSizes.back().constant, width);
  int64_t most = rows / (rowStep() * kUnroll * kMinSteps);
  int64_t wanted =
      std::min({kMaxParts, most, 2 * code.machine.multiprocessors / blocks});
  if (wanted < 2)
    return;
  partRows = llvm::alignTo(llvm::divideCeil(rows, wanted), rowStep() * kUnroll);
  parts = llvm::divideCeil(rows, partRows);
  if (parts < 2) {
    parts = 1;
    return;
  }
  for (unsigned i = 0; i < combiners.size(); ++i) {
    Type element = getElementTypeOrSelf(root->getResult(i).getType());
    workspaces.push_back(code.addWorkspace(
        parts * results, element.isInteger(1) ? code.b.getI8Type() : element));
  }
}

Value ColumnsEmitter::neutral(unsigned i) {
  return arith::ConstantOp::create(code.b, code.loc,
                                   *arith::getNeutralElement(combiners[i].op));
}

Coords ColumnsEmitter::place(ArrayRef<int> of) {
  Coords result;
  for (int label : of)
    result.push_back({label < 0 ? Index::of(0) : at[label], false});
  return result;
}

/// Returns the thread's results for a run of columns, combiner by combiner.
SmallVector<Value> ColumnsEmitter::reduceRows(Scope &scope, const Index &column,
                                              const Index &slice,
                                              const Index &part) {
  int64_t step = rowStep();
  Index count = product(code, reducedSizes), row0 = Index::of(0);
  if (parts > 1) {
    row0 = code.mul(part, Index::of(partRows));
    count = code.min(code.sub(count, row0), Index::of(partRows));
  }
  SmallVector<Value> acc;
  for (unsigned i = 0; i < combiners.size(); ++i)
    acc.append(runs->width, neutral(i));
  auto loopTo = [&](const Index &from, const Index &to, int64_t each) {
    Scope inner;
    auto loop = code.beginFor(scope, inner, from, to, step * each, acc);
    SmallVector<Value> next(loop.getRegionIterArgs()), values;
    // All loads come first.
    for (int64_t u = 0; u < each; ++u) {
      Index row = code.add(row0, Index(loop.getInductionVar(), u * step));
      for (auto [loopOf, i] :
           llvm::zip(reduced, delinearize(code, row, reducedSizes)))
        at[loopOf] = i;
      for (const kernel::Combiner &c : combiners)
        llvm::append_range(values, runs->forElements([&](int64_t e) {
          at[kept.back()] = code.add(column, Index::of(e));
          Coords loops;
          for (const Index &i : at)
            loops.push_back({i, false});
          return code.evalBody(inner, root, c.input, loops);
        }));
    }
    for (auto [k, value] : llvm::enumerate(values)) {
      size_t slot = k % next.size();
      next[slot] = codegen::RowPlan::combine(
          code, combiners[slot / runs->width].op, next[slot], value);
    }
    code.endFor(loop, next);
    acc.assign(loop.getResults().begin(), loop.getResults().end());
  };
  // `slice` is below `step`, so all rows of an iteration exist.
  Index whole =
      code.mul(code.floorDiv(count, step * kUnroll), Index::of(step * kUnroll));
  if (!(whole == Index::of(0)))
    loopTo(slice, whole, kUnroll);
  if (!(whole == count))
    loopTo(code.add(slice, whole), count, 1);
  return acc;
}

SmallVector<Value> ColumnsEmitter::combineStored(ArrayRef<Value> memories,
                                                 const Index &first,
                                                 int64_t step, int64_t count) {
  OpBuilder &b = code.b;
  SmallVector<Value> totals;
  for (auto [i, memory] : llvm::enumerate(memories)) {
    Type element = getElementTypeOrSelf(root->getResult(i).getType());
    Value total;
    for (int64_t p = 0; p < count; ++p) {
      Value part = memref::LoadOp::create(
          b, code.loc, memory,
          code.materialize(code.add(first, Index::of(p * step))));
      if (part.getType() != element)
        part = arith::TruncIOp::create(b, code.loc, element, part);
      total =
          total ? codegen::RowPlan::combine(code, combiners[i].op, total, part)
                : part;
    }
    totals.push_back(total);
  }
  return totals;
}

/// Stores the outputs at the coordinates `at`, where `totals` are the results
/// of the reduction.
void ColumnsEmitter::storeOutputs(Scope &scope, ArrayRef<Value> totals) {
  for (auto [i, c] : llvm::enumerate(combiners)) {
    OpResult result = root->getResult(i);
    Coords to = place(labels.ofTensor(result));
    Value init = code.eval(scope, root.getDpsInits()[i], to);
    code.know(scope, result, to,
              codegen::RowPlan::combine(code, c.op, init, totals[i]));
  }
  for (unsigned i = 0; i < code.numOutputs(); ++i) {
    Coords to = place(labels.ofTensor(code.output(i)));
    code.store(*code.buffer(code.outputArg(i)), to,
               code.eval(scope, code.output(i), to));
  }
}

/// Combines the results of the warps, and stores the outputs of a column or its
/// part of the results.
void ColumnsEmitter::finish(Scope &scope, ArrayRef<Value> memories,
                            const Index &thread, const Index &column0,
                            const Index &part) {
  int64_t width = lanes * runs->width;
  OpBuilder &b = code.b;
  Scope inner;
  auto loop =
      code.beginFor(scope, inner, thread, Index::of(width), warps * kWarp);
  Index mine(loop.getInductionVar());
  SmallVector<Value> totals = combineStored(memories, mine, width, warps);
  Index column = code.add(column0, mine);
  at[kept.back()] = column;
  auto emit = [&](Scope &here) {
    if (parts == 1)
      return storeOutputs(here, totals);
    Index to = part;
    for (auto [loopOf, size] : llvm::zip(kept, keptSizes))
      to = code.add(code.mul(to, size), at[loopOf]);
    for (auto [total, workspace] : llvm::zip(totals, workspaces)) {
      Value v = total;
      if (v.getType().isInteger(1))
        v = arith::ExtUIOp::create(b, code.loc, b.getI8Type(), v);
      memref::StoreOp::create(b, code.loc, v, workspace, code.materialize(to));
    }
  };
  bool isExact = isMultiple(keptSizes.back(), width);
  guarded(code, inner, {{column, isExact ? Index::of(-1) : keptSizes.back()}},
          emit);
  code.endFor(loop);
}

/// Emits the launch that combines the parts, with a thread for each result.
void ColumnsEmitter::combineParts() {
  int64_t results = 1;
  for (const Index &size : keptSizes)
    results *= size.constant;
  constexpr int64_t threads = 2 * kWarp;
  Launch launch(code, Index::of(llvm::divideCeil(results, threads)), threads);
  int64_t bytes = 0;
  for (RankedTensorType type : code.workspaces)
    bytes +=
        type.getNumElements() * codegen::getElementBytes(type.getElementType());
  launch.describe(bytes, /*operations=*/parts * results);
  Index mine =
      code.add(code.mul(launch.block, Index::of(threads)), launch.thread);
  guarded(code, launch.scope,
          {{mine, results % threads ? Index::of(results) : Index::of(-1)}},
          [&](Scope &here) {
            for (auto [loopOf, i] :
                 llvm::zip(kept, delinearize(code, mine, keptSizes)))
              at[loopOf] = i;
            storeOutputs(here, combineStored(workspaces, mine, results, parts));
          });
  launch.close();
}

void ColumnsEmitter::emitLaunch() {
  OpBuilder &b = code.b;
  Index numRuns = code.floorDiv(keptSizes.back(), runs->width);
  if (!keptSizes.back().isStatic() && runs->width > 1)
    runs->require(keptSizes.back(), runs->width);
  int64_t width = lanes * runs->width;
  SmallVector<Index> grid = {Index::of(parts)};
  llvm::append_range(grid, keptSizes);
  grid.back() = code.ceilDiv(keptSizes.back(), width);
  Launch launch(code, product(code, grid), warps * kWarp);
  SmallVector<Index> block = delinearize(code, launch.block, grid);
  for (auto [loop, i] : llvm::zip(kept, ArrayRef(block).drop_front()))
    at[loop] = i;
  SmallVector<Index> mine = delinearize(
      code, launch.thread,
      {Index::of(warps), Index::of(kWarp / lanes), Index::of(lanes)});
  Index run = code.add(code.mul(block.back(), Index::of(lanes)), mine[2]);
  if (!isMultiple(numRuns, lanes))
    run = code.min(run, code.sub(numRuns, Index::of(1)));
  Index slice = code.add(code.mul(mine[0], Index::of(kWarp / lanes)), mine[1]);
  SmallVector<Value> sums =
      reduceRows(launch.scope, runs->begin(run), slice, block.front());
  for (auto [k, sum] : llvm::enumerate(sums))
    for (int64_t distance = kWarp / 2; distance >= lanes; distance /= 2)
      sum = codegen::RowPlan::combine(code, combiners[k / runs->width].op, sum,
                                      shuffleXor(code, sum, distance));
  // An i1 is stored as a byte.
  SmallVector<Value> memories;
  for (unsigned i = 0; i < combiners.size(); ++i) {
    Type element = sums[i * runs->width].getType();
    if (element.isInteger(1))
      element = b.getI8Type();
    memories.push_back(launch.shared({warps * width}, element));
  }
  guarded(code, launch.scope, {{mine[1], Index::of(1)}}, [&](Scope &) {
    Index first = code.add(code.mul(mine[0], Index::of(width)),
                           code.mul(mine[2], Index::of(runs->width)));
    for (auto [k, sum] : llvm::enumerate(sums)) {
      Value memory = memories[k / runs->width], v = sum;
      if (v.getType().isInteger(1))
        v = arith::ExtUIOp::create(b, code.loc, b.getI8Type(), v);
      memref::StoreOp::create(
          b, code.loc, v, memory,
          code.materialize(code.add(first, Index::of(k % runs->width))));
    }
  });
  mlir::gpu::BarrierOp::create(b, code.loc);
  finish(launch.scope, memories, launch.thread,
         code.mul(block.back(), Index::of(width)), block.front());
  launch.close();
}

static void emitColumns(KernelCode &code) {
  ColumnsEmitter e(code, getReductions(code.source).front());
  if (!e.analyse())
    return code.fail("no reduction of columns with pointwise ops");
  int64_t width = Runs::chooseWidth(code, e.keptSizes.back());
  // Both versions have the same parts.
  e.chooseSchedule(code.floorDiv(e.keptSizes.back(), width));
  e.split(width);
  Runs::emitVersions(code, width, [&](Runs &runs) {
    ColumnsEmitter version(e);
    version.runs = &runs;
    version.emitLaunch();
  });
  if (e.parts > 1)
    e.combineParts();
}

static std::optional<codegen::KernelMatch>
matchColumns(func::FuncOp kernel, const kernel::TargetInfo &target) {
  SmallVector<linalg::GenericOp> reductions = getReductions(kernel);
  // Vulkan has no small types in shared memory (see EmitTranspose.cpp).
  if (target.matrixUnit == kernel::MatrixUnit::None || reductions.size() != 1 ||
      !kernel::isWindowReduction(reductions[0]))
    return std::nullopt;
  // -1: dynamic
  int64_t rows = 1, results = 1;
  auto kinds = reductions[0].getIteratorTypesArray();
  for (auto [size, kind] :
       llvm::zip(reductions[0].getStaticLoopRanges(), kinds)) {
    int64_t &count = kind == utils::IteratorType::reduction ? rows : results;
    count = ShapedType::isDynamic(size) || count < 0 ? -1 : count * size;
  }
  // Many results occupy the device with a thread for each.
  if (rows >= 0 &&
      (rows < kMinRows || (rows < kManyRows && results >= kDeviceThreads)))
    return std::nullopt;
  return codegen::KernelMatch{kernel,
                              kernel::ColumnsAttr::get(kernel.getContext())};
}

namespace fx::gpu {
codegen::KernelClass getColumnsClass() {
  return {kernel::ColumnsAttr::getMnemonic(), /*benefit=*/2, matchColumns,
          emitColumns};
}
} // namespace fx::gpu
