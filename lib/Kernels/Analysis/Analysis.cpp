//===- Analysis.cpp - what kernels are made of ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/IR/Dtypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fx::kernel;

/// Returns true if `expr` is a sum of dimensions times constants and a
/// constant.
static bool isLinear(AffineExpr expr) {
  if (isa<AffineDimExpr, AffineConstantExpr>(expr))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return isLinear(binary.getLHS()) && isLinear(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && isLinear(binary.getLHS()) &&
         isa<AffineConstantExpr>(binary.getRHS());
}

/// Returns true if `product` is zext(x) * sext(y), or sext(x) * sext(y) if
/// `Extension` is ExtSIOp, where x is the element of operand number `a`, which
/// is 0 or 1, and y that of the other operand.
template <typename Extension>
static bool isIntegerProduct(Value product, Block *body, unsigned a) {
  auto mul = product ? product.getDefiningOp<arith::MulIOp>() : nullptr;
  if (!mul)
    return false;
  auto x = mul.getLhs().getDefiningOp<Extension>();
  auto y = mul.getRhs().getDefiningOp<arith::ExtSIOp>();
  return x && y && x.getIn() == body->getArgument(a) &&
         y.getIn() == body->getArgument(1 - a);
}

/// Returns the value that is added to the accumulator, the last argument of
/// `body`; null if `sum` is no such addition.
template <typename Add>
static Value getAddend(Value sum, Block *body) {
  auto add = sum.getDefiningOp<Add>();
  if (!add)
    return {};
  Value out = body->getArguments().back();
  return add.getLhs() == out   ? add.getRhs()
         : add.getRhs() == out ? add.getLhs()
                               : Value();
}

/// Returns x if `product` is x * t, where t is the third operand; else null.
static Value getUnscaled(Value product, Block *body) {
  auto mul = product ? product.getDefiningOp<arith::MulFOp>() : nullptr;
  return mul && mul.getRhs() == body->getArgument(2) ? mul.getLhs() : Value();
}

/// Returns the eight-bit float as which the body reads `byte`, an argument;
/// null if there is none.
static Type getFloat8(Value byte) {
  for (Operation *user : byte.getUsers())
    if (auto cast = dyn_cast<arith::BitcastOp>(user);
        cast && isFloat8(cast.getType()))
      return cast.getType();
  return {};
}

Type Contraction::getElement(unsigned i) const {
  linalg::GenericOp generic = op;
  if (kind == OperandKind::Float8)
    return getFloat8(generic.getBody()->getArgument(i));
  return getElementTypeOrSelf(generic.getInputs()[i].getType());
}

/// Returns true if `product` multiplies the elements of the first two operands
/// as floats.
static bool isProduct(Value product, Block *body) {
  Value x = body->getArgument(0), y = body->getArgument(1);
  auto mul = product ? product.getDefiningOp<arith::MulFOp>() : nullptr;
  // Integers of 8 bits and floats of 16 bits are converted to f32 first.
  auto source = [](Value v) {
    Operation *def = v.getDefiningOp();
    if (isa_and_nonnull<arith::SIToFPOp, arith::ExtFOp>(def))
      v = def->getOperand(0);
    auto cast = v.getDefiningOp<arith::BitcastOp>();
    return cast && isFloat8(cast.getType()) ? cast.getIn() : v;
  };
  return mul && ((source(mul.getLhs()) == x && source(mul.getRhs()) == y) ||
                 (source(mul.getLhs()) == y && source(mul.getRhs()) == x));
}

/// Matches the scales of groups, and sets `groupSize`. The last dimension of
/// the scales must be the number of the group, which is the number of the term
/// divided by the group size. Terms are counted along the last dimensions of
/// the left operand. The other dimensions of the scales must be the columns, as
/// in the weights.
static bool matchGroups(Contraction &c) {
  AffineMap map = c.scalesMap(), rhs = c.rhsMap(), lhs = c.lhsMap();
  if (!c.batch.empty() || map.getNumResults() != c.n.size() + 1 ||
      rhs.getNumResults() != c.n.size() + c.k.size() ||
      lhs.getNumResults() < c.k.size())
    return false;
  for (unsigned d = 0; d < c.n.size(); ++d)
    if (map.getResult(d) != rhs.getResult(d) ||
        !llvm::is_contained(c.n, rhs.getDimPosition(d)))
      return false;
  SmallVector<int64_t> ranges = c.op.getStaticLoopRanges();
  AffineExpr terms = getAffineConstantExpr(0, c.op.getContext());
  int64_t numTerms = 1;
  unsigned first = lhs.getNumResults() - c.k.size();
  for (unsigned i = 0; i < c.k.size(); ++i) {
    AffineExpr loop = lhs.getResult(first + i);
    if (loop != rhs.getResult(c.n.size() + i) || !isa<AffineDimExpr>(loop))
      return false;
    int64_t size = ranges[cast<AffineDimExpr>(loop).getPosition()];
    if (ShapedType::isDynamic(size))
      return false;
    terms = terms * size + loop;
    numTerms *= size;
  }
  auto type = dyn_cast<RankedTensorType>(c.scales().getType());
  if (!type || !type.hasStaticShape())
    return false;
  int64_t groups = type.getShape().back();
  if (groups < 1 || numTerms % groups || numTerms < 1)
    return false;
  c.groupSize = numTerms / groups;
  unsigned numLoops = lhs.getNumDims();
  if (simplifyAffineExpr(map.getResults().back(), numLoops, 0) !=
      simplifyAffineExpr(terms.floorDiv(c.groupSize), numLoops, 0))
    return false;
  return true;
}

/// Returns true if a product of the contraction has the attribute `name`.
static bool hasMarkedProduct(const Contraction &contraction, StringRef name) {
  linalg::GenericOp op = contraction.op;
  return llvm::any_of(op.getBody()->getOps<arith::MulFOp>(),
                      [&](Operation *op) { return op->hasAttr(name); });
}

bool fx::kernel::mayRoundToBF16(const Contraction &contraction) {
  return hasMarkedProduct(contraction, kBF16Attr);
}

bool fx::kernel::mayAddFast(const Contraction &contraction) {
  return hasMarkedProduct(contraction, kFastSumsAttr);
}

bool fx::kernel::mayRoundToInt8(const Contraction &contraction) {
  return hasMarkedProduct(contraction, kInt8Attr);
}

void fx::kernel::copyRounding(const Contraction &contraction,
                              Operation *product) {
  for (StringRef name : {kBF16Attr, kInt8Attr})
    if (hasMarkedProduct(contraction, name))
      product->setAttr(name, UnitAttr::get(product->getContext()));
}

static bool isHalfType(Type type) { return type.isBF16() || type.isF16(); }

linalg::GenericOp fx::kernel::getElementMap(Value v) {
  auto op = v ? v.getDefiningOp<linalg::GenericOp>() : nullptr;
  return op && op.getNumDpsInputs() == 1 && op->getNumResults() == 1 &&
                 !op.getNumReductionLoops() &&
                 llvm::all_of(op.getIndexingMapsArray(),
                              [](AffineMap m) { return m.isIdentity(); })
             ? op
             : nullptr;
}

linalg::GenericOp fx::kernel::getExtension(Value v) {
  linalg::GenericOp op = getElementMap(v);
  if (!op || !isHalfType(getElementTypeOrSelf(op.getInputs()[0].getType())) ||
      !getElementTypeOrSelf(v.getType()).isF32())
    return {};
  Block *body = op.getBody();
  auto extend =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::ExtFOp>();
  return extend && extend.getIn() == body->getArgument(0) ? op : nullptr;
}

linalg::GenericOp fx::kernel::getNibbles(Value v) {
  linalg::GenericOp op = getElementMap(v);
  if (!op || !getElementTypeOrSelf(v.getType()).isInteger(8) ||
      !getElementTypeOrSelf(op.getInputs()[0].getType()).isInteger(8))
    return {};
  Block *body = op.getBody();
  auto is4 = [](Value n) {
    APInt value;
    return matchPattern(n, m_ConstantInt(&value)) && value == 4;
  };
  auto down =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::ShRSIOp>();
  auto up = down ? down.getLhs().getDefiningOp<arith::ShLIOp>() : nullptr;
  if (!up || up.getLhs() != body->getArgument(0) || !is4(up.getRhs()) ||
      !is4(down.getRhs()))
    return {};
  return op;
}

static bool isF64(Value v) { return getElementTypeOrSelf(v.getType()).isF64(); }

/// Returns the kind of two operands, in either order, if one of them is bf16 or
/// f16 and they can be multiplied; none otherwise.
static std::optional<OperandKind> getHalfKind(ValueRange operands) {
  Type left = getElementTypeOrSelf(operands[0].getType()),
       right = getElementTypeOrSelf(operands[1].getType());
  if (left == right)
    return isHalfType(left) ? std::optional(OperandKind::Half) : std::nullopt;
  if ((isHalfType(left) && right.isF32()) ||
      (left.isF32() && isHalfType(right)))
    return OperandKind::HalfWeights;
  return std::nullopt;
}

/// Returns true for a tensor of integers of `integer` bits, or of f32 if
/// `integer` is 0.
static bool hasElements(Value v, unsigned integer) {
  auto type = dyn_cast<RankedTensorType>(v.getType());
  return type && (integer ? type.getElementType().isInteger(integer)
                          : type.getElementType().isF32());
}

namespace {
/// Properties of a contraction that follow from the types of its operands, in
/// either order.
struct OperandTypes {
  bool isGrouped = false, isInteger = false, isMixed = false, isDouble = false;
  /// Whether both operands are bytes of eight-bit floats.
  bool isFloat8 = false;
  /// Whether floats, or integers converted to floats, are multiplied.
  bool isFloat = false;
  std::optional<OperandKind> half;

  explicit OperandTypes(linalg::GenericOp op);
  OperandKind kind() const {
    return isFloat8    ? OperandKind::Float8
           : isInteger ? OperandKind::Int8
           : isMixed   ? OperandKind::Int8Weights
           : isDouble  ? OperandKind::F64
                       : half.value_or(OperandKind::F32);
  }
};
} // namespace

OperandTypes::OperandTypes(linalg::GenericOp op) {
  auto holds = [&](unsigned i, unsigned integer) {
    return hasElements(op.getInputs()[i], integer);
  };
  isGrouped = op.getNumDpsInputs() == 3;
  isInteger = holds(0, 8) && holds(1, 8);
  isFloat8 = isInteger && !isGrouped && hasElements(op.getDpsInits()[0], 0) &&
             getFloat8(op.getBody()->getArgument(0)) &&
             getFloat8(op.getBody()->getArgument(1));
  isInteger &= !isFloat8;
  isMixed = !isInteger && !isFloat8 && (holds(0, 8) || holds(1, 8));
  isDouble = !isGrouped && isF64(op.getDpsInits()[0]) &&
             isF64(op.getInputs()[0]) && isF64(op.getInputs()[1]);
  if (!isGrouped && hasElements(op.getDpsInits()[0], 0))
    half = getHalfKind(op.getInputs());
  isFloat = isDouble || half || isFloat8 ||
            ((holds(0, 0) || holds(0, 8)) && (holds(1, 0) || holds(1, 8)));
}

/// Returns the product that the body adds to its accumulator, without the scale
/// of a group; null if the body has another form. For integers, the returned
/// value is not checked to be a product: that needs the order of the operands
/// and is left to `isIntegerProduct`.
static Value getProduct(linalg::GenericOp op, const OperandTypes &types) {
  Block *body = op.getBody();
  Value sum = body->getTerminator()->getOperand(0), product;
  if (types.isDouble || hasElements(op.getDpsInits()[0], 0))
    product = getAddend<arith::AddFOp>(sum, body);
  else if (types.isInteger && !types.isGrouped &&
           hasElements(op.getDpsInits()[0], 32))
    product = getAddend<arith::AddIOp>(sum, body);
  if (types.isGrouped) {
    product = hasElements(op.getInputs()[2], 0) ? getUnscaled(product, body)
                                                : Value();
    if (types.isInteger) {
      auto convert =
          product ? product.getDefiningOp<arith::SIToFPOp>() : nullptr;
      product = convert ? convert.getIn() : Value();
    }
  }
  if (!types.isInteger && !(types.isFloat && isProduct(product, body)))
    return {};
  return product;
}

/// Returns true if each result is a dimension, and no two are the same.
static bool hasDistinctDims(AffineMap map) {
  llvm::SmallDenseSet<unsigned> seen;
  return llvm::all_of(map.getResults(), [&](AffineExpr e) {
    auto dim = dyn_cast<AffineDimExpr>(e);
    return dim && seen.insert(dim.getPosition()).second;
  });
}

/// Orders the operands: `b` is the one that has the result's last dimension.
/// Returns false if both or none have it, or if an indexing map has another
/// form.
static bool orderOperands(Contraction &c) {
  SmallVector<AffineMap> maps = c.op.getIndexingMapsArray();
  AffineMap result = maps.back();
  if (result.getNumResults() == 0 || !hasDistinctDims(result))
    return false;
  for (unsigned i = 0; i < 2; ++i)
    if (!llvm::all_of(maps[i].getResults(), isLinear))
      return false;
  unsigned last = c.lastN();
  bool inA = maps[0].isFunctionOfDim(last), inB = maps[1].isFunctionOfDim(last);
  if (inA == inB)
    return false;
  if (inA)
    std::swap(c.a, c.b);
  return true;
}

/// Sorts the loops into batch, M, N and K. Returns false if a loop is none of
/// them.
static bool classifyLoops(Contraction &c) {
  AffineMap lhs = c.lhsMap(), rhs = c.rhsMap(), result = c.resultMap();
  SmallVector<utils::IteratorType> iterators = c.op.getIteratorTypesArray();
  for (unsigned d = 0; d < c.op.getNumLoops(); ++d) {
    bool a = lhs.isFunctionOfDim(d), b = rhs.isFunctionOfDim(d),
         r = result.isFunctionOfDim(d);
    bool reduction = iterators[d] == utils::IteratorType::reduction;
    if (reduction == r || (reduction && !(a && b)))
      return false;
    if (reduction)
      c.k.push_back(d);
    else if (a && b)
      c.batch.push_back(d);
    else if (a)
      c.m.push_back(d);
    else if (b)
      c.n.push_back(d);
    else
      return false;
  }
  return true;
}

std::optional<Contraction>
fx::kernel::matchContraction(Operation *operation, const TargetInfo &target) {
  auto op = dyn_cast<linalg::GenericOp>(operation);
  if (!op || op.getNumDpsInputs() < 2 || op.getNumDpsInputs() > 3 ||
      op.getNumDpsInits() != 1 || op->getNumResults() != 1 ||
      op.getNumReductionLoops() == 0)
    return std::nullopt;
  OperandTypes types(op);
  Value product = getProduct(op, types);
  if (!product)
    return std::nullopt;
  Contraction c;
  c.op = op;
  if (!orderOperands(c))
    return std::nullopt;
  c.kind = types.kind();
  if (types.isInteger && !types.isGrouped &&
      isIntegerProduct<arith::ExtSIOp>(product, op.getBody(), c.a))
    c.kind = OperandKind::SignedInt8;
  if (!target.supports(c.kind))
    return std::nullopt;
  if ((types.isMixed && !hasElements(c.rhs(), 8)) ||
      (types.half && hasElements(c.rhs(), 0)))
    return std::nullopt;
  if (c.kind == OperandKind::Int8 &&
      !isIntegerProduct<arith::ExtUIOp>(product, op.getBody(), c.a))
    return std::nullopt;
  if (!hasDistinctDims(c.rhsMap()) || !classifyLoops(c))
    return std::nullopt;
  if (types.isGrouped && !matchGroups(c))
    return std::nullopt;
  return c;
}

static bool hasVectorCode(linalg::GenericOp op) {
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (isa<linalg::IndexOp, tensor::ExtractOp>(inner))
      continue;
    if (inner.getNumRegions() || !isMemoryEffectFree(&inner) ||
        !(OpTrait::hasElementwiseMappableTraits(&inner) ||
          isa<arith::ConstantOp>(inner)))
      return false;
    for (Type type : inner.getResultTypes())
      if (!type.isIntOrIndexOrFloat())
        return false;
  }
  return true;
}

static bool hasEasyTypes(linalg::GenericOp op) {
  for (Value v : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    if (!type) {
      if (!v.getType().isIntOrIndexOrFloat())
        return false;
      continue;
    }
    Type e = type.getElementType();
    if (!e.isIntOrFloat() ||
        !llvm::is_contained({1u, 8u, 16u, 32u, 64u}, e.getIntOrFloatBitWidth()))
      return false;
  }
  return true;
}

bool fx::kernel::isPointwise(Operation *operation) {
  auto op = dyn_cast<linalg::GenericOp>(operation);
  if (!op || !op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0 ||
      op->getNumResults() == 0 || !hasEasyTypes(op) || !hasVectorCode(op))
    return false;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    AffineMap map = op.getIndexingMapMatchingResult(op->getResult(i));
    if (!map.isPermutation())
      return false;
  }
  return true;
}

std::optional<SmallVector<Combiner>>
fx::kernel::matchReduction(Operation *operation) {
  auto op = dyn_cast<linalg::GenericOp>(operation);
  if (!op || !op.hasPureTensorSemantics() || op.getNumReductionLoops() == 0 ||
      !hasEasyTypes(op) || !hasVectorCode(op))
    return std::nullopt;
  SmallVector<Combiner> combiners;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    AffineMap map = op.getIndexingMapMatchingResult(op->getResult(i));
    if (!map.isProjectedPermutation())
      return std::nullopt;
    BlockArgument out = op.getBody()->getArgument(op.getNumDpsInputs() + i);
    Operation *def =
        op.getBody()->getTerminator()->getOperand(i).getDefiningOp();
    if (!def || def->getBlock() != op.getBody() ||
        !isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MaxNumFOp,
             arith::MinimumFOp, arith::MinNumFOp, arith::AddIOp, arith::MulIOp,
             arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp>(def) ||
        !out.hasOneUse())
      return std::nullopt;
    if (def->getOperand(0) == out)
      combiners.push_back({def, def->getOperand(1)});
    else if (def->getOperand(1) == out)
      combiners.push_back({def, def->getOperand(0)});
    else
      return std::nullopt;
  }
  return combiners;
}

bool Combiner::isFloatSum() const { return isa<arith::AddFOp>(op); }

vector::CombiningKind fx::kernel::getCombiningKind(Operation *combiner) {
  using K = vector::CombiningKind;
  return llvm::TypeSwitch<Operation *, K>(combiner)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return K::ADD; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return K::MUL; })
      .Case<arith::MaximumFOp>([](auto) { return K::MAXIMUMF; })
      .Case<arith::MaxNumFOp>([](auto) { return K::MAXNUMF; })
      .Case<arith::MinimumFOp>([](auto) { return K::MINIMUMF; })
      .Case<arith::MinNumFOp>([](auto) { return K::MINNUMF; })
      .Case<arith::MaxSIOp>([](auto) { return K::MAXSI; })
      .Case<arith::MaxUIOp>([](auto) { return K::MAXUI; })
      .Case<arith::MinSIOp>([](auto) { return K::MINSI; })
      .Case<arith::MinUIOp>([](auto) { return K::MINUI; })
      .Case<arith::AndIOp>([](auto) { return K::AND; })
      .Case<arith::OrIOp>([](auto) { return K::OR; })
      .Default([](auto) { return K::XOR; });
}

/// Returns true if the last dimension of an input is indexed by `loop` alone.
static bool walksLast(linalg::GenericOp op, unsigned loop) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (map.getNumResults() == 0)
      continue;
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (last && last.getPosition() == loop)
      return true;
  }
  return false;
}

/// The least columns for which neighbouring results are computed together.
static constexpr int64_t kLeastColumns = 8;

/// Returns true if rows along `loop` would be read with a stride, from an input
/// whose last dimension is that of the result.
static bool readsAcross(linalg::GenericOp op, unsigned loop) {
  AffineMap result = op.getIndexingMapMatchingResult(op->getResult(0));
  auto last = result.getNumResults()
                  ? dyn_cast<AffineDimExpr>(result.getResults().back())
                  : AffineDimExpr(nullptr);
  if (!last)
    return false;
  int64_t columns = op.getStaticLoopRanges()[last.getPosition()];
  if (!ShapedType::isDynamic(columns) && columns < kLeastColumns)
    return false;
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    return map.getNumResults() > 1 && map.getResults().back() == last &&
           map.isFunctionOfDim(loop);
  });
}

bool fx::kernel::isRowReduction(linalg::GenericOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  return reductions.size() == 1 && walksLast(op, reductions[0]) &&
         !readsAcross(op, reductions[0]);
}

bool fx::kernel::isWindowReduction(linalg::GenericOp op) {
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(0));
  for (unsigned i = 1; i < op->getNumResults(); ++i)
    if (op.getIndexingMapMatchingResult(op->getResult(i)) != map)
      return false;
  return map.getNumResults() > 0 &&
         walksLast(op, map.getDimPosition(map.getNumResults() - 1));
}

bool fx::kernel::isRowTimesRows(Contraction c) {
  AffineMap map = c.rhsMap();
  bool isFloat = c.kind == OperandKind::F32 || c.kind == OperandKind::F64;
  return isFloat && !c.groupSize && c.batch.empty() &&
         countPoints(c.op, c.m) == 1 && c.k.size() == 1 &&
         c.lhsMap().isProjectedPermutation() &&
         !c.rhs().getDefiningOp<UnpackOp>() && isWindowReduction(c.op) &&
         map.getNumResults() == 2 && map.getDimPosition(0) == c.k.front() &&
         map.getDimPosition(1) == c.lastN();
}

/// The instructions that convert an eight-bit float on a GPU
/// (fx-gpu-widen-float8).
static constexpr int64_t kFloat8Cost = 8;

int64_t fx::kernel::bodyCost(linalg::GenericOp op) {
  int64_t cost = 0;
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (isa<tensor::ExtractOp>(inner) ||
        (isa_and_nonnull<math::MathDialect>(inner.getDialect()) &&
         !isa<math::AbsFOp, math::FmaOp>(inner)))
      cost += 12;
    else if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                 arith::RemFOp>(inner))
      cost += 4;
    else if (isa<arith::ExtFOp>(inner) &&
             isFloat8(inner.getOperand(0).getType()))
      cost += kFloat8Cost;
    else if (!isa<arith::ConstantOp>(inner))
      cost += 1;
  }
  return cost;
}

void fx::kernel::generalizeNamedOps(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<linalg::LinalgOp> named;
  module.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp, linalg::FillOp>(op))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}
