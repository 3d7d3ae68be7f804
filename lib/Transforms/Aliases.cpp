//===- Aliases.cpp - which values share a storage -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Aliases.h"

#include "fx/Operators/Schema.h"
#include "fx/Operators/View.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

/// Returns the recorded strides, or the strides of a contiguous tensor if none
/// are recorded. Returns an empty list if an expression overflows.
static SmallVector<ExprAttr> getStrides(FakeTensorType type) {
  if (MetaAttr meta = type.getMeta(); meta && !meta.getStrides().empty())
    return SmallVector<ExprAttr>(meta.getStrides());
  MLIRContext *ctx = type.getContext();
  SmallVector<ExprAttr> strides(type.getRank(), ExprAttr::integer(ctx, 1));
  for (int64_t i = type.getRank() - 2; i >= 0; --i) {
    ExprAttr size = type.getSizes()[i + 1];
    // PyTorch computes strides as if a size of 0 were 1.
    strides[i] = size.getInteger() == 0
                     ? strides[i + 1]
                     : ExprAttr::mul(ctx, {strides[i + 1], size});
    if (!strides[i])
      return {};
  }
  return strides;
}

bool fx::isEmpty(FakeTensorType type) {
  return llvm::any_of(type.getSizes(),
                      [](ExprAttr size) { return size.getInteger() == 0; });
}

std::optional<SmallVector<int64_t>> fx::getMemoryOrder(FakeTensorType type) {
  SmallVector<ExprAttr> strides = getStrides(type);
  if (strides.size() != size_t(type.getRank()))
    return std::nullopt;
  SmallVector<int64_t> outer, inner;
  llvm::SmallBitVector taken(type.getRank());
  for (auto [i, size] : llvm::enumerate(type.getSizes()))
    if (size.getInteger() == 1) {
      outer.push_back(i);
      taken.set(i);
    }
  MLIRContext *ctx = type.getContext();
  ExprAttr step = ExprAttr::integer(ctx, 1);
  while (outer.size() + inner.size() < strides.size()) {
    // If several dimensions have this stride, take the last one: it is the
    // innermost dimension of a contiguous tensor.
    int64_t next = type.getRank() - 1;
    while (next >= 0 && (taken.test(next) || strides[next] != step))
      --next;
    if (next < 0)
      return std::nullopt;
    taken.set(next);
    inner.push_back(next);
    step = ExprAttr::mul(ctx, {step, type.getSizes()[next]});
    if (!step)
      return std::nullopt;
  }
  llvm::append_range(outer, llvm::reverse(inner));
  return outer;
}

bool fx::isContiguous(FakeTensorType type) {
  MetaAttr meta = type.getMeta();
  if (!meta || meta.getStrides().empty() || isEmpty(type))
    return true;
  std::optional<SmallVector<int64_t>> order = getMemoryOrder(type);
  if (!order)
    return false;
  llvm::erase_if(*order, [&](int64_t dim) {
    return type.getSizes()[dim].getInteger() == 1;
  });
  return llvm::is_sorted(*order);
}

/// Returns true if torch reshapes a tensor of type `from` to `sizes` without a
/// copy: computeStride of aten/src/ATen/TensorUtils.cpp, on expressions.
/// Returns nullopt if this depends on symbols.
static std::optional<bool> isViewable(FakeTensorType from,
                                      ArrayRef<ExprAttr> sizes) {
  if (isContiguous(from))
    return true;
  SmallVector<ExprAttr> strides = getStrides(from);
  if (strides.size() != size_t(from.getRank()))
    return std::nullopt;
  auto isStatic = [](ArrayRef<ExprAttr> exprs) {
    return llvm::all_of(exprs, [](ExprAttr e) { return e.isInteger(); });
  };
  if (!isStatic(from.getSizes()) || !isStatic(strides) || !isStatic(sizes))
    return std::nullopt;
  int64_t view = int64_t(sizes.size()) - 1, elements = 1, viewElements = 1;
  int64_t base = *strides.back().getInteger();
  for (int64_t dim = from.getRank() - 1; dim >= 0; --dim) {
    elements *= *from.getSizes()[dim].getInteger();
    // Collect a chunk of dimensions that are contiguous in memory.
    if (dim != 0 && (from.getSizes()[dim - 1].getInteger() == 1 ||
                     *strides[dim - 1].getInteger() == elements * base))
      continue;
    while (view >= 0 &&
           (viewElements < elements || sizes[view].getInteger() == 1))
      viewElements *= *sizes[view--].getInteger();
    if (viewElements != elements)
      return false;
    if (dim > 0) {
      base = *strides[dim - 1].getInteger();
      elements = viewElements = 1;
    }
  }
  return view == -1;
}

//===----------------------------------------------------------------------===//
// Operators that share or copy
//===----------------------------------------------------------------------===//

static bool hasSameDtype(FakeTensorType a, FakeTensorType b) {
  return a.getDtype() == b.getDtype() && a.getDevice() == b.getDevice();
}

/// Returns true if the elements of `self` already have the layout that the
/// argument `memory_format` requests.
static bool hasMemoryFormat(const OperatorView &op, FakeTensorType self) {
  Argument format = op.getArg("memory_format");
  auto attr = dyn_cast_if_present<MemoryFormatAttr>(format.tree);
  if (!attr)
    return true;
  StringRef name = attr.getValue();
  if (name == "preserve_format")
    return true;
  if (name == "contiguous_format")
    return isContiguous(self);
  // channels_last, channels_last_3d: the second dimension is the innermost.
  int64_t rank = name == "channels_last" ? 4 : 5;
  std::optional<SmallVector<int64_t>> order = getMemoryOrder(self);
  if (!order || self.getRank() != rank)
    return false;
  SmallVector<int64_t> want = {0};
  for (int64_t i = 2; i < rank; ++i)
    want.push_back(i);
  want.push_back(1);
  auto isOne = [&](int64_t dim) {
    return self.getSizes()[dim].getInteger() == 1;
  };
  llvm::erase_if(*order, isOne);
  llvm::erase_if(want, isOne);
  return *order == want;
}

/// Returns the memory format that torch infers for a tensor
/// (is_channels_last_strides of c10/core/MemoryFormat.h). Returns nullopt if
/// this depends on symbols.
static std::optional<StringRef> suggestMemoryFormat(FakeTensorType self) {
  int64_t rank = self.getRank();
  if (rank != 4 && rank != 5)
    return "contiguous_format";
  SmallVector<ExprAttr> strides = getStrides(self);
  SmallVector<int64_t> order = {1, rank - 1};
  for (int64_t dim = rank - 2; dim > 1; --dim)
    order.push_back(dim);
  order.push_back(0);
  StringRef other = "contiguous_format";
  int64_t least = 0;
  for (int64_t dim : order) {
    std::optional<int64_t> size = self.getSizes()[dim].getInteger();
    std::optional<int64_t> stride = dim < int64_t(strides.size())
                                        ? strides[dim].getInteger()
                                        : std::nullopt;
    if (!size || !stride)
      return std::nullopt;
    if (*size == 0 || *stride < least || (dim == 1 && *stride == 0))
      return other;
    // If channels, height and width are all 1, the strides are ambiguous.
    // PyTorch takes the tensor as contiguous.
    if (dim == 0 && least == *strides[1].getInteger())
      return other;
    least = *stride * std::max<int64_t>(*size, 1);
  }
  return StringRef(rank == 4 ? "channels_last" : "channels_last_3d");
}

/// Returns true if the argument `memory_format` of `to` requires no copy
/// (to_will_alias of aten/src/ATen/native/TensorConversions.cpp).
static bool hasSuggestedFormat(const OperatorView &op, FakeTensorType self) {
  auto attr =
      dyn_cast_if_present<MemoryFormatAttr>(op.getArg("memory_format").tree);
  if (!attr || attr.getValue() == "preserve_format")
    return true;
  if (std::optional<StringRef> format = suggestMemoryFormat(self))
    return attr.getValue() == *format;
  return hasMemoryFormat(op, self);
}

bool fx::conjugates(CallFunctionOp op) {
  auto type = op.getNumResults() == 1
                  ? dyn_cast<FakeTensorType>(op.getResult(0).getType())
                  : FakeTensorType();
  return type && isa<ComplexType>(type.getDtype()) &&
         llvm::is_contained({"aten._conj", "aten.conj", "aten.mH",
                             "aten.adjoint", "aten.matrix_H"},
                            op.getTarget().rsplit('.').first);
}

/// Returns the tensor for which the storage of `value` was created. Flips
/// `conjugated` for each conjugating view in between.
static Value followStorage(Value value, bool &conjugated) {
  while (auto call = value.getDefiningOp<CallFunctionOp>()) {
    unsigned result = cast<OpResult>(value).getResultNumber();
    OpOperand *viewed = getAliasedOperand(call, result);
    Value next = viewed ? viewed->get() : getWrittenTensor(call, result);
    if (!next)
      break;
    conjugated ^= conjugates(call);
    value = next;
  }
  return value;
}

bool fx::isConjugated(Value value) {
  bool conjugated = false;
  followStorage(value, conjugated);
  return conjugated;
}

Value fx::getStorageOwner(Value value) {
  bool conjugated = false;
  return followStorage(value, conjugated);
}

/// Returns true if `op`, which either aliases or copies its operand `value`,
/// aliases it. `self` and `result` are the types of operand and result.
static bool doesAlias(const OperatorView &op, Value value, FakeTensorType self,
                      FakeTensorType result) {
  StringRef base = op.getSchema().getName().rsplit('.').first;
  enum Kind { Always, Cast, Contiguous, Shape, Dropout, Real, Resolve, Sizes };
  switch (
      llvm::StringSwitch<Kind>(base)
          .Cases({"aten.to", "aten.type_as", "aten.cpu",
                  "aten._autocast_to_full_precision",
                  "aten._autocast_to_reduced_precision"},
                 Cast)
          .Cases({"aten.contiguous", "aten.ravel"}, Contiguous)
          .Cases({"aten.reshape", "aten.flatten", "aten.reshape_as"}, Shape)
          .Cases({"aten.dropout", "aten.feature_dropout", "aten.alpha_dropout",
                  "aten.feature_alpha_dropout", "aten.native_dropout"},
                 Dropout)
          .Case("aten.conj_physical", Real)
          .Case("aten.resolve_conj", Resolve)
          .Cases({"aten.sum_to_size", "aten._grad_sum_to_size"}, Sizes)
          .Default(Always)) {
  case Always:
    return true;
  case Cast:
    return hasSameDtype(self, result) && op.getArg("copy").getBool() != true &&
           hasSuggestedFormat(op, self);
  case Contiguous:
    return isa_and_present<MemoryFormatAttr>(op.getArg("memory_format").tree)
               ? hasMemoryFormat(op, self)
               : isContiguous(self);
  case Shape: {
    if (std::optional<bool> viewable = isViewable(self, result.getSizes()))
      return *viewable;
    // A copy would be contiguous, so other strides imply a view.
    return !isContiguous(result);
  }
  case Dropout:
    return op.getArg("train").getBool() == false ||
           op.getArg("p").getFloat() == 0.0 || isEmpty(self);
  case Real:
    return !isa<ComplexType>(self.getDtype());
  case Resolve:
    return !isConjugated(value);
  case Sizes:
    return self.getSizes() == result.getSizes();
  }
  llvm_unreachable("a kind that is not handled");
}

/// Returns true if result `result` of an operator can share the storage of the
/// first argument although the schema does not say so. If the first argument is
/// a list, each result shares the storage of the corresponding element.
static bool isUnannotatedView(StringRef base, unsigned result) {
  if (base == "aten.native_dropout")
    return result == 0;
  return llvm::StringSwitch<bool>(base)
      .Cases({"aten.dropout", "aten.feature_dropout", "aten.alpha_dropout",
              "aten.feature_alpha_dropout", "aten.type_as",
              "aten.conj_physical", "aten.sum_to_size"},
             true)
      .Cases({"aten.atleast_1d", "aten.atleast_2d", "aten.atleast_3d",
              "aten.broadcast_tensors", "aten.meshgrid", "aten.unsafe_chunk",
              "aten.unsafe_split", "aten.unsafe_split_with_sizes"},
             true)
      .Default(false);
}

OpOperand *fx::getAliasedOperand(CallFunctionOp op, unsigned result) {
  OperatorView view = getOperatorView(op);
  if (!view || op.getArgs().empty())
    return nullptr;
  StringRef base = op.getTarget().rsplit('.').first;
  if (view.getSchema().isMutating() ||
      (!view.getSchema().isView() && !isUnannotatedView(base, result)))
    return nullptr;
  Attribute first = op.getArgs()[0];
  unsigned operand = 0;
  if (auto list = dyn_cast<ArrayAttr>(first)) {
    if (result >= list.size() ||
        !llvm::all_of(list, llvm::IsaPred<OperandAttr>))
      return nullptr;
    operand = result;
  } else if (!isa<OperandAttr>(first)) {
    return nullptr;
  }
  OpOperand &aliased = op->getOpOperand(operand);
  auto self = dyn_cast<FakeTensorType>(aliased.get().getType());
  auto type = dyn_cast<FakeTensorType>(op->getResult(result).getType());
  if (!self || !type || !doesAlias(view, aliased.get(), self, type))
    return nullptr;
  return &aliased;
}

Value fx::getWrittenTensor(CallFunctionOp op, unsigned result) {
  if (op.getTarget().starts_with("aten.resize_"))
    return nullptr;
  OperatorView view = getOperatorView(op);
  if (!view || !view.getSchema().isMutating())
    return nullptr;
  ArrayRef<ArgumentSchema> results = view.getSchema().getResults();
  if (op.getOutsAttr() || result >= results.size() ||
      op->getNumResults() != results.size())
    return nullptr;
  for (auto [i, argument] : llvm::enumerate(view.getSchema().getArguments()))
    if (argument.isTensor() && argument.aliasSets & results[result].aliasSets)
      return view.getArg(i).getValue();
  return nullptr;
}

static Value getMutatedInput(GraphOp graph, OutputSpecAttr spec) {
  StringRef target = spec.getTarget().getValue();
  bool isUserInput = spec.getKind() == OutputKind::UserInputMutation;
  for (PlaceholderOp input : graph.getPlaceholders())
    if (isUserInput ? input.getName() == target : input.getTarget() == target)
      return input.getResult();
  return {};
}

SmallVector<Mutation> fx::getMutations(GraphOp graph) {
  SmallVector<Mutation> mutations;
  OutputOp output = graph.getOutput();
  for (size_t i = 0, e = output.getArgs().size(); i < e; ++i) {
    OutputSpecAttr spec = output.getSpec(i);
    if (!spec.isMutation() || !spec.getTarget() ||
        !isa<OperandAttr>(output.getArgs()[i]))
      break;
    Value input = getMutatedInput(graph, spec);
    if (!input)
      break;
    mutations.push_back({input, output->getOperand(i), spec});
  }
  return mutations;
}
