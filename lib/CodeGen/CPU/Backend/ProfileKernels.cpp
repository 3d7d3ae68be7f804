//===- ProfileKernels.cpp - times of kernels ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/Common/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUPROFILEKERNELS
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::codegen;

/// Returns the N of `kernel_N`; nullopt for functions with other names.
static std::optional<int64_t> getKernelNumber(StringRef name) {
  int64_t number;
  if (!name.consume_front("kernel_") || name.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

/// Computes the bytes of all buffers among `operands`.
static Value computeAllBytes(OpBuilder &b, Location loc, ValueRange operands) {
  Value sum = arith::ConstantIndexOp::create(b, loc, 0);
  for (Value operand : operands) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type)
      continue;
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(memref::DimOp::create(b, loc, operand, d));
    sum = arith::AddIOp::create(b, loc, sum, computeBytes(b, loc, type, sizes));
  }
  return sum;
}

namespace {
struct ProfileKernels : fx::cpu::impl::FXCPUProfileKernelsBase<ProfileKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    auto main = symbols.lookup<func::FuncOp>("main");
    if (!main)
      return;
    SmallVector<func::CallOp> calls;
    main.walk([&](func::CallOp call) {
      if (getKernelNumber(call.getCallee()))
        calls.push_back(call);
    });
    for (func::CallOp call : calls)
      profile(call, symbols.lookup<func::FuncOp>(call.getCallee()));
  }

  static void profile(func::CallOp call, func::FuncOp kernel) {
    OpBuilder b(call);
    Location loc = call.getLoc();
    auto begin = cast<func::FuncOp>(
        getOrDeclare(b, "fx_rt_profile_begin",
                     b.getFunctionType({}, b.getI64Type()), false));
    Value start =
        func::CallOp::create(b, loc, begin, ValueRange()).getResult(0);
    b.setInsertionPointAfter(call);
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    IntegerAttr flops =
        kernel ? kernel->getAttrOfType<IntegerAttr>("fx.flops") : IntegerAttr();
    Value operands[] = {start, number(*getKernelNumber(call.getCallee())),
                        computeAllBytes(b, loc, call.getOperands()),
                        number(flops ? flops.getInt() : 0)};
    auto end = cast<func::FuncOp>(getOrDeclare(
        b, "fx_rt_profile_end",
        b.getFunctionType(ValueRange(operands).getTypes(), {}), false));
    func::CallOp::create(b, loc, end, operands);
  }
};
} // namespace
