//===- PointLaunch.cpp - one thread for each point ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointLaunch.h"

#include "fx/CodeGen/GPU/TimeModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

/// Number of threads of a block.
static constexpr int64_t kThreads = 256;

SmallVector<Value> fx::gpu::launchPoints(OpBuilder &b, Location loc,
                                         ArrayRef<Value> sizes,
                                         std::optional<int64_t> bytes,
                                         int64_t operations) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1), total = one;
  for (Value size : sizes)
    total = arith::MulIOp::create(b, loc, total, size);
  Value threads = arith::ConstantIndexOp::create(b, loc, kThreads);
  Value blocks = arith::CeilDivUIOp::create(b, loc, total, threads);
  auto launch =
      mlir::gpu::LaunchOp::create(b, loc, blocks, one, one, threads, one, one);
  if (bytes)
    describeLaunch(launch, *bytes, operations);
  b.setInsertionPointToStart(&launch.getBody().front());
  Value linear = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, launch.getBlockIds().x, threads),
      launch.getThreadIds().x);
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, linear, total);
  auto branch = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
  mlir::gpu::TerminatorOp::create(b, loc);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> point(sizes.size());
  for (unsigned d = sizes.size(); d-- > 0;) {
    point[d] = arith::RemUIOp::create(b, loc, linear, sizes[d]);
    linear = arith::DivUIOp::create(b, loc, linear, sizes[d]);
  }
  return point;
}
