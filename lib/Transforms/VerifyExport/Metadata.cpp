//===- Metadata.cpp - rules 9 to 14: values, symbols, names ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

#include "fx/IR/Metadata.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fx;
using namespace fx::verify_export;

/// Checks rules 9 to 11 for one node: its type (`val`), name and origin.
static void checkNode(Checker &c, Operation &op) {
  for (Type type : op.getResultTypes())
    if (isa<AnyType>(type)) {
      c.report(&op, 9) << "expected the type of every value to be known, got "
                       << type;
      break;
    }
  if (isa<PlaceholderOp>(op) || op.getNumResults() == 0)
    return;
  if (!getNodeName(&op))
    c.report(&op, 10) << "expected every node to have a name";
  else if (op.getNumResults() > 1 && getResultNames(&op).empty())
    c.report(&op, 10) << "expected " << op.getNumResults()
                      << " names, one for each result, got '"
                      << *getNodeName(&op) << "'";
  if (!c.strict || isa<GetAttrOp>(op))
    return;
  DictionaryAttr metadata = getMetadata(op.getLoc());
  if (!getPythonFrame(op.getLoc()) &&
      !(metadata && (metadata.get("nn_module_stack") ||
                     metadata.get("from_node") || metadata.get("torch_fn"))))
    c.report(&op, 11)
        << "expected a stack_trace, nn_module_stack, from_node or "
           "torch_fn of the node";
}

void fx::verify_export::checkMetadata(Checker &c) {
  for (GraphOp graph : c.graphs)
    for (Operation &op : graph.getBlock())
      if (!isa<GuardOp, OutputOp>(op))
        checkNode(c, op);

  llvm::StringSet<> declared;
  for (RangeAttr range : c.main.getSymbols().getAsRange<RangeAttr>()) {
    range.getExpr().walkSymbols([&](StringRef s) { declared.insert(s); });
    std::optional<int64_t> min = range.getMin(), max = range.getMax();
    if (min && max && *min > *max)
      c.report(c.main, 12) << "expected a range that holds a value, got "
                           << range;
  }
  for (PlaceholderOp input : c.main.getPlaceholders())
    input.getType().walk([&](ExprAttr expr) {
      expr.walkSymbols([&](StringRef s) {
        if (declared.insert(s).second)
          c.report(input, 13) << "expected a range for the symbol '" << s
                              << "' of input '" << input.getName() << "'";
      });
    });
  for (GuardOp guard : c.main.getBlock().getOps<GuardOp>())
    if (ExprAttr condition = guard.getConditionAttr())
      condition.walkSymbols([&](StringRef s) {
        if (!declared.contains(s))
          c.report(guard, 14) << "expected guards over the inputs' symbols, "
                                 "got '"
                              << s << "'";
      });
}
