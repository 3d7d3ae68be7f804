//===- Structure.cpp - rules 1 to 8: graphs, nodes, operators -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

#include "fx/IR/HigherOrder.h"
#include "fx/Operators/Schema.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fx;
using namespace fx::verify_export;

/// Returns true for Python functions that an exported graph may call besides
/// operators.
static bool isAllowedFunction(StringRef target) {
  static const llvm::StringSet<> names = {
      "_operator.getitem",
      "_operator.add",
      "_operator.mul",
      "_operator.sub",
      "_operator.truediv",
      "_operator.ge",
      "_operator.le",
      "_operator.gt",
      "_operator.lt",
      "_operator.eq",
      "_operator.ne",
      "_operator.floordiv",
      "_operator.mod",
      "_operator.and_",
      "_operator.or_",
      "_operator.not_",
      "_operator.pow",
      "_operator.neg",
      "_operator.pos",
      "_operator.abs",
      "_operator.lshift",
      "_operator.rshift",
      "_operator.index",
      "math.ceil",
      "math.floor",
      "math.trunc",
      "math.sqrt",
      "builtins.round",
      "torch.sym_int",
      "torch.sym_float",
      "torch.sym_ite",
      "torch.sym_max",
      "torch.sym_min",
      "torch.sym_not",
      "torch.sym_sqrt",
      "torch.sym_sum",
      "torch._sym_sqrt",
      "torch._C._set_grad_enabled",
      "torch.amp.autocast_mode._enter_autocast",
      "torch.amp.autocast_mode._exit_autocast",
      "torch.fx.experimental.symbolic_shapes.cast_symbool_to_symint_guardless"};
  return names.contains(target) ||
         target.starts_with("torch._functorch.predispatch.");
}

/// Adds the names of all graphs that `graph` uses, directly or indirectly, to
/// `reached`, including its own.
static void collectReached(GraphOp graph, llvm::StringSet<> &reached) {
  if (!graph || !reached.insert(graph.getSymName()).second)
    return;
  for (GetAttrOp attr : graph.getBlock().getOps<GetAttrOp>())
    if (isa<GraphRefType>(attr.getType()))
      collectReached(getReferencedGraph(attr.getResult()), reached);
}

/// Checks rules 3 to 6 for one node.
static void checkNode(Checker &c, GraphOp graph, Operation &op) {
  if (isa<CallMethodOp, CallModuleOp>(op)) {
    c.report(&op, 3) << "expected only call_function, get_attr and "
                        "higher-order operators, got '"
                     << op.getName().stripDialect() << "'";
    return;
  }
  if (auto attr = dyn_cast<GetAttrOp>(op)) {
    Operation *target =
        SymbolTable::lookupSymbolIn(c.module, attr.getTargetAttr());
    bool isGraph = isa_and_present<GraphOp>(target);
    bool isState = isa_and_present<StateOp>(target);
    if (!isGraph && !(isState && graph != c.main))
      c.report(&op, 6) << "expected get_attr to name a sub-graph"
                       << (graph == c.main ? "" : " or a state") << ", got @"
                       << attr.getTarget();
    return;
  }
  auto call = dyn_cast<CallFunctionOp>(op);
  if (!call)
    return;
  StringRef target = call.getTarget();
  const OperatorSchema *schema = lookupOperator(target);
  if (!schema) {
    // A custom operator, whose schema is not known, has the form
    // `namespace.name.overload`.
    bool isCustom = target.count('.') == 2 && !target.starts_with("torch.") &&
                    !target.starts_with("aten.");
    if (!isCustom && !isAllowedFunction(target))
      c.report(&op, 4) << "expected an operator overload or one of Python's "
                          "arithmetic functions, got '"
                       << target << "'";
    return;
  }
  if (!c.training && schema->isMutating())
    c.report(&op, 5) << "expected functional operators only, got '" << target
                     << "', which mutates";
}

void fx::verify_export::checkStructure(Checker &c) {
  llvm::StringSet<> reached;
  collectReached(c.main, reached);
  if (c.main.isPrivate())
    c.report(c.main, 1) << "expected the graph @main to be public";
  for (GraphOp graph : c.graphs) {
    if (graph == c.main)
      continue;
    if (!graph.isPrivate())
      c.report(graph, 1) << "expected one public graph, @main, got @"
                         << graph.getSymName();
    else if (!reached.contains(graph.getSymName()))
      c.report(graph, 2) << "expected every sub-graph to be used from @main, "
                            "got @"
                         << graph.getSymName();
  }
  for (GraphOp graph : c.graphs)
    for (Operation &op : graph.getBlock())
      checkNode(c, graph, op);

  // Rule 7: a sub-graph has only inputs that its caller passes and outputs that
  // its caller takes.
  for (GraphOp graph : c.graphs) {
    if (graph == c.main)
      continue;
    for (PlaceholderOp input : graph.getPlaceholders())
      if (input.getKind() != InputKind::UserInput)
        c.report(input, 7) << "expected only user inputs in a sub-graph, got '"
                           << stringifyInputKind(input.getKind()) << "'";
    OutputOp output = graph.getOutput();
    for (size_t i = 0, e = output.getArgs().size(); i < e; ++i)
      if (OutputKind kind = output.getSpec(i).getKind();
          kind != OutputKind::UserOutput)
        c.report(output, 7)
            << "expected only user outputs in a sub-graph, got '"
            << stringifyOutputKind(kind) << "'";
  }

  // Rule 8: graphs must not be recursive.
  for (GraphOp graph : c.graphs)
    for (GetAttrOp attr : graph.getBlock().getOps<GetAttrOp>()) {
      llvm::StringSet<> below;
      if (isa<GraphRefType>(attr.getType()))
        collectReached(getReferencedGraph(attr.getResult()), below);
      if (below.contains(graph.getSymName()))
        c.report(attr, 8) << "expected sub-graphs without recursion, got @"
                          << attr.getTarget() << ", which uses @"
                          << graph.getSymName();
    }
}
