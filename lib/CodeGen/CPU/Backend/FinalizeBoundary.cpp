//===- FinalizeBoundary.cpp - the boundary that an artefact's entry has ---===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

/// The argument that result `i` is written back to; null if to none.
static FailureOr<Value> getWrittenBack(func::FuncOp func, unsigned i) {
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

/// True if `value`, returned and written back to `dest` (null if to none), is
/// or views an argument that is written back, or views a value that is.
static bool isOverwritten(Value value, Value dest, ArrayRef<Value> dests,
                          const DenseSet<Value> &sources) {
  if (value == dest)
    return false;
  for (Value viewed = value;;) {
    if (isa<BlockArgument>(viewed))
      return llvm::is_contained(dests, viewed);
    if (viewed != value && !dest && sources.contains(viewed))
      return true;
    Operation *op = viewed.getDefiningOp();
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op))
      return false;
    viewed = op->getOperand(0);
  }
}

/// Copies results, before anything is written back, whose memory that changes:
/// bufferization cannot, where the write has its place.
static LogicalResult keepOldValues(func::FuncOp func, func::ReturnOp ret,
                                   OpBuilder &b) {
  SmallVector<Value> dests;
  DenseSet<Value> sources;
  for (auto [i, value] : llvm::enumerate(ret->getOperands())) {
    FailureOr<Value> dest = getWrittenBack(func, i);
    if (failed(dest))
      return failure();
    dests.push_back(*dest);
    if (*dest)
      sources.insert(value);
  }
  for (auto [operand, dest] : llvm::zip_equal(ret->getOpOperands(), dests)) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (type && isOverwritten(operand.get(), dest, dests, sources))
      operand.set(bufferization::AllocTensorOp::create(
          b, ret.getLoc(), type, /*dynamicSizes=*/ValueRange(), operand.get()));
  }
  return success();
}

/// Branches and while loops that use an argument which the function writes get
/// a copy of it: bufferization takes a carried tensor as read by the whole loop
/// and a branch's result as either of what the branches give, and sees
/// conflicts with the write behind it that no copy of its own can mend.
static void copyForRegions(Value arg, OpBuilder &b) {
  Value copy;
  for (OpOperand &use : llvm::make_early_inc_range(arg.getUses())) {
    Operation *user = use.getOwner();
    if (!isa<scf::WhileOp>(user) && !user->getParentOfType<scf::IfOp>() &&
        !user->getParentOfType<scf::WhileOp>())
      continue;
    if (!copy) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(cast<BlockArgument>(arg).getOwner());
      copy = bufferization::AllocTensorOp::create(
          b, arg.getLoc(), cast<RankedTensorType>(arg.getType()), ValueRange(),
          arg);
    }
    use.set(copy);
  }
}

/// Result `i` as a tensor.
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

static LogicalResult finalizeResults(func::FuncOp func, OpBuilder &b) {
  if (!llvm::hasSingleElement(func.getBody()))
    return func.emitError("expected one block in @") << func.getName();
  auto ret = cast<func::ReturnOp>(func.front().getTerminator());
  b.setInsertionPoint(ret);
  if (failed(keepOldValues(func, ret, b)))
    return failure();
  // What is written back, and what holds it then.
  DenseMap<Value, Value> written;
  for (auto [i, operand] : llvm::enumerate(ret->getOpOperands())) {
    Value returned = operand.get();
    FailureOr<Value> value = getTensorResult(ret, i, b),
                     dest = getWrittenBack(func, i);
    if (failed(value) || failed(dest))
      return failure();
    operand.set(*value);
    if (!*dest)
      continue;
    Value source = written.lookup(returned) ? written.lookup(returned) : *value;
    if ((*dest).getType() != source.getType())
      source =
          tensor::CastOp::create(b, ret.getLoc(), (*dest).getType(), source);
    Value held = bufferization::MaterializeInDestinationOp::create(
                     b, ret.getLoc(), source.getType(), source, *dest)
                     .getResult();
    operand.set(held);
    if (returned.getType() == held.getType())
      written.try_emplace(returned, held);
    copyForRegions(*dest, b);
    unsigned arg = cast<BlockArgument>(*dest).getArgNumber();
    func.setArgAttr(arg, "bufferization.writable", b.getBoolAttr(true));
    func.setArgAttr(arg, "fx.written", b.getUnitAttr());
  }
  // Who returns a value that is also written back returns what was written: its
  // own memory may be the argument's, which counts as overwritten then.
  for (OpOperand &operand : ret->getOpOperands())
    if (Value held = written.lookup(operand.get()))
      operand.set(held);
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
