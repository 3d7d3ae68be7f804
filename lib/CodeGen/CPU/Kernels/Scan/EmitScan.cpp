//===- EmitScan.cpp - scans along a dimension -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the inner dimension is contiguous, vectors of its elements are
// accumulated. The rows are read in order, and the carried values of a strip of
// columns are in memory that stays in the first-level cache. If the scanned
// dimension is the contiguous one, each lane has a row: squares of elements are
// transposed in registers, and the carried values are in registers. A single
// row is accumulated element by element.
//
//===----------------------------------------------------------------------===//

#include "../Emitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

/// The number of vectors of a strip of columns.
static constexpr int64_t kStrip = 64;

namespace {
class ScanEmitter {
public:
  ScanEmitter(KernelCode &code, ScanOp op);
  void run();

private:
  /// Evaluates the body. `values` are the elements of the inputs and the
  /// carried values, scalars or vectors. Replaces the latter by the next ones.
  /// Returns the elements of the outputs.
  SmallVector<Value> step(const Index &at, ArrayRef<Value> elements,
                          MutableArrayRef<Value> carried);
  Value widen(Value v, Type element);
  /// Returns the index in the scanned dimension of iteration `i`.
  Index place(const Index &i);

  void emitColumns();
  void emitRows();
  /// Scans as many columns of `rows` as a vector has lanes, in the iterations
  /// from `first` on.
  void emitSquare(const Index &first, MutableArrayRef<Value> carried);
  /// Scans one column of `rows`, in iteration `i`.
  void emitColumn(const Index &i, MutableArrayRef<Value> carried);
  void emitRow();
  /// Emits a loop over iterations that carries `carried`.
  void
  loop(const Index &from, const Index &to, int64_t by,
       SmallVector<Value> &carried,
       llvm::function_ref<void(const Index &, MutableArrayRef<Value>)> body);

  KernelCode &code;
  ScanOp op;
  SmallVector<const Buffer *> inputs;
  /// The outputs of the kernel, and the numbers of the results of `op`.
  SmallVector<std::pair<const Buffer *, unsigned>> outputs;
  SmallVector<Value> start;
  Index outer, length, inner;
  SmallVector<Index> rows; ///< of the lanes
  Scope top, task;
};
} // namespace

ScanEmitter::ScanEmitter(KernelCode &code, ScanOp op) : code(code), op(op) {
  for (Value input : op.getInputs())
    inputs.push_back(code.buffer(input));
  for (unsigned i = 0; i < code.numOutputs(); ++i)
    outputs.push_back({code.buffer(code.outputArg(i)),
                       cast<OpResult>(code.output(i)).getResultNumber()});
  for (Value value : op.getStart())
    start.push_back(code.scalar(value));
  Value first = op.getInputs().front();
  outer = code.size(first, 0);
  length = code.size(first, 1);
  inner = code.size(first, 2);
}

Index ScanEmitter::place(const Index &i) {
  if (!op.getReverse())
    return i;
  return code.sub(code.sub(length, Index::of(1)), i);
}

SmallVector<Value> ScanEmitter::step(const Index &at, ArrayRef<Value> elements,
                                     MutableArrayRef<Value> carried) {
  OpBuilder &b = code.b;
  Block &body = op.getBody().front();
  IRMapping map;
  map.map(body.getArgument(0), code.materialize(at));
  unsigned next = 1;
  for (Value v : elements)
    map.map(body.getArgument(next++), v);
  for (Value v : carried)
    map.map(body.getArgument(next++), v);
  auto get = [&](Value v) {
    return map.contains(v) ? map.lookup(v) : code.scalar(v);
  };
  bool isVector = isa<VectorType>(carried.front().getType());
  for (Operation &inner : body.without_terminator()) {
    if (inner.hasTrait<OpTrait::ConstantLike>()) {
      b.clone(inner, map);
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(get(operand));
    bool hasVector = llvm::any_of(
        operands, [](Value v) { return isa<VectorType>(v.getType()); });
    Type type = inner.getResult(0).getType();
    if (hasVector) {
      for (Value &operand : operands)
        operand = code.splat(operand);
      type = code.vectorType(type);
    }
    Operation *clone = b.create(code.loc, inner.getName().getIdentifier(),
                                operands, type, inner.getAttrs());
    map.map(inner.getResult(0), clone->getResult(0));
  }
  SmallVector<Value> results;
  auto yielded = cast<YieldOp>(body.getTerminator()).getValues();
  for (Value v : yielded) {
    Value result = get(v);
    results.push_back(isVector ? code.splat(result) : result);
  }
  unsigned numResults = op.getNumResults();
  llvm::copy(ArrayRef(results).drop_front(numResults), carried.begin());
  results.resize(numResults);
  return results;
}

/// Sign-extends the integer `v` if `element` is wider.
Value ScanEmitter::widen(Value v, Type element) {
  if (getElementTypeOrSelf(v.getType()) == element)
    return v;
  Type type = isa<VectorType>(v.getType()) ? code.vectorType(element) : element;
  return arith::ExtSIOp::create(code.b, code.loc, type, v);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

void ScanEmitter::emitColumns() {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  int64_t strip = kStrip * code.lanes;
  if (inner.isStatic())
    strip = std::min<int64_t>(strip, llvm::alignTo(inner.constant, code.lanes));
  int64_t work = length.isStatic() ? length.constant * strip : 0;
  SmallVector<Index> ivs;
  Operation *forall = code.beginForall(
      top, task, {outer, code.ceilDiv(inner, strip)}, ivs, work);
  Index first = code.mul(ivs[1], Index::of(strip));
  bool isWhole = inner.isStatic() && inner.constant % strip == 0;
  Index width = isWhole ? Index::of(strip)
                        : code.min(code.sub(inner, first), Index::of(strip));
  // Vectors of carried values are loaded and stored as a whole.
  SmallVector<Value> memory;
  for (Value value : start) {
    auto type = MemRefType::get({strip}, value.getType());
    memory.push_back(
        memref::AllocaOp::create(b, loc, type, b.getI64IntegerAttr(64)));
    Scope init;
    scf::ForOp loop =
        code.beginFor(task, init, Index::of(0), Index::of(strip), code.lanes);
    vector::StoreOp::create(b, loc, code.splat(value), memory.back(),
                            loop.getInductionVar());
    code.endFor(loop);
  }
  Scope along;
  scf::ForOp loop = code.beginFor(task, along, Index::of(0), length, 1);
  Index at = place(Index(loop.getInductionVar()));
  code.forVectors(along, Index::of(0), width, [&](Scope &, const Index &i) {
    Coords coords{{ivs[0], 0}, {at, 0}, {code.add(first, i), 1}};
    SmallVector<Value> elements, carried;
    for (const Buffer *input : inputs)
      elements.push_back(code.load(*input, coords));
    Value column = code.materialize(i);
    for (auto [place, value] : llvm::zip(memory, start))
      carried.push_back(vector::LoadOp::create(
          b, loc, code.vectorType(value.getType()), place, column));
    SmallVector<Value> results = step(at, elements, carried);
    for (auto [place, value] : llvm::zip(memory, carried))
      vector::StoreOp::create(b, loc, value, place, column);
    for (auto [buffer, result] : outputs)
      code.store(*buffer, coords, widen(results[result], buffer->element));
  });
  code.endFor(loop);
  code.endForall(forall);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void ScanEmitter::emitSquare(const Index &first,
                             MutableArrayRef<Value> carried) {
  // The square of iterations from `first` on begins at the last of their
  // elements if the direction is reversed.
  int64_t n = code.lanes;
  Index begin = first;
  if (op.getReverse())
    begin = code.sub(code.sub(length, first), Index::of(n));
  auto coords = [&](const Index &row) {
    return Coords{{row, 0}, {begin, 1}, {Index::of(0), 0}};
  };
  SmallVector<SmallVector<Value>> squares, results(outputs.size());
  for (const Buffer *input : inputs) {
    SmallVector<Value> &square = squares.emplace_back();
    for (const Index &row : rows)
      square.push_back(code.load(*input, coords(row)));
    transposeVectors(code, square);
  }
  auto iteration = [&](int64_t i) { return op.getReverse() ? n - 1 - i : i; };
  for (auto &result : results)
    result.resize(n);
  for (int64_t i = 0; i < n; ++i) {
    int64_t column = iteration(i);
    SmallVector<Value> elements;
    for (auto &square : squares)
      elements.push_back(square[column]);
    SmallVector<Value> all =
        step(place(code.add(first, Index::of(i))), elements, carried);
    for (auto [k, output] : llvm::enumerate(outputs))
      results[k][column] = all[output.second];
  }
  for (auto [output, square] : llvm::zip(outputs, results)) {
    transposeVectors(code, square);
    for (auto [row, v] : llvm::zip(rows, square))
      code.store(*output.first, coords(row), widen(v, output.first->element));
  }
}

void ScanEmitter::emitColumn(const Index &i, MutableArrayRef<Value> carried) {
  OpBuilder &b = code.b;
  Index at = place(i);
  auto coords = [&](const Index &row) {
    return Coords{{row, 0}, {at, 0}, {Index::of(0), 0}};
  };
  SmallVector<Value> elements;
  for (const Buffer *input : inputs) {
    SmallVector<Value> lanes;
    for (const Index &row : rows)
      lanes.push_back(code.load(*input, coords(row)));
    elements.push_back(vector::FromElementsOp::create(
        b, code.loc, code.vectorType(lanes.front().getType()), lanes));
  }
  SmallVector<Value> results = step(at, elements, carried);
  for (auto [buffer, result] : outputs) {
    Value v = widen(results[result], buffer->element);
    for (auto [lane, row] : llvm::enumerate(rows))
      code.store(*buffer, coords(row),
                 vector::ExtractOp::create(b, code.loc, v, lane));
  }
}

void ScanEmitter::loop(
    const Index &from, const Index &to, int64_t by, SmallVector<Value> &carried,
    llvm::function_ref<void(const Index &, MutableArrayRef<Value>)> body) {
  if (from == to)
    return;
  Scope scope;
  scf::ForOp loop = code.beginFor(task, scope, from, to, by, carried);
  SmallVector<Value> next(loop.getRegionIterArgs());
  body(Index(loop.getInductionVar()), next);
  code.endFor(loop, next);
  carried.assign(loop.getResults().begin(), loop.getResults().end());
}

void ScanEmitter::emitRows() {
  // A square of 64-bit elements has half as many rows.
  for (Type type : op.getBody().front().getTerminator()->getOperandTypes())
    if (type.getIntOrFloatBitWidth() == 64)
      code.lanes = std::max<int64_t>(2, code.machine.lanes / 2);
  int64_t n = code.lanes;
  int64_t work = length.isStatic() ? length.constant * n : 0;
  SmallVector<Index> ivs;
  Operation *forall =
      code.beginForall(top, task, {code.ceilDiv(outer, n)}, ivs, work);
  // The last lanes repeat the last row.
  Index last = code.sub(outer, Index::of(1));
  for (int64_t i = 0; i < n; ++i)
    rows.push_back(
        code.min(code.add(code.mul(ivs[0], Index::of(n)), Index::of(i)), last));
  SmallVector<Value> carried;
  for (Value value : start)
    carried.push_back(code.splat(value));
  Index whole = code.mul(code.floorDiv(length, n), Index::of(n));
  loop(Index::of(0), whole, n, carried,
       [&](const Index &i, MutableArrayRef<Value> next) {
         emitSquare(i, next);
       });
  loop(whole, length, 1, carried,
       [&](const Index &i, MutableArrayRef<Value> next) {
         emitColumn(i, next);
       });
  code.endForall(forall);
}

void ScanEmitter::emitRow() {
  task.parent = &top;
  SmallVector<Value> carried(start);
  loop(Index::of(0), length, 1, carried,
       [&](const Index &i, MutableArrayRef<Value> next) {
         Coords coords{{Index::of(0), 0}, {place(i), 0}, {Index::of(0), 0}};
         SmallVector<Value> elements;
         for (const Buffer *input : inputs)
           elements.push_back(code.load(*input, coords));
         SmallVector<Value> results = step(place(i), elements, next);
         for (auto [buffer, result] : outputs)
           code.store(*buffer, coords, widen(results[result], buffer->element));
       });
}

void ScanEmitter::run() {
  if (llvm::is_contained(inputs, nullptr))
    return code.fail("a scan of a computed tensor");
  if (!(inner == Index::of(1)))
    return emitColumns();
  return outer == Index::of(1) ? emitRow() : emitRows();
}

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

static void emitScan(KernelCode &code) {
  ScanEmitter(code, code.output(0).getDefiningOp<ScanOp>()).run();
}

static std::optional<KernelMatch> matchScan(func::FuncOp kernel,
                                            const TargetInfo &) {
  Block &body = kernel.getBody().front();
  auto op = body.getTerminator()->getOperand(0).getDefiningOp<ScanOp>();
  if (!op)
    return std::nullopt;
  return KernelMatch{op, ScanAttr::get(kernel.getContext())};
}

namespace fx::cpu {
KernelClass getScanClass() {
  return {ScanAttr::getMnemonic(), /*benefit=*/2, matchScan, emitScan};
}
} // namespace fx::cpu
