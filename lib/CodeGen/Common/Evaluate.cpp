//===- Evaluate.cpp - the elements of a kernel's tensors ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/KernelCode.h"
#include "fx/Kernels/IR/KernelDialect.h"
#include "fx/Kernels/Nonpositive.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;

Scope::Key KernelCode::key(Value tensor, ArrayRef<Coord> coords) const {
  Scope::Key key;
  key.first = tensor.getAsOpaquePointer();
  for (const Coord &c : coords) {
    key.second.push_back(
        {c.base.value ? c.base.value.getAsOpaquePointer() : nullptr,
         c.base.constant});
    key.second.push_back({nullptr, c.lane});
  }
  return key;
}

/// Returns true if `value` is defined in the body of `loop`.
static bool isWithin(Value value, Operation *loop) {
  return value && loop &&
         loop->isAncestor(value.getParentBlock()->getParentOp());
}

void KernelCode::know(Scope &scope, Value tensor, ArrayRef<Coord> coords,
                      Value value) {
  scope.known[key(tensor, coords)] = value;
  scope.given.insert(tensor.getAsOpaquePointer());
}

void KernelCode::remember(Scope &scope, Value tensor, ArrayRef<Coord> coords,
                          Value value) {
  scope.known[key(tensor, coords)] = value;
}

const llvm::SmallPtrSet<void *, 8> &KernelCode::dependencies(Value tensor) {
  auto [it, isNew] = dependsOn.try_emplace(tensor);
  if (!isNew)
    return it->second;
  llvm::SmallPtrSet<void *, 8> all;
  all.insert(tensor.getAsOpaquePointer());
  if (Operation *def = tensor.getDefiningOp())
    for (Value operand : def->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        for (void *other : dependencies(operand))
          all.insert(other);
  return dependsOn[tensor] = all;
}

Value KernelCode::eval(Scope &scope, Value tensor, ArrayRef<Coord> coords) {
  Scope::Key k = key(tensor, coords);
  for (Scope *s = &scope; s; s = s->parent) {
    auto it = s->known.find(k);
    if (it != s->known.end())
      return it->second;
  }
  // Compute it in the outermost scope where all its coordinates are defined.
  Scope *home = &scope;
  Operation *before = nullptr;
  bool isLane = llvm::any_of(coords, [](const Coord &c) { return c.lane; });
  const llvm::SmallPtrSet<void *, 8> &inputs = dependencies(tensor);
  for (Scope *s = &scope; s->parent; s = s->parent) {
    if (s->isGuarded ||
        llvm::any_of(s->given, [&](void *t) { return inputs.contains(t); }))
      break;
    if (s->loop) {
      bool needed = isLane && isWithin(mask, s->loop);
      for (const Coord &c : coords)
        needed |= isWithin(c.base.value, s->loop);
      // A buffer that exists in an iteration alone is read there.
      for (void *input : inputs)
        if (auto it = buffers.find(Value::getFromOpaquePointer(input));
            it != buffers.end())
          needed |= isWithin(it->second.flat, s->loop);
      if (needed)
        break;
      before = s->loop;
    }
    home = s->parent;
  }
  OpBuilder::InsertionGuard guard(b);
  if (before)
    b.setInsertionPoint(before);
  Value value = compute(*home, tensor, coords);
  home->known[k] = value;
  return value;
}

std::optional<Coord> fx::codegen::applyExpr(KernelCode &code, AffineExpr expr,
                                            ArrayRef<Coord> loops) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return loops[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Coord{Index::of(constant.getValue())};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<Coord> lhs = applyExpr(code, binary.getLHS(), loops);
  std::optional<Coord> rhs = applyExpr(code, binary.getRHS(), loops);
  if (!lhs || !rhs || (lhs->lane && rhs->lane))
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return Coord{code.add(lhs->base, rhs->base), lhs->lane + rhs->lane};
  if (rhs->lane || !rhs->base.isStatic())
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mul)
    return Coord{code.mul(lhs->base, rhs->base),
                 lhs->lane * rhs->base.constant};
  if (lhs->lane)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::FloorDiv:
    if (rhs->base.constant > 0)
      return Coord{code.floorDiv(lhs->base, rhs->base.constant), false};
    return std::nullopt;
  case AffineExprKind::Mod: {
    if (rhs->base.constant <= 0)
      return std::nullopt;
    Index quotient = code.floorDiv(lhs->base, rhs->base.constant);
    return Coord{code.sub(lhs->base, code.mul(quotient, rhs->base)), false};
  }
  default:
    return std::nullopt;
  }
}

Value KernelCode::compute(Scope &scope, Value tensor, ArrayRef<Coord> coords) {
  if (const Buffer *memory = buffer(tensor)) {
    if (loadRun)
      if (Value v = loadRun(scope, tensor, *memory, coords))
        return v;
    return load(*memory, coords);
  }
  auto giveUp = [&](const Twine &why) -> Value {
    fail(why);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    Type element = getElementTypeOrSelf(tensor.getType());
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  };
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return giveUp("an argument without memory");
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return evalGeneric(scope, generic, cast<OpResult>(tensor).getResultNumber(),
                       coords);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return scalar(fill.getInputs()[0]);
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constantOp.getValue());
    if (!dense || !dense.isSplat())
      return giveUp("a constant that is no splat");
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    return arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(dense.getSplatValue<Attribute>()));
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    Coords from;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    unsigned next = 0;
    for (int64_t d = 0; d < slice.getSourceType().getRank(); ++d) {
      OpFoldResult offset = slice.getMixedOffsets()[d];
      Index base = Index::of(0);
      if (auto fixed = getConstantIntValue(offset))
        base = Index::of(*fixed);
      else
        base = Index(scalar(cast<Value>(offset)));
      if (dropped.test(d)) {
        from.push_back({base, false});
        continue;
      }
      Coord c = coords[next++];
      auto stride = getConstantIntValue(slice.getMixedStrides()[d]);
      if (!stride)
        return giveUp("a slice with a dynamic step");
      from.push_back(
          {add(base, mul(c.base, Index::of(*stride))), c.lane * *stride});
    }
    return eval(scope, slice.getSource(), from);
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return evalPad(scope, pad, coords);
  // Kernels of CPUs read the panels themselves, in vectors.
  if (auto unpack = dyn_cast<UnpackOp>(op); unpack && machine.isGPU)
    return evalUnpack(scope, unpack, coords);
  return giveUp("no code for '" + op->getName().getStringRef() + "'");
}

// Reads the source at clamped coordinates, with the lanes outside of the source
// masked off, then selects between the value and the padding.
Value KernelCode::evalPad(Scope &scope, tensor::PadOp op,
                          ArrayRef<Coord> coords) {
  auto zero = [&] {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    return arith::ConstantOp::create(
        b, loc, b.getZeroAttr(op.getSourceType().getElementType()));
  };
  Value padding = op.getConstantPaddingValue();
  if (!padding) {
    fail("a padding that is no constant");
    return zero();
  }
  Coords from;
  Value inside, lanesInside, outerMask = mask;
  for (auto [d, c] : llvm::enumerate(coords)) {
    auto low = getConstantIntValue(op.getMixedLowPad()[d]);
    auto high = getConstantIntValue(op.getMixedHighPad()[d]);
    if (!low || !high || *low < 0 || *high < 0) {
      fail("a padding without code");
      return zero();
    }
    if (*low == 0 && *high == 0) {
      from.push_back(c);
      continue;
    }
    Index place = sub(c.base, Index::of(*low));
    Index end = this->size(op.getSource(), d);
    std::optional<bool> isKnown;
    if (auto it = padded.find({op, d}); it != padded.end())
      isKnown = it->second;
    else if (!c.lane && place.isStatic() && end.isStatic())
      isKnown = place.constant >= 0 && place.constant < end.constant;
    if (isKnown && !*isKnown)
      return scalar(padding);
    if (isKnown) {
      from.push_back({place, c.lane});
      continue;
    }
    // One unsigned comparison says whether 0 <= at < size.
    Value at = materialize(place);
    Value size = materialize(end);
    if (c.lane) {
      Value all = arith::AddIOp::create(b, loc, laneSteps(c.lane), splat(at));
      lanesInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          all, splat(size));
      from.push_back({Index(at), c.lane});
      continue;
    }
    Value in =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, size);
    inside = inside ? Value(arith::AndIOp::create(b, loc, inside, in)) : in;
    Value safe = arith::SelectOp::create(b, loc, in, at, constant(0));
    from.push_back({Index(safe), false});
  }
  if (lanesInside)
    mask = mask ? Value(arith::AndIOp::create(b, loc, mask, lanesInside))
                : lanesInside;
  Value value = eval(scope, op.getSource(), from);
  mask = outerMask;
  Value other = scalar(padding);
  if (isa<VectorType>(value.getType()) || lanesInside) {
    value = splat(value);
    other = splat(other);
  }
  if (lanesInside)
    value = arith::SelectOp::create(b, loc, lanesInside, value, other);
  if (inside)
    value = arith::SelectOp::create(b, loc, inside, value, other);
  return value;
}

Value KernelCode::evalGeneric(Scope &scope, linalg::GenericOp op,
                              unsigned result, ArrayRef<Coord> coords) {
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(result));
  Coords loops(op.getNumLoops());
  llvm::SmallBitVector set(op.getNumLoops());
  for (auto [expr, c] : llvm::zip(map.getResults(), coords))
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      loops[dim.getPosition()] = c;
      set.set(dim.getPosition());
    }
  for (unsigned d = 0; d < op.getNumLoops(); ++d)
    if (!set.test(d) && !(op.getStaticLoopRanges()[d] == 1))
      fail("a reduction that was not computed before its use");
  Value yielded = op.getBody()->getTerminator()->getOperand(result);
  return evalBody(scope, op, yielded, loops);
}

Value KernelCode::evalExtract(
    Scope &scope, tensor::ExtractOp op, llvm::function_ref<Value(Value)> get,
    llvm::function_ref<std::optional<Coord>(Value)> linear,
    llvm::function_ref<std::optional<Index>(Value)> falling) {
  Coords coords;
  SmallVector<Value> vectors(op.getIndices().size());
  bool gather = false;
  for (auto [d, index] : llvm::enumerate(op.getIndices())) {
    if (std::optional<Coord> c = linear(index)) {
      coords.push_back(*c);
      continue;
    }
    Value v = get(index);
    if (isa<VectorType>(v.getType())) {
      vectors[d] = v;
      gather = true;
      v = constant(0);
    }
    coords.push_back({Index(v), false});
  }
  if (!gather)
    return eval(scope, op.getTensor(), coords);
  const Buffer *memory = buffer(op.getTensor());
  if (!memory || memory->element.isInteger(1)) {
    fail("a gather from a computed tensor");
    return splatConstant(b.getZeroAttr(op.getType()));
  }
  auto varies = [&](unsigned d) { return vectors[d] || coords[d].lane; };
  auto dims = llvm::seq<unsigned>(coords.size());
  unsigned which = *llvm::find_if(dims, varies);
  std::optional<Index> last = falling(op.getIndices()[which]);
  Stride apart = memory->strides[which];
  apart.constant = -apart.constant;
  if (last && llvm::count_if(dims, varies) == 1 && canLoadApart(apart)) {
    Coords at(coords);
    at[which].base = *last;
    Index offset;
    for (auto [c, stride] : llvm::zip(at, memory->strides))
      offset = add(offset, mul(c.base, stride));
    return loadApart(vectorType(memory->element), memory->flat,
                     materialize(offset), apart.constant);
  }
  // Gather the elements: compute the offset of each lane.
  Coords bases;
  Value offsets;
  Index base;
  for (auto [d, c] : llvm::enumerate(coords)) {
    Stride stride = memory->strides[d];
    Value by = materialize(mul(Index::of(1), stride));
    base = add(base, mul(c.base, stride));
    Value part;
    if (vectors[d])
      part = vectors[d];
    else if (c.lane)
      part = laneSteps(c.lane);
    else
      continue;
    part = arith::MulIOp::create(b, loc, part, splat(by));
    offsets =
        offsets ? Value(arith::AddIOp::create(b, loc, offsets, part)) : part;
  }
  Value all = mask ? mask : splatConstant(b.getIntegerAttr(b.getI1Type(), 1));
  return vector::GatherOp::create(
      b, loc, vectorType(memory->element), memory->flat,
      ValueRange{materialize(base)}, offsets, all,
      splatConstant(b.getZeroAttr(memory->element)));
}

struct KernelCode::BodyEvaluator {
  KernelCode &code;
  Scope &scope;
  linalg::GenericOp op;
  ArrayRef<Coord> loops;
  DenseMap<Value, Value> done;
  /// Indices that increase by one per lane.
  DenseMap<Value, Coord> linear;
  /// Indices that decrease by one per lane, and their values in lane 0.
  DenseMap<Value, Index> falling;

  BodyEvaluator(KernelCode &code, Scope &scope, linalg::GenericOp op,
                ArrayRef<Coord> loops)
      : code(code), scope(scope), op(op), loops(loops) {}
  /// Returns `value`, which is evaluated at its first use.
  Value get(Value value);
  /// Evaluates the operand's element that the body takes as `arg`.
  Value evalArgument(BlockArgument arg);
  Value evalIndex(linalg::IndexOp index);
  Value evalExtract(tensor::ExtractOp extract);
  /// Evaluates `value`, a result of `def`, from the operands of `def`.
  Value evalOp(Operation *def, Value value);
  /// Returns `x`, a vector, divided by `y`, a scalar: x high + x low with 1 / y
  /// as the sum of two numbers. This takes two instructions. Of random f32 with
  /// 2^-60 < |y| < 2^60, such as sums of rows, about one quotient in 10^8 was
  /// rounded otherwise; up to 2^120 one in 2,400, all by one unit in the last
  /// place; beyond, where the second number is subnormal, by up to 4 units. For
  /// |y| < 2^-126, 1 / y may be infinite.
  Value divideByScalar(Value x, Value y);
  /// Broadcasts the scalars among `operands` of `def`, some of which are
  /// vectors.
  void splatOperands(Operation *def, MutableArrayRef<Value> operands);
  /// Returns a zero with which emission continues after a failure.
  Value makeZero(Type type);
};

Value KernelCode::BodyEvaluator::makeZero(Type type) {
  OpBuilder &b = code.b;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(code.entry);
  return arith::ConstantOp::create(b, code.loc, b.getZeroAttr(type));
}

Value KernelCode::BodyEvaluator::evalArgument(BlockArgument arg) {
  OpOperand &operand = op->getOpOperand(arg.getArgNumber());
  if (!isa<RankedTensorType>(operand.get().getType()))
    return code.scalar(operand.get());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Coords at;
  for (AffineExpr expr : map.getResults()) {
    std::optional<Coord> c = applyExpr(code, expr, loops);
    if (!c) {
      code.fail("an indexing map without code");
      c = Coord{Index::of(0), false};
    }
    at.push_back(*c);
  }
  return code.eval(scope, operand.get(), at);
}

Value KernelCode::BodyEvaluator::evalIndex(linalg::IndexOp index) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  const Coord &c = loops[index.getDim()];
  Value v = code.materialize(c.base);
  if (!c.lane) {
    // An element that is indexed by `v` can be loaded with its neighbours.
    if (code.loadRun)
      linear[index.getResult()] = c;
    return v;
  }
  linear[index.getResult()] = c;
  return arith::AddIOp::create(b, loc, code.laneSteps(c.lane), code.splat(v));
}

Value KernelCode::BodyEvaluator::evalExtract(tensor::ExtractOp extract) {
  // Evaluate the indices first: this adds them to `linear` and `falling`.
  for (Value index : extract.getIndices())
    get(index);
  auto in = [](auto &map) {
    return [&](Value v) {
      auto it = map.find(v);
      return it == map.end() ? std::nullopt : std::optional(it->second);
    };
  };
  return code.evalExtract(
      scope, extract, [&](Value v) { return get(v); }, in(linear), in(falling));
}

/// Returns 1 / `y` as the sum of two numbers of the same sign, of which the
/// second is not zero: so an infinity times both is the same infinity. If 1 / y
/// is zero, infinite or NaN, both are 1 / y.
static std::pair<Value, Value> splitInverse(OpBuilder &b, Location loc,
                                            Value y) {
  auto type = cast<FloatType>(y.getType());
  auto integerType = b.getIntegerType(type.getWidth());
  auto &semantics = type.getFloatSemantics();
  auto real = [&](llvm::APFloat c) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, c));
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  };
  Value zero = real(llvm::APFloat::getZero(semantics));
  Value one = real(llvm::APFloat(semantics, 1));
  Value inverse = arith::DivFOp::create(b, loc, one, y);
  Value minusY = arith::NegFOp::create(b, loc, y);
  auto restOf = [&](Value x) -> Value {
    return math::FmaOp::create(b, loc, minusY, x, one);
  };
  // Rounded towards zero, the first part leaves a rest of the same sign.
  Value down = arith::BitcastOp::create(
      b, loc, type,
      arith::SubIOp::create(
          b, loc, arith::BitcastOp::create(b, loc, integerType, inverse),
          arith::ConstantOp::create(b, loc, b.getIntegerAttr(integerType, 1))));
  Value isAbove = compare(arith::CmpFPredicate::OLT, restOf(inverse), zero);
  Value high = arith::SelectOp::create(b, loc, isAbove, down, inverse);
  Value size = math::AbsFOp::create(
      b, loc, arith::MulFOp::create(b, loc, restOf(high), high));
  Value least = real(llvm::APFloat::getSmallest(semantics));
  Value isLarger = compare(arith::CmpFPredicate::OGT, size, least);
  Value low = math::CopySignOp::create(
      b, loc, arith::SelectOp::create(b, loc, isLarger, size, least), high);
  Value magnitude = math::AbsFOp::create(b, loc, inverse);
  Value isRegular = arith::AndIOp::create(
      b, loc, compare(arith::CmpFPredicate::OGT, magnitude, zero),
      compare(arith::CmpFPredicate::OLT, magnitude,
              real(llvm::APFloat::getInf(semantics))));
  return {arith::SelectOp::create(b, loc, isRegular, high, inverse),
          arith::SelectOp::create(b, loc, isRegular, low, inverse)};
}

Value KernelCode::BodyEvaluator::divideByScalar(Value x, Value y) {
  auto [high, low] = splitInverse(code.b, code.loc, y);
  Value rest = arith::MulFOp::create(code.b, code.loc, x, code.splat(low));
  return math::FmaOp::create(code.b, code.loc, x, code.splat(high), rest);
}

void KernelCode::BodyEvaluator::splatOperands(Operation *def,
                                              MutableArrayRef<Value> operands) {
  if (!OpTrait::hasElementwiseMappableTraits(def))
    code.fail("no vector code for '" + def->getName().getStringRef() + "'");
  for (Value &operand : operands)
    operand = code.splat(operand);
  // Lanes that are masked off hold zeros: replace the divisor by one there.
  if (code.mask &&
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(def)) {
    Type element = def->getOperand(1).getType();
    operands[1] = arith::SelectOp::create(
        code.b, code.loc, code.mask, operands[1],
        code.splatConstant(code.b.getIntegerAttr(element, 1)));
  }
}

Value KernelCode::BodyEvaluator::evalOp(Operation *def, Value value) {
  if (def->getNumRegions() || !isMemoryEffectFree(def)) {
    code.fail("no code for '" + def->getName().getStringRef() + "'");
    return makeZero(value.getType());
  }
  SmallVector<Value> operands;
  bool isVector = false;
  for (Value operand : def->getOperands()) {
    operands.push_back(get(operand));
    isVector |= isa<VectorType>(operands.back().getType());
  }
  if (isa<arith::SubIOp>(def) && operands[0].getType().isIndex())
    if (auto it = linear.find(def->getOperand(1));
        it != linear.end() && it->second.lane == 1) {
      Index from = it->second.base;
      falling[value] = code.sub(Index(operands[0]), from);
    }
  auto division = dyn_cast<arith::DivFOp>(def);
  bool usesInverse = division && bitEnumContainsAny(division.getFastmath(),
                                                    arith::FastMathFlags::arcp);
  if (usesInverse && isVector &&
      (operands[1].getType().isF32() || operands[1].getType().isF64()))
    return done[value] = divideByScalar(operands[0], operands[1]);
  if (isVector)
    splatOperands(def, operands);
  OperationState state(code.loc, def->getName());
  state.addOperands(operands);
  for (Type type : def->getResultTypes())
    state.addTypes(isVector ? Type(code.vectorType(type)) : type);
  state.propertiesAttr = def->getPropertiesAsAttribute();
  if (code.failed())
    return makeZero(value.getType());
  Operation *clone = code.b.create(state);
  // LLVM would not correct a product with the inverse. Kernels of GPUs keep the
  // flag until their results are known.
  if (usesInverse && !code.machine.isGPU)
    cast<arith::DivFOp>(clone).setFastmath(arith::FastMathFlags::none);
  if (auto exp = dyn_cast<math::ExpOp>(def); exp && isBelowMaximum(exp))
    clone->setAttr(kNonpositiveAttr, code.b.getUnitAttr());
  for (auto [from, to] : llvm::zip(def->getResults(), clone->getResults()))
    done[from] = to;
  if (isa<arith::IndexCastOp>(def))
    if (auto it = linear.find(def->getOperand(0)); it != linear.end()) {
      Coord c = it->second;
      linear[value] = c;
    }
  return done[value];
}

Value KernelCode::BodyEvaluator::get(Value value) {
  if (auto it = done.find(value); it != done.end())
    return it->second;
  if (auto arg = dyn_cast<BlockArgument>(value);
      arg && arg.getOwner() == op.getBody())
    return done[value] = evalArgument(arg);
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != op.getBody())
    return code.scalar(value);
  if (auto index = dyn_cast<linalg::IndexOp>(def))
    return done[value] = evalIndex(index);
  if (auto extract = dyn_cast<tensor::ExtractOp>(def))
    return done[value] = evalExtract(extract);
  return evalOp(def, value);
}

Value KernelCode::evalBody(Scope &scope, linalg::GenericOp op, Value result,
                           ArrayRef<Coord> loops) {
  return BodyEvaluator(*this, scope, op, loops).get(result);
}
