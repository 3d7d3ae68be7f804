//===- Strided.cpp - views by strides -------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view by strides refers to the storage of its operand. It is lowered only if
// the operand's elements are the storage from its start on, in row-major order,
// and if the view stays inside them.
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "NodeLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

namespace {
/// A view of the flattened operand: an element is at the offset plus the sum of
/// index * stride.
struct View {
  Sizes sizes, strides;
  ExprAttr offset;
};
} // namespace

/// Returns true if the elements of an operand of this type are in row-major
/// order in its storage, without gaps and from the offset 0 on.
static bool isDense(FakeTensorType type) {
  MetaAttr meta = type.getMeta();
  if (!meta)
    return true;
  ExprAttr offset = meta.getStorageOffset();
  if (meta.getLayout() || (offset && offset.getInteger() != 0))
    return false;
  if (meta.getStrides().empty())
    return true;
  ExprAttr step = ExprAttr::integer(type.getContext(), 1);
  for (auto [size, stride] :
       llvm::reverse(llvm::zip_equal(type.getSizes(), meta.getStrides()))) {
    if (size.getInteger() == 1)
      continue;
    if (stride != step)
      return false;
    step = ExprAttr::mul(type.getContext(), {step, size});
    if (!step)
      return false;
  }
  return true;
}

/// Reports an error that excludes the fallback to ATen. ATen gets the operand's
/// elements in row-major order without gaps, so it does not know the storage
/// either.
static LogicalResult refuseMemory(NodeLowering &n, FakeTensorType type) {
  n.graph.fatal = true;
  return n.op->emitError("'")
         << n.target() << "' has no native code: expected an operand whose "
         << "memory is known, got " << type;
}

/// Reads the arguments size, stride and storage_offset. Fails unless `self` is
/// dense.
static FailureOr<View> readView(NodeLowering &n) {
  View view;
  view.sizes = n.sizes("size");
  view.strides = n.sizes("stride");
  view.offset = n.size("storage_offset", 0);
  Argument self = n.arg("self");
  auto type = self.isValue()
                  ? dyn_cast<FakeTensorType>(self.getValue().getType())
                  : FakeTensorType();
  if (n.failed() || !type)
    return n.fail("the operand is no tensor");
  if (!isDense(type))
    return refuseMemory(n, type);
  if (view.sizes.size() != view.strides.size())
    return n.fail("sizes and strides differ in number");
  return view;
}

/// Checks that the view stays inside a storage of `count` elements: now if all
/// sizes and strides are static, else by an assertion at run time. As PyTorch
/// demands, neither the offset nor a stride is negative.
static LogicalResult checkInside(NodeLowering &n, const View &view,
                                 ExprAttr count) {
  Builder &b = n.b;
  Scalars ix(b.b, b.loc, b.b.getIndexType());
  StringRef outside = "the view leaves the operand's memory";
  std::optional<int64_t> known = view.offset.getInteger();
  if (known && *known < 0)
    return n.fail(outside);
  for (auto [size, stride] : llvm::zip(view.sizes, view.strides)) {
    std::optional<int64_t> s = size.getInteger(), step = stride.getInteger();
    if (step && *step < 0)
      return n.fail("a stride is negative");
    if (!known || !s || !step) {
      known.reset();
      continue;
    }
    int64_t reach;
    if (llvm::MulOverflow(*s - 1, *step, reach) ||
        llvm::AddOverflow(*known, reach, *known))
      return n.fail(outside);
  }
  if (known && count.isInteger())
    return *known < *count.getInteger() ? success() : n.fail(outside);
  Value zero = ix.integer(0), last = b.index(view.offset),
        inside = ix.ge(last, zero);
  for (auto [size, stride] : llvm::zip(view.sizes, view.strides)) {
    Value step = b.index(stride);
    if (!stride.isInteger())
      inside = arith::AndIOp::create(b.b, b.loc, inside, ix.ge(step, zero));
    last = ix.add(last, ix.mul(ix.sub(b.index(size), ix.integer(1)), step));
  }
  inside =
      arith::AndIOp::create(b.b, b.loc, inside, ix.lt(last, b.index(count)));
  b.check(inside, n.target().str() + ": " + outside.str());
  return success();
}

/// Returns the place in the flattened operand of the view's element `at`.
static Value placeOf(Builder &b, const View &view, ArrayRef<Value> strides,
                     Value offset, ArrayRef<Value> at) {
  Scalars ix(b.b, b.loc, b.b.getIndexType());
  Value r = offset;
  for (auto [i, stride] : llvm::zip(at, strides))
    r = ix.add(r, ix.mul(i, stride));
  return r;
}

static SmallVector<Value> strideValues(Builder &b, const View &view) {
  return llvm::map_to_vector(view.strides,
                             [&](ExprAttr e) { return b.index(e); });
}

/// Lowers as_strided(self, size, stride, storage_offset).
static LogicalResult lowerAsStrided(NodeLowering &n) {
  Tensor x = n.tensor("self");
  FailureOr<View> view = readView(n);
  if (failed(view) || !n.resultType())
    return n.fail("the result is no tensor");
  Builder &b = n.b;
  Sizes flat = {b.product(x.sizes)};
  if (isEmpty(view->sizes))
    return n.result(
        Tensor(b.empty(view->sizes, x.dtype), view->sizes, x.dtype));
  if (failed(checkInside(n, *view, flat[0])))
    return failure();
  SmallVector<Value> strides = strideValues(b, *view);
  Value offset = b.index(view->offset);
  return n.result(b.read(
      b.reshape(x, flat), {}, view->sizes,
      [&](Scalars &s, ValueRange, ArrayRef<Value> i) -> SmallVector<Value> {
        Builder inner(s.b, s.loc, b.symbols);
        return {placeOf(inner, *view, strides, offset, i)};
      }));
}

/// Lowers as_strided_scatter(self, src, size, stride, storage_offset).
static LogicalResult lowerAsStridedScatter(NodeLowering &n) {
  Tensor x = n.tensor("self"), source = n.tensor("src");
  FailureOr<View> view = readView(n);
  if (failed(view) || source.rank() != int64_t(view->sizes.size()))
    return n.fail("the source does not fit the view");
  Builder &b = n.b;
  if (isEmpty(view->sizes))
    return n.result(x);
  Sizes flat = {b.product(x.sizes)};
  if (failed(checkInside(n, *view, flat[0])))
    return failure();
  SmallVector<Value> strides = strideValues(b, *view);
  Value offset = b.index(view->offset),
        from = b.materialize(b.cast(source, x.dtype));
  Value written = loopNest(
      b, view->sizes, b.materialize(b.reshape(x, flat)),
      [&](ArrayRef<Value> i, Value carried) -> Value {
        Value v = tensor::ExtractOp::create(b.b, b.loc, from, i);
        return tensor::InsertOp::create(b.b, b.loc, v, carried,
                                        placeOf(b, *view, strides, offset, i));
      });
  return n.result(b.reshape(Tensor(written, flat, x.dtype), x.sizes));
}

/// Lowers resize(self, size) and resize_as(self, the_template): takes the first
/// elements of the storage. Elements beyond those of the operand are 0.
static LogicalResult lowerResize(NodeLowering &n) {
  Tensor x = n.tensor("self");
  Argument self = n.arg("self");
  auto type = self.isValue()
                  ? dyn_cast<FakeTensorType>(self.getValue().getType())
                  : FakeTensorType();
  if (n.failed() || !n.resultType() || !type)
    return n.fail("the operand is no tensor");
  if (!isDense(type))
    return refuseMemory(n, type);
  Builder &b = n.b;
  Sizes sizes(n.resultSizes());
  ExprAttr have = b.product(x.sizes), want = b.product(sizes);
  if (!have.isInteger() || !want.isInteger())
    return n.fail("the number of elements is not known");
  Tensor flat = b.reshape(x, {have});
  int64_t more = *want.getInteger() - *have.getInteger();
  if (more > 0) {
    Scalars s(b.b, b.loc, x.dtype);
    flat = b.pad(flat, {b.expr(0)}, {b.expr(more)}, s.integer(0));
  } else if (more < 0) {
    flat = b.slice(flat, 0, b.expr(0), want, b.expr(1));
  }
  return n.result(b.reshape(flat, sizes));
}

/// Lowers sym_storage_offset(self) to the offset in the operand's type, or 0.
static LogicalResult lowerStorageOffset(NodeLowering &n) {
  Argument self = n.arg("self");
  auto type = self.isValue()
                  ? dyn_cast<FakeTensorType>(self.getValue().getType())
                  : FakeTensorType();
  if (!type)
    return n.fail("the operand is no tensor");
  // The symbol that the node defines occurs in types only.
  if (n.op->use_empty())
    return success();
  Number offset;
  offset.expr = type.getMeta() ? type.getMeta().getStorageOffset() : ExprAttr();
  if (!offset.expr)
    offset.expr = n.b.expr(0);
  if (!n.b.symbols.canEvaluate(offset.expr))
    return n.fail("the offset is not known");
  return n.set(0, offset);
}

void registerStrided(Registry &r) {
  r.addWithFloat8({"aten.as_strided.default", "aten.as_strided_copy.default"},
                  lowerAsStrided);
  r.add("aten.as_strided_scatter.default", lowerAsStridedScatter);
  r.add({"aten.resize.default", "aten.resize_as.default"}, lowerResize);
  r.add("aten.sym_storage_offset.default", lowerStorageOffset);
  r.addComplex("aten.sym_storage_offset.default", lowerStorageOffset);
}

} // namespace fx::lin
