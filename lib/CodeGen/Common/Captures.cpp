//===- Captures.cpp - values passed through a block of memory -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/Captures.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

Value fx::codegen::castToLLVM(OpBuilder &b, const LLVMTypeConverter &types,
                              Value value) {
  Type type = types.convertType(value.getType());
  if (!type || type == value.getType())
    return value;
  return UnrealizedConversionCastOp::create(b, value.getLoc(), type, value)
      .getResult(0);
}

Value fx::codegen::castFromLLVM(OpBuilder &b, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(b, value.getLoc(), type, value)
      .getResult(0);
}

Value fx::codegen::createStackSlot(OpBuilder &b, Location loc, Type type,
                                   int64_t count) {
  OpBuilder::InsertionGuard guard(b);
  Operation *op = b.getInsertionBlock()->getParentOp();
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func)
    func = op->getParentOfType<FunctionOpInterface>();
  b.setInsertionPointToStart(&func.front());
  Value n = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(count));
  return LLVM::AllocaOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), type, n);
}

Value fx::codegen::createFieldAddress(OpBuilder &b, Location loc, Type type,
                                      Value base, int32_t index) {
  return LLVM::GEPOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()),
                             type, base, ArrayRef<LLVM::GEPArg>{0, index});
}

Value fx::codegen::createText(OpBuilder &b, Location loc, ModuleOp module,
                              StringRef text) {
  std::string bytes = text.str();
  bytes.push_back('\0');
  StringAttr value = b.getStringAttr(bytes);
  unsigned id = 0;
  LLVM::GlobalOp global;
  for (LLVM::GlobalOp known : module.getOps<LLVM::GlobalOp>()) {
    ++id;
    if (known.getValueOrNull() == value)
      global = known;
  }
  if (!global) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    global = LLVM::GlobalOp::create(
        top, loc, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal,
        "fx_text_" + std::to_string(id), value);
  }
  return LLVM::AddressOfOp::create(b, loc, global);
}
