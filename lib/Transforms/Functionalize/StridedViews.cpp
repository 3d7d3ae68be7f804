//===- StridedViews.cpp - views by strides as views of storages -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %t = call_function @aten.t.default(%x)
//   %v = call_function @aten.as_strided.default(%t, [2, 3], [3, 1])
//
// addresses the memory of %x, whatever elements of it %t shows. It becomes
//
//   %v = call_function @aten.as_strided.default(%x, [2, 3], [3, 1], 0)
//
// if %x is contiguous. Otherwise the operand becomes a permutation of %x, in
// the order in which its elements lie in memory. In torch this is the same
// view. As an operator on values it is well-defined: the memory that it
// addresses is the elements of its operand in order.
//
//===----------------------------------------------------------------------===//

#include "../Aliases.h"
#include "Functionalizer.h"
#include "fx/IR/Metadata.h"
#include "fx/Transforms/StridedMemory.h"

using namespace mlir;
using namespace fx;
using namespace fx::functionalize;

namespace {
/// Rewrites one operator that addresses memory by strides.
struct StorageAddresser {
  NodeNamer &namer;
  CallFunctionOp op;
  SmallPtrSetImpl<Operation *> &memories;
  OpBuilder b{op};
  MLIRContext *ctx = op.getContext();

  Value call(StringRef target, Type type, ArrayRef<ArgumentTree> args,
             ArrayRef<StringRef> keywords = {}) {
    StringRef name = target.split('.').second.rsplit('.').first;
    return createCall(b, namer.rename(op.getLoc(), name), target, type, args,
                      keywords)
        ->getResult(0);
  }

  ArgumentTree list(ArrayRef<ExprAttr> integers) {
    SmallVector<ArgumentTree> trees;
    for (ExprAttr e : integers)
      trees.push_back(ArgumentTree::integer(ctx, *e.getInteger()));
    return ArgumentTree::list(ctx, trees);
  }

  Value permute(Value value, ArrayRef<int64_t> order) {
    auto type = cast<FakeTensorType>(value.getType());
    SmallVector<ArgumentTree> dims;
    SmallVector<ExprAttr> sizes;
    for (int64_t dim : order) {
      dims.push_back(ArgumentTree::integer(ctx, dim));
      sizes.push_back(type.getSizes()[dim]);
    }
    return call("aten.permute.default", type.withoutMeta().withSizes(sizes),
                {value, ArgumentTree::list(ctx, dims)});
  }

  /// Returns a tensor whose elements, in order, are the memory of `value`.
  /// Returns null if the memory has gaps and `op` can address them.
  Value inMemoryOrder(Value value) {
    auto type = cast<FakeTensorType>(value.getType());
    if (isContiguous(type))
      return value;
    if (std::optional<SmallVector<int64_t>> order = getMemoryOrder(type))
      return permute(value, *order);
    return showsElements(op, type) ? withGaps(value) : Value();
  }

  /// Returns the memory from the first to the last element of `value`, with
  /// zeros in the gaps; null if the addresses are not known. Adds the operation
  /// to `memories`: a write to this memory is a write to the elements.
  Value withGaps(Value value) {
    auto type = cast<FakeTensorType>(value.getType());
    std::optional<SmallVector<int64_t>> addresses = getElementAddresses(type);
    if (!addresses || addresses->empty())
      return {};
    int64_t first = *llvm::min_element(*addresses),
            last = *llvm::max_element(*addresses);
    if (first != addresses->front())
      return {};
    auto memory = FakeTensorType::get(
        {ExprAttr::integer(ctx, last - first + 1)}, type.getDtype());
    Value zeros = call(
        "aten.zeros.default", memory,
        {list(memory.getSizes()), Attribute(TypeAttr::get(type.getDtype()))},
        {"dtype"});
    Value filled = call("aten.as_strided_scatter.default", memory,
                        {zeros, value, list(type.getSizes()),
                         list(type.getMeta().getStrides()),
                         ArgumentTree::integer(ctx, 0)});
    memories.insert(filled.getDefiningOp());
    return filled;
  }

  /// Reinterprets contiguous elements as elements of another dtype. Returns
  /// null if this is not possible.
  Value asDtype(Value value, Type dtype) {
    auto type = cast<FakeTensorType>(value.getType());
    if (type.getDtype() == dtype)
      return value;
    SmallVector<ExprAttr> sizes(type.getSizes());
    auto complex = dyn_cast<ComplexType>(type.getDtype());
    if (complex && complex.getElementType() == dtype) {
      sizes.push_back(ExprAttr::integer(ctx, 2));
      return call("aten.view_as_real.default",
                  FakeTensorType::get(sizes, dtype), {value});
    }
    ExprAttr count = ExprAttr::mul(ctx, sizes);
    int64_t from = getBytes(type.getDtype()), to = getBytes(dtype);
    if (!count || !count.isInteger() || !from || !to ||
        *count.getInteger() * from % to != 0)
      return {};
    Value flat = call(
        "aten.view.default", FakeTensorType::get({count}, type.getDtype()),
        {value, ArgumentTree::list(ctx, {ArgumentTree::integer(ctx, -1)})});
    ExprAttr all = ExprAttr::integer(ctx, *count.getInteger() * from / to);
    return call("aten.view.dtype", FakeTensorType::get({all}, dtype),
                {flat, Attribute(TypeAttr::get(dtype))});
  }

  static int64_t getBytes(Type dtype) {
    if (auto complex = dyn_cast<ComplexType>(dtype))
      return 2 * getBytes(complex.getElementType());
    return dtype.isIntOrFloat()
               ? llvm::divideCeil(dtype.getIntOrFloatBitWidth(), 8)
               : 0;
  }

  ExprAttr getOffset(FakeTensorType type) const {
    MetaAttr meta = type.getMeta();
    ExprAttr offset = meta ? meta.getStorageOffset() : ExprAttr();
    return offset ? offset : ExprAttr::integer(ctx, 0);
  }

  /// Rewrites as_strided of a view to as_strided of the whole storage.
  void addressWhole() {
    SmallVector<Argument> args = getArguments(op);
    Value self = args.empty() ? Value() : args.front().getValue();
    auto type =
        self ? dyn_cast<FakeTensorType>(self.getType()) : FakeTensorType();
    if (!type || args.size() < 3)
      return;
    Value whole = getStorageOwner(self);
    auto wholeType = cast<FakeTensorType>(whole.getType());
    // If a state is a part of a storage, only this part is available, and the
    // offset is relative to its begin.
    ExprAttr begin = getOffset(wholeType);
    bool hasOffset = args.size() > 3 && !args[3].isNone();
    ExprAttr offset = hasOffset ? args[3].getExpr() : getOffset(type);
    if (whole == self && isContiguous(type) && begin.getInteger() == 0)
      return;
    if (begin.getInteger() != 0) {
      if (!begin.isInteger() || !offset || !offset.isInteger() ||
          type.getDtype() != wholeType.getDtype() ||
          *offset.getInteger() < *begin.getInteger())
        return;
      offset =
          ExprAttr::integer(ctx, *offset.getInteger() - *begin.getInteger());
      hasOffset = false;
    }
    if (!hasOffset && !offset.isInteger())
      return;
    Value memory = inMemoryOrder(whole);
    memory = memory ? asDtype(memory, type.getDtype()) : Value();
    if (!memory)
      return;
    SmallVector<ArgumentTree> rest{memory, args[1], args[2]};
    rest.push_back(hasOffset
                       ? ArgumentTree(args[3])
                       : ArgumentTree::integer(ctx, *offset.getInteger()));
    Value result = call(op.getTarget(), op->getResult(0).getType(), rest);
    if (isConjugated(self))
      result = call("aten._conj.default", result.getType(), {result});
    op->getResult(0).replaceAllUsesWith(result);
    namer.release(op);
    op->erase();
  }

  /// Rewrites as_strided_scatter to scatter into the memory of its operand. The
  /// result has the strides of the operand.
  void scatterInMemory() {
    SmallVector<Argument> args = getArguments(op);
    Value self = args.empty() ? Value() : args.front().getValue();
    auto type =
        self ? dyn_cast<FakeTensorType>(self.getType()) : FakeTensorType();
    if (!type || isContiguous(type))
      return;
    SmallVector<ArgumentTree> rest(args.begin(), args.end());
    std::optional<SmallVector<int64_t>> order = getMemoryOrder(type);
    if (order)
      rest.front() = permute(self, *order);
    else if (Value memory = showsElements(op, type) ? withGaps(self) : Value())
      rest.front() = memory;
    else
      return;
    SmallVector<StringRef> keywords(
        llvm::map_range(op.getKwnames().getAsValueRange<StringAttr>(),
                        [](StringRef s) { return s; }));
    Value written =
        call(op.getTarget(), rest.front().values[0].getType(), rest, keywords);
    op->getResult(0).replaceAllUsesWith(order ? fromOrder(written, *order, type)
                                              : fromGaps(written, type));
    namer.release(op);
    op->erase();
  }

  /// Permutes `value`, whose dimensions are in memory order, to a tensor of
  /// `type`.
  Value fromOrder(Value value, ArrayRef<int64_t> order, FakeTensorType type) {
    SmallVector<int64_t> inverse(order.size());
    for (auto [i, dim] : llvm::enumerate(order))
      inverse[dim] = i;
    Value result = permute(value, inverse);
    // Keep the strides for later operators that address its memory.
    result.setType(type);
    return result;
  }

  /// Copies the elements of a tensor of `type` out of `memory`. This is not a
  /// view, because the contents of the gaps are not known.
  Value fromGaps(Value memory, FakeTensorType type) {
    return call("aten.as_strided_copy.default", type,
                {memory, list(type.getSizes()),
                 list(type.getMeta().getStrides()),
                 ArgumentTree::integer(ctx, 0)});
  }
};
} // namespace

/// Replaces as_strided_ by as_strided. Later uses of its operand use the view.
static void renameInPlace(CallFunctionOp op) {
  Value self = getArguments(op).front().getValue();
  if (!self || op->getNumResults() != 1)
    return;
  op.setTarget("aten.as_strided.default");
  self.replaceUsesWithIf(op->getResult(0), [&](OpOperand &use) {
    return use.getOwner() != op && op->isBeforeInBlock(use.getOwner());
  });
}

void functionalize::addressStorage(GraphOp graph, NodeNamer &namer,
                                   SmallPtrSetImpl<Operation *> &memories) {
  for (auto call :
       llvm::make_early_inc_range(graph.getBlock().getOps<CallFunctionOp>())) {
    if (call.getTarget() == "aten.as_strided_.default")
      renameInPlace(call);
    StringRef target = call.getTarget();
    if (target == "aten.as_strided.default" ||
        target == "aten.as_strided_copy.default")
      StorageAddresser{namer, call, memories}.addressWhole();
    else if (target == "aten.as_strided_scatter.default" &&
             !memories.contains(call))
      StorageAddresser{namer, call, memories}.scatterInMemory();
  }
}

void functionalize::isolateStridedViews(GraphOp graph, NodeNamer &namer) {
  MLIRContext *ctx = graph.getContext();
  for (auto call : graph.getBlock().getOps<CallFunctionOp>()) {
    if (!call.getTarget().starts_with("aten.as_strided"))
      continue;
    Value self = call->getOperand(0);
    Operation *def = self.getDefiningOp();
    auto made = dyn_cast<CallFunctionOp>(def);
    bool isCopy = made && made.getTarget() == "aten.clone.default";
    auto type = dyn_cast<FakeTensorType>(self.getType());
    // Skip operands with gaps in their memory: the gaps are not known here.
    bool isPart = type && type.getMeta() && type.getMeta().getStorageOffset();
    if (isCopy || (isa<PlaceholderOp>(def) && !isPart) || !type ||
        !isContiguous(type))
      continue;
    OpBuilder b(call);
    Value copy =
        createCall(
            b, namer.rename(call.getLoc(), "clone"), "aten.clone.default",
            cast<FakeTensorType>(self.getType()).withoutMeta(),
            {self, Attribute(MemoryFormatAttr::get(ctx, "contiguous_format"))},
            {"memory_format"})
            ->getResult(0);
    call->setOperand(0, copy);
  }
}
