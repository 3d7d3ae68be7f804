//===- StridedMemory.cpp - views of memory that nobody knows --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Transforms/StridedMemory.h"
#include "Aliases.h"
#include "fx/IR/Arguments.h"
#include "fx/Operators/View.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fx;

bool fx::addressesMemory(StringRef target) {
  StringRef base = target.split('.').second.rsplit('.').first;
  if (!target.starts_with("aten.") && !target.starts_with("prims."))
    return false;
  return base.starts_with("as_strided") ||
         llvm::is_contained({"resize", "resize_", "resize_as", "resize_as_"},
                            base);
}

/// The maximal number of elements whose addresses are enumerated.
static constexpr int64_t mostElements = 1 << 20;

std::optional<SmallVector<int64_t>> fx::getAddresses(ArrayRef<ExprAttr> sizes,
                                                     ArrayRef<ExprAttr> strides,
                                                     ExprAttr offset) {
  if (sizes.size() != strides.size() || (offset && !offset.isInteger()))
    return std::nullopt;
  int64_t count = 1;
  for (ExprAttr size : sizes) {
    if (!size || !size.isInteger() || *size.getInteger() < 0 ||
        llvm::MulOverflow(count, *size.getInteger(), count) ||
        count > mostElements)
      return std::nullopt;
  }
  SmallVector<int64_t> addresses;
  if (count == 0)
    return addresses;
  addresses.push_back(offset ? *offset.getInteger() : 0);
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    if (!stride || !stride.isInteger())
      return std::nullopt;
    SmallVector<int64_t> next;
    for (int64_t address : addresses)
      for (int64_t i = 0; i < *size.getInteger(); ++i) {
        int64_t step, at;
        if (llvm::MulOverflow(i, *stride.getInteger(), step) ||
            llvm::AddOverflow(address, step, at))
          return std::nullopt;
        next.push_back(at);
      }
    addresses = std::move(next);
  }
  return addresses;
}

std::optional<SmallVector<int64_t>>
fx::getElementAddresses(FakeTensorType type) {
  MetaAttr meta = type.getMeta();
  if (!meta || meta.getStrides().empty())
    return std::nullopt;
  std::optional<SmallVector<int64_t>> addresses =
      getAddresses(type.getSizes(), meta.getStrides(), meta.getStorageOffset());
  if (!addresses)
    return std::nullopt;
  SmallVector<int64_t> sorted = *addresses;
  llvm::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return std::nullopt;
  return addresses;
}

bool fx::showsElements(CallFunctionOp call, FakeTensorType owner) {
  OperatorView view = getOperatorView(call);
  Value operand = view ? view.getArg(0u).getValue() : Value();
  auto self =
      operand ? dyn_cast<FakeTensorType>(operand.getType()) : FakeTensorType();
  if (!self || !call.getTarget().starts_with("aten.as_strided"))
    return false;
  Argument size = view.getArg("size"), stride = view.getArg("stride"),
           offset = view.getArg("storage_offset");
  std::optional<SmallVector<ExprAttr>> sizes = size.getExprs(),
                                       strides = stride.getExprs();
  MetaAttr meta = self.getMeta();
  ExprAttr begin = offset.isNone() ? meta ? meta.getStorageOffset() : ExprAttr()
                                   : offset.getExpr();
  if (!sizes || !strides || (!offset.isNone() && !begin) ||
      self.getDtype() != owner.getDtype())
    return false;
  std::optional<SmallVector<int64_t>> addresses =
      getAddresses(*sizes, *strides, begin);
  std::optional<SmallVector<int64_t>> known = getElementAddresses(owner);
  if (!addresses || !known)
    return false;
  llvm::SmallDenseSet<int64_t> elements(known->begin(), known->end());
  return llvm::all_of(*addresses,
                      [&](int64_t at) { return elements.contains(at); });
}

static ExprAttr getOffset(FakeTensorType type) {
  MetaAttr meta = type.getMeta();
  return meta ? meta.getStorageOffset() : ExprAttr();
}

std::string fx::getUnknownMemory(CallFunctionOp call) {
  if (!addressesMemory(call.getTarget()))
    return "";
  OperatorView view = getOperatorView(call);
  SmallVector<Argument> args = getArguments(call);
  Value self = args.empty() ? Value() : args.front().getValue();
  Value owner = self ? getStorageOwner(self) : Value();
  auto input = owner ? owner.getDefiningOp<PlaceholderOp>() : PlaceholderOp();
  // The memory of states is known from their files. The memory of computed
  // tensors is known to ATen and to functionalization.
  if (!input || input.getTarget())
    return "";
  auto type = dyn_cast<FakeTensorType>(owner.getType());
  if (!type || (type.getMeta() && type.getMeta().getLayout()))
    return "";
  if (showsElements(call, type))
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "expected an operand whose memory is known, got ";
  if (!isContiguous(type) && !getMemoryOrder(type)) {
    os << self.getType() << ": input '" << input.getName()
       << "' has gaps or overlaps in its memory";
    return text;
  }
  // An offset is relative to the begin of the storage. If the input is a part
  // of its storage, memory in front of this part is not known.
  Argument offset = view ? view.getArg("storage_offset") : Argument();
  ExprAttr begin = getOffset(type);
  bool isFromBegin = !begin || begin.getInteger() == 0;
  if (isFromBegin || !offset.tree || offset.isNone())
    return "";
  std::optional<int64_t> at = offset.getInt();
  if (begin.isInteger() && at && *at >= *begin.getInteger())
    return "";
  os << self.getType() << ": input '" << input.getName()
     << "' is a part of its storage";
  return text;
}
