//===- PassAddresses.cpp - kernels take addresses, not descriptors --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"
#include "fx/CodeGen/CPU/Backend.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUPASSADDRESSES
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::cpu;

namespace {
struct PassAddresses : fx::cpu::impl::FXCPUPassAddressesBase<PassAddresses> {
  void runOnOperation() override;
  void rewriteCall(func::CallOp call, func::FuncOp main);
  void rewriteKernel(func::FuncOp func);
  void rewriteMain(func::FuncOp main);
  Value loadDescriptorAddress(OpBuilder &b, Location loc, BlockArgument arg);
  Value loadField(OpBuilder &b, BlockArgument arg, Value descriptor, Type type,
                  ArrayRef<LLVM::GEPArg> at);

  const LLVMTypeConverter *types = nullptr;
  /// The new argument of @main: the addresses of its arguments' descriptors.
  Value descriptors;
};
} // namespace

/// Returns true for kernels of this module and of the program's other modules.
static bool isKernel(func::FuncOp func) {
  return func && (func->hasAttr("fx.kernel") || func->hasAttr("fx.export"));
}

/// Returns @main if it has the form that `fx-cpu-finalize-boundary` creates, in
/// which only its C interface calls it; null otherwise.
static func::FuncOp findMain(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal() || !main->hasAttr("llvm.emit_c_interface") ||
      !llvm::all_of(main.getArgumentTypes(), hasAddress))
    return {};
  return main;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void PassAddresses::rewriteCall(func::CallOp call, func::FuncOp main) {
  OpBuilder b(call);
  auto load = [&](Value memref) -> Value {
    auto arg = dyn_cast<BlockArgument>(memref);
    if (!main || !arg || arg.getOwner() != &main.front() ||
        memref == descriptors)
      return {};
    // Load the pointer at each use: thousands of values would not stay in
    // registers.
    Value at = loadDescriptorAddress(b, call.getLoc(), arg);
    return loadField(b, arg, at, descriptors.getType(), {0, 1});
  };
  SmallVector<Value> operands;
  for (Value operand : call.getOperands())
    if (hasAddress(operand.getType()))
      llvm::append_range(operands,
                         getFields(b, call.getLoc(), *types, operand,
                                   cast<MemRefType>(operand.getType()), load));
    else
      operands.push_back(operand);
  call->setOperands(operands);
}

void PassAddresses::rewriteKernel(func::FuncOp func) {
  SmallVector<Type> inputs;
  SmallVector<DictionaryAttr> attrs;
  auto none = DictionaryAttr::get(&getContext());
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    if (!hasAddress(type)) {
      inputs.push_back(type);
      DictionaryAttr known = func.getArgAttrDict(i);
      attrs.push_back(known ? known : none);
      continue;
    }
    llvm::append_range(inputs, getFieldTypes(cast<MemRefType>(type)));
    attrs.resize(inputs.size(), none);
  }
  if (!func.isExternal()) {
    Block &entry = func.front();
    OpBuilder b = OpBuilder::atBlockBegin(&entry);
    SmallVector<Value> old(entry.getArguments());
    for (Type type : inputs)
      entry.addArgument(type, func.getLoc());
    ValueRange left = entry.getArguments().drop_front(old.size());
    for (Value arg : old) {
      auto type = dyn_cast<MemRefType>(arg.getType());
      unsigned fields =
          type && hasAddress(type) ? getFieldTypes(type).size() : 1;
      Value made = left.front();
      if (type && hasAddress(type))
        made =
            fromFields(b, func.getLoc(), *types, type, left.take_front(fields));
      arg.replaceAllUsesWith(made);
      left = left.drop_front(fields);
    }
    entry.eraseArguments(0, old.size());
  }
  func.removeArgAttrsAttr();
  func.setFunctionType(
      FunctionType::get(&getContext(), inputs, func.getResultTypes()));
  func.setAllArgAttrs(attrs);
}

//===----------------------------------------------------------------------===//
// @main
//===----------------------------------------------------------------------===//

Value PassAddresses::loadDescriptorAddress(OpBuilder &b, Location loc,
                                           BlockArgument arg) {
  Type ptr = descriptors.getType();
  Value at = LLVM::GEPOp::create(
      b, loc, ptr, ptr, descriptors,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(arg.getArgNumber())});
  return LLVM::LoadOp::create(b, loc, ptr, at);
}

Value PassAddresses::loadField(OpBuilder &b, BlockArgument arg,
                               Value descriptor, Type type,
                               ArrayRef<LLVM::GEPArg> at) {
  Value field =
      LLVM::GEPOp::create(b, arg.getLoc(), descriptor.getType(),
                          types->convertType(arg.getType()), descriptor, at);
  return LLVM::LoadOp::create(b, arg.getLoc(), type, field);
}

/// Replaces the arguments of @main by `descriptors`. Arguments that still have
/// uses, other than in calls of kernels, are rebuilt from their descriptors.
void PassAddresses::rewriteMain(func::FuncOp main) {
  Block &entry = main.front();
  OpBuilder b = OpBuilder::atBlockBegin(&entry);
  Type i64 = b.getI64Type();
  for (BlockArgument arg : entry.getArguments()) {
    if (arg == descriptors || arg.use_empty())
      continue;
    auto type = cast<MemRefType>(arg.getType());
    auto [strides, offset] = type.getStridesAndOffset();
    Value at = loadDescriptorAddress(b, arg.getLoc(), arg);
    Value address = loadField(b, arg, at, descriptors.getType(), {0, 1});
    if (offset != 0) {
      Value by = loadField(b, arg, at, i64, {0, 2});
      address = LLVM::GEPOp::create(b, arg.getLoc(), address.getType(),
                                    types->convertType(type.getElementType()),
                                    address, ArrayRef<LLVM::GEPArg>{by});
    }
    SmallVector<Value> fields = {address};
    auto add = [&](ArrayRef<int64_t> known, int32_t field) {
      for (int32_t i = 0, e = known.size(); i < e; ++i)
        if (ShapedType::isDynamic(known[i]))
          fields.push_back(loadField(b, arg, at, i64, {0, field, i}));
    };
    add(type.getShape(), 3);
    add(strides, 4);
    arg.replaceAllUsesWith(fromFields(b, arg.getLoc(), *types, type, fields));
  }
  entry.eraseArguments(0, entry.getNumArguments() - 1);
  main.removeArgAttrsAttr();
  main.setFunctionType(
      b.getFunctionType(descriptors.getType(), main.getResultTypes()));
}

/// Erases dead ops, such as views that were only passed to kernels.
static void eraseDeadOps(func::FuncOp func) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void PassAddresses::runOnOperation() {
  LLVMTypeConverter converter(&getContext());
  types = &converter;
  func::FuncOp main = findMain(getOperation());
  if (main)
    descriptors = main.front().addArgument(
        LLVM::LLVMPointerType::get(&getContext()), main.getLoc());
  SymbolTable symbols(getOperation());
  SmallVector<func::CallOp> calls;
  for (auto func : getOperation().getOps<func::FuncOp>())
    func.walk([&](func::CallOp call) {
      if (isKernel(symbols.lookup<func::FuncOp>(call.getCallee())))
        calls.push_back(call);
    });
  for (func::CallOp call : calls)
    rewriteCall(call, main);
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    if (!func.isExternal())
      eraseDeadOps(func);
    if (isKernel(func))
      rewriteKernel(func);
  }
  if (main)
    rewriteMain(main);
}
