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

/// Returns `tree`, a tree of the replacement, with its operand leaves replaced
/// by matched inputs (`m`) and created values (`made`). Takes the operands of
/// the leaves from the front of `operands`.
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

/// Binds the inputs of the replacement by position. Returns false if an output
/// of the replacement is an input for which the match has an immediate or a
/// list: neither can replace a value.
static bool bindReplacement(Rule rule, Match &m) {
  for (auto [from, to] : llvm::zip_equal(rule.pattern.getPlaceholders(),
                                         rule.replacement.getPlaceholders()))
    if (auto it = m.inputs.find(from.getResult()); it != m.inputs.end())
      m.inputs.try_emplace(to.getResult(), ArgumentTree(it->second));
  return llvm::all_of(
      rule.replacement.getOutput().getOperands(), [&](Value output) {
        auto it = m.inputs.find(output);
        return it == m.inputs.end() || isa<OperandAttr>(it->second.tree);
      });
}

/// Infers the types of results for which the replacement has `!fx.any`.
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

  /// Maps outputs of matches to the values that replaced them.
  DenseMap<Value, Value> replaced;
};
} // namespace

/// Replaces calls of modules, methods and functions that run a single operator
/// by this operator if the rule matches it. The replacement of the operator is
/// no longer what such a call names. Returns true if a call was replaced.
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

/// Returns true if the match can be replaced. In a graph with mutations, values
/// can change between two matched nodes, so only single nodes are safe. A
/// tensor that a matched node writes must have no other users.
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

/// Returns the operation in front of which the replacement goes: behind its
/// inputs and in front of the users of its outputs. Returns null if there is no
/// such place.
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
  // An input that a matched node computes is erased with it, unless it is an
  // output.
  for (auto &[input, tree] : m.inputs)
    for (Value value : tree.values)
      if (inside.contains(value.getDefiningOp()) &&
          !llvm::is_contained(outputs, value))
        return nullptr;
  return place;
}

void RewritePass::replace(Rule rule, GraphOp graph, Match &m, Operation *place,
                          NodeNamer &namer) {
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
    auto it = m.inputs.find(to);
    Value value =
        it != m.inputs.end() ? it->second.values.front() : made.lookup(to);
    // The new value takes the type of the old one if its own is not known.
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
    if (!m || !isSafe(graph, *m) || !bindReplacement(rule, *m))
      continue;
    taken.insert(m->matched.begin(), m->matched.end());
    matches.push_back(std::move(*m));
  }
  NodeNamer namer(graph);
  unsigned count = 0;
  Rule r = rule;
  // Replace the last match first. Inputs from earlier matches still exist then.
  // Inputs from later matches have been replaced; the matched nodes are erased
  // at the end.
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
