//===- NodeNamer.cpp - unique node names ----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Transforms/NodeNamer.h"

#include "fx/IR/Metadata.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;

NodeNamer::NodeNamer(GraphOp graph) {
  for (Operation &op : graph.getBlock())
    for (StringRef name : getResultNames(&op))
      taken.insert(name);
}

std::string NodeNamer::getUnique(StringRef base) {
  if (taken.insert(base).second)
    return base.str();
  // Replace a numeric suffix instead of extending it, as FX does.
  auto [stem, suffix] = base.rsplit('_');
  unsigned next = 1;
  if (!suffix.empty() && !suffix.getAsInteger(10, next))
    base = stem;
  for (;; ++next) {
    std::string name = (base + "_" + Twine(next)).str();
    if (taken.insert(name).second)
      return name;
  }
}

Location NodeNamer::rename(Location loc, StringRef base) {
  return withNodeName(loc, getUnique(base));
}

void NodeNamer::makeUnique(Operation *op) {
  SmallVector<std::string> names;
  for (StringRef name : getResultNames(op))
    names.push_back(getUnique(name));
  if (!names.empty())
    op->setLoc(withNodeName(op->getLoc(), llvm::join(names, ",")));
}

void NodeNamer::release(Operation *op) {
  for (StringRef name : getResultNames(op))
    taken.erase(name);
}
