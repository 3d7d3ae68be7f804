//===- CombineParts.cpp - the sums of parts of K --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The workspace has the sums of all parts of K, part by part, each as a
// row-major array of the batch, M and N. A thread adds those of a run of
// columns, always in the same order, and evaluates the group's outputs.
//
//===----------------------------------------------------------------------===//

#include "MatMulPlan.h"

#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

void fx::gpu::emitCombination(MatMulPlan &plan, Value workspace, int64_t parts,
                              bool hasRuns) {
  KernelCode &code = plan.code;
  OpBuilder &b = code.b;
  Location loc = code.loc;
  int64_t width = hasRuns ? MatMulPlan::kRun : 1;
  SmallVector<Index> sizes = plan.batchSizes;
  sizes.push_back(plan.mSize);
  sizes.push_back(code.floorDiv(plan.nSize, width));
  Index total = product(code, sizes), count = code.mul(total, Index::of(width));
  // M may be dynamic, and less than its bound.
  int64_t most = *plan.countResults();
  // Small blocks, so that all multiprocessors have one.
  int64_t threads = kThreads;
  while (threads > 2 * kWarp &&
         most / width / threads < code.machine.multiprocessors)
    threads /= 2;
  Launch launch(code, code.ceilDiv(total, threads), threads);
  int64_t bytes = parts * most * 4;
  for (unsigned o = 0; o < code.numOutputs(); ++o)
    bytes += most * codegen::getElementBytes(
                        getElementTypeOrSelf(code.output(o).getType()));
  if (total.isStatic())
    launch.describe(bytes, /*operations=*/parts * most);
  if (hasRuns)
    launch.op->setAttr(kAlignmentAttr, b.getI64IntegerAttr(kAlignment));
  plan.at.assign(plan.info.op.getNumLoops(), Index::of(0));
  Index mine =
      code.add(code.mul(launch.block, Index::of(threads)), launch.thread);
  auto emit = [&](Scope &here) {
    SmallVector<Index> where = delinearize(code, mine, sizes);
    for (auto [loop, x] : llvm::zip(plan.batch, where))
      plan.at[loop] = x;
    Index row = where[where.size() - 2],
          column = code.mul(where.back(), Index::of(width));
    Type element = cast<MemRefType>(workspace.getType()).getElementType();
    auto type = VectorType::get({width}, element);
    SmallVector<Value> loaded;
    for (int64_t p = 0; p < parts; ++p) {
      Value from = code.materialize(code.add(code.mul(mine, Index::of(width)),
                                             code.mul(count, Index::of(p))));
      if (!hasRuns) {
        loaded.push_back(memref::LoadOp::create(b, loc, workspace, from));
        continue;
      }
      auto run =
          vector::LoadOp::create(b, loc, type, workspace, ValueRange{from});
      run.setAlignment(kAlignment);
      loaded.push_back(run);
    }
    Value sum = loaded[0];
    for (Value other : ArrayRef(loaded).drop_front())
      sum = vector::makeArithReduction(b, loc, vector::CombiningKind::ADD, sum,
                                       other);
    if (!hasRuns)
      return plan.storeOutputs(here, row, column, sum);
    SmallVector<Value> sums;
    for (int64_t e = 0; e < width; ++e)
      sums.push_back(vector::ExtractOp::create(b, loc, sum, e));
    plan.storeRun(here, row, column, sums);
  };
  guarded(code, launch.scope,
          {{mine, isMultiple(total, threads) ? Index::of(-1) : total}}, emit);
  launch.close();
}
