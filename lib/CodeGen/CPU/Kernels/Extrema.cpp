//===- Extrema.cpp - maxima and minima that keep NaN ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extrema.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::cpu;

static bool isMaximum(Operation *op) { return isa<arith::MaximumFOp>(op); }

/// The comparison of `x` or `y` with NaN.
static Value isNaN(KernelCode &code, Value x, Value y) {
  return arith::CmpFOp::create(code.b, code.loc, arith::CmpFPredicate::UNO, x,
                               y);
}

static TypedAttr getNaN(OpBuilder &b, Type element) {
  auto &semantics = cast<FloatType>(element).getFloatSemantics();
  return b.getFloatAttr(element, llvm::APFloat::getNaN(semantics));
}

bool fx::cpu::dropsNaN(KernelCode &code, Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0));
  return isa<arith::MaximumFOp, arith::MinimumFOp>(op) &&
         !code.machine.isNEON && (element.isF32() || element.isF64());
}

Value fx::cpu::combineNumbers(KernelCode &code, Operation *op, Value acc,
                              Value x) {
  auto order =
      isMaximum(op) ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  // This order is that of the instruction, which returns its second operand.
  Value is = arith::CmpFOp::create(code.b, code.loc, order, x, acc);
  return arith::SelectOp::create(code.b, code.loc, is, x, acc);
}

Value fx::cpu::noFlags(KernelCode &code, Value like) {
  Type element = getElementTypeOrSelf(like);
  return code.splatConstant(code.b.getIntegerAttr(
      code.b.getIntegerType(element.getIntOrFloatBitWidth()), 0));
}

Value fx::cpu::flagNaN(KernelCode &code, Value flags, Value x, Value y) {
  // The integers have the width of the values: a vector of i1 that a loop
  // carries would be packed and unpacked in each iteration.
  Value is = arith::ExtSIOp::create(code.b, code.loc, flags.getType(),
                                    isNaN(code, x, y));
  return arith::OrIOp::create(code.b, code.loc, flags, is);
}

/// Returns the lanes of `flags` that are set, as a vector of i1.
static Value areSet(KernelCode &code, Value flags) {
  return arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::ne,
                               flags, noFlags(code, flags));
}

Value fx::cpu::isAnyFlagged(KernelCode &code, Value flags) {
  return vector::ReductionOp::create(
      code.b, code.loc, vector::CombiningKind::OR, areSet(code, flags));
}

Value fx::cpu::restoreNaN(KernelCode &code, Value flags, Value v) {
  Value is = areSet(code, flags);
  Value nan = code.splatConstant(getNaN(code.b, getElementTypeOrSelf(v)));
  return arith::SelectOp::create(code.b, code.loc, is, nan, v);
}

Value fx::cpu::reduceLanes(KernelCode &code, Operation *op, Value v) {
  OpBuilder &b = code.b;
  auto kind = isMaximum(op) ? vector::CombiningKind::MAXNUMF
                            : vector::CombiningKind::MINNUMF;
  // Poison if a lane is NaN, which the selection does not choose then.
  Value number = vector::ReductionOp::create(b, code.loc, kind, v,
                                             arith::FastMathFlags::nnan);
  Value any = vector::ReductionOp::create(
      b, code.loc, vector::CombiningKind::OR, isNaN(code, v, v));
  Value nan = arith::ConstantOp::create(b, code.loc,
                                        getNaN(b, getElementTypeOrSelf(v)));
  return arith::SelectOp::create(b, code.loc, any, nan, number);
}
