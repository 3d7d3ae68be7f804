//===- Rewrite.cpp - replace sub-graphs by rules --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ResolveCalls.h"
#include "../SubgraphForms.h"
#include "Matcher.h"
#include "Rules.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/Purity.h"
#include "fx/Operators/Shape.h"
#include "fx/Transforms/NodeNamer.h"
#include "fx/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace fx {
#define GEN_PASS_DEF_REWRITEPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

/// `tree` with its leaves replaced by what they stand for.
static ArgumentTree substitute(Attribute tree, OperandRange &operands,
                               const Match &m, const IRMapping &made) {
  MLIRContext *ctx = tree.getContext();
  if (isa<OperandAttr>(tree)) {
    Value value = operands.front();
    operands = operands.drop_front();
    if (auto it = m.inputs.find(value); it != m.inputs.end())
      return it->second;
    return made.lookup(value);
  }
  if (auto list = dyn_cast<ArrayAttr>(tree)) {
    SmallVector<ArgumentTree> elements;
    for (Attribute element : list)
      elements.push_back(substitute(element, operands, m, made));
    return ArgumentTree::list(ctx, elements);
  }
  if (auto dict = dyn_cast<DictAttr>(tree)) {
    ArgumentTree values = substitute(dict.getValues(), operands, m, made);
    values.tree =
        DictAttr::get(ctx, dict.getKeys(), cast<ArrayAttr>(values.tree));
    return values;
  }
  return tree;
}

/// Types of results that the replacement leaves open.
static void inferTypes(Operation *op) {
  OperatorView view = getOperatorView(op);
  if (!view)
    return;
  ScopedDiagnosticHandler quiet(op->getContext(),
                                [](Diagnostic &) { return success(); });
  InferredTypes types = inferResultTypes(view);
  if (failed(types) || types->size() != op->getNumResults())
    return;
  for (auto [result, type] : llvm::zip_equal(op->getResults(), *types))
    if (isa<AnyType>(result.getType()))
      result.setType(type);
}

namespace {
struct RewritePass : fx::impl::RewritePassBase<RewritePass> {
  using RewritePassBase::RewritePassBase;

  void runOnOperation() override {
    FailureOr<RuleFile> file =
        readRules(patterns, UnknownLoc::get(&getContext()));
    if (failed(file))
      return signalPassFailure();
    for (const Rule &rule : file->rules) {
      unsigned count = 0;
      bool resolved = false;
      for (GraphOp graph : getOperation().getOps<GraphOp>())
        resolved |= resolveCalls(rule, graph);
      if (resolved)
        eraseUnusedGraphs(getOperation());
      for (GraphOp graph : getOperation().getOps<GraphOp>())
        count += apply(rule, graph);
      numMatched += count;
      if (remarks)
        getOperation().emitRemark("rule '")
            << rule.name << "' matched " << count
            << (count == 1 ? " time" : " times");
    }
  }

  bool resolveCalls(const Rule &rule, GraphOp graph);
  unsigned apply(const Rule &rule, GraphOp graph);
  bool isSafe(GraphOp graph, const Match &m);
  Operation *findPlace(GraphOp graph, const Match &m, ValueRange outputs);
  void replace(Rule rule, GraphOp graph, Match &m, Operation *place,
               NodeNamer &namer);

  /// What took the place of outputs of matches.
  DenseMap<Value, Value> replaced;
};
} // namespace

/// Calls of modules, methods and functions that run one operator which the rule
/// takes become that: what replaces it is no longer what they name.
bool RewritePass::resolveCalls(const Rule &rule, GraphOp graph) {
  Matcher matcher(rule.pattern);
  SmallVector<Operation *> found;
  for (Operation &call : graph.getBlock()) {
    GraphOp body = getModuleBody(&call);
    Operation *op = body && body != graph ? getOnlyOperator(body) : nullptr;
    if (op && matcher.match(op, {}))
      found.push_back(&call);
  }
  if (found.empty())
    return false;
  CallResolver resolver(graph);
  bool any = false;
  for (Operation *call : found)
    any |= resolver.resolve(call);
  return any;
}

/// Between the nodes of a graph that mutates a value may change.
bool RewritePass::isSafe(GraphOp graph, const Match &m) {
  if (!graph.getFunctional() && m.matched.size() > 1)
    return false;
  for (Operation *op : m.matched)
    if (OperatorView view = getOperatorView(op))
      for (OpOperand *written : getWrittenOperands(view))
        if (!written->get().hasOneUse() ||
            isa<PlaceholderOp>(written->get().getDefiningOp()))
          return false;
  return true;
}

/// Where the replacement goes: behind all that it uses, before all that uses
/// it; null if there is no such place.
Operation *RewritePass::findPlace(GraphOp graph, const Match &m,
                                  ValueRange outputs) {
  DenseSet<Operation *> inside(m.matched.begin(), m.matched.end());
  Operation *place = m.matched.front();
  for (Operation *op : m.matched)
    if (op->isBeforeInBlock(place))
      place = op;
  for (auto &[input, tree] : m.inputs)
    for (Value value : tree.values)
      if (!value.getDefiningOp()->isBeforeInBlock(place))
        place = value.getDefiningOp()->getNextNode();
  for (Value output : outputs)
    for (Operation *user : output.getUsers())
      if (!inside.contains(user) && user->isBeforeInBlock(place))
        return nullptr;
  // An input that was made inside cannot be used outside.
  for (auto &[input, tree] : m.inputs)
    for (Value value : tree.values)
      if (inside.contains(value.getDefiningOp()) &&
          !llvm::is_contained(outputs, value))
        return nullptr;
  return place;
}

void RewritePass::replace(Rule rule, GraphOp graph, Match &m, Operation *place,
                          NodeNamer &namer) {
  // Inputs are bound by position.
  for (auto [from, to] : llvm::zip_equal(rule.pattern.getPlaceholders(),
                                         rule.replacement.getPlaceholders()))
    if (auto it = m.inputs.find(from.getResult()); it != m.inputs.end())
      m.inputs.try_emplace(to.getResult(), ArgumentTree(it->second));
  OpBuilder b(place);
  IRMapping made;
  Location loc = m.matched.front()->getLoc();
  for (Operation &op : rule.replacement.getBlock()) {
    if (isa<PlaceholderOp, GuardOp, OutputOp>(op))
      continue;
    StringRef name = getNodeName(&op).value_or("rewritten");
    OperationState state(namer.rename(loc, name.split(',').first),
                         op.getName());
    state.addTypes(op.getResultTypes());
    state.addAttributes(op.getAttrs());
    if (auto node = dyn_cast<NodeOpInterface>(op)) {
      OperandRange operands = op.getOperands();
      ArgumentTree args = substitute(node.getArgs(), operands, m, made);
      state.attributes.set("args", args.tree);
      state.addOperands(args.values);
    }
    Operation *copy = b.create(state);
    inferTypes(copy);
    made.map(op.getResults(), copy->getResults());
  }
  for (auto [from, to] :
       llvm::zip_equal(rule.pattern.getOutput().getOperands(),
                       rule.replacement.getOutput().getOperands())) {
    Value old = m.values.lookup(from);
    Value value;
    if (auto it = m.inputs.find(to); it != m.inputs.end())
      value = it->second.values.empty() ? Value() : it->second.values.front();
    else
      value = made.lookup(to);
    if (!value)
      continue;
    // It computes what the other did, and has its type and name.
    if (isa<AnyType>(value.getType()) && made.lookupOrNull(to))
      value.setType(old.getType());
    old.replaceAllUsesWith(value);
    replaced[old] = value;
  }
}

unsigned RewritePass::apply(const Rule &rule, GraphOp graph) {
  Matcher matcher(rule.pattern);
  DenseSet<Operation *> taken;
  SmallVector<Match> matches;
  for (Operation &op : graph.getBlock()) {
    std::optional<Match> m = matcher.match(&op, taken);
    if (!m || !isSafe(graph, *m))
      continue;
    taken.insert(m->matched.begin(), m->matched.end());
    matches.push_back(std::move(*m));
  }
  NodeNamer namer(graph);
  unsigned count = 0;
  Rule r = rule;
  // The last first: what a match takes from an earlier one is still there.
  // What it takes from a later one has been replaced, and is erased at the end.
  SmallVector<Operation *> dead;
  replaced.clear();
  for (Match &m : llvm::reverse(matches)) {
    for (auto &[input, tree] : m.inputs)
      for (Value &value : tree.values)
        if (Value other = replaced.lookup(value))
          value = other;
    SmallVector<Value> outputs;
    for (Value output : r.pattern.getOutput().getOperands())
      outputs.push_back(m.values.lookup(output));
    if (Operation *place = findPlace(graph, m, outputs)) {
      replace(r, graph, m, place, namer);
      llvm::append_range(dead, m.matched);
      ++count;
    }
  }
  llvm::sort(dead,
             [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *op : dead)
    if (op->use_empty())
      op->erase();
  return count;
}
