//===- EntrySizes.cpp - sizes known when a function starts ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntrySizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fx;
using namespace fx::cpu;

EntrySizes::EntrySizes(func::FuncOp func) : func(func) {}

/// Returns true if `op` loads a scalar argument of `func` that nothing writes:
/// the value of an int input.
static bool isScalarInput(Operation *op, func::FuncOp func) {
  auto load = dyn_cast<memref::LoadOp>(op);
  auto arg = load ? dyn_cast<BlockArgument>(load.getMemRef()) : BlockArgument();
  if (!arg || arg.getOwner() != &func.front() ||
      load.getMemRefType().getRank() != 0)
    return false;
  return !func.getArgAttr(arg.getArgNumber(), "fx.written");
}

/// Returns the operand that defines size `dim` of `memref`; null if the buffer
/// is no allocation or view that takes this size as an operand.
Value EntrySizes::dimSource(Value memref, int64_t dim) {
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  auto pick = [&](MemRefType type, ValueRange sizes) -> Value {
    return type.isDynamicDim(dim) ? sizes[type.getDynamicDimIndex(dim)]
                                  : Value();
  };
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return pick(alloc.getType(), alloc.getDynamicSizes());
  if (auto view = memref.getDefiningOp<memref::ViewOp>())
    return pick(view.getType(), view.getSizes());
  if (auto expand = memref.getDefiningOp<memref::ExpandShapeOp>())
    return pick(expand.getResultType(), expand.getOutputShape());
  if (auto sub = memref.getDefiningOp<memref::SubViewOp>())
    if (sub.getSourceType().getRank() == sub.getType().getRank() &&
        sub.isDynamicSize(dim))
      return sub.getDynamicSize(dim);
  return {};
}

bool EntrySizes::canMaterialize(Value value, unsigned depth) {
  if (auto arg = dyn_cast<BlockArgument>(value))
    return arg.getOwner() == &func.front();
  auto [it, inserted] = possible.try_emplace(value, false);
  if (!inserted)
    return it->second;
  Operation *op = value.getDefiningOp();
  bool ok = depth < 256;
  if (auto dim = dyn_cast<memref::DimOp>(op); ok && dim) {
    std::optional<int64_t> index = dim.getConstantIndex();
    Value source = index ? dimSource(dim.getSource(), *index) : Value();
    Value base = dim.getSource();
    while (auto cast = base.getDefiningOp<memref::CastOp>())
      base = cast.getSource();
    ok = index &&
         (source ? canMaterialize(source, depth + 1)
                 : isa<BlockArgument>(base) && canMaterialize(base, depth + 1));
  } else if (ok) {
    ok = op->getNumRegions() == 0 &&
         (isMemoryEffectFree(op) || isScalarInput(op, func)) &&
         llvm::all_of(op->getOperands(),
                      [&](Value v) { return canMaterialize(v, depth + 1); });
  }
  possible[value] = ok;
  return ok;
}

Value EntrySizes::materialize(OpBuilder &b, Value value) {
  if (!canMaterialize(value, 0))
    return {};
  if (isa<BlockArgument>(value))
    return value;
  if (Value done = mapping.lookupOrNull(value))
    return done;
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    int64_t index = *dim.getConstantIndex();
    if (Value source = dimSource(dim.getSource(), index)) {
      Value made = materialize(b, source);
      mapping.map(value, made);
      return made;
    }
    Value base = dim.getSource();
    while (auto cast = base.getDefiningOp<memref::CastOp>())
      base = cast.getSource();
    Value made = memref::DimOp::create(b, dim.getLoc(), base, index);
    mapping.map(value, made);
    return made;
  }
  for (Value operand : op->getOperands())
    mapping.map(operand, materialize(b, operand));
  b.clone(*op, mapping);
  return mapping.lookup(value);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

ExprAttr EntrySizes::makeOpaque() {
  // No symbol of a model holds a '%'.
  return ExprAttr::symbol(func.getContext(), ("%" + Twine(nextOpaque++)).str());
}

ExprAttr EntrySizes::getExpr(Value value) {
  auto it = exprs.find(value);
  if (it != exprs.end())
    return it->second;
  MLIRContext *ctx = func.getContext();
  ExprAttr expr;
  APInt constant;
  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) { return getExpr(op->getOperand(i)); };
  if (matchPattern(value, m_ConstantInt(&constant))) {
    expr = ExprAttr::integer(ctx, constant.getSExtValue());
  } else if (isa_and_nonnull<arith::AddIOp>(op)) {
    expr = ExprAttr::add(ctx, {operand(0), operand(1)});
  } else if (isa_and_nonnull<arith::MulIOp>(op)) {
    expr = ExprAttr::mul(ctx, {operand(0), operand(1)});
  } else if (isa_and_nonnull<arith::IndexCastOp>(op)) {
    expr = operand(0);
  } else if (isa_and_nonnull<arith::MaxSIOp>(op)) {
    expr = ExprAttr::call(ctx, "max", {operand(0), operand(1)});
  } else if (auto dim = dyn_cast_or_null<memref::DimOp>(op)) {
    Value base = dim.getSource();
    while (auto cast = base.getDefiningOp<memref::CastOp>())
      base = cast.getSource();
    if (std::optional<int64_t> index = dim.getConstantIndex()) {
      if (Value source = dimSource(base, *index)) {
        expr = getExpr(source);
      } else if (auto arg = dyn_cast<BlockArgument>(base);
                 arg && arg.getOwner() == &func.front()) {
        auto attr =
            func.getArgAttrOfType<TypeAttr>(arg.getArgNumber(), "fx.type");
        auto type =
            attr ? dyn_cast<FakeTensorType>(attr.getValue()) : FakeTensorType();
        ExprAttr &known = dims[{base, *index}];
        if (!known)
          known = type && *index < type.getRank() ? type.getSizes()[*index]
                                                  : makeOpaque();
        expr = known;
      }
    }
  }
  if (!expr)
    expr = makeOpaque();
  exprs[value] = expr;
  return expr;
}
