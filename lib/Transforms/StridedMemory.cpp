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
  // States are read as they lie in their files, and ATen and functionalization
  // know where what they compute lies.
  if (!input || input.getTarget())
    return "";
  auto type = dyn_cast<FakeTensorType>(owner.getType());
  if (!type || (type.getMeta() && type.getMeta().getLayout()))
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "expected an operand whose memory is known, got ";
  if (!isContiguous(type) && !getMemoryOrder(type)) {
    os << self.getType() << ": input '" << input.getName()
       << "' has gaps or overlaps in its memory";
    return text;
  }
  // An offset counts from the begin of a storage of which the input is a part.
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
