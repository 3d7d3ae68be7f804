//===- PlaceOutputs.cpp - results of @main in buffers of their own --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrittenBack.h"
#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/Common/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUPLACEOUTPUTS
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::codegen;
using namespace fx::cpu;

/// Returns the allocation all of whose elements `value` views; null if there is
/// none.
static memref::AllocOp getWholeAlloc(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return alloc;
    if (!isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(
            op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

/// Returns the buffer that `value` is a cast of, or `value` itself.
static Value skipCasts(Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  return value;
}

/// Returns the type of a contiguous buffer of `like`'s shape, and its dynamic
/// sizes.
static std::pair<MemRefType, SmallVector<Value>>
getPlainBuffer(OpBuilder &b, Location loc, Value like) {
  auto type = cast<MemRefType>(like.getType());
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(memref::DimOp::create(b, loc, like, d));
  return {MemRefType::get(type.getShape(), type.getElementType()), sizes};
}

/// Creates the buffer of the output that is result `number`.
static Value createOutput(OpBuilder &b, Location loc, MemRefType type,
                          ValueRange sizes, unsigned number) {
  Value operands[] = {computeBytes(b, loc, type, sizes),
                      arith::ConstantIndexOp::create(b, loc, number)};
  Value bytes = callForBytes(b, loc, "fx_rt_output", operands);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  return memref::ViewOp::create(b, loc, type, bytes, zero, sizes);
}

/// Creates the output that is result `number`, in `like`'s shape, and copies
/// `like` to it.
static Value copyToOutput(OpBuilder &b, Location loc, Value like,
                          unsigned number) {
  auto [type, sizes] = getPlainBuffer(b, loc, like);
  Value made = createOutput(b, loc, type, sizes, number);
  memref::CopyOp::create(b, loc, like, made);
  return made;
}

/// Creates a temporary of `like`'s shape and copies `like` to it.
static Value copyToTemporary(OpBuilder &b, Location loc, Value like) {
  auto [type, sizes] = getPlainBuffer(b, loc, like);
  Value made = memref::AllocOp::create(b, loc, type, sizes);
  memref::CopyOp::create(b, loc, like, made);
  return made;
}

namespace {
struct PlaceOutputs : fx::cpu::impl::FXCPUPlaceOutputsBase<PlaceOutputs> {
  void runOnOperation() override {
    for (StringRef name : {"main", "prepare"})
      if (auto func = getOperation().lookupSymbol<func::FuncOp>(name))
        if (!func.isExternal() && failed(place(func)))
          return signalPassFailure();
  }

  /// Writes results back to the arguments `dests`, which are null for outputs.
  /// Outputs that alias an argument must have been copied before.
  static void writeBack(func::FuncOp func, func::ReturnOp ret,
                        ArrayRef<Value> dests) {
    OpBuilder b(ret);
    SmallVector<std::pair<unsigned, Value>> copies;
    {
      // Save a result that aliases a written argument before the writes.
      BufferViewFlowAnalysis analysis(func);
      llvm::SmallPtrSet<Value, 16> overwritten;
      for (auto [i, value] : llvm::enumerate(ret.getOperands()))
        if (Value dest = dests[i]) {
          for (Value alias : getAliases(dest, analysis))
            overwritten.insert(alias);
          if (skipCasts(value) != dest)
            copies.emplace_back(i, dest);
        }
      for (auto [i, dest] : copies)
        if (overwritten.contains(ret.getOperand(i)))
          ret->setOperand(i,
                          copyToTemporary(b, ret.getLoc(), ret.getOperand(i)));
    }
    for (auto [i, dest] : copies)
      if (!computeInPlace(func, ret.getOperand(i), dest))
        memref::CopyOp::create(b, ret.getLoc(), ret.getOperand(i), dest);
  }

  /// Replaces the allocation of `value` by the argument `dest` that the value
  /// is written back to. Returns false if `value` is no whole allocation, or if
  /// an op at or after the first use of the allocation uses `dest`.
  static bool computeInPlace(func::FuncOp func, Value value, Value dest) {
    memref::AllocOp alloc = getWholeAlloc(value);
    Block &body = func.front();
    if (!alloc || alloc->getBlock() != &body ||
        alloc.getType() != dest.getType())
      return false;
    BufferViewFlowAnalysis analysis(func);
    Operation *first = nullptr;
    auto forUses = [&](Value buffer, function_ref<void(Operation *)> fn) {
      for (Value alias : getAliases(buffer, analysis))
        for (Operation *user : alias.getUsers())
          if (Operation *op = body.findAncestorOpInBlock(*user))
            fn(op);
    };
    forUses(alloc.getResult(), [&](Operation *op) {
      if (!first || op->isBeforeInBlock(first))
        first = op;
    });
    bool isFree = first;
    forUses(dest, [&](Operation *op) {
      isFree &= isa<memref::DimOp>(op) || op->isBeforeInBlock(first) ||
                isa<func::ReturnOp>(op);
    });
    if (!isFree)
      return false;
    alloc.replaceAllUsesWith(dest);
    alloc.erase();
    return true;
  }

  /// Lets the run-time allocate the outputs (fx_rt_output), writes the other
  /// results back to arguments, and removes those from the function's type.
  LogicalResult place(func::FuncOp func) {
    auto ret = cast<func::ReturnOp>(func.front().getTerminator());
    OpBuilder b(ret);
    BitVector writtenBack(ret->getNumOperands());
    SmallVector<Value> dests;
    SmallVector<Attribute> attrs;
    llvm::MapVector<Operation *, unsigned> taken;
    for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
      FailureOr<Value> dest = getWrittenBack(func, i);
      if (failed(dest))
        return failure();
      dests.push_back(*dest);
      if (*dest) {
        writtenBack.set(i);
        continue;
      }
      unsigned number = attrs.size();
      attrs.push_back(func.getResultAttrDict(i));
      memref::AllocOp alloc = getWholeAlloc(value);
      if (!alloc || alloc->getBlock() != &func.front() ||
          !alloc.getType().getLayout().isIdentity() ||
          !taken.try_emplace(alloc, number).second)
        ret->setOperand(i, copyToOutput(b, ret.getLoc(), value, number));
    }
    for (auto [op, number] : taken) {
      auto alloc = cast<memref::AllocOp>(op);
      OpBuilder at(alloc);
      alloc.replaceAllUsesWith(createOutput(at, alloc.getLoc(), alloc.getType(),
                                            alloc.getDynamicSizes(), number));
      alloc.erase();
    }
    writeBack(func, ret, dests);
    ret->eraseOperands(writtenBack);
    for (Value value : ret.getOperands())
      if (!cast<MemRefType>(value.getType()).getLayout().isIdentity())
        return ret.emitError("an output is not contiguous: ")
               << value.getType();
    SmallVector<Type> types;
    for (Value value : ret.getOperands())
      types.push_back(value.getType());
    func.setFunctionType(
        FunctionType::get(func.getContext(), func.getArgumentTypes(), types));
    func.setAllResultAttrs(attrs);
    return success();
  }
};
} // namespace
