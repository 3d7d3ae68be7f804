//===- Runs.cpp - elements that a thread loads at once --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runs.h"

#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Buffer;
using codegen::Coord;
using codegen::Coords;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

/// The largest number of elements of a run, and that of kernels for devices
/// without matrix units: SPIR-V has no longer vectors.
static constexpr int64_t kMaxWidth = 8, kMaxPlainWidth = 4;
/// The largest cost (`bodyCost`) of the code of a run, and the further cost of
/// a function in float64, whose code is long.
static constexpr int64_t kMaxCost = 256, kDoubleCost = 128;

Runs::Runs(KernelCode &code, int64_t width, bool mayRequire)
    : width(width), code(code), mayRequire(mayRequire) {
  if (width > 1)
    code.loadRun = [this](Scope &home, Value tensor, const Buffer &buffer,
                          ArrayRef<Coord> coords) {
      return load(home, tensor, buffer, coords);
    };
}

Runs::~Runs() {
  if (width > 1)
    code.loadRun = nullptr;
}

Index Runs::begin(const Index &number) {
  Value base = code.materialize(code.mul(number, Index::of(width)));
  bases.insert(base);
  return base;
}

void Runs::beginAt(const Index &base) {
  if (base.value && base.constant % width == 0)
    bases.insert(base.value);
}

void Runs::require(const Index &size, int64_t of) {
  conditions.push_back({size, of});
}

std::optional<unsigned> Runs::findDim(const Buffer &buffer,
                                      ArrayRef<Coord> coords, int64_t element) {
  if (width == 1 || !buffer.element.isIntOrFloat())
    return std::nullopt;
  std::optional<unsigned> found;
  for (auto [d, c] : llvm::enumerate(coords))
    if (c.base.value && bases.contains(c.base.value)) {
      if (found || !buffer.strides[d].isStatic(1) ||
          (c.base.constant - element) % width)
        return std::nullopt;
      found = d;
    }
  if (!found)
    return std::nullopt;
  SmallVector<Index> dynamic;
  for (auto [d, c] : llvm::enumerate(coords)) {
    const codegen::Stride &stride = buffer.strides[d];
    bool isStatic = c.base.isStatic();
    int64_t factor = stride.constant * (isStatic ? c.base.constant : 1);
    if (d == *found || factor % width == 0)
      continue;
    if (!stride.value || !mayRequire)
      return std::nullopt;
    dynamic.push_back(Index(stride.value));
  }
  for (const Index &size : dynamic)
    require(size, width);
  return found;
}

Value Runs::offset(const Buffer &buffer, ArrayRef<Coord> coords) {
  Index sum;
  for (auto [c, stride] : llvm::zip(coords, buffer.strides))
    sum = code.add(sum, code.mul(c.base, stride));
  return code.materialize(sum);
}

/// Returns the alignment of a vector of `width` elements.
static int64_t getAlignment(int64_t width, Type element) {
  return std::min(kAlignment, width * codegen::getElementBytes(element));
}

Value Runs::loadVector(const Buffer &buffer, int64_t count, Value offset) {
  usesVectors = true;
  Type element = cast<MemRefType>(buffer.flat.getType()).getElementType();
  auto vector = vector::LoadOp::create(code.b, code.loc,
                                       VectorType::get({count}, element),
                                       buffer.flat, ValueRange{offset});
  vector.setAlignment(getAlignment(count, element));
  return vector;
}

Value Runs::load(Scope &home, Value tensor, const Buffer &buffer,
                 ArrayRef<Coord> coords) {
  if (auto unpack = tensor.getDefiningOp<kernel::UnpackOp>())
    return loadNibbles(home, unpack, buffer, coords);
  std::optional<unsigned> dim = findDim(buffer, coords, current);
  if (!dim)
    return {};
  OpBuilder &b = code.b;
  Coords at(coords);
  at[*dim].base.constant -= current;
  Type element = cast<MemRefType>(buffer.flat.getType()).getElementType();
  Value vector = loadVector(buffer, width, offset(buffer, at));
  Value result;
  for (int64_t e = 0; e < width; ++e) {
    Value v = vector::ExtractOp::create(b, code.loc, vector, e);
    if (buffer.element.isInteger(1))
      v = arith::CmpIOp::create(
          b, code.loc, arith::CmpIPredicate::ne, v,
          arith::ConstantOp::create(b, code.loc, b.getZeroAttr(element)));
    code.remember(home, tensor, at, v);
    ++at[*dim].base.constant;
    if (e == current)
      result = v;
  }
  return result;
}

SmallVector<Value>
Runs::forElements(llvm::function_ref<Value(int64_t e)> evaluate) {
  SmallVector<Value> values;
  for (int64_t e = 0; e < width; ++e) {
    current = e;
    values.push_back(evaluate(e));
  }
  current = 0;
  return values;
}

SmallVector<Value> Runs::eval(Scope &scope, Value tensor,
                              llvm::function_ref<Coords(int64_t e)> coords) {
  return forElements(
      [&](int64_t e) { return code.eval(scope, tensor, coords(e)); });
}

void Runs::store(const Buffer &buffer,
                 llvm::function_ref<Coords(int64_t e)> coords,
                 ArrayRef<Value> values) {
  Coords first = coords(0);
  if (!findDim(buffer, first, /*element=*/0)) {
    for (int64_t e = 0; e < width; ++e)
      code.store(buffer, coords(e), values[e]);
    return;
  }
  usesVectors = true;
  OpBuilder &b = code.b;
  Type element = cast<MemRefType>(buffer.flat.getType()).getElementType();
  SmallVector<Value> stored(values);
  for (Value &v : stored)
    if (v.getType() != element) // a boolean, stored as a byte
      v = arith::ExtUIOp::create(b, code.loc, element, v);
  Value run = vector::FromElementsOp::create(
      b, code.loc, VectorType::get({width}, element), stored);
  auto store = vector::StoreOp::create(b, code.loc, run, buffer.flat,
                                       ValueRange{offset(buffer, first)});
  store.setAlignment(getAlignment(width, element));
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

/// Emits host code that tests whether the buffers are aligned and the required
/// conditions hold.
Value Runs::emitCondition() {
  OpBuilder &b = code.b;
  Value all = areAligned(code);
  llvm::DenseSet<std::tuple<Value, int64_t, int64_t>> seen;
  for (auto &[size, of] : conditions) {
    if (!seen.insert({size.value, size.constant, of}).second)
      continue;
    Value number = code.materialize(size), zero = code.constant(0);
    auto compare = [&](arith::CmpIPredicate predicate, Value v) {
      Value is = arith::CmpIOp::create(b, code.loc, predicate, v, zero);
      all = arith::AndIOp::create(b, code.loc, all, is);
    };
    compare(arith::CmpIPredicate::ne, number);
    compare(arith::CmpIPredicate::eq,
            arith::RemUIOp::create(b, code.loc, number, code.constant(of)));
  }
  return all;
}

void Runs::emitVersions(KernelCode &code, int64_t width,
                        llvm::function_ref<void(Runs &runs)> emitLaunch) {
  OpBuilder &b = code.b;
  if (width == 1) {
    Runs runs(code, 1);
    return emitLaunch(runs);
  }
  // The conditions are known when the first version was emitted.
  Value unknown = arith::ConstantIntOp::create(b, code.loc, b.getI1Type(), 1);
  auto branch =
      scf::IfOp::create(b, code.loc, unknown, /*withElseRegion=*/true);
  bool isNeeded;
  {
    Runs runs(code, width);
    b.setInsertionPointToStart(branch.thenBlock());
    emitLaunch(runs);
    isNeeded = runs.usesVectors;
    if (isNeeded) {
      branch.getThenRegion().walk([&](mlir::gpu::LaunchOp launch) {
        launch->setAttr(kAlignmentAttr, b.getI64IntegerAttr(kAlignment));
      });
      b.setInsertionPoint(branch);
      branch.getConditionMutable().assign(runs.emitCondition());
    }
  }
  Runs single(code, /*width=*/1);
  if (!isNeeded) {
    b.setInsertionPointAfter(branch);
    branch.erase();
    return emitLaunch(single);
  }
  b.setInsertionPointToStart(branch.elseBlock());
  emitLaunch(single);
  b.setInsertionPointAfter(branch);
}

static int64_t getCost(linalg::GenericOp op) {
  int64_t cost = kernel::bodyCost(op);
  for (Operation &inner : op.getBody()->without_terminator())
    if (isa_and_nonnull<math::MathDialect>(inner.getDialect()) &&
        !isa<math::AbsFOp, math::FmaOp>(inner) &&
        inner.getResult(0).getType().isF64())
      cost += kDoubleCost;
  return cost;
}

int64_t Runs::chooseWidth(KernelCode &code, const Index &size) {
  int64_t bytes = 1, cost = 0;
  unsigned numInputs = code.source.getNumArguments() - code.numOutputs();
  for (BlockArgument arg : code.source.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(arg.getType());
    if (!type || type.getRank() == 0)
      continue;
    // A row of indices, for example, does not extend along the run.
    bool isOutput = arg.getArgNumber() >= numInputs;
    if (!isOutput && !type.getElementType().isFloat())
      continue;
    bytes = std::max(bytes, codegen::getElementBytes(type.getElementType()));
  }
  for (auto op : code.source.getBody().front().getOps<linalg::GenericOp>())
    cost += getCost(op);
  bool isPlain = code.machine.matrixUnit == kernel::MatrixUnit::None;
  int64_t width = std::clamp<int64_t>(kAlignment / bytes, 1,
                                      isPlain ? kMaxPlainWidth : kMaxWidth);
  while (width > 1 && (width * cost > kMaxCost ||
                       (size.isStatic() && size.constant % width)))
    width /= 2;
  return width;
}
