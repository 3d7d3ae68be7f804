//===- AssertToRuntime.cpp - failed assertions end the run ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/Common/Captures.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUASSERTTORUNTIME
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::codegen;
using namespace fx::cpu;

namespace {
struct AssertToRuntime
    : fx::cpu::impl::FXCPUAssertToRuntimeBase<AssertToRuntime> {
  void runOnOperation() override {
    SmallVector<cf::AssertOp> ops;
    getOperation().walk([&](cf::AssertOp op) { ops.push_back(op); });
    for (cf::AssertOp op : ops)
      lower(op);
  }

  void lower(cf::AssertOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
    Value failed = arith::XOrIOp::create(b, loc, op.getArg(), yes);
    auto branch = scf::IfOp::create(b, loc, failed, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    Value text = createText(b, loc, getOperation(), op.getMsg());
    auto fn = cast<func::FuncOp>(getOrDeclare(
        b, "fx_rt_assert_fail", b.getFunctionType(text.getType(), {}), false));
    func::CallOp::create(b, loc, fn, text);
    op.erase();
  }
};
} // namespace
