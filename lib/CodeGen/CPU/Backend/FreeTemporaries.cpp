//===- FreeTemporaries.cpp - what is allocated at run time is freed early -===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/Common/Buffers.h"

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUFREETEMPORARIES
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::codegen;

/// Returns the last op of `alloc`'s block that uses the buffer. Returns null if
/// the buffer leaves the block (the run-time then frees it at the end of the
/// run) or already has a dealloc.
static Operation *findLastUse(memref::AllocOp alloc,
                              const BufferViewFlowAnalysis &aliases) {
  Block *block = alloc->getBlock();
  Operation *last = alloc;
  for (Value v : getAliases(alloc.getResult(), aliases)) {
    if (!block->getParent()->isAncestor(v.getParentRegion()))
      return nullptr;
    for (Operation *user : v.getUsers()) {
      Operation *at = block->findAncestorOpInBlock(*user);
      if (!at || at->hasTrait<OpTrait::IsTerminator>() ||
          isa<memref::DeallocOp>(user))
        return nullptr;
      if (last->isBeforeInBlock(at))
        last = at;
    }
  }
  return last;
}

namespace {
struct FreeTemporaries
    : fx::cpu::impl::FXCPUFreeTemporariesBase<FreeTemporaries> {
  void runOnOperation() override {
    getOperation().walk([](func::FuncOp func) {
      if (func.isExternal())
        return;
      BufferViewFlowAnalysis aliases(func);
      SmallVector<std::pair<memref::AllocOp, Operation *>> frees;
      func.walk([&](memref::AllocOp alloc) {
        if (Operation *last = findLastUse(alloc, aliases))
          frees.push_back({alloc, last});
      });
      for (auto [alloc, last] : frees) {
        OpBuilder b(alloc.getContext());
        b.setInsertionPointAfter(last);
        memref::DeallocOp::create(b, alloc.getLoc(), alloc);
      }
    });
  }
};
} // namespace
