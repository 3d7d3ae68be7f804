//===- EmitElements.cpp - one thread for each element ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Launch.h"

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

static void emitMap(KernelCode &code) {
  Value first = code.output(0);
  int64_t rank = cast<RankedTensorType>(first.getType()).getRank();
  int64_t merged = codegen::countMergedDims(code);
  // Trailing dimensions that can be merged are indexed by the last one alone.
  SmallVector<Index> sizes;
  Index last = Index::of(1);
  for (int64_t d = 0; d < rank; ++d) {
    Index size = code.size(code.outputArg(0), d);
    if (d < rank - merged)
      sizes.push_back(size);
    else
      last = code.mul(last, size);
  }
  sizes.push_back(last);
  forElements(code, sizes, [&](Scope &scope, ArrayRef<Index> at) {
    SmallVector<Value> values;
    SmallVector<Coords> places;
    for (unsigned i = 0; i < code.numOutputs(); ++i) {
      Coords coords(rank, Coord{Index::of(0), false});
      for (int64_t d = 0; d < rank - merged; ++d)
        coords[d].base = at[d];
      if (rank)
        coords[rank - 1].base = at.back();
      places.push_back(coords);
      values.push_back(code.eval(scope, code.output(i), coords));
    }
    for (unsigned i = 0; i < code.numOutputs(); ++i)
      code.store(*code.buffer(code.outputArg(i)), places[i], values[i]);
  });
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
  return code.forReduction(
      scope, root, at, acc, [&](Scope &inner, MutableArrayRef<Value> sums) {
        Coords all;
        for (const Index &i : at)
          all.push_back({i, false});
        for (auto [slot, c] : llvm::enumerate(combiners))
          sums[slot] = codegen::RowPlan::combine(
              code, c.op, sums[slot], code.evalBody(inner, root, c.input, all));
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
  emitMap(code);
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
