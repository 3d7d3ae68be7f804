//===- RandomToRuntime.cpp - random numbers as calls of the run-time ------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/Common/Captures.h"
#include "fx/Kernels/IR/Dtypes.h"
#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPURANDOMTORUNTIME
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

namespace {
struct RandomToRuntime
    : fx::cpu::impl::FXCPURandomToRuntimeBase<RandomToRuntime> {
  void runOnOperation() override {
    LLVMTypeConverter types(&getContext());
    SmallVector<RandomOp> ops;
    getOperation().walk([&](RandomOp op) { ops.push_back(op); });
    for (RandomOp op : ops)
      lower(op, types);
  }

  /// Replaces `op` by a call of
  /// fx_rt_random(distribution, first, second, rank, code, bits, descriptor).
  void lower(RandomOp op, const LLVMTypeConverter &types) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Type i64 = b.getI64Type();
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
    };
    auto bits = [&](Value v) -> Value {
      return v.getType().isF64() ? LLVM::BitcastOp::create(b, loc, i64, v) : v;
    };
    Value descriptor = castToLLVM(b, types, op.getOutput());
    Value slot = createStackSlot(b, loc, descriptor.getType());
    LLVM::StoreOp::create(b, loc, descriptor, slot);
    Dtype dtype = *getDtype(op.getDtype());
    int64_t rank = cast<MemRefType>(op.getOutput().getType()).getRank();
    SmallVector<Value> args = {
        constant(RandomOp::getDistributionNumber(op.getDistribution())),
        bits(op.getFirst()),
        bits(op.getSecond()),
        constant(rank),
        constant(dtype.code),
        constant(dtype.bits),
        slot};
    auto fn = cast<func::FuncOp>(getOrDeclare(
        b, "fx_rt_random", b.getFunctionType(ValueRange(args).getTypes(), {}),
        false));
    func::CallOp::create(b, loc, fn, args);
    op.erase();
  }
};
} // namespace
