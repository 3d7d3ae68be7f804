//===- Loops.cpp - loops over sub-graphs ----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// while_loop becomes scf.while; map_impl, scan and associative_scan become
// scf.for. The sub-graphs are lowered into the loops' regions.
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "NodeLowering.h"

#include "fx/IR/HigherOrder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace fx::lin {

namespace {
/// A value that a loop carries: a tensor of fixed sizes, or a number.
struct Slot {
  bool isTensor = false;
  Sizes sizes;
  Type dtype;
  Number::Kind kind = Number::Kind::Int;
  Type type;
};

/// The values that a loop carries, as builtin values: the loop's operands, the
/// arguments of its regions and its results.
class Carried {
public:
  explicit Carried(NodeLowering &n) : n(n) {}

  /// Adds a value that starts as `first`.
  LogicalResult add(const Lowered &first);
  /// Adds a tensor that is filled row by row.
  void addRows(FakeTensorType type);

  size_t size() const { return slots.size(); }
  ArrayRef<Value> getFirst() const { return first; }
  TypeRange getTypes() const { return types; }
  /// Returns the lowered form of a region's arguments.
  SmallVector<Lowered> enter(ValueRange arguments) const;
  /// Returns `lowered` as value `slot` of the next iteration. Returns null,
  /// with the reason noted, if it has another type or size.
  Value leave(unsigned slot, const Lowered &lowered) const;
  /// Sets result `i` of the node to `value`, the loop's result for `slot`.
  LogicalResult setResult(unsigned i, unsigned slot, Value value) const;

private:
  NodeLowering &n;
  SmallVector<Slot> slots;
  SmallVector<Value> first;
  SmallVector<Type> types;
};
} // namespace

LogicalResult Carried::add(const Lowered &lowered) {
  Slot slot;
  if (lowered.kind == Lowered::Kind::Tensor) {
    slot.isTensor = true;
    slot.sizes = lowered.tensor.sizes;
    slot.dtype = lowered.tensor.dtype;
    if (!isSupported(slot.dtype))
      return n.fail("a carried tensor's dtype has no native code");
  } else if (lowered.kind == Lowered::Kind::Number) {
    slot.kind = lowered.number.kind;
  } else {
    return n.fail("a carried value is neither tensor nor number");
  }
  Value value = n.graph.builtinValue(n.b.loc, lowered);
  if (slot.isTensor)
    value = n.b.withType(value, slot.sizes, slot.dtype);
  slot.type = value.getType();
  slots.push_back(slot);
  first.push_back(value);
  types.push_back(slot.type);
  return success();
}

void Carried::addRows(FakeTensorType type) {
  Slot slot;
  slot.isTensor = true;
  slot.sizes.assign(type.getSizes().begin(), type.getSizes().end());
  slot.dtype = type.getDtype();
  Value value = n.b.empty(slot.sizes, slot.dtype);
  slot.type = value.getType();
  slots.push_back(slot);
  first.push_back(value);
  types.push_back(slot.type);
}

SmallVector<Lowered> Carried::enter(ValueRange arguments) const {
  SmallVector<Lowered> result;
  for (auto [slot, argument] : llvm::zip(slots, arguments)) {
    if (slot.isTensor) {
      result.push_back(Tensor(argument, slot.sizes, slot.dtype));
      continue;
    }
    Number number;
    number.kind = slot.kind;
    number.value = argument;
    result.push_back(n.graph.named(n.b.loc, number));
  }
  return result;
}

Value Carried::leave(unsigned index, const Lowered &lowered) const {
  const Slot &slot = slots[index];
  Builder &b = n.b;
  if (!slot.isTensor) {
    if (lowered.kind != Lowered::Kind::Number) {
      (void)n.fail("the body gives a tensor where the loop carries a number");
      return {};
    }
    return b.number(lowered.number, slot.type);
  }
  if (lowered.kind != Lowered::Kind::Tensor ||
      lowered.tensor.dtype != slot.dtype ||
      lowered.tensor.rank() != int64_t(slot.sizes.size())) {
    (void)n.fail("the body gives a tensor of another type");
    return {};
  }
  for (auto [have, want] : llvm::zip(lowered.tensor.sizes, slot.sizes)) {
    if (have == want)
      continue;
    if (have.isInteger() && want.isInteger()) {
      (void)n.fail("the body gives a tensor of another size");
      return {};
    }
    b.check(arith::CmpIOp::create(b.b, b.loc, arith::CmpIPredicate::eq,
                                  b.index(have), b.index(want)),
            "expected a loop's tensor to keep its size");
  }
  return b.withType(n.graph.builtinValue(b.loc, lowered), slot.sizes,
                    slot.dtype);
}

LogicalResult Carried::setResult(unsigned i, unsigned index,
                                 Value value) const {
  const Slot &slot = slots[index];
  if (slot.isTensor)
    return n.set(i, Tensor(value, slot.sizes, slot.dtype));
  Type type = n.op->getResult(i).getType();
  if (builtinType(type) != value.getType())
    return n.fail("the loop gives a number of another type");
  n.graph.set(n.op->getResult(i), Lowered(n.graph.named(n.b.loc, type, value)));
  return success();
}

static Block *addBlock(OpBuilder &b, Region &region, TypeRange types,
                       Location loc) {
  return b.createBlock(&region, region.end(), types,
                       SmallVector<Location>(types.size(), loc));
}

//===----------------------------------------------------------------------===//
// while_loop
//===----------------------------------------------------------------------===//

/// Returns the result of the condition graph as i1; null, with the reason
/// noted, if it is not one truth value.
static Value lowerTruth(NodeLowering &n, const Lowered &lowered) {
  Builder &b = n.b;
  if (lowered.kind == Lowered::Kind::Number)
    return b.number(lowered.number, b.b.getI1Type());
  if (lowered.kind != Lowered::Kind::Tensor ||
      llvm::any_of(lowered.tensor.sizes,
                   [](ExprAttr size) { return size.getInteger() != 1; })) {
    (void)n.fail("the condition is not one truth value");
    return {};
  }
  return b.element(b.cast(lowered.tensor, b.b.getI1Type()));
}

static LogicalResult lowerWhile(NodeLowering &n) {
  FailureOr<HigherOrderView> view = HigherOrderView::get(n.op);
  if (failed(view))
    return n.fail("the arguments are not those of a loop");
  Builder &b = n.b;
  SmallVector<Lowered> start, additional;
  if (failed(lowerArguments(n, view->getCarried(), start)) ||
      failed(lowerArguments(n, view->getAdditional(), additional)))
    return failure();
  Carried carried(n);
  for (const Lowered &lowered : start)
    if (failed(carried.add(lowered)))
      return failure();

  auto loop =
      scf::WhileOp::create(b.b, b.loc, carried.getTypes(), carried.getFirst());
  {
    OpBuilder::InsertionGuard guard(b.b);
    Block *before = addBlock(b.b, loop.getBefore(), carried.getTypes(), b.loc);
    SmallVector<Lowered> operands = carried.enter(before->getArguments());
    llvm::append_range(operands, additional);
    auto results = n.graph.inlineGraph(view->getGraphs()[0], operands);
    if (failed(results) || results->size() != 1)
      return n.fail("the condition cannot be inlined");
    Value condition = lowerTruth(n, results->front());
    if (!condition)
      return failure();
    scf::ConditionOp::create(b.b, b.loc, condition, before->getArguments());
  }
  {
    OpBuilder::InsertionGuard guard(b.b);
    Block *after = addBlock(b.b, loop.getAfter(), carried.getTypes(), b.loc);
    SmallVector<Lowered> operands = carried.enter(after->getArguments());
    llvm::append_range(operands, additional);
    auto results = n.graph.inlineGraph(view->getBody(), operands);
    if (failed(results) || results->size() != carried.size())
      return n.fail("the body cannot be inlined");
    SmallVector<Value> next;
    for (auto [i, lowered] : llvm::enumerate(*results)) {
      next.push_back(carried.leave(i, lowered));
      if (!next.back())
        return failure();
    }
    scf::YieldOp::create(b.b, b.loc, next);
  }
  for (unsigned i = 0; i < n.numResults(); ++i)
    if (failed(carried.setResult(i, i, loop.getResult(i))))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// map_impl, scan, associative_scan
//===----------------------------------------------------------------------===//

/// Lowers the tensors that a loop iterates over, row by row, and emits
/// assertions that they have equal numbers of rows.
static LogicalResult lowerScanned(NodeLowering &n, ArrayRef<Argument> args,
                                  SmallVectorImpl<Tensor> &scanned) {
  SmallVector<Lowered> all;
  if (failed(lowerArguments(n, args, all)))
    return failure();
  if (all.empty())
    return n.fail("nothing to iterate over");
  for (const Lowered &lowered : all) {
    if (lowered.kind != Lowered::Kind::Tensor || lowered.tensor.rank() == 0)
      return n.fail("cannot iterate over what has no dimension");
    if (!isSupported(lowered.tensor.dtype))
      return n.fail("a tensor's dtype has no native code");
    scanned.push_back(lowered.tensor);
  }
  Builder &b = n.b;
  ExprAttr length = scanned.front().sizes.front();
  for (const Tensor &t : ArrayRef<Tensor>(scanned).drop_front()) {
    ExprAttr other = t.sizes.front();
    if (other.isProvablyDifferent(length))
      return n.fail("the tensors have different lengths");
    if (other != length)
      b.check(arith::CmpIOp::create(b.b, b.loc, arith::CmpIPredicate::eq,
                                    b.index(length), b.index(other)),
              "expected tensors of equal length to iterate over");
  }
  return success();
}

static SmallVector<Lowered> selectRows(NodeLowering &n,
                                       ArrayRef<Tensor> scanned,
                                       OpFoldResult at, bool keepDim) {
  SmallVector<Lowered> rows;
  for (const Tensor &t : scanned) {
    Tensor row = n.b.select(t, 0, at);
    rows.push_back(keepDim ? n.b.unsqueeze(row, 0) : row);
  }
  return rows;
}

/// Returns `rows` with row `at` set to `row`, which may keep its dimension as
/// size 1. Returns null, with the reason noted, if it does not fit.
static Value insertRow(NodeLowering &n, const Lowered &row, FakeTensorType type,
                       Value rows, OpFoldResult at) {
  Builder &b = n.b;
  auto sizes = ArrayRef<ExprAttr>(type.getSizes());
  if (row.kind != Lowered::Kind::Tensor ||
      row.tensor.dtype != type.getDtype() ||
      (row.tensor.rank() != type.getRank() &&
       row.tensor.rank() + 1 != type.getRank())) {
    (void)n.fail("the body gives a row of another type");
    return {};
  }
  bool keepsDim = row.tensor.rank() == type.getRank();
  Sizes rowSizes(sizes.drop_front());
  if (keepsDim)
    rowSizes.insert(rowSizes.begin(), b.expr(1));
  for (auto [have, want] : llvm::zip(row.tensor.sizes, rowSizes)) {
    if (have == want)
      continue;
    if (have.isInteger() && want.isInteger()) {
      (void)n.fail("the body gives a row of another size");
      return {};
    }
    b.check(arith::CmpIOp::create(b.b, b.loc, arith::CmpIPredicate::eq,
                                  b.index(have), b.index(want)),
            "expected a loop's rows to have equal sizes");
  }
  Value part =
      b.withType(n.graph.builtinValue(b.loc, row), rowSizes, type.getDtype());
  SmallVector<OpFoldResult> offsets(sizes.size(), b.b.getIndexAttr(0)),
      strides(sizes.size(), b.b.getIndexAttr(1)), lengths = b.fold(sizes);
  offsets[0] = at;
  lengths[0] = b.b.getIndexAttr(1);
  return b.insert(part, rows, offsets, lengths, strides);
}

namespace {
/// The operands of a loop over rows.
struct RowOperands {
  /// True for an associative scan, which carries its results for the row
  /// before.
  bool isAssociative = false;
  /// The carried values of the first iteration.
  SmallVector<Lowered> start;
  SmallVector<Lowered> additional;
  SmallVector<Tensor> scanned;
  /// True if the body takes rows that keep their dimension, as size 1.
  bool keepDim = false;

  size_t getNumCarried() const { return start.size(); }
  /// Returns the number of the first result that is a tensor of rows.
  unsigned getFirstRows() const { return isAssociative ? 0 : start.size(); }
};
} // namespace

/// Lowers the operands of a loop over rows. An associative scan starts with the
/// first row of each tensor.
static LogicalResult lowerRowOperands(NodeLowering &n,
                                      const HigherOrderView &view,
                                      RowOperands &operands) {
  if (failed(lowerArguments(n, view.getCarried(), operands.start)) ||
      failed(lowerArguments(n, view.getAdditional(), operands.additional)) ||
      failed(lowerScanned(n, view.getScanned(), operands.scanned)))
    return failure();
  operands.isAssociative = view.getFlow() == Flow::AssociativeScan;
  if (!operands.isAssociative)
    return success();
  Builder &b = n.b;
  const Tensor &front = operands.scanned.front();
  GraphOp body = view.getBody();
  auto placeholders = body.getPlaceholders();
  auto type =
      dyn_cast<FakeTensorType>(placeholders.front().getResult().getType());
  operands.keepDim = type && type.getRank() == front.rank();
  ExprAttr length = front.sizes.front();
  if (length.getInteger() == 0)
    return n.fail("there is nothing to scan");
  if (!length.isInteger())
    b.check(arith::CmpIOp::create(b.b, b.loc, arith::CmpIPredicate::sgt,
                                  b.index(length), b.index(0)),
            "expected at least one row to scan");
  operands.start =
      selectRows(n, operands.scanned, b.b.getIndexAttr(0), operands.keepDim);
  return success();
}

/// Lowers the body into the region of `loop`. The body takes carried values,
/// rows and additional values, and returns the carried values and then rows.
static LogicalResult lowerRowBody(NodeLowering &n, GraphOp body,
                                  const RowOperands &operands,
                                  const Carried &carried, scf::ForOp loop) {
  Builder &b = n.b;
  size_t numCarried = operands.getNumCarried();
  unsigned firstRows = operands.getFirstRows();
  OpBuilder::InsertionGuard guard(b.b);
  if (!loop.getBody()->empty())
    loop.getBody()->getTerminator()->erase();
  b.b.setInsertionPointToEnd(loop.getBody());
  Value at = loop.getInductionVar();
  ValueRange arguments = loop.getRegionIterArgs();
  SmallVector<Lowered> inputs = carried.enter(arguments.take_front(numCarried));
  llvm::append_range(inputs,
                     selectRows(n, operands.scanned, at, operands.keepDim));
  llvm::append_range(inputs, operands.additional);
  auto results = n.graph.inlineGraph(body, inputs);
  if (failed(results) ||
      results->size() != (operands.isAssociative ? numCarried : n.numResults()))
    return n.fail("the body cannot be inlined");
  SmallVector<Value> next;
  for (unsigned i = 0; i < numCarried; ++i)
    if (!next.emplace_back(carried.leave(i, (*results)[i])))
      return failure();
  for (unsigned i = firstRows; i < n.numResults(); ++i)
    if (!next.emplace_back(insertRow(n, (*results)[i], n.resultType(i),
                                     arguments[numCarried + i - firstRows],
                                     at)))
      return failure();
  scf::YieldOp::create(b.b, b.loc, next);
  return success();
}

/// Lowers map_impl, scan and associative_scan to an scf.for that carries values
/// and the tensors of rows that it fills.
static LogicalResult lowerRows(NodeLowering &n) {
  FailureOr<HigherOrderView> view = HigherOrderView::get(n.op);
  if (failed(view))
    return n.fail("the arguments are not those of a loop");
  Builder &b = n.b;
  RowOperands operands;
  if (failed(lowerRowOperands(n, *view, operands)))
    return failure();

  Carried carried(n);
  for (const Lowered &lowered : operands.start)
    if (failed(carried.add(lowered)))
      return failure();
  size_t numCarried = carried.size();
  for (unsigned i = operands.getFirstRows(); i < n.numResults(); ++i) {
    FakeTensorType type = n.resultType(i);
    if (!type || type.getRank() == 0 || !isSupported(type.getDtype()))
      return n.fail("a result is no tensor of rows");
    carried.addRows(type);
  }
  SmallVector<Value> first(carried.getFirst());
  if (operands.isAssociative)
    for (unsigned i = 0; i < numCarried; ++i) {
      Value &rows = first[numCarried + i];
      rows = insertRow(n, operands.start[i], n.resultType(i), rows,
                       b.b.getIndexAttr(0));
      if (!rows)
        return failure();
    }

  Value from = b.index(operands.isAssociative ? 1 : 0),
        to = b.index(operands.scanned.front().sizes.front()), step = b.index(1);
  auto loop = scf::ForOp::create(b.b, b.loc, from, to, step, first);
  if (failed(lowerRowBody(n, view->getBody(), operands, carried, loop)))
    return failure();
  for (unsigned i = 0; i < n.numResults(); ++i) {
    unsigned slot = operands.isAssociative ? numCarried + i : i;
    if (failed(carried.setResult(i, slot, loop.getResult(slot))))
      return failure();
  }
  return success();
}

void registerLoops(Registry &r) {
  r.add("while_loop", lowerWhile);
  r.add({"map_impl", "map", "scan", "associative_scan"}, lowerRows);
}

} // namespace fx::lin
