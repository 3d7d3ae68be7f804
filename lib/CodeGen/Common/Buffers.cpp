//===- Buffers.cpp - memory got from the run-time -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

llvm::SmallPtrSet<Value, 16>
fx::codegen::getAliases(Value buffer, const BufferViewFlowAnalysis &analysis) {
  llvm::SmallPtrSet<Value, 16> all;
  SmallVector<Value> open = {buffer};
  while (!open.empty()) {
    for (Value v : analysis.resolve(open.pop_back_val())) {
      if (!all.insert(v).second)
        continue;
      for (Operation *user : v.getUsers())
        if (isa<UnrealizedConversionCastOp>(user))
          llvm::append_range(open, user->getResults());
    }
  }
  return all;
}

int64_t fx::codegen::getElementBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * getElementBytes(complex.getElementType());
  if (isa<IndexType>(type))
    return 8;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

std::optional<int64_t> fx::codegen::getStaticBytes(ShapedType type) {
  if (!type.hasStaticShape())
    return std::nullopt;
  return type.getNumElements() * getElementBytes(type.getElementType());
}

Operation *fx::codegen::getOrDeclare(OpBuilder &b, StringRef name,
                                     FunctionType type, bool cInterface) {
  auto module =
      b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (auto func = module.lookupSymbol<func::FuncOp>(name))
    return func;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto func = func::FuncOp::create(b, module.getLoc(), name, type);
  func.setPrivate();
  if (cInterface)
    func->setAttr("llvm.emit_c_interface", b.getUnitAttr());
  return func;
}

Value fx::codegen::callForBytes(OpBuilder &b, Location loc, StringRef callee,
                                ValueRange operands) {
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  auto func = cast<func::FuncOp>(getOrDeclare(
      b, callee, b.getFunctionType(operands.getTypes(), type), true));
  return func::CallOp::create(b, loc, func, operands).getResult(0);
}

Value fx::codegen::computeBytes(OpBuilder &b, Location loc, MemRefType type,
                                ValueRange sizes) {
  int64_t known = getElementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      known *= size;
  Value bytes = arith::ConstantIndexOp::create(b, loc, known);
  for (Value size : sizes)
    bytes = arith::MulIOp::create(b, loc, bytes, size);
  return bytes;
}
