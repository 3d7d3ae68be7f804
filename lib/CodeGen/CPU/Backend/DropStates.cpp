//===- DropStates.cpp - a module without its states -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"
#include "fx/IR/FXDialect.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXDROPSTATES
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;

namespace {
struct FXDropStatesPass : fx::cpu::impl::FXDropStatesBase<FXDropStatesPass> {
  void runOnOperation() override {
    for (fx::StateOp state :
         llvm::make_early_inc_range(getOperation().getOps<fx::StateOp>()))
      state.erase();
  }
};
} // namespace
