//===- EmitElements.cpp - threads for the elements of the result ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Runs.h"

#include "fx/CodeGen/Common/RowPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Coord;
using codegen::Coords;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;
using kernel::LoopLabels;

/// Emits a launch with one thread for each element of an array of the given
/// sizes. `body` emits the code of a thread for the coordinates it gets.
static void
forElements(KernelCode &code, ArrayRef<Index> sizes,
            llvm::function_ref<void(Scope &, ArrayRef<Index>)> body) {
  Index total = product(code, sizes);
  int64_t threads = kThreads;
  if (total.isStatic() && total.constant < kThreads)
    threads = std::max<int64_t>(
        kWarp, llvm::PowerOf2Ceil(std::max<int64_t>(total.constant, 1)));
  Launch launch(code, code.ceilDiv(total, threads), threads);
  Index linear =
      code.add(code.mul(launch.block, Index::of(threads)), launch.thread);
  Index below = total;
  if (total.isStatic() && total.constant % threads == 0)
    below = Index::of(-1);
  guarded(code, launch.scope, {{linear, below}},
          [&](Scope &scope) { body(scope, delinearize(code, linear, sizes)); });
  launch.close();
}

namespace {
/// A kernel without reductions. A thread computes runs of neighbouring
/// elements.
struct MapEmitter {
  KernelCode &code;
  int64_t rank, merged;
  /// The sizes of the output. Trailing dimensions that can be merged are
  /// indexed by the last one alone.
  SmallVector<Index> sizes;

  explicit MapEmitter(KernelCode &code);
  void emit();
  void emitLaunch(Runs &runs);
  Coords place(ArrayRef<Index> at, int64_t e);
  SmallVector<SmallVector<Value>> eval(Scope &scope, Runs &runs,
                                       ArrayRef<Index> at);
  void store(Runs &runs, ArrayRef<Index> at,
             ArrayRef<SmallVector<Value>> values);
  int64_t chooseUnroll(const Runs &runs, const Index &count);
};
} // namespace

MapEmitter::MapEmitter(KernelCode &code)
    : code(code),
      rank(cast<RankedTensorType>(code.output(0).getType()).getRank()),
      merged(codegen::countMergedDims(code)) {
  Index last = Index::of(1);
  for (int64_t d = 0; d < rank; ++d) {
    Index size = code.size(code.outputArg(0), d);
    if (d < rank - merged)
      sizes.push_back(size);
    else
      last = code.mul(last, size);
  }
  sizes.push_back(last);
}

/// Returns the coordinates of the e-th element from `at` on.
Coords MapEmitter::place(ArrayRef<Index> at, int64_t e) {
  Coords coords(rank, Coord{Index::of(0), false});
  for (int64_t d = 0; d < rank - merged; ++d)
    coords[d].base = at[d];
  if (rank)
    coords[rank - 1].base = code.add(at.back(), Index::of(e));
  return coords;
}

/// Returns the values of all outputs in the run at `at`.
SmallVector<SmallVector<Value>> MapEmitter::eval(Scope &scope, Runs &runs,
                                                 ArrayRef<Index> at) {
  SmallVector<SmallVector<Value>> values;
  for (unsigned i = 0; i < code.numOutputs(); ++i)
    values.push_back(runs.eval(scope, code.output(i),
                               [&](int64_t e) { return place(at, e); }));
  return values;
}

void MapEmitter::store(Runs &runs, ArrayRef<Index> at,
                       ArrayRef<SmallVector<Value>> values) {
  for (unsigned i = 0; i < code.numOutputs(); ++i)
    runs.store(
        *code.buffer(code.outputArg(i)),
        [&](int64_t e) { return place(at, e); }, values[i]);
}

/// Returns the number of runs of a thread. Two loads of a thread that is busy
/// with one operand hide more of the latency of memory, if enough threads
/// remain to fill the device twice.
int64_t MapEmitter::chooseUnroll(const Runs &runs, const Index &count) {
  unsigned streams = 0;
  int64_t cost = 0;
  unsigned numInputs = code.source.getNumArguments() - code.numOutputs();
  for (BlockArgument arg : code.source.getArguments().take_front(numInputs))
    if (auto type = dyn_cast<RankedTensorType>(arg.getType()))
      streams += type.getRank() == rank;
  for (auto op : code.source.getBody().front().getOps<linalg::GenericOp>())
    cost += kernel::bodyCost(op);
  int64_t most = 2 * 2 * kDeviceThreads;
  bool isLarge = count.isStatic() && count.constant >= most;
  return runs.width > 1 && streams <= 1 && cost <= 16 && isLarge ? 2 : 1;
}

void MapEmitter::emitLaunch(Runs &runs) {
  SmallVector<Index> counts(sizes);
  bool isFlat = sizes.size() == 1;
  counts.back() = code.floorDiv(sizes.back(), runs.width);
  if (!isFlat && !sizes.back().isStatic() && runs.width > 1)
    runs.require(sizes.back(), runs.width);
  Index total = product(code, counts);
  int64_t threads = kThreads, unroll = chooseUnroll(runs, total);
  if (total.isStatic() && total.constant < kThreads)
    threads = std::max<int64_t>(
        kWarp, llvm::PowerOf2Ceil(std::max<int64_t>(total.constant, 1)));
  // A flat array may end with elements that fill no run. One more thread
  // computes them.
  bool hasTail = isFlat && runs.width > 1 && !isMultiple(sizes[0], runs.width);
  Index needed = hasTail ? code.add(total, Index::of(1)) : total;
  Launch launch(code, code.ceilDiv(needed, threads * unroll), threads);
  bool isExact = !hasTail && isMultiple(total, threads * unroll);
  Index first = code.add(code.mul(launch.block, Index::of(threads * unroll)),
                         launch.thread);
  // Runs that do not exist are computed as the last one and not stored, so that
  // all loads are issued before the first store.
  SmallVector<Index> linear;
  SmallVector<SmallVector<Index>> places;
  SmallVector<SmallVector<SmallVector<Value>>> values;
  auto placeRun = [&](const Index &run) {
    SmallVector<Index> at = delinearize(code, run, counts);
    at.back() = runs.begin(at.back());
    return at;
  };
  for (int64_t u = 0; u < unroll; ++u)
    linear.push_back(code.add(first, Index::of(u * threads)));
  if (unroll > 1) {
    for (const Index &run : linear) {
      Index last = code.sub(total, Index::of(1));
      places.push_back(placeRun(isExact ? run : code.min(run, last)));
      values.push_back(eval(launch.scope, runs, places.back()));
    }
    for (auto [run, at, results] : llvm::zip(linear, places, values))
      guarded(code, launch.scope, {{run, isExact ? Index::of(-1) : total}},
              [&](Scope &) { store(runs, at, results); });
  } else {
    guarded(code, launch.scope, {{first, isExact ? Index::of(-1) : total}},
            [&](Scope &scope) {
              SmallVector<Index> at = placeRun(first);
              store(runs, at, eval(scope, runs, at));
            });
  }
  if (hasTail) {
    Value isLast;
    for (const Index &run : linear) {
      Value is =
          arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::eq,
                                code.materialize(run), code.materialize(total));
      isLast = isLast
                   ? Value(arith::OrIOp::create(code.b, code.loc, isLast, is))
                   : is;
    }
    auto branch =
        scf::IfOp::create(code.b, code.loc, isLast, /*withElseRegion=*/false);
    code.b.setInsertionPointToStart(branch.thenBlock());
    Scope outer, scope;
    outer.parent = &launch.scope;
    outer.loop = branch;
    outer.isGuarded = true;
    auto loop = code.beginFor(
        outer, scope, code.mul(total, Index::of(runs.width)), sizes[0], 1);
    Runs single(code, /*width=*/1);
    SmallVector<Index> at = {Index(loop.getInductionVar())};
    store(single, at, eval(scope, single, at));
    code.endFor(loop);
    code.b.setInsertionPointAfter(branch);
  }
  launch.close();
}

void MapEmitter::emit() {
  bool isFlat = sizes.size() == 1;
  // A flat array may have any size.
  int64_t width = Runs::chooseWidth(code, isFlat ? Index::of(0) : sizes.back());
  // A few elements are not worth a second version.
  Index total = product(code, sizes);
  if (total.isStatic() && total.constant < width * kWarp)
    width = 1;
  Runs::emitVersions(code, width, [&](Runs &runs) { emitLaunch(runs); });
}

/// Returns the value of each combiner of `root` at the coordinates `at` of its
/// parallel loops. Emits loops over the reduced ones.
static SmallVector<Value> reduceAlone(KernelCode &code, Scope &scope,
                                      linalg::GenericOp root,
                                      ArrayRef<kernel::Combiner> combiners,
                                      MutableArrayRef<Index> at) {
  SmallVector<Value> acc;
  for (const kernel::Combiner &c : combiners) {
    std::optional<TypedAttr> neutral = arith::getNeutralElement(c.op);
    if (!neutral) {
      code.fail("a reduction without a neutral element");
      return {};
    }
    acc.push_back(arith::ConstantOp::create(code.b, code.loc, *neutral));
  }
  auto step = [&](Scope &inner, MutableArrayRef<Value> sums) {
    Coords all;
    for (const Index &i : at)
      all.push_back({i, false});
    for (auto [slot, c] : llvm::enumerate(combiners))
      sums[slot] = codegen::RowPlan::combine(
          code, c.op, sums[slot], code.evalBody(inner, root, c.input, all));
  };
  if (llvm::none_of(combiners, std::mem_fn(&kernel::Combiner::isFloatSum)))
    return code.forReduction(scope, root, at, acc, step);
  return code.forReduction(scope, root, at, acc, step,
                           [&](MutableArrayRef<Value> sums, ValueRange block) {
                             for (auto [slot, c] : llvm::enumerate(combiners))
                               sums[slot] = codegen::RowPlan::combine(
                                   code, c.op, sums[slot], block[slot]);
                           });
}

static void emitReduction(KernelCode &code, linalg::GenericOp root) {
  auto combiners = kernel::matchReduction(root);
  if (!combiners)
    return code.fail("a reduction of an unknown kind");
  SmallVector<Operation *> ops;
  for (Operation &op : code.source.getBody().front().without_terminator())
    ops.push_back(&op);
  LoopLabels labels;
  SmallVector<int> loops;
  for (unsigned d = 0; d < root.getNumLoops(); ++d)
    loops.push_back(d);
  if (!labels.label(root, loops, ops))
    return code.fail("the loops of the group do not agree, or are unknown");
  AffineMap map = root.getIndexingMapMatchingResult(root->getResult(0));
  SmallVector<unsigned> kept;
  SmallVector<Index> sizes;
  for (AffineExpr expr : map.getResults()) {
    kept.push_back(cast<AffineDimExpr>(expr).getPosition());
    sizes.push_back(code.loopSize(root, kept.back()));
  }
  SmallVector<Index> at(root.getNumLoops(), Index::of(0));
  auto where = [&](ArrayRef<int> of) {
    Coords result;
    for (int label : of)
      result.push_back({label < 0 ? Index::of(0) : at[label], false});
    return result;
  };
  forElements(code, sizes, [&](Scope &scope, ArrayRef<Index> place) {
    for (auto [d, i] : llvm::zip(kept, place))
      at[d] = i;
    SmallVector<Value> sums = reduceAlone(code, scope, root, *combiners, at);
    if (code.failed())
      return;
    for (auto [slot, c] : llvm::enumerate(*combiners)) {
      OpResult result = root->getResult(slot);
      Coords to = where(labels.ofTensor(result));
      Value init = code.eval(scope, root.getDpsInits()[slot], to);
      code.know(scope, result, to,
                codegen::RowPlan::combine(code, c.op, init, sums[slot]));
    }
    for (unsigned i = 0; i < code.numOutputs(); ++i) {
      if (labels.ofTensor(code.output(i)).empty() &&
          cast<RankedTensorType>(code.output(i).getType()).getRank())
        return code.fail("an output that does not follow the reduction");
      Coords to = where(labels.ofTensor(code.output(i)));
      code.store(*code.buffer(code.outputArg(i)), to,
                 code.eval(scope, code.output(i), to));
    }
  });
}

static void emitElements(KernelCode &code) {
  linalg::GenericOp root;
  for (Operation &op : code.source.getBody().front())
    if (auto generic = dyn_cast<linalg::GenericOp>(op);
        generic && generic.getNumReductionLoops()) {
      if (root)
        return code.fail("several reductions");
      root = generic;
    }
  if (root)
    return emitReduction(code, root);
  MapEmitter(code).emit();
}

static std::optional<codegen::KernelMatch>
matchElements(func::FuncOp kernel, const kernel::TargetInfo &) {
  return codegen::KernelMatch{
      kernel, kernel::ElementwiseAttr::get(kernel.getContext())};
}

namespace fx::gpu {
codegen::KernelClass getElementsClass() {
  return {kernel::ElementwiseAttr::getMnemonic(), /*benefit=*/1, matchElements,
          emitElements};
}
} // namespace fx::gpu
