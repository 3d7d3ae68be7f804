//===- ViewInverse.cpp - writing through views ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewInverse.h"

#include "fx/IR/Metadata.h"
#include "fx/Operators/Schema.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Which values share storage
//===----------------------------------------------------------------------===//

static bool isContiguous(Value value) {
  auto type = dyn_cast<FakeTensorType>(value.getType());
  return type && (!type.getMeta() || type.getMeta().getStrides().empty());
}

static bool hasSameDtype(Value a, Value b) {
  auto x = dyn_cast<FakeTensorType>(a.getType());
  auto y = dyn_cast<FakeTensorType>(b.getType());
  return x && y && x.getDtype() == y.getDtype() &&
         x.getDevice() == y.getDevice();
}

/// The argument `name` of a call, as an immediate boolean.
static bool isTrue(CallFunctionOp op, StringRef name) {
  const OperatorSchema *schema = lookupOperator(op.getTarget());
  int index = schema ? schema->findArgument(name) : -1;
  size_t numPositional = op.getArgs().size() - op.getKwnames().size();
  Attribute tree;
  if (index >= 0 && (size_t)index < numPositional)
    tree = op.getArgs()[index];
  for (auto [i, keyword] : llvm::enumerate(op.getKwnames()))
    if (cast<StringAttr>(keyword).getValue() == name)
      tree = op.getArgs()[numPositional + i];
  auto boolean = dyn_cast_if_present<BoolAttr>(tree);
  return boolean && boolean.getValue();
}

/// Whether an operator that torch lets alias or copy does alias.
static bool mayAliasDoes(CallFunctionOp op, Value self, Value result) {
  StringRef base = op.getTarget().rsplit('.').first;
  if (base == "aten.to" || base == "aten.type_as")
    return hasSameDtype(self, result) && !isTrue(op, "copy");
  if (base == "aten.reshape" || base == "aten.flatten" ||
      base == "aten.ravel" || base == "aten.contiguous" ||
      base == "aten.reshape_as")
    return isContiguous(self);
  if (base == "aten.dropout" || base == "aten.feature_dropout")
    return !isTrue(op, "train");
  return true;
}

Value fx::getAliasedOperand(CallFunctionOp op, unsigned result) {
  const OperatorSchema *schema = lookupOperator(op.getTarget());
  SmallVector<Argument> args = getArguments(op);
  if (!schema || args.empty() || !args.front().isValue())
    return {};
  Value self = args.front().getValue();
  if (!isa<FakeTensorType>(self.getType()) ||
      !isa<FakeTensorType>(op->getResult(result).getType()))
    return {};
  StringRef base = op.getTarget().rsplit('.').first;
  bool maybeUnannotated =
      llvm::StringSwitch<bool>(base)
          .Cases({"aten.dropout", "aten.feature_dropout", "aten.type_as"}, true)
          .Default(false);
  if (!schema->isView() && !maybeUnannotated)
    return {};
  return mayAliasDoes(op, self, op->getResult(result)) ? self : Value();
}

//===----------------------------------------------------------------------===//
// Inverses
//===----------------------------------------------------------------------===//

ArgumentTree fx::createSize(OpBuilder &b, NodeNamer &namer, Location loc,
                            Value tensor, int64_t dim) {
  MLIRContext *ctx = b.getContext();
  ExprAttr size = cast<FakeTensorType>(tensor.getType()).getSizes()[dim];
  if (std::optional<int64_t> integer = size.getInteger())
    return ArgumentTree::integer(ctx, *integer);
  CallFunctionOp call = createCall(
      b, namer.rename(loc, "sym_size_int"), "aten.sym_size.int",
      SymIntType::get(ctx, size), {tensor, ArgumentTree::integer(ctx, dim)});
  return ArgumentTree(call->getResult(0));
}

namespace {

/// What an inverse is made of.
struct InverseBuilder {
  OpBuilder &b;
  NodeNamer &namer;
  CallFunctionOp view;
  unsigned result;
  Value base, newView;
  SmallVector<Argument> args = getArguments(view);
  MLIRContext *ctx = b.getContext();

  Value create(StringRef target, ArrayRef<ArgumentTree> arguments,
               ArrayRef<StringRef> keywords = {}) {
    StringRef name = target.split('.').second.rsplit('.').first;
    return createCall(b, namer.rename(view.getLoc(), name), target,
                      base.getType(), arguments, keywords)
        ->getResult(0);
  }

  ArgumentTree integer(int64_t value) {
    return ArgumentTree::integer(ctx, value);
  }

  /// The view's own arguments, behind (base, newView): slice → slice_scatter.
  Value scatter(StringRef target) {
    SmallVector<ArgumentTree> arguments{base, newView};
    for (const Argument &arg : ArrayRef(args).drop_front())
      arguments.push_back(arg);
    SmallVector<StringRef> keywords(
        llvm::map_range(view.getKwnames().getAsValueRange<StringAttr>(),
                        [](StringRef s) { return s; }));
    return create(target, arguments, keywords);
  }

  /// The same operator again.
  Value involution() {
    SmallVector<ArgumentTree> arguments{newView};
    for (const Argument &arg : ArrayRef(args).drop_front())
      arguments.push_back(arg);
    return create(view.getTarget(), arguments);
  }

  /// A view of the new elements with the base's sizes.
  Value reshape() {
    SmallVector<ArgumentTree> sizes;
    int64_t rank = cast<FakeTensorType>(base.getType()).getRank();
    for (int64_t i = 0; i < rank; ++i)
      sizes.push_back(createSize(b, namer, view.getLoc(), base, i));
    return create("aten.reshape.default",
                  {newView, ArgumentTree::list(ctx, sizes)});
  }

  std::optional<int64_t> getInt(size_t index, int64_t absent) {
    if (index >= args.size())
      return absent;
    if (auto attr = dyn_cast<IntegerAttr>(args[index].tree))
      return attr.getInt();
    return std::nullopt;
  }

  Value permute() {
    auto dims =
        args.size() == 2 ? dyn_cast<ArrayAttr>(args[1].tree) : ArrayAttr();
    if (!dims)
      return {};
    SmallVector<ArgumentTree> inverse(dims.size(), integer(0));
    for (auto [i, dim] : llvm::enumerate(dims)) {
      auto value = dyn_cast<IntegerAttr>(dim);
      int64_t size = dims.size();
      if (!value || value.getInt() < -size || value.getInt() >= size)
        return {};
      inverse[(value.getInt() + size) % size] = integer(i);
    }
    return create("aten.permute.default",
                  {newView, ArgumentTree::list(ctx, inverse)});
  }

  /// Part `result` of a split along a dimension.
  Value part(size_t dimArgument) {
    std::optional<int64_t> dim = getInt(dimArgument, 0);
    auto baseType = cast<FakeTensorType>(base.getType());
    if (!dim || *dim < -baseType.getRank() || *dim >= baseType.getRank())
      return {};
    int64_t axis = *dim < 0 ? *dim + baseType.getRank() : *dim;
    int64_t start = 0, size = 0;
    for (unsigned i = 0; i <= result; ++i) {
      auto type = cast<FakeTensorType>(view->getResult(i).getType());
      if (type.getDimSize(axis) == ShapedType::kDynamic)
        return {};
      start += size;
      size = type.getDimSize(axis);
    }
    return create("aten.slice_scatter.default",
                  {base, newView, integer(axis), integer(start),
                   integer(start + size), integer(1)});
  }

  Value narrow() {
    std::optional<int64_t> start = getInt(2, 0), length = getInt(3, 0);
    if (args.size() != 4 || !start || !length || *start < 0)
      return {};
    return create("aten.slice_scatter.default",
                  {base, newView, args[1], integer(*start),
                   integer(*start + *length), integer(1)});
  }

  Value unbind() {
    ArgumentTree dim = args.size() > 1 ? ArgumentTree(args[1]) : integer(0);
    return create("aten.select_scatter.default",
                  {base, newView, dim, integer(result)});
  }
};

} // namespace

Value fx::createViewInverse(OpBuilder &b, NodeNamer &namer, CallFunctionOp view,
                            unsigned result, Value base, Value newView) {
  using Fn = Value (*)(InverseBuilder &);
  Fn fn =
      llvm::StringSwitch<Fn>(view.getTarget().rsplit('.').first)
          .Cases({"aten.alias", "aten.detach", "aten.contiguous", "aten.to",
                  "aten.type_as", "aten.dropout", "aten.feature_dropout",
                  "aten.lift_fresh"},
                 [](InverseBuilder &i) { return i.newView; })
          .Case("aten.slice",
                [](InverseBuilder &i) {
                  return i.scatter("aten.slice_scatter.default");
                })
          .Case("aten.select",
                [](InverseBuilder &i) {
                  return i.scatter("aten.select_scatter.default");
                })
          .Case("aten.diagonal",
                [](InverseBuilder &i) {
                  return i.scatter("aten.diagonal_scatter.default");
                })
          .Case("aten.as_strided",
                [](InverseBuilder &i) {
                  return i.scatter("aten.as_strided_scatter.default");
                })
          .Cases({"aten.transpose", "aten.t", "aten.numpy_T", "aten.mT",
                  "aten.swapaxes", "aten.swapdims"},
                 [](InverseBuilder &i) { return i.involution(); })
          .Case("aten.permute", [](InverseBuilder &i) { return i.permute(); })
          .Cases({"aten.view", "aten.reshape", "aten.flatten", "aten.unflatten",
                  "aten.squeeze", "aten.unsqueeze", "aten.view_as",
                  "aten.reshape_as", "aten._unsafe_view", "aten.ravel"},
                 [](InverseBuilder &i) {
                   return hasSameDtype(i.base, i.newView) ? i.reshape()
                                                          : Value();
                 })
          .Cases({"aten.chunk", "aten.split"},
                 [](InverseBuilder &i) { return i.part(2); })
          .Cases({"aten.split_with_sizes", "aten.tensor_split"},
                 [](InverseBuilder &i) { return i.part(2); })
          .Case("aten.narrow", [](InverseBuilder &i) { return i.narrow(); })
          .Case("aten.unbind", [](InverseBuilder &i) { return i.unbind(); })
          .Case("aten.view_as_real",
                [](InverseBuilder &i) {
                  return i.create("aten.view_as_complex.default", {i.newView});
                })
          .Case("aten.view_as_complex",
                [](InverseBuilder &i) {
                  return i.create("aten.view_as_real.default", {i.newView});
                })
          .Default(nullptr);
  InverseBuilder builder{b, namer, view, result, base, newView};
  return fn ? fn(builder) : Value();
}
