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

void fx::takeAnyStrides(CallFunctionOp view) {
  StringRef target = view.getTarget();
  OpBuilder b(view);
  if (target == "aten.view_as.default")
    view.setTargetAttr(b.getStringAttr("aten.reshape_as.default"));
  if (target != "aten.view.default" && target != "aten._unsafe_view.default" &&
      target != "aten._reshape_alias.default")
    return;
  view.setTargetAttr(b.getStringAttr("aten.reshape.default"));
  if (target != "aten._reshape_alias.default")
    return;
  // Drop the last argument, the strides.
  SmallVector<Argument> args = getArguments(view);
  SmallVector<ArgumentTree> kept(args.begin(), args.begin() + 2);
  ArgumentTree all = ArgumentTree::list(view.getContext(), kept);
  view->setOperands(all.values);
  view.setArgsAttr(cast<ArrayAttr>(all.tree));
  view.setKwnamesAttr(b.getArrayAttr({}));
}

static bool hasSameDtype(Value a, Value b) {
  auto x = dyn_cast<FakeTensorType>(a.getType());
  auto y = dyn_cast<FakeTensorType>(b.getType());
  return x && y && x.getDtype() == y.getDtype();
}

namespace {

/// Creates the operators of an inverse.
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
    return createTyped(target, getBaseType(), arguments, keywords);
  }

  Value createTyped(StringRef target, Type type,
                    ArrayRef<ArgumentTree> arguments,
                    ArrayRef<StringRef> keywords = {}) {
    StringRef name = target.split('.').second.rsplit('.').first;
    return createCall(b, namer.rename(view.getLoc(), name), target, type,
                      arguments, keywords)
        ->getResult(0);
  }

  FakeTensorType getBaseType() const {
    return cast<FakeTensorType>(base.getType()).withoutMeta();
  }

  ArgumentTree integer(int64_t value) {
    return ArgumentTree::integer(ctx, value);
  }

  /// Calls `target` with (base, newView) and the other arguments of the view:
  /// slice → slice_scatter.
  Value scatter(StringRef target) {
    SmallVector<ArgumentTree> arguments{base, newView};
    for (const Argument &arg : ArrayRef(args).drop_front())
      arguments.push_back(arg);
    SmallVector<StringRef> keywords(
        llvm::map_range(view.getKwnames().getAsValueRange<StringAttr>(),
                        [](StringRef s) { return s; }));
    return create(target, arguments, keywords);
  }

  /// Applies the view operator again, which is its own inverse.
  Value involution() {
    SmallVector<ArgumentTree> arguments{newView};
    for (const Argument &arg : ArrayRef(args).drop_front())
      arguments.push_back(arg);
    return create(view.getTarget(), arguments);
  }

  /// Returns the sizes of the base as an argument.
  ArgumentTree getBaseSizes() {
    SmallVector<ArgumentTree> sizes;
    for (int64_t i = 0; i < getBaseType().getRank(); ++i)
      sizes.push_back(createSize(b, namer, view.getLoc(), base, i));
    return ArgumentTree::list(ctx, sizes);
  }

  /// Reshapes the new elements to the sizes of the base.
  Value reshape() {
    return create("aten.reshape.default", {newView, getBaseSizes()});
  }

  /// Reshapes `value` to one dimension. Returns null if its size overflows.
  Value flatten(Value value) {
    auto type = cast<FakeTensorType>(value.getType());
    ExprAttr count = ExprAttr::mul(ctx, type.getSizes());
    if (!count)
      return {};
    return createTyped("aten.reshape.default",
                       FakeTensorType::get({count}, type.getDtype()),
                       {value, ArgumentTree::list(ctx, {integer(-1)})});
  }

  /// Writes the new elements by index. Applies the same views to a tensor of
  /// the base's sizes that holds the index of each element. This gives the
  /// index in the base to which each element of `newView` goes.
  Value scatterByIndex(ArrayRef<ViewStep> steps) {
    if (!hasSameDtype(base, newView))
      return {};
    Value flat = flatten(base), source = flatten(newView);
    if (!flat || !source)
      return {};
    Type i64 = b.getI64Type();
    auto retype = [&](Type type) -> FakeTensorType {
      return cast<FakeTensorType>(type).withoutMeta().withDtype(i64);
    };
    Value numbers = createTyped("aten.arange.default", retype(flat.getType()),
                                {createSize(b, namer, view.getLoc(), flat, 0)});
    numbers = createTyped("aten.reshape.default", retype(base.getType()),
                          {numbers, getBaseSizes()});
    for (ViewStep step : steps) {
      // Skip views that change no element. They do not apply to int64.
      if (llvm::is_contained({"aten.to", "aten.type_as", "aten.dropout",
                              "aten._autocast_to_full_precision",
                              "aten._autocast_to_reduced_precision"},
                             step.view.getTarget().rsplit('.').first))
        continue;
      auto viewed = cast<CallFunctionOp>(b.clone(*step.view));
      viewed->setOperand(step.operand, numbers);
      // If the operator takes a list of tensors, only the viewed one is
      // replaced by indices.
      bool isList = isa<ArrayAttr>(viewed.getArgs()[0]);
      for (OpResult value : viewed->getResults())
        if (!isList || value.getResultNumber() == step.result)
          value.setType(retype(value.getType()));
      takeAnyStrides(viewed);
      namer.makeUnique(viewed);
      numbers = viewed->getResult(step.result);
    }
    Value index = flatten(numbers);
    if (!index)
      return {};
    Value written = createTyped("aten.scatter.src", flat.getType(),
                                {flat, integer(0), index, source});
    return create("aten.reshape.default", {written, getBaseSizes()});
  }

  /// Replaces the real part of the base.
  Value setReal() {
    if (!isa<ComplexType>(getBaseType().getDtype()))
      return newView;
    return create("aten.complex.default",
                  {newView, getPart("aten.imag.default")});
  }
  Value setImag() {
    return create("aten.complex.default",
                  {getPart("aten.real.default"), newView});
  }
  Value getPart(StringRef target) {
    return createTyped(
        target, cast<FakeTensorType>(newView.getType()).withoutMeta(), {base});
  }

  /// Reinterprets the new elements in the dtype of the base.
  Value viewDtype() {
    if (hasSameDtype(base, newView))
      return reshape();
    return create(
        "aten.view.dtype",
        {newView, Attribute(TypeAttr::get(getBaseType().getDtype()))});
  }

  /// Conjugates the new elements. Like conj, leaves a real tensor unchanged.
  Value conjugate() {
    if (!isa<ComplexType>(getBaseType().getDtype()))
      return newView;
    return create("aten._conj.default", {newView});
  }

  /// Returns the integer argument number `index`, or `absent` if it is not
  /// given; nullopt if it is not an immediate.
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

  /// Writes part `result` of a split along a dimension.
  Value part(size_t dimArgument) {
    std::optional<int64_t> dim = getInt(dimArgument, 0);
    auto baseType = cast<FakeTensorType>(base.getType());
    if (!dim || *dim < -baseType.getRank() || *dim >= baseType.getRank())
      return {};
    int64_t axis = *dim < 0 ? *dim + baseType.getRank() : *dim;
    int64_t start = 0, size = 0;
    // The indices of a tensor_split need not ascend, so a part can begin in
    // front of the previous part.
    if (view.getTarget().starts_with("aten.tensor_split.") &&
        view.getTarget() != "aten.tensor_split.sections")
      return {};
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

  /// Reads the elements out of memory with gaps (see `addressStorage`).
  Value fromMemory() {
    Value shown =
        create("aten.as_strided.default", {newView, args[2], args[3], args[4]});
    return create(
        "aten.clone.default",
        {shown, Attribute(MemoryFormatAttr::get(ctx, "contiguous_format"))},
        {"memory_format"});
  }

  Value unbind() {
    ArgumentTree dim = args.size() > 1 ? ArgumentTree(args[1]) : integer(0);
    return create("aten.select_scatter.default",
                  {base, newView, dim, integer(result)});
  }
};

} // namespace

/// Creates the inverse by an operator. Returns null if there is none.
static Value createByOperator(InverseBuilder &builder) {
  using Fn = Value (*)(InverseBuilder &);
  Fn fn =
      llvm::StringSwitch<Fn>(builder.view.getTarget().rsplit('.').first)
          .Cases({"aten.alias", "aten.detach", "aten.contiguous", "aten.to",
                  "aten.type_as", "aten.dropout", "aten.feature_dropout",
                  "aten.alpha_dropout", "aten.feature_alpha_dropout",
                  "aten.native_dropout", "aten.lift_fresh", "aten.positive",
                  "aten.resolve_conj", "aten.resolve_neg", "aten.cpu"},
                 [](InverseBuilder &i) { return i.newView; })
          .Cases({"aten.conj_physical", "aten.sum_to_size",
                  "aten._autocast_to_full_precision",
                  "aten._autocast_to_reduced_precision"},
                 [](InverseBuilder &i) { return i.newView; })
          .Case("aten.slice",
                [](InverseBuilder &i) {
                  return i.scatter("aten.slice_scatter.default");
                })
          .Case("aten.select",
                [](InverseBuilder &i) {
                  return i.scatter("aten.select_scatter.default");
                })
          .Cases({"aten.diagonal", "aten.linalg_diagonal"},
                 [](InverseBuilder &i) {
                   return i.view.getTarget() == "aten.diagonal.default"
                              ? i.scatter("aten.diagonal_scatter.default")
                              : Value();
                 })
          .Case("aten.as_strided",
                [](InverseBuilder &i) {
                  return i.scatter("aten.as_strided_scatter.default");
                })
          .Case("aten.as_strided_scatter",
                [](InverseBuilder &i) { return i.fromMemory(); })
          .Cases({"aten.transpose", "aten.t", "aten.numpy_T", "aten.mT",
                  "aten.swapaxes", "aten.swapdims", "aten._neg_view", "aten.mH",
                  "aten.adjoint", "aten.matrix_H"},
                 [](InverseBuilder &i) { return i.involution(); })
          .Cases({"aten._conj", "aten.conj"},
                 [](InverseBuilder &i) { return i.conjugate(); })
          .Case("aten.real", [](InverseBuilder &i) { return i.setReal(); })
          .Case("aten.imag", [](InverseBuilder &i) { return i.setImag(); })
          .Case("aten.permute", [](InverseBuilder &i) { return i.permute(); })
          .Case("aten.view", [](InverseBuilder &i) { return i.viewDtype(); })
          .Cases(
              {"aten.reshape", "aten.flatten", "aten.unflatten", "aten.squeeze",
               "aten.unsqueeze", "aten.view_as", "aten.reshape_as",
               "aten._unsafe_view", "aten.ravel", "aten._reshape_alias",
               "aten.atleast_1d", "aten.atleast_2d", "aten.atleast_3d"},
              [](InverseBuilder &i) {
                return hasSameDtype(i.base, i.newView) ? i.reshape() : Value();
              })
          .Cases({"aten.chunk", "aten.split", "aten.split_with_sizes",
                  "aten.tensor_split", "aten.unsafe_chunk", "aten.unsafe_split",
                  "aten.unsafe_split_with_sizes"},
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
  return fn ? fn(builder) : Value();
}

Value fx::createViewInverse(OpBuilder &b, NodeNamer &namer, CallFunctionOp view,
                            unsigned viewedOperand, unsigned result, Value base,
                            Value newView) {
  InverseBuilder builder{b, namer, view, result, base, newView};
  if (Value value = createByOperator(builder))
    return value;
  return builder.scatterByIndex({{view, viewedOperand, result}});
}

bool fx::mayOverlap(ViewStep step) {
  StringRef base = step.view.getTarget().rsplit('.').first;
  if (base == "aten.as_strided" || base == "aten.unfold" ||
      base == "aten._reshape_alias")
    return true;
  if (!llvm::is_contained({"aten.expand", "aten.expand_as", "aten.broadcast_to",
                           "aten.broadcast_tensors", "aten.meshgrid"},
                          base))
    return false;
  auto from =
      dyn_cast<FakeTensorType>(step.view->getOperand(step.operand).getType());
  auto to =
      dyn_cast<FakeTensorType>(step.view->getResult(step.result).getType());
  return !from || !to ||
         llvm::any_of(llvm::enumerate(to.getSizes()), [&](auto item) {
           int64_t dim = int64_t(item.index()) - to.getRank() + from.getRank();
           ExprAttr size = item.value();
           return size.getInteger() != 1 &&
                  (dim < 0 || from.getSizes()[dim] != size);
         });
}

Value fx::createChainInverse(OpBuilder &b, NodeNamer &namer,
                             ArrayRef<ViewStep> steps, Value base,
                             Value newView) {
  // Views that change the dtype or the values of elements do not apply to
  // indices.
  for (ViewStep step : steps)
    if (!hasSameDtype(step.view->getOperand(step.operand),
                      step.view->getResult(step.result)) ||
        llvm::is_contained({"aten._conj", "aten.conj", "aten._neg_view",
                            "aten.mH", "aten.adjoint", "aten.matrix_H"},
                           step.view.getTarget().rsplit('.').first))
      return {};
  const ViewStep &first = steps.front();
  InverseBuilder builder{b, namer, first.view, first.result, base, newView};
  return builder.scatterByIndex(steps);
}
