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
/// The last values of a form's inputs, by their positions.
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
      // Mutations come first, an operand each.
      mutated[positions.lookup(spec.getTarget().getValue())] =
          output->getOperand(i);
  }
  return mutated;
}

namespace {
/// A sub-graph made from a form: inputs in another order, and the last values
/// of some inputs among the outputs.
struct Rebuild {
  SmallVector<unsigned> order;
  SmallVector<unsigned> returned;
  /// Where they stand among the outputs.
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
  // What the graph returned, leaf by leaf.
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

/// A symbol that the module does not have yet.
static std::string getFreeName(ModuleOp module, StringRef base) {
  std::string name = (base + "_functional").str();
  for (unsigned i = 1; module.lookupSymbol(name); ++i)
    name = (base + "_functional_" + Twine(i)).str();
  return name;
}

FailureOr<FunctionalCall>
SubgraphForms::rewrite(Operation *op, NodeNamer &namer, std::string &why) {
  auto fail = [&](const Twine &reason) {
    why = reason.str();
    return failure();
  };
  FailureOr<HigherOrderView> view = HigherOrderView::get(op);
  if (failed(view))
    return fail("a sub-graph mutates");
  // Which of the sub-graphs' inputs are written.
  SmallVector<GraphOp> graphForms;
  llvm::SmallSetVector<unsigned, 4> written;
  Flow flow = view->getFlow();
  for (auto [i, graph] : llvm::enumerate(view->getGraphs())) {
    GraphOp form = getForm(graph);
    if (!form)
      return fail("a sub-graph mutates");
    graphForms.push_back(form);
    Mutated mutated = getMutated(form);
    if (flow == Flow::While && i == 0 && !mutated.empty())
      return fail("the condition of a loop mutates");
    for (auto &[position, value] : mutated)
      written.insert(position);
  }
  size_t numCarried = view->getCarried().size(),
         numScanned = view->getScanned().size(),
         numOperands = view->getNumGraphOperands();
  size_t firstAdditional = numOperands - view->getAdditional().size();
  SmallVector<unsigned> targets(written.begin(), written.end());
  llvm::sort(targets);
  if (flow == Flow::AssociativeScan && !targets.empty())
    return fail("the body of an associative scan mutates");
  // A while_loop works on copies of what it carries: nobody sees these change.
  if (flow == Flow::While)
    llvm::erase_if(targets, [&](unsigned i) { return i < numCarried; });
  for (unsigned target : targets) {
    if (target < firstAdditional)
      return fail("the body of a loop writes to what it carries or walks");
    Value value = view->getAdditional()[target - firstAdditional].getValue();
    if (!value || !isa<FakeTensorType>(value.getType()))
      return fail("a sub-graph writes to an immediate");
  }

  // The new order of the inputs: written ones are carried by loops.
  Rebuild how;
  how.returned = targets;
  bool isLoop = flow == Flow::While || flow == Flow::Scan || flow == Flow::Map;
  auto append = [&](unsigned from, unsigned to, bool unlessWritten) {
    for (unsigned i = from; i < to; ++i)
      if (!unlessWritten || !llvm::is_contained(targets, i))
        how.order.push_back(i);
  };
  append(0, isLoop ? numCarried : firstAdditional, false);
  if (isLoop) {
    llvm::append_range(how.order, targets);
    append(numCarried, numCarried + numScanned, false);
  }
  append(firstAdditional, numOperands, isLoop);
  how.at = flow == Flow::While  ? op->getNumResults()
           : flow == Flow::Scan ? numCarried
                                : 0;

  FunctionalCall call;
  auto module = op->getParentOfType<ModuleOp>();
  OpBuilder b(op);
  MLIRContext *ctx = b.getContext();
  SmallVector<Value> references;
  for (auto [i, form] : llvm::enumerate(graphForms)) {
    GraphOp old = view->getGraphs()[i];
    Rebuild mine = how;
    if (flow == Flow::While && i == 0)
      mine.returned.clear();
    std::string name = getFreeName(module, old.getSymName());
    GraphOp graph = rebuild(form, name, old, mine);
    created.push_back(graph);
    call.graphs.push_back(graph);
    auto reference = GetAttrOp::create(b, op->getLoc(), GraphRefType::get(ctx),
                                       FlatSymbolRefAttr::get(ctx, name));
    reference->setLoc(namer.rename(op->getLoc(), name));
    call.references.push_back(reference);
    references.push_back(reference);
  }

  // The arguments.
  auto list = [&](ArrayRef<Argument> args) {
    SmallVector<ArgumentTree> trees(args.begin(), args.end());
    return ArgumentTree::list(ctx, trees);
  };
  SmallVector<Argument> additional(view->getAdditional()), moved;
  if (isLoop) {
    additional.clear();
    for (auto [i, arg] : llvm::enumerate(view->getAdditional()))
      (llvm::is_contained(targets, firstAdditional + i) ? moved : additional)
          .push_back(arg);
  }
  SmallVector<Argument> carried(view->getCarried());
  llvm::append_range(carried, moved);
  SmallVector<ArgumentTree> args;
  StringRef target = view->getNode().getTargetName();
  SmallVector<Argument> old = getArguments(view->getNode());
  switch (flow) {
  case Flow::Cond:
    args = {old[0], references[0], references[1], list(additional)};
    break;
  case Flow::While:
    args = {references[0], references[1], list(carried), list(additional)};
    break;
  case Flow::Map:
  case Flow::Scan:
    target = targets.empty() ? target : "scan";
    args = {references[0]};
    if (target == "scan")
      args.push_back(list(carried));
    args.push_back(list(view->getScanned()));
    args.push_back(list(additional));
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
  ArgumentTree all = ArgumentTree::list(ctx, args);

  // The results: the old ones with the written values among them.
  unsigned at = std::min<unsigned>(how.at, op->getNumResults());
  SmallVector<Type> types(op->getResultTypes());
  SmallVector<std::string> names;
  for (StringRef name : getResultNames(op))
    names.push_back(name.str());
  for (auto [i, position] : llvm::enumerate(targets)) {
    Value value = view->getAdditional()[position - firstAdditional].getValue();
    types.insert(types.begin() + at + i,
                 cast<FakeTensorType>(value.getType()).withoutMeta());
    if (!names.empty())
      names.insert(names.begin() + at + i,
                   namer.getUnique(names.front() + "_written"));
  }
  ArrayAttr outs = view->getNode().getOutsAttr();
  if (outs && !targets.empty()) {
    SmallVector<Attribute> leaves;
    walkLeaves(outs, [&](Attribute leaf) { leaves.push_back(leaf); });
    leaves.insert(leaves.begin() + std::min<size_t>(at, leaves.size()),
                  targets.size(), OperandAttr::get(ctx));
    outs = b.getArrayAttr(leaves);
  }
  auto kwnames = flow == Flow::Call || flow == Flow::AssociativeScan
                     ? view->getNode().getKwnames()
                     : b.getArrayAttr({});
  if (isa<CondOp>(op))
    call.op = CondOp::create(b, op->getLoc(), types, all.values,
                             cast<ArrayAttr>(all.tree), kwnames, outs);
  else
    call.op = HigherOrderOp::create(b, op->getLoc(), types,
                                    b.getStringAttr(target), all.values,
                                    cast<ArrayAttr>(all.tree), kwnames, outs);
  if (names.size() == types.size() && !names.empty())
    call.op->setLoc(withNodeName(op->getLoc(), llvm::join(names, ",")));
  for (unsigned i = 0; i < types.size(); ++i) {
    Value result = call.op->getResult(i);
    if (i < at || i >= at + targets.size()) {
      call.results.push_back(result);
      continue;
    }
    Value value =
        view->getAdditional()[targets[i - at] - firstAdditional].getValue();
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == value) {
        call.written.emplace_back(operand.getOperandNumber(), result);
        break;
      }
  }
  return call;
}

void SubgraphForms::erase(FunctionalCall &call) {
  call.op->erase();
  for (Operation *reference : call.references)
    reference->erase();
  // The graphs go with all that nothing uses.
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
