//===- Addresses.cpp - memrefs as addresses and numbers -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fx::cpu;

using Load = llvm::function_ref<Value(Value)>;

bool fx::cpu::hasAddress(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  SmallVector<int64_t> strides;
  int64_t offset;
  return memref && !memref.getMemorySpace() &&
         succeeded(memref.getStridesAndOffset(strides, offset));
}

SmallVector<Type> fx::cpu::getFieldTypes(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  unsigned numbers =
      type.getNumDynamicDims() + llvm::count_if(strides, ShapedType::isDynamic);
  SmallVector<Type> fields(numbers + 1,
                           IntegerType::get(type.getContext(), 64));
  fields[0] = LLVM::LLVMPointerType::get(type.getContext());
  return fields;
}

static Value getConstant(OpBuilder &b, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}

/// Returns field `at` of the descriptor of `memref`.
static Value extract(OpBuilder &b, Location loc, const LLVMTypeConverter &types,
                     Value memref, ArrayRef<int64_t> at) {
  return LLVM::ExtractValueOp::create(b, loc, castToLLVM(b, types, memref), at);
}

/// Returns the source of a view that has the same aligned pointer as its
/// source; null if `memref` is no such view.
static Value getViewed(Value memref) {
  Operation *op = memref.getDefiningOp();
  if (isa_and_nonnull<memref::CastOp, memref::CollapseShapeOp,
                      memref::ExpandShapeOp, memref::SubViewOp,
                      memref::ReinterpretCastOp>(op) &&
      isa<MemRefType>(op->getOperand(0).getType()))
    return op->getOperand(0);
  return {};
}

/// Returns the aligned pointer of `memref`, to which its offset is relative.
static Value getAlignedPointer(OpBuilder &b, Location loc,
                               const LLVMTypeConverter &types, Value memref,
                               Load load) {
  while (Value viewed = getViewed(memref))
    memref = viewed;
  if (auto view = memref.getDefiningOp<memref::ViewOp>()) {
    Value bytes = getAlignedPointer(b, loc, types, view.getSource(), load);
    Value shift =
        arith::IndexCastOp::create(b, loc, b.getI64Type(), view.getByteShift());
    return LLVM::GEPOp::create(b, loc, bytes.getType(), b.getI8Type(), bytes,
                               ArrayRef<LLVM::GEPArg>{shift});
  }
  if (load)
    if (Value loaded = load(memref))
      return loaded;
  return extract(b, loc, types, memref, 1);
}

/// Returns the address of the first element of `memref`. Uses the static offset
/// of its type, or of the type that it is a cast of, if there is one.
static Value getAddress(OpBuilder &b, Location loc,
                        const LLVMTypeConverter &types, Value memref,
                        Load load) {
  Value aligned = getAlignedPointer(b, loc, types, memref, load);
  auto getOffset = [](Value v) {
    return cast<MemRefType>(v.getType()).getStridesAndOffset().second;
  };
  auto cast = memref.getDefiningOp<memref::CastOp>();
  while (cast && ShapedType::isDynamic(getOffset(memref)) &&
         hasAddress(cast.getSource().getType())) {
    memref = cast.getSource();
    cast = memref.getDefiningOp<memref::CastOp>();
  }
  int64_t offset = getOffset(memref);
  if (offset == 0)
    return aligned;
  Value by = ShapedType::isDynamic(offset) ? extract(b, loc, types, memref, 2)
                                           : getConstant(b, loc, offset);
  Type element = types.convertType(
      llvm::cast<MemRefType>(memref.getType()).getElementType());
  return LLVM::GEPOp::create(b, loc, aligned.getType(), element, aligned,
                             ArrayRef<LLVM::GEPArg>{by});
}

Value fx::cpu::getAddress(OpBuilder &b, Location loc,
                          const LLVMTypeConverter &types, Value memref) {
  return ::getAddress(b, loc, types, memref, nullptr);
}

SmallVector<Value> fx::cpu::getFields(OpBuilder &b, Location loc,
                                      const LLVMTypeConverter &types,
                                      Value memref, MemRefType type,
                                      Load load) {
  SmallVector<Value> fields = {::getAddress(b, loc, types, memref, load)};
  auto given = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides = given.getStridesAndOffset().first;
  auto add = [&](ArrayRef<int64_t> wanted, ArrayRef<int64_t> known,
                 int64_t field) {
    for (auto [i, number] : llvm::enumerate(wanted))
      if (ShapedType::isDynamic(number))
        fields.push_back(ShapedType::isDynamic(known[i])
                             ? extract(b, loc, types, memref,
                                       {field, static_cast<int64_t>(i)})
                             : getConstant(b, loc, known[i]));
  };
  add(type.getShape(), given.getShape(), 3);
  add(type.getStridesAndOffset().first, strides, 4);
  return fields;
}

Value fx::cpu::fromFields(OpBuilder &b, Location loc,
                          const LLVMTypeConverter &types, MemRefType type,
                          ValueRange fields) {
  Value descriptor = LLVM::PoisonOp::create(b, loc, types.convertType(type));
  auto insert = [&](Value value, ArrayRef<int64_t> at) {
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, value, at);
  };
  auto [strides, offset] = type.getStridesAndOffset();
  Value address = fields.front();
  // Users of the memref add a static offset, which `address` already includes.
  if (!ShapedType::isDynamic(offset) && offset != 0)
    address = LLVM::GEPOp::create(
        b, loc, address.getType(), types.convertType(type.getElementType()),
        address, ArrayRef<LLVM::GEPArg>{getConstant(b, loc, -offset)});
  insert(address, 0);
  insert(address, 1);
  insert(getConstant(b, loc, ShapedType::isDynamic(offset) ? 0 : offset), 2);
  fields = fields.drop_front();
  auto add = [&](ArrayRef<int64_t> known, int64_t field) {
    for (auto [i, number] : llvm::enumerate(known)) {
      Value value;
      if (ShapedType::isDynamic(number)) {
        value = fields.front();
        fields = fields.drop_front();
      } else {
        value = getConstant(b, loc, number);
      }
      insert(value, {field, static_cast<int64_t>(i)});
    }
  };
  add(type.getShape(), 3);
  add(strides, 4);
  return castFromLLVM(b, descriptor, type);
}
