//===- KernelCode.cpp - indices and memory of kernels ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/KernelCode.h"
#include "fx/Kernels/IR/KernelDialect.h"
#include "fx/Kernels/StridedViews.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;

KernelCode::KernelCode(func::FuncOp source, const TargetInfo &machine)
    : source(source), b(source.getContext()), loc(source.getLoc()),
      machine(machine), lanes(machine.lanes) {
  SmallVector<Type> types;
  for (Type type : source.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    types.push_back(tensor ? Type(fx::kernel::getKernelArgType(tensor)) : type);
  }
  target = func::FuncOp::create(
      loc, (source.getSymName() + ".emitted").str(),
      FunctionType::get(b.getContext(), types, TypeRange()));
  target.setPrivate();
  entry = target.addEntryBlock();
  b.setInsertionPointToStart(entry);
  // Code of the prologue is inserted before this op.
  prologueEnd = arith::ConstantIndexOp::create(b, loc, 0);
  b.setInsertionPoint(prologueEnd);
  auto strided = source->getAttrOfType<DenseI64ArrayAttr>(kStridedAttr);
  for (auto [from, to] :
       llvm::zip(source.getArguments(), entry->getArguments())) {
    auto tensor = dyn_cast<RankedTensorType>(from.getType());
    if (!tensor) {
      scalars[from] = to;
      continue;
    }
    // The flat view: one dimension over all elements.
    auto type = cast<MemRefType>(to.getType());
    auto meta = memref::ExtractStridedMetadataOp::create(b, loc, to);
    OpFoldResult total = b.getIndexAttr(1);
    if (type.hasStaticShape()) {
      total = b.getIndexAttr(type.getNumElements());
    } else {
      Value product = constant(1);
      for (Value size : meta.getSizes())
        product = arith::MulIOp::create(b, loc, product, size);
      total = product;
    }
    Buffer buffer;
    buffer.element = tensor.getElementType();
    auto flatType = MemRefType::get(
        {type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic},
        type.getElementType(),
        StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1}));
    buffer.flat = memref::ReinterpretCastOp::create(
        b, loc, flatType, meta.getBaseBuffer(), OpFoldResult(meta.getOffset()),
        ArrayRef<OpFoldResult>{total},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
    Stride stride{1, Value()};
    buffer.strides.resize(tensor.getRank());
    bool isStrided = strided && llvm::is_contained(strided.asArrayRef(),
                                                   from.getArgNumber());
    for (int64_t d = tensor.getRank() - 1; d >= 0; --d) {
      buffer.strides[d] =
          isStrided && stride.value ? Stride{1, meta.getStrides()[d]} : stride;
      if (!tensor.isDynamicDim(d)) {
        stride.constant *= tensor.getDimSize(d);
      } else {
        Value size = meta.getSizes()[d];
        stride.value =
            stride.value
                ? Value(arith::MulIOp::create(b, loc, stride.value, size))
                : size;
      }
    }
    buffers[from] = buffer;
  }
  if (machine.isGPU)
    for (Operation &op : source.getBody().front())
      for (Value result : op.getResults())
        addView(result);
  b.setInsertionPointToEnd(entry);
}

/// Sets the buffer of `value` if it is an aligned view of an argument.
void KernelCode::addView(Value value) {
  std::optional<fx::kernel::StridedView> view =
      fx::kernel::getStridedView(value);
  const Buffer *source = view ? buffer(view->source) : nullptr;
  if (!source || !view->isAligned())
    return;
  Buffer part{source->flat, {}, source->element};
  for (int64_t stride : view->strides)
    part.strides.push_back({stride, Value()});
  if (view->offset) {
    auto meta = memref::ExtractStridedMetadataOp::create(b, loc, part.flat);
    Value offset = arith::AddIOp::create(
        b, loc, meta.getOffset(),
        arith::ConstantIndexOp::create(b, loc, view->offset));
    auto type = cast<MemRefType>(part.flat.getType());
    int64_t rest = type.getDimSize(0) - view->offset;
    part.flat = memref::ReinterpretCastOp::create(
        b, loc,
        MemRefType::get({rest}, type.getElementType(), type.getLayout()),
        meta.getBaseBuffer(), OpFoldResult(offset),
        ArrayRef<OpFoldResult>{b.getIndexAttr(rest)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  }
  buffers[value] = part;
}

unsigned KernelCode::numOutputs() {
  return source.getFunctionType().getNumResults();
}
Value KernelCode::output(unsigned i) {
  return source.getBody().front().getTerminator()->getOperand(i);
}
BlockArgument KernelCode::outputArg(unsigned i) {
  return source.getArgument(source.getNumArguments() - numOutputs() + i);
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Value KernelCode::constant(int64_t c) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entry);
  return arith::ConstantIndexOp::create(b, loc, c);
}

Value KernelCode::materialize(const Index &i) {
  if (!i.value)
    return constant(i.constant);
  if (i.constant == 0)
    return i.value;
  return arith::AddIOp::create(b, loc, i.value, constant(i.constant));
}

Index KernelCode::add(const Index &a, const Index &c) {
  if (!a.value || !c.value)
    return {a.value ? a.value : c.value, a.constant + c.constant};
  return {arith::AddIOp::create(b, loc, a.value, c.value),
          a.constant + c.constant};
}

Index KernelCode::sub(const Index &a, const Index &c) {
  if (!c.value)
    return {a.value, a.constant - c.constant};
  if (a.value == c.value)
    return Index::of(a.constant - c.constant);
  return {arith::SubIOp::create(b, loc, materialize(a), c.value), -c.constant};
}

Index KernelCode::mul(const Index &a, const Stride &s) {
  if (!s.value) {
    if (!a.value || s.constant == 0)
      return Index::of(a.constant * s.constant);
    if (s.constant == 1)
      return a;
    return {arith::MulIOp::create(b, loc, a.value, constant(s.constant)),
            a.constant * s.constant};
  }
  if (!a.value && a.constant == 0)
    return a;
  Value stride = s.value;
  if (s.constant != 1)
    stride = arith::MulIOp::create(b, loc, stride, constant(s.constant));
  if (a == Index::of(1))
    return stride;
  return Value(arith::MulIOp::create(b, loc, materialize(a), stride));
}

Index KernelCode::mul(const Index &a, const Index &c) {
  if (!c.value)
    return mul(a, Stride{c.constant, Value()});
  return mul(a, Stride{1, materialize(c)});
}

Stride KernelCode::scale(const Stride &s, int64_t c) {
  return {s.constant * c, s.value};
}

Index KernelCode::floorDiv(const Index &a, int64_t c) {
  if (a.isStatic())
    return Index::of(a.constant / c);
  return Value(arith::DivUIOp::create(b, loc, materialize(a), constant(c)));
}

Index KernelCode::ceilDiv(const Index &a, int64_t c) {
  return floorDiv(add(a, Index::of(c - 1)), c);
}

Index KernelCode::min(const Index &a, const Index &c) {
  if (a.isStatic() && c.isStatic())
    return Index::of(std::min(a.constant, c.constant));
  return Value(arith::MinSIOp::create(b, loc, materialize(a), materialize(c)));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Index KernelCode::loopSize(linalg::LinalgOp op, unsigned loop) {
  int64_t fixed = op.getStaticLoopRanges()[loop];
  if (!ShapedType::isDynamic(fixed))
    return Index::of(fixed);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [d, expr] : llvm::enumerate(map.getResults()))
      if (expr == b.getAffineDimExpr(loop))
        return size(operand.get(), d);
  }
  fail("a loop bound is unknown");
  return Index::of(1);
}

Index KernelCode::size(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return Index::of(type.getDimSize(dim));
  if (auto arg = dyn_cast<BlockArgument>(tensor)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(prologueEnd);
    return Value(memref::DimOp::create(
        b, loc, entry->getArgument(arg.getArgNumber()), dim));
  }
  auto fromOfr = [&](OpFoldResult ofr) -> Index {
    if (auto fixed = getConstantIntValue(ofr))
      return Index::of(*fixed);
    return scalar(cast<Value>(ofr));
  };
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return fromOfr(empty.getMixedSizes()[dim]);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (int64_t d = 0, kept = 0; d < slice.getSourceType().getRank(); ++d)
      if (!dropped.test(d) && kept++ == dim)
        return fromOfr(slice.getMixedSizes()[d]);
  }
  if (auto unpack = dyn_cast<kernel::UnpackOp>(op))
    return fromOfr(unpack.getMixedSizes()[dim]);
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(prologueEnd);
    return add(
        add(size(pad.getSource(), dim), fromOfr(pad.getMixedLowPad()[dim])),
        fromOfr(pad.getMixedHighPad()[dim]));
  }
  if (auto generic = dyn_cast<linalg::LinalgOp>(op)) {
    AffineMap map =
        generic.getIndexingMapMatchingResult(cast<OpResult>(tensor));
    if (auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim)))
      for (OpOperand *operand : generic.getDpsInputOperands()) {
        if (!isa<RankedTensorType>(operand->get().getType()))
          continue;
        AffineMap input = generic.getMatchingIndexingMap(operand);
        for (auto [d, e] : llvm::enumerate(input.getResults()))
          if (e == expr)
            return size(operand->get(), d);
      }
    return size(
        generic.getDpsInitOperand(cast<OpResult>(tensor).getResultNumber())
            ->get(),
        dim);
  }
  fail("a size is unknown");
  return Index::of(1);
}

const Buffer *KernelCode::buffer(Value tensor) {
  auto it = buffers.find(tensor);
  return it == buffers.end() ? nullptr : &it->second;
}

void KernelCode::setBuffer(Value tensor, Buffer buffer) {
  buffers[tensor] = std::move(buffer);
}

Value KernelCode::addWorkspace(int64_t elements, Type element) {
  auto type = RankedTensorType::get({elements}, element);
  Type memory = fx::kernel::getKernelArgType(type);
  workspaces.push_back(type);
  auto types = llvm::to_vector(target.getArgumentTypes());
  types.push_back(memory);
  target.setFunctionType(FunctionType::get(b.getContext(), types, TypeRange()));
  return entry->addArgument(memory, loc);
}

Value KernelCode::scalar(Value value) {
  auto it = scalars.find(value);
  if (it != scalars.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast_or_null<tensor::DimOp>(op))
    if (auto at = dim.getConstantIndex()) {
      Index i = size(dim.getSource(), *at);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(prologueEnd);
      return scalars[value] = materialize(i);
    }
  bool isPure = op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                llvm::none_of(op->getOperandTypes(),
                              [](Type t) { return isa<ShapedType>(t); }) &&
                op->getParentOfType<func::FuncOp>() == source;
  if (!isPure) {
    fail("a number has no code");
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
  }
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, scalar(operand));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(prologueEnd);
  Operation *clone = b.clone(*op, mapping);
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
    scalars[from] = to;
  return scalars[value];
}

Index KernelCode::linearize(const Buffer &buffer, ArrayRef<Coord> coords,
                            Stride &lane) {
  Index offset;
  lane = {0, Value()};
  for (auto [coord, stride] : llvm::zip(coords, buffer.strides)) {
    offset = add(offset, mul(coord.base, stride));
    if (!coord.lane)
      continue;
    if (!lane.isStatic(0))
      fail("two dimensions of an operand vary by lane");
    lane = scale(stride, coord.lane);
  }
  return offset;
}

static Value toBool(OpBuilder &b, Location loc, Value v) {
  auto zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(v.getType()));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, v, zero);
}

Value KernelCode::laneSteps(int64_t step) {
  Value lanes = vector::StepOp::create(b, loc, vectorType(b.getIndexType()));
  return step == 1 ? lanes
                   : Value(arith::MulIOp::create(b, loc, lanes,
                                                 splat(constant(step))));
}

/// The largest stride of elements that are loaded together with the elements in
/// between.
static constexpr int64_t kMostApart = 4;

bool KernelCode::canLoadApart(const Stride &stride) const {
  return !mask && !stride.value && stride.constant &&
         std::abs(stride.constant) <= kMostApart && lanes >= kMostApart;
}

/// Loads the elements at `offset`, `offset` + `stride` and so on. Loads vectors
/// of all elements from the first to the last, and shuffles them.
Value KernelCode::loadApart(VectorType type, Value flat, Value offset,
                            int64_t stride) {
  int64_t L = lanes, apart = std::abs(stride), span = apart * (L - 1);
  Index first = stride < 0 ? Index(offset, -span) : Index(offset);
  Value result;
  SmallVector<int64_t> from(L);
  for (int64_t v = 0; v < apart; ++v) {
    // The last vector ends with the last element.
    int64_t start = std::min(v * L, span + 1 - L);
    Value part = vector::LoadOp::create(
        b, loc, type, flat, materialize(add(first, Index::of(start))));
    if (v == 0 && apart > 1) {
      result = part;
      continue;
    }
    for (int64_t lane = 0; lane < L; ++lane) {
      int64_t at = apart * (stride < 0 ? L - 1 - lane : lane);
      if (at >= v * L && at < start + L)
        from[lane] = (v ? L : 0) + at - start;
      else // from an earlier vector, already shuffled if v > 1; or a later one
        from[lane] = v > 1 ? lane : at % L;
    }
    result = vector::ShuffleOp::create(b, loc, v ? result : part, part, from);
  }
  return result;
}

void KernelCode::prefetch(const Buffer &buffer, ArrayRef<Coord> coords,
                          bool isFarAhead) {
  Stride lane;
  Value offset = materialize(linearize(buffer, coords, lane));
  memref::PrefetchOp::create(b, loc, buffer.flat, ValueRange{offset},
                             /*isWrite=*/false,
                             /*localityHint=*/isFarAhead ? 2 : 3,
                             /*isDataCache=*/true);
}

Value KernelCode::load(const Buffer &buffer, ArrayRef<Coord> coords) {
  Stride lane;
  Value offset = materialize(linearize(buffer, coords, lane));
  bool isLane = llvm::any_of(coords, [](const Coord &c) { return c.lane; });
  bool isBool = buffer.element.isInteger(1);
  Type element = isBool ? b.getI8Type() : buffer.element;
  Value value;
  if (!isLane) {
    value = memref::LoadOp::create(b, loc, buffer.flat, offset);
  } else if (lane.isStatic(1)) {
    VectorType type = vectorType(element);
    if (!mask)
      value =
          vector::LoadOp::create(b, loc, type, buffer.flat, ValueRange{offset});
    else
      value = vector::MaskedLoadOp::create(
          b, loc, type, buffer.flat, ValueRange{offset}, mask,
          splatConstant(b.getZeroAttr(element)));
  } else if (canLoadApart(lane)) {
    value = loadApart(vectorType(element), buffer.flat, offset, lane.constant);
  } else {
    VectorType type = vectorType(element);
    Value step = laneSteps(1);
    Index by = mul(Index::of(1), lane);
    Value at = arith::MulIOp::create(b, loc, step, splat(materialize(by)));
    Value all = mask ? mask : splatConstant(b.getIntegerAttr(b.getI1Type(), 1));
    value = vector::GatherOp::create(b, loc, type, buffer.flat,
                                     ValueRange{offset}, at, all,
                                     splatConstant(b.getZeroAttr(element)));
  }
  return isBool ? toBool(b, loc, value) : value;
}

void KernelCode::store(const Buffer &buffer, ArrayRef<Coord> coords,
                       Value value) {
  Stride lane;
  Value offset = materialize(linearize(buffer, coords, lane));
  bool isLane = llvm::any_of(coords, [](const Coord &c) { return c.lane; });
  if (isLane)
    value = splat(value);
  else if (isa<VectorType>(value.getType()))
    return fail("a vector where a number is stored");
  if (buffer.element.isInteger(1)) {
    Type wide = b.getI8Type();
    value = arith::ExtUIOp::create(
        b, loc, isLane ? Type(vectorType(wide)) : wide, value);
  }
  if (!isLane) {
    memref::StoreOp::create(b, loc, value, buffer.flat, offset);
  } else if (!lane.isStatic(1)) {
    Value step = vector::StepOp::create(b, loc, vectorType(b.getIndexType()));
    Index by = mul(Index::of(1), lane);
    Value at = arith::MulIOp::create(b, loc, step, splat(materialize(by)));
    Value all = mask ? mask : splatConstant(b.getIntegerAttr(b.getI1Type(), 1));
    vector::ScatterOp::create(b, loc, Type(), buffer.flat, ValueRange{offset},
                              at, all, value);
  } else if (!mask) {
    vector::StoreOp::create(b, loc, value, buffer.flat, ValueRange{offset});
  } else {
    vector::MaskedStoreOp::create(b, loc, buffer.flat, ValueRange{offset}, mask,
                                  value);
  }
}

VectorType KernelCode::vectorType(Type element) {
  return VectorType::get({lanes}, element);
}

Value KernelCode::splat(Value v) {
  if (isa<VectorType>(v.getType()))
    return v;
  return vector::BroadcastOp::create(b, loc, vectorType(v.getType()), v);
}

Value KernelCode::splatConstant(TypedAttr element) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entry);
  return arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(vectorType(element.getType()),
                             Attribute(element)));
}

Value KernelCode::maskBelow(const Index &count) {
  return vector::CreateMaskOp::create(b, loc, vectorType(b.getI1Type()),
                                      ValueRange{materialize(count)});
}
