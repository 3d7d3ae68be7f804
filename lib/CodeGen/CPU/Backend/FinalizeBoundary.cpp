//===- FinalizeBoundary.cpp - the boundary that an artefact's entry has ---===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrittenBack.h"
#include "fx/CodeGen/CPU/Backend.h"
#include "fx/IR/FXDialect.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUFINALIZEBOUNDARY
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::cpu;

/// Turns scalar arguments into tensors of rank 0.
static LogicalResult tensorizeArguments(func::FuncOp func, OpBuilder &b) {
  Block &entry = func.front();
  for (auto [i, arg] : llvm::enumerate(entry.getArguments())) {
    if (isa<RankedTensorType>(arg.getType()))
      continue;
    if (!arg.getType().isIntOrFloat())
      return func.emitError("argument ")
             << i << " of @main: expected a ranked tensor or a "
             << "scalar, got " << arg.getType();
    Type scalar = arg.getType();
    arg.setType(RankedTensorType::get({}, scalar));
    b.setInsertionPointToStart(&entry);
    auto extract =
        tensor::ExtractOp::create(b, func.getLoc(), arg, ValueRange());
    arg.replaceAllUsesExcept(extract.getResult(), extract);
  }
  return success();
}

FailureOr<Value> fx::cpu::getWrittenBack(func::FuncOp func, unsigned i) {
  if (auto index =
          func.getResultAttrOfType<IntegerAttr>(i, "fx.mutates_input")) {
    uint64_t arg = index.getInt();
    if (arg >= func.getNumArguments())
      return func.emitError("result ")
             << i << " of @main writes to argument " << arg
             << ", but there are " << func.getNumArguments();
    return Value(func.getArgument(arg));
  }
  auto state = func.getResultAttrOfType<FlatSymbolRefAttr>(i, "fx.mutates");
  if (!state)
    return Value();
  for (BlockArgument arg : func.getArguments())
    if (func.getArgAttrOfType<FlatSymbolRefAttr>(arg.getArgNumber(),
                                                 "fx.state") == state)
      return Value(arg);
  return func.emitError("result ")
         << i << " of @main writes to " << state << ", which is no argument";
}

/// Returns result `i` as a tensor; a scalar becomes a tensor of rank 0.
static FailureOr<Value> getTensorResult(func::ReturnOp ret, unsigned i,
                                        OpBuilder &b) {
  Value value = ret.getOperand(i);
  if (isa<RankedTensorType>(value.getType()))
    return value;
  if (value.getType().isIntOrFloat())
    return tensor::FromElementsOp::create(
               b, ret.getLoc(), RankedTensorType::get({}, value.getType()),
               value)
        .getResult();
  return ret->getParentOp()->emitError("result ")
         << i << " of @main: expected a ranked tensor or a scalar, got "
         << value.getType();
}

/// Turns scalar results into tensors of rank 0, and marks the arguments that
/// results are written back to as written.
static LogicalResult finalizeResults(func::FuncOp func, OpBuilder &b) {
  if (!llvm::hasSingleElement(func.getBody()))
    return func.emitError("expected one block in @") << func.getName();
  auto ret = cast<func::ReturnOp>(func.front().getTerminator());
  b.setInsertionPoint(ret);
  for (auto [i, operand] : llvm::enumerate(ret->getOpOperands())) {
    FailureOr<Value> value = getTensorResult(ret, i, b),
                     dest = getWrittenBack(func, i);
    if (failed(value) || failed(dest))
      return failure();
    operand.set(*value);
    if (!*dest)
      continue;
    unsigned arg = cast<BlockArgument>(*dest).getArgNumber();
    func.setArgAttr(arg, "bufferization.writable", b.getBoolAttr(true));
    func.setArgAttr(arg, "fx.written", b.getUnitAttr());
  }
  return success();
}

namespace {
struct FinalizeBoundary
    : fx::cpu::impl::FXCPUFinalizeBoundaryBase<FinalizeBoundary> {
  void runOnOperation() override {
    OpBuilder b(&getContext());
    for (StringRef name : {"main", "prepare"}) {
      auto func = getOperation().lookupSymbol<func::FuncOp>(name);
      if (!func || func.isExternal())
        continue;
      func->setAttr("llvm.emit_c_interface", b.getUnitAttr());
      if (failed(tensorizeArguments(func, b)))
        return signalPassFailure();
      for (unsigned i = 0; i < func.getNumArguments(); ++i)
        func.setArgAttr(i, "bufferization.writable", b.getBoolAttr(false));
      if (failed(finalizeResults(func, b)))
        return signalPassFailure();
      SmallVector<Type> args(func.front().getArgumentTypes()),
          results(func.front().getTerminator()->getOperandTypes());
      func.setFunctionType(b.getFunctionType(args, results));
    }
  }
};
} // namespace
