//===- LowerFloat8.cpp - eight-bit floats as bytes ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/FewRows.h"
#include "fx/Kernels/IR/Dtypes.h"
#include "fx/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace fx::kernel {
#define GEN_PASS_DEF_LOWERFLOAT8PASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

using namespace mlir;
using namespace fx::kernel;

namespace {
/// Creates conversions of one eight-bit type.
struct Float8 {
  ImplicitLocOpBuilder b;
  /// The explicit bits of the mantissa, and the bias of the exponent.
  int mantissa, bias;
  /// Whether there are infinities, and whether the only NaN is -0.
  bool hasInfinity, isUnsignedZero;

  Float8(Operation *op, Type type)
      : b(op->getLoc(), op),
        mantissa(isa<Float8E5M2Type, Float8E5M2FNUZType>(type) ? 2 : 3),
        hasInfinity(isa<Float8E5M2Type>(type)),
        isUnsignedZero(isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type)) {
    bias = (mantissa == 2 ? 15 : 7) + isUnsignedZero;
  }

  Value integer(int64_t v) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(v)));
  }
  Value number(float v) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(v));
  }
  template <typename Op>
  Value make(Value x, Value y) {
    return Op::create(b, x, y);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, int64_t y) {
    return arith::CmpIOp::create(b, predicate, x, integer(y));
  }
  Value select(Value c, Value x, Value y) {
    return arith::SelectOp::create(b, c, x, y);
  }
  Value bits(Value x) { return arith::BitcastOp::create(b, b.getI32Type(), x); }
  Value shiftLeft(Value x, int by) {
    return make<arith::ShLIOp>(x, integer(by));
  }
  Value shiftRight(Value x, int by) {
    return make<arith::ShRUIOp>(x, integer(by));
  }

  /// Converts between f32 and another type of 16 or more bits.
  Value convert(Value v, Type to) {
    unsigned from = v.getType().getIntOrFloatBitWidth();
    if (v.getType() == to)
      return v;
    return from < to.getIntOrFloatBitWidth()
               ? Value(arith::ExtFOp::create(b, to, v))
               : Value(arith::TruncFOp::create(b, to, v));
  }

  /// Returns the byte `v` as f32.
  Value extend(Value v);
  /// Returns `v` of f32 as a byte, rounded to nearest, ties to even.
  Value truncate(Value v);
};
} // namespace

Value Float8::extend(Value v) {
  Value x = arith::ExtUIOp::create(b, b.getI32Type(), v);
  Value size = make<arith::AndIOp>(x, integer(0x7f));
  Value sign = shiftLeft(make<arith::AndIOp>(x, integer(0x80)), 24);
  // The bits of a normal number move to their places in f32. A subnormal one is
  // an integer times the least number.
  Value normal = make<arith::AddIOp>(shiftLeft(size, 23 - mantissa),
                                     integer(int64_t(127 - bias) << 23));
  Value subnormal =
      bits(make<arith::MulFOp>(arith::SIToFPOp::create(b, b.getF32Type(), size),
                               number(std::ldexp(1.0f, 1 - bias - mantissa))));
  Value r = select(compare(arith::CmpIPredicate::ult, size, 1 << mantissa),
                   subnormal, normal);
  constexpr int64_t infinity = 0x7f800000, nan = 0x7fc00000;
  if (hasInfinity) {
    // The mantissa of a NaN stays.
    Value special =
        make<arith::OrIOp>(shiftLeft(size, 23 - mantissa), integer(infinity));
    r = select(compare(arith::CmpIPredicate::uge, size, 0x7c), special, r);
  } else if (!isUnsignedZero) {
    r = select(compare(arith::CmpIPredicate::eq, size, 0x7f), integer(nan), r);
  }
  r = make<arith::OrIOp>(r, sign);
  if (isUnsignedZero)
    r = select(compare(arith::CmpIPredicate::eq, x, 0x80), integer(nan), r);
  return arith::BitcastOp::create(b, b.getF32Type(), r);
}

Value Float8::truncate(Value v) {
  Value x = bits(v);
  Value size = make<arith::AndIOp>(x, integer(0x7fffffff));
  Value sign = make<arith::AndIOp>(shiftRight(x, 24), integer(0x80));
  // Normal numbers: half of a unit is added, less if the unit is even.
  int dropped = 23 - mantissa;
  Value even = make<arith::AndIOp>(shiftRight(size, dropped), integer(1));
  Value half = make<arith::AddIOp>(even, integer((1 << (dropped - 1)) - 1));
  Value normal =
      make<arith::SubIOp>(shiftRight(make<arith::AddIOp>(size, half), dropped),
                          integer(int64_t(127 - bias) << mantissa));
  // Subnormal numbers: an addition rounds to a multiple of the least number,
  // which is in the low bits of the sum.
  float magic = std::ldexp(1.0f, 1 - bias - mantissa + 23);
  Value sum = make<arith::AddFOp>(
      arith::BitcastOp::create(b, b.getF32Type(), size), number(magic));
  Value subnormal = make<arith::SubIOp>(bits(sum), bits(number(magic)));
  Value r = select(
      compare(arith::CmpIPredicate::slt, size, int64_t(128 - bias) << 23),
      subnormal, normal);
  if (isUnsignedZero) {
    // -0 is NaN, and zero has no sign.
    Value isZero = compare(arith::CmpIPredicate::eq, r, 0);
    Value isLarge = compare(arith::CmpIPredicate::sgt, r, 0x7f);
    r = select(isZero, r, make<arith::OrIOp>(r, sign));
    r = select(isLarge, integer(0x80), r);
  } else {
    // Infinity, or NaN.
    int64_t most = hasInfinity ? 0x7c : 0x7f;
    r = select(compare(arith::CmpIPredicate::sgt, r, most), integer(most), r);
    if (hasInfinity)
      r = select(compare(arith::CmpIPredicate::sgt, size, 0x7f800000),
                 integer(0x7f), r);
    r = make<arith::OrIOp>(r, sign);
  }
  return arith::TruncIOp::create(b, b.getI8Type(), r);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Returns the tensor of eight-bit floats that `v` is in bf16, if tensor cores
/// multiply its type; else null.
static Value getFloat8Source(Value v) {
  linalg::GenericOp op = getElementMap(v);
  if (!op)
    return {};
  Block *body = op.getBody();
  Value result = body->getTerminator()->getOperand(0);
  // All values are exact in bf16.
  if (auto truncate = result.getDefiningOp<arith::TruncFOp>();
      truncate && truncate.getType().isBF16())
    result = truncate.getIn();
  auto extend = result.getDefiningOp<arith::ExtFOp>();
  return extend && extend.getIn() == body->getArgument(0) &&
                 isa<Float8E4M3FNType, Float8E5M2Type>(extend.getIn().getType())
             ? op.getInputs()[0]
             : Value();
}

/// Returns true if tensor cores read the terms of `c` as they are in memory.
static bool hasContiguousTerms(Contraction &c) {
  AffineMap left = c.lhsMap(), right = c.rhsMap();
  if (c.k.size() != 1 || !left.isProjectedPermutation() ||
      !right.isProjectedPermutation())
    return false;
  AffineExpr last = getAffineDimExpr(c.k[0], c.op.getContext());
  int64_t terms = c.op.getStaticLoopRanges()[c.k[0]];
  constexpr int64_t kChunk = 16;
  return left.getResults().back() == last &&
         right.getResults().back() == last && !ShapedType::isDynamic(terms) &&
         terms > 0 && terms % kChunk == 0;
}

/// Makes `op` multiply eight-bit floats if both of its operands are converted
/// from such.
static void multiplyFloat8(linalg::GenericOp op) {
  auto c = matchContraction(op);
  if (!op->hasAttr(kFloat8Attr) || !c || c->kind != OperandKind::Half ||
      !hasContiguousTerms(*c) ||
      hasFewRows(*c, TargetInfo::getGPU(MatrixUnit::MMA)))
    return;
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    if (Value source = getFloat8Source(input))
      inputs.push_back(source);
  if (inputs.size() != 2)
    return;
  OpBuilder b(op);
  bool isFast = op->hasAttr(kFastSumsAttr);
  auto product = linalg::GenericOp::create(
      b, op.getLoc(), op->getResultTypes(), inputs, op.getOutputs(),
      op.getIndexingMapsArray(), op.getIteratorTypesArray(),
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        Type f32 = nested.getF32Type();
        Value x = arith::ExtFOp::create(nested, loc, f32, args[0]),
              y = arith::ExtFOp::create(nested, loc, f32, args[1]);
        auto mul = arith::MulFOp::create(nested, loc, x, y);
        if (isFast)
          mul->setAttr(kFastSumsAttr, nested.getUnitAttr());
        Value sum = arith::AddFOp::create(nested, loc, args[2], mul);
        linalg::YieldOp::create(nested, loc, sum);
      });
  op->getResult(0).replaceAllUsesWith(product.getResult(0));
  op->erase();
}

namespace {
struct LowerFloat8 : fx::kernel::impl::LowerFloat8PassBase<LowerFloat8> {
  using Base::Base;
  void runOnOperation() override {
    if (products) {
      SmallVector<linalg::GenericOp> ops;
      getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
      llvm::for_each(ops, multiplyFloat8);
    }
    getOperation().walk([](linalg::GenericOp op) {
      op->removeAttr(kFloat8Attr);
      op->removeAttr(kFastSumsAttr);
    });
    // The conversions, and the eight-bit type of each.
    SmallVector<std::pair<Operation *, Type>> casts;
    getOperation().walk([&](Operation *op) {
      if (auto extend = dyn_cast<arith::ExtFOp>(op);
          extend && isFloat8(extend.getIn().getType()))
        casts.push_back({op, extend.getIn().getType()});
      else if (auto truncate = dyn_cast<arith::TruncFOp>(op);
               truncate && isFloat8(truncate.getType()))
        casts.push_back({op, truncate.getType()});
    });
    getOperation().walk(replaceTypes);
    for (auto [op, type] : casts) {
      Float8 float8(op, type);
      if (isKept(op, type)) {
        op->setOperand(
            0, arith::BitcastOp::create(float8.b, type, op->getOperand(0)));
        continue;
      }
      Value from = op->getOperand(0), to;
      if (isa<arith::ExtFOp>(op))
        to = float8.convert(float8.extend(from), op->getResult(0).getType());
      else
        to = float8.truncate(float8.convert(from, float8.b.getF32Type()));
      op->getResult(0).replaceAllUsesWith(to);
      op->erase();
    }
  }

  /// Returns true if kernels expand the conversion `op`.
  bool isKept(Operation *op, Type type) {
    return products && isa<arith::ExtFOp>(op) &&
           isa<Float8E4M3FNType, Float8E5M2Type>(type);
  }

  /// Returns `type`, a scalar or a shaped type, with bytes in place of floats.
  /// Other types, such as those of PyTorch, stay.
  static Type getBytes(Type type) {
    Type byte = IntegerType::get(type.getContext(), 8);
    if (isFloat8(type))
      return byte;
    auto shaped = dyn_cast<ShapedType>(type);
    if (shaped && isFloat8(shaped.getElementType()))
      return shaped.clone(byte);
    return type;
  }

  /// Replaces the types of the results and block arguments of an op, its
  /// function type and its constant.
  static void replaceTypes(Operation *op) {
    for (Value result : op->getResults())
      result.setType(getBytes(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument arg : block.getArguments())
          arg.setType(getBytes(arg.getType()));
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      if (auto type = dyn_cast<FunctionType>(function.getFunctionType()))
        function.setType(FunctionType::get(
            op->getContext(), llvm::map_to_vector(type.getInputs(), getBytes),
            llvm::map_to_vector(type.getResults(), getBytes)));
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      replaceConstant(constant);
  }

  static void replaceConstant(arith::ConstantOp op) {
    Type byte = IntegerType::get(op.getContext(), 8);
    if (auto value = dyn_cast<FloatAttr>(op.getValue());
        value && isFloat8(value.getType()))
      op.setValueAttr(
          IntegerAttr::get(byte, value.getValue().bitcastToAPInt()));
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (dense && isFloat8(dense.getElementType()))
      op.setValueAttr(dense.bitcast(byte));
  }
};
} // namespace
