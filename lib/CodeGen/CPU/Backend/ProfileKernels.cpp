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

/// Returns the bytes of `buffer`.
static Value computeBytesOf(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(memref::DimOp::create(b, loc, buffer, d));
  return computeBytes(b, loc, type, sizes);
}

/// Computes the bytes of all buffers among the operands and results of `op`.
static Value computeAllBytes(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  Value sum = arith::ConstantIndexOp::create(b, loc, 0);
  for (ValueRange values :
       {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      if (isa<MemRefType>(value.getType()))
        sum = arith::AddIOp::create(b, loc, sum, computeBytesOf(b, loc, value));
  return sum;
}

namespace {
struct ProfileKernels : fx::cpu::impl::FXCPUProfileKernelsBase<ProfileKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    auto main = symbols.lookup<func::FuncOp>("main");
    if (!main)
      return;
    SmallVector<std::pair<Operation *, int64_t>> calls;
    main.walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op)) {
        if (auto number = getKernelNumber(call.getCallee()))
          calls.push_back({call, *number});
      } else if (auto index = op->getAttrOfType<IntegerAttr>(
                     fx::cpu::kReportIndexAttr)) {
        calls.push_back({op, -1 - index.getInt()});
      }
    });
    for (auto [op, number] : calls) {
      auto call = dyn_cast<func::CallOp>(op);
      auto kernel = call ? symbols.lookup<func::FuncOp>(call.getCallee())
                         : func::FuncOp();
      profile(op, number, kernel);
    }
  }

  static void profile(Operation *call, int64_t index, func::FuncOp kernel) {
    OpBuilder b(call);
    Location loc = call->getLoc();
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
    Value operands[] = {start, number(index), computeAllBytes(b, call),
                        number(flops ? flops.getInt() : 0)};
    auto end = cast<func::FuncOp>(getOrDeclare(
        b, "fx_rt_profile_end",
        b.getFunctionType(ValueRange(operands).getTypes(), {}), false));
    func::CallOp::create(b, loc, end, operands);
  }
};
} // namespace
