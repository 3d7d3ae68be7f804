//===- PlaceOutputs.cpp - results of @main in buffers of their own --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "fx/CodeGen/CPU/Backend.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUPLACEOUTPUTS
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::cpu;

/// The allocation that `value` is, seen through views of all its elements.
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

/// The buffer itself, seen through casts.
static Value skipCasts(Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  return value;
}

/// A new output of `like`'s shape, holding what `like` holds.
static Value copyToOutput(OpBuilder &b, Location loc, Value like) {
  auto type = cast<MemRefType>(like.getType());
  auto plain = MemRefType::get(type.getShape(), type.getElementType());
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(memref::DimOp::create(b, loc, like, d));
  Value made = createBufferView(b, loc, "fx_rt_output", plain, sizes);
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

  /// What result `i` is written back to; null if it is an output.
  static Value getWrittenBack(func::FuncOp func, unsigned i) {
    if (auto index =
            func.getResultAttrOfType<IntegerAttr>(i, "fx.mutates_input"))
      return func.getArgument(index.getInt());
    auto state = func.getResultAttrOfType<FlatSymbolRefAttr>(i, "fx.mutates");
    for (BlockArgument arg : func.getArguments())
      if (state && func.getArgAttrOfType<FlatSymbolRefAttr>(
                       arg.getArgNumber(), "fx.state") == state)
        return arg;
    return {};
  }

  LogicalResult place(func::FuncOp func) {
    auto ret = cast<func::ReturnOp>(func.front().getTerminator());
    OpBuilder b(ret);
    SmallVector<Value> outputs;
    SmallVector<Attribute> attrs;
    llvm::SmallPtrSet<Operation *, 8> taken;
    for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
      if (Value dest = getWrittenBack(func, i)) {
        if (skipCasts(value) != dest)
          memref::CopyOp::create(b, ret.getLoc(), value, dest);
        continue;
      }
      attrs.push_back(func.getResultAttrDict(i));
      memref::AllocOp alloc = getWholeAlloc(value);
      if (!alloc || alloc->getBlock() != &func.front() ||
          !taken.insert(alloc).second ||
          !alloc.getType().getLayout().isIdentity())
        value = copyToOutput(b, ret.getLoc(), value);
      outputs.push_back(value);
    }
    ret->setOperands(outputs);
    for (Operation *op : taken) {
      auto alloc = cast<memref::AllocOp>(op);
      OpBuilder at(alloc);
      alloc.replaceAllUsesWith(createBufferView(at, alloc.getLoc(),
                                                "fx_rt_output", alloc.getType(),
                                                alloc.getDynamicSizes()));
      alloc.erase();
    }
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
