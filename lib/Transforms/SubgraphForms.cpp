//===- SubgraphForms.cpp - sub-graphs without mutation --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SubgraphForms.h"

#include "fx/IR/Metadata.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;

void SubgraphForms::add(GraphOp graph, GraphOp form) {
  form->remove();
  forms[graph] = OwningOpRef<GraphOp>(form);
}

GraphOp SubgraphForms::getForm(GraphOp graph) const {
  if (graph.getFunctional())
    return graph;
  auto it = forms.find(graph);
  return it == forms.end() ? GraphOp() : it->second.get();
}

bool SubgraphForms::areFunctional(Operation *op) const {
  for (Value operand : op->getOperands())
    if (isa<GraphRefType>(operand.getType())) {
      GraphOp graph = getReferencedGraph(operand);
      if (!graph || !graph.getFunctional())
        return false;
    }
  return true;
}

namespace {
/// The final values of the mutated inputs of a form, by position of the input.
using Mutated = llvm::MapVector<unsigned, Value>;
} // namespace

static Mutated getMutated(GraphOp form) {
  llvm::StringMap<unsigned> positions;
  for (auto [i, placeholder] : llvm::enumerate(form.getPlaceholders()))
    positions[placeholder.getName()] = i;
  Mutated mutated;
  OutputOp output = form.getOutput();
  for (size_t i = 0, e = output.getArgs().size(); i < e; ++i) {
    OutputSpecAttr spec = output.getSpec(i);
    if (spec.getKind() == OutputKind::UserInputMutation)
      // Mutations are the first outputs, with one operand each.
      mutated[positions.lookup(spec.getTarget().getValue())] =
          output->getOperand(i);
  }
  return mutated;
}

namespace {
/// Describes how to make a sub-graph from a form: with inputs in another order,
/// and with the final values of some inputs among the outputs.
struct Rebuild {
  /// The positions of the form's inputs, in the new order.
  SmallVector<unsigned> order;
  /// The positions of the form's inputs whose final values are returned.
  SmallVector<unsigned> returned;
  /// The position of these values among the outputs.
  unsigned at = 0;
};
} // namespace

static GraphOp rebuild(GraphOp form, StringRef name, Operation *before,
                       const Rebuild &how) {
  OpBuilder b(before);
  auto graph = cast<GraphOp>(b.clone(*form));
  graph.setSymName(name);
  graph->removeAttr("fx.single_return");
  Mutated mutated = getMutated(graph);
  SmallVector<PlaceholderOp, 8> placeholders = graph.getPlaceholders();
  Block &block = graph.getBlock();
  for (auto [i, position] : llvm::enumerate(how.order))
    placeholders[position]->moveBefore(&block, std::next(block.begin(), i));

  OutputOp output = graph.getOutput();
  SmallVector<Attribute> trees;
  SmallVector<Value> operands;
  unsigned next = mutated.size();
  // Flatten the other outputs to leaves. Immediates have a null operand.
  for (Attribute tree : output.getArgs().getValue().drop_front(mutated.size()))
    walkLeaves(tree, [&](Attribute leaf) {
      trees.push_back(leaf);
      operands.push_back(isa<OperandAttr>(leaf) ? output->getOperand(next++)
                                                : Value());
    });
  unsigned at = std::min<unsigned>(how.at, trees.size());
  for (unsigned position : llvm::reverse(how.returned)) {
    auto it = mutated.find(position);
    trees.insert(trees.begin() + at, OperandAttr::get(b.getContext()));
    operands.insert(operands.begin() + at,
                    it != mutated.end() ? it->second
                                        : placeholders[position].getResult());
  }
  llvm::erase(operands, Value());
  output->setOperands(operands);
  output.setArgsAttr(b.getArrayAttr(trees));
  output.removeSignatureAttr();
  return graph;
}

/// Returns a symbol name that the module does not have yet.
static std::string getFreeName(ModuleOp module, StringRef base) {
  std::string name = (base + "_functional").str();
  for (unsigned i = 1; module.lookupSymbol(name); ++i)
    name = (base + "_functional_" + Twine(i)).str();
  return name;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// A call whose sub-graphs write to some of their inputs.
struct MutatingCall {
  MutatingCall(Operation *op, const HigherOrderView &view)
      : op(op), view(view), flow(view.getFlow()),
        firstAdditional(view.getNumGraphOperands() -
                        view.getAdditional().size()) {}

  /// Returns true if the operator is a loop. The new call of a loop carries the
  /// written inputs.
  bool isLoop() const {
    return flow == Flow::While || flow == Flow::Scan || flow == Flow::Map;
  }
  bool isTarget(size_t position) const {
    return llvm::is_contained(targets, position);
  }
  /// Returns the value that the call passes for the additional input at
  /// `position` among the inputs of the sub-graphs.
  Value getValue(unsigned position) const {
    return view.getAdditional()[position - firstAdditional].getValue();
  }

  Operation *op;
  const HigherOrderView &view;
  Flow flow;
  /// The position of the first additional operand among the inputs of the
  /// sub-graphs.
  size_t firstAdditional;
  /// The written inputs that the new call has to return, in ascending order.
  SmallVector<unsigned> targets;
};

/// The results of the new call: the old ones, with the written values inserted.
struct NewResults {
  /// The position of the first written value.
  unsigned at = 0;
  SmallVector<Type> types;
  /// Empty if the old call has no names.
  SmallVector<std::string> names;
  ArrayAttr outs;
};
} // namespace

LogicalResult SubgraphForms::findWritten(const HigherOrderView &view,
                                         SmallVectorImpl<GraphOp> &graphForms,
                                         SmallVectorImpl<unsigned> &written,
                                         std::string &why) const {
  llvm::SmallSetVector<unsigned, 4> positions;
  for (auto [i, graph] : llvm::enumerate(view.getGraphs())) {
    GraphOp form = getForm(graph);
    if (!form) {
      why = "a sub-graph mutates";
      return failure();
    }
    graphForms.push_back(form);
    Mutated mutated = getMutated(form);
    if (view.getFlow() == Flow::While && i == 0 && !mutated.empty()) {
      why = "the condition of a loop mutates";
      return failure();
    }
    for (auto &[position, value] : mutated)
      positions.insert(position);
  }
  written.assign(positions.begin(), positions.end());
  llvm::sort(written);
  return success();
}

/// Sets the targets of `call` to those inputs of `written` whose new values are
/// visible outside of the call. Fails with a reason if the new call cannot
/// return one of them.
static LogicalResult setTargets(MutatingCall &call, ArrayRef<unsigned> written,
                                std::string &why) {
  auto fail = [&](StringRef reason) {
    why = reason.str();
    return failure();
  };
  call.targets.assign(written.begin(), written.end());
  if (call.flow == Flow::AssociativeScan && !call.targets.empty())
    return fail("the body of an associative scan mutates");
  // A while_loop works on copies of the carried values, so writes to them are
  // not visible outside.
  size_t numCarried = call.view.getCarried().size();
  if (call.flow == Flow::While)
    llvm::erase_if(call.targets, [&](unsigned i) { return i < numCarried; });
  for (unsigned target : call.targets) {
    if (target < call.firstAdditional)
      return fail("the body of a loop writes to what it carries or walks");
    Value value = call.getValue(target);
    if (!value || !isa<FakeTensorType>(value.getType()))
      return fail("a sub-graph writes to an immediate");
  }
  return success();
}

/// Returns how to rebuild the sub-graphs. In loops, the written inputs become
/// carried ones.
static Rebuild getRebuild(const MutatingCall &call) {
  size_t numCarried = call.view.getCarried().size();
  bool isLoop = call.isLoop();
  Rebuild how;
  how.returned = call.targets;
  auto append = [&](unsigned from, unsigned to, bool unlessWritten) {
    for (unsigned i = from; i < to; ++i)
      if (!unlessWritten || !call.isTarget(i))
        how.order.push_back(i);
  };
  append(0, isLoop ? numCarried : call.firstAdditional, false);
  if (isLoop) {
    llvm::append_range(how.order, call.targets);
    append(numCarried, numCarried + call.view.getScanned().size(), false);
  }
  append(call.firstAdditional, call.view.getNumGraphOperands(), isLoop);
  how.at = call.flow == Flow::While  ? call.op->getNumResults()
           : call.flow == Flow::Scan ? numCarried
                                     : 0;
  return how;
}

/// Creates the functional sub-graphs from their forms, and a reference to each
/// of them in front of the call. Returns the references.
static SmallVector<Value> createGraphs(OpBuilder &b, const MutatingCall &call,
                                       ArrayRef<GraphOp> graphForms,
                                       const Rebuild &how, NodeNamer &namer,
                                       FunctionalCall &functional) {
  MLIRContext *ctx = b.getContext();
  Location loc = call.op->getLoc();
  auto module = call.op->getParentOfType<ModuleOp>();
  SmallVector<Value> references;
  for (auto [i, form] : llvm::enumerate(graphForms)) {
    GraphOp old = call.view.getGraphs()[i];
    Rebuild mine = how;
    // The condition of a loop returns nothing but the condition.
    if (call.flow == Flow::While && i == 0)
      mine.returned.clear();
    std::string name = getFreeName(module, old.getSymName());
    functional.graphs.push_back(rebuild(form, name, old, mine));
    auto reference = GetAttrOp::create(b, loc, GraphRefType::get(ctx),
                                       FlatSymbolRefAttr::get(ctx, name));
    reference->setLoc(namer.rename(loc, name));
    functional.references.push_back(reference);
    references.push_back(reference);
  }
  return references;
}

/// Returns the operator of the new call. A map carries no values, so a map that
/// writes becomes a scan.
static StringRef getNewTarget(const MutatingCall &call) {
  bool isWalk = call.flow == Flow::Map || call.flow == Flow::Scan;
  if (isWalk && !call.targets.empty())
    return "scan";
  return call.view.getNode().getTargetName();
}

static ArgumentTree getListTree(MLIRContext *ctx, ArrayRef<Argument> args) {
  SmallVector<ArgumentTree> trees(args.begin(), args.end());
  return ArgumentTree::list(ctx, trees);
}

/// Returns the arguments of the new call of `target` as one list.
static ArgumentTree getNewArguments(const MutatingCall &call, StringRef target,
                                    ArrayRef<Value> references) {
  const HigherOrderView &view = call.view;
  MLIRContext *ctx = call.op->getContext();
  // A loop carries the written operands after its other carried values.
  SmallVector<Argument> additional, carried(view.getCarried());
  for (auto [i, arg] : llvm::enumerate(view.getAdditional()))
    (call.isLoop() && call.isTarget(call.firstAdditional + i) ? carried
                                                              : additional)
        .push_back(arg);
  SmallVector<ArgumentTree> args;
  SmallVector<Argument> old = getArguments(view.getNode());
  switch (call.flow) {
  case Flow::Cond:
    args = {old[0], references[0], references[1], getListTree(ctx, additional)};
    break;
  case Flow::Switch: {
    SmallVector<ArgumentTree> graphs(references.begin(), references.end());
    args = {old[0], ArgumentTree::list(ctx, graphs),
            getListTree(ctx, additional)};
    break;
  }
  case Flow::While:
    args = {references[0], references[1], getListTree(ctx, carried),
            getListTree(ctx, additional)};
    break;
  case Flow::Map:
  case Flow::Scan:
    args = {references[0]};
    if (target == "scan")
      args.push_back(getListTree(ctx, carried));
    args.push_back(getListTree(ctx, view.getScanned()));
    args.push_back(getListTree(ctx, additional));
    break;
  case Flow::AssociativeScan:
  case Flow::Call:
    for (const Argument &arg : old)
      args.push_back(arg.getValue() &&
                             isa<GraphRefType>(arg.getValue().getType())
                         ? ArgumentTree(references[0])
                         : ArgumentTree(arg));
    break;
  }
  return ArgumentTree::list(ctx, args);
}

/// Returns the results of the new call. The written values begin at position
/// `at`.
static NewResults getNewResults(const MutatingCall &call, unsigned at,
                                NodeNamer &namer) {
  Operation *op = call.op;
  NewResults results;
  results.at = std::min<unsigned>(at, op->getNumResults());
  llvm::append_range(results.types, op->getResultTypes());
  for (StringRef name : getResultNames(op))
    results.names.push_back(name.str());
  for (auto [i, position] : llvm::enumerate(call.targets)) {
    auto type = cast<FakeTensorType>(call.getValue(position).getType());
    results.types.insert(results.types.begin() + results.at + i,
                         type.withoutMeta());
    if (!results.names.empty())
      results.names.insert(results.names.begin() + results.at + i,
                           namer.getUnique(results.names.front() + "_written"));
  }
  results.outs = call.view.getNode().getOutsAttr();
  if (results.outs && !call.targets.empty()) {
    SmallVector<Attribute> leaves;
    walkLeaves(results.outs, [&](Attribute leaf) { leaves.push_back(leaf); });
    leaves.insert(leaves.begin() + std::min<size_t>(results.at, leaves.size()),
                  call.targets.size(), OperandAttr::get(op->getContext()));
    results.outs = ArrayAttr::get(op->getContext(), leaves);
  }
  return results;
}

/// Creates the new call with all arguments in the list `all`.
static Operation *createNewCall(OpBuilder &b, const MutatingCall &call,
                                StringRef target, const ArgumentTree &all,
                                const NewResults &results) {
  Location loc = call.op->getLoc();
  ArrayAttr kwnames =
      call.flow == Flow::Call || call.flow == Flow::AssociativeScan
          ? call.view.getNode().getKwnames()
          : b.getArrayAttr({});
  Operation *created;
  if (isa<CondOp>(call.op))
    created = CondOp::create(b, loc, results.types, all.values,
                             cast<ArrayAttr>(all.tree), kwnames, results.outs);
  else
    created = HigherOrderOp::create(
        b, loc, results.types, b.getStringAttr(target), all.values,
        cast<ArrayAttr>(all.tree), kwnames, results.outs);
  if (results.names.size() == results.types.size() && !results.names.empty())
    created->setLoc(withNodeName(loc, llvm::join(results.names, ",")));
  return created;
}

/// Records which results of the new call replace the old results, and which are
/// the final values of written operands.
static void mapResults(const MutatingCall &call, unsigned at,
                       FunctionalCall &functional) {
  for (auto [i, result] : llvm::enumerate(functional.op->getResults())) {
    if (i < at || i >= at + call.targets.size()) {
      functional.results.push_back(result);
      continue;
    }
    Value value = call.getValue(call.targets[i - at]);
    for (OpOperand &operand : call.op->getOpOperands())
      if (operand.get() == value) {
        functional.written.emplace_back(operand.getOperandNumber(), result);
        break;
      }
  }
}

FailureOr<FunctionalCall>
SubgraphForms::rewrite(Operation *op, NodeNamer &namer, std::string &why) {
  FailureOr<HigherOrderView> view = HigherOrderView::get(op);
  if (failed(view)) {
    why = "a sub-graph mutates";
    return failure();
  }
  SmallVector<GraphOp> graphForms;
  SmallVector<unsigned> written;
  MutatingCall call(op, *view);
  if (failed(findWritten(*view, graphForms, written, why)) ||
      failed(setTargets(call, written, why)))
    return failure();

  OpBuilder b(op);
  FunctionalCall functional;
  Rebuild how = getRebuild(call);
  SmallVector<Value> references =
      createGraphs(b, call, graphForms, how, namer, functional);
  for (Operation *graph : functional.graphs)
    created.push_back(cast<GraphOp>(graph));
  StringRef target = getNewTarget(call);
  ArgumentTree all = getNewArguments(call, target, references);
  NewResults results = getNewResults(call, how.at, namer);
  functional.op = createNewCall(b, call, target, all, results);
  mapResults(call, results.at, functional);
  return functional;
}

void SubgraphForms::erase(FunctionalCall &call) {
  call.op->erase();
  for (Operation *reference : call.references)
    reference->erase();
  // `finish` erases the graphs, which have no uses now.
}

void SubgraphForms::finish(ModuleOp module) {
  SmallVector<GraphOp> candidates(created);
  for (auto &[graph, form] : forms)
    candidates.push_back(cast<GraphOp>(graph));
  for (bool changed = true; changed;) {
    changed = false;
    for (GraphOp &graph : candidates)
      if (graph && SymbolTable::symbolKnownUseEmpty(graph, module)) {
        graph.erase();
        graph = {};
        changed = true;
      }
  }
}

void fx::eraseUnusedGraphs(ModuleOp module) {
  for (bool changed = true; changed;) {
    changed = false;
    for (GraphOp graph : llvm::make_early_inc_range(module.getOps<GraphOp>()))
      if (graph.isPrivate() &&
          SymbolTable::symbolKnownUseEmpty(graph, module)) {
        graph.erase();
        changed = true;
      }
  }
}
