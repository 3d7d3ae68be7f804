//===- Metadata.cpp - node names and stacks in locations ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/Metadata.h"
#include "fx/IR/PythonStack.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;

/// Returns the location that a fused location wraps.
static Location unwrapFused(Location loc) {
  while (auto fused = dyn_cast<FusedLoc>(loc)) {
    if (fused.getLocations().empty())
      break;
    loc = fused.getLocations().front();
  }
  return loc;
}

std::optional<StringRef> fx::getNodeName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(unwrapFused(loc)))
    return name.getName().getValue();
  return std::nullopt;
}

std::optional<StringRef> fx::getNodeName(Operation *op) {
  return getNodeName(op->getLoc());
}

SmallVector<StringRef> fx::getResultNames(Operation *op) {
  SmallVector<StringRef> names;
  std::optional<StringRef> name = getNodeName(op);
  if (!name || op->getNumResults() == 0)
    return names;
  if (op->getNumResults() == 1)
    return {*name};
  name->split(names, ',');
  if (names.size() != op->getNumResults())
    names.clear();
  return names;
}

Location fx::withNodeName(Location loc, StringRef name) {
  MLIRContext *ctx = loc->getContext();
  auto attr = StringAttr::get(ctx, name);
  if (auto fused = dyn_cast<FusedLoc>(loc);
      fused && fused.getLocations().size() == 1)
    return FusedLoc::get(ctx, withNodeName(fused.getLocations().front(), name),
                         fused.getMetadata());
  if (auto old = dyn_cast<NameLoc>(loc))
    return NameLoc::get(attr, old.getChildLoc());
  return NameLoc::get(attr, loc);
}

std::optional<FileLineColLoc> fx::getPythonFrame(Location loc) {
  loc = unwrapFused(loc);
  if (auto name = dyn_cast<NameLoc>(loc))
    loc = name.getChildLoc();
  while (auto call = dyn_cast<CallSiteLoc>(loc))
    loc = call.getCallee();
  if (auto name = dyn_cast<NameLoc>(loc))
    loc = name.getChildLoc();
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return file;
  return std::nullopt;
}

/// Returns true for `name`, `name_`, `name__` etc.: the keys to which
/// getMetadataKey appends a `_`.
static bool isOwnKey(StringRef key) {
  return key.consume_front("name") &&
         key.find_first_not_of('_') == StringRef::npos;
}

std::string fx::getMetadataKey(StringRef key) {
  return isOwnKey(key) ? key.str() + "_" : key.str();
}

StringRef fx::getProgramKey(StringRef key) {
  return isOwnKey(key) ? key.drop_back() : key;
}

DictionaryAttr fx::getMetadata(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return getMetadata(name.getChildLoc());
  auto fused = dyn_cast<FusedLoc>(loc);
  if (!fused)
    return {};
  if (auto own = dyn_cast_if_present<DictionaryAttr>(fused.getMetadata()))
    return own;
  // A pass that merges nodes fuses their locations. Take the first metadata.
  for (Location inner : fused.getLocations())
    if (DictionaryAttr metadata = getMetadata(inner))
      return metadata;
  return {};
}

SmallVector<std::string> fx::getPythonStack(Location loc) {
  SmallVector<std::string> stack;
  loc->walk([&](Location inner) {
    if (auto frame = dyn_cast<FileLineColLoc>(inner))
      stack.push_back(frame.getFilename().str() + ":" +
                      std::to_string(frame.getLine()));
    return WalkResult::advance();
  });
  return stack;
}

/// Removes the text up to the first comma that is not in brackets from the
/// front of `text`, with the comma, and returns it. Keys such as
/// `L['self'].layers['a,b']` and types may have commas in brackets.
static StringRef consumeField(StringRef &text) {
  int depth = 0;
  StringRef field = text.take_until([&](char c) {
    depth += StringRef("([{<").contains(c);
    depth -= StringRef(")]}>").contains(c);
    return c == ',' && depth <= 0;
  });
  text = text.drop_front(std::min(field.size() + 1, text.size()));
  return field;
}

std::string fx::getModulePath(Location loc) {
  DictionaryAttr metadata = getMetadata(loc);
  auto stack =
      metadata ? metadata.getAs<StringAttr>("nn_module_stack") : StringAttr();
  if (!stack)
    return "";
  // "key,path,type" of each module, outermost first, separated by ';'.
  StringRef innermost = stack.getValue().rsplit(';').second;
  if (innermost.empty())
    innermost = stack.getValue();
  consumeField(innermost);
  return consumeField(innermost).str();
}
