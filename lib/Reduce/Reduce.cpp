//===- Reduce.cpp - smaller programs with a property ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Reduce/Reduce.h"

#include "fx/IR/FXDialect.h"
#include "fx/IR/Metadata.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fx;

namespace {
/// Changes a copy of the program. Returns false if there is nothing to change.
using Edit = llvm::function_ref<bool(ModuleOp)>;

class Reducer {
public:
  Reducer(OwningOpRef<ModuleOp> &best, Predicate predicate)
      : best(best), predicate(predicate) {}
  ReduceStatistics run();

private:
  bool attempt(Edit edit);
  bool dropOutputs();
  bool cutShort();
  bool cutOut();
  bool forward();
  bool dropUnused();

  unsigned countNodes();
  OwningOpRef<ModuleOp> &best;
  Predicate predicate;
  ReduceStatistics statistics;
};
} // namespace

static GraphOp getMain(ModuleOp module) {
  return module.lookupSymbol<GraphOp>("main");
}

/// Returns the nodes that can be removed: all but inputs, guards and the
/// output.
static SmallVector<Operation *> getNodes(GraphOp graph) {
  SmallVector<Operation *> nodes;
  for (Operation &op : graph.getBlock())
    if (!isa<PlaceholderOp, GuardOp, OutputOp>(op))
      nodes.push_back(&op);
  return nodes;
}

unsigned Reducer::countNodes() {
  unsigned count = 0;
  for (GraphOp graph : best->getOps<GraphOp>())
    count += getNodes(graph).size();
  return count;
}

/// Returns true if a value of this type can be an input or an output.
static bool canBeInput(Type type) {
  return isa<FakeTensorType, SymIntType, SymFloatType, SymBoolType>(type);
}

/// Applies `edit` to a copy of the best program. The copy becomes the best one
/// if it is valid and has the property.
bool Reducer::attempt(Edit edit) {
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>((*best)->clone()));
  if (!edit(*copy))
    return false;
  // These attributes describe inputs and outputs that may have been removed.
  for (StringRef name : {"fx.in_spec", "fx.out_spec", "fx.module_call_graph"})
    getMain(*copy)->removeAttr(name);
  // An invalid program is rejected without a test and without diagnostics.
  ScopedDiagnosticHandler quiet(copy->getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(verify(*copy)))
    return false;
  ++statistics.numTests;
  if (!predicate(*copy))
    return false;
  best = std::move(copy);
  return true;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// Makes `values` the outputs.
static void setOutputs(OutputOp output, ArrayRef<Value> values) {
  MLIRContext *ctx = output.getContext();
  SmallVector<Attribute> trees(values.size(), OperandAttr::get(ctx));
  output->setOperands(values);
  output.setArgsAttr(ArrayAttr::get(ctx, trees));
  output.removeSignatureAttr();
}

/// Removes entries [first, first + count) of the output, but never all entries.
static bool eraseOutputs(ModuleOp module, size_t first, size_t count) {
  OutputOp output = getMain(module).getOutput();
  ArrayAttr args = output.getArgs();
  if (args.size() <= count)
    return false;
  SmallVector<Attribute> trees, signature;
  SmallVector<Value> operands;
  unsigned next = 0;
  std::function<unsigned(Attribute)> countValues = [&](Attribute tree) {
    unsigned n = isa<OperandAttr>(tree);
    if (auto list = dyn_cast<ArrayAttr>(tree))
      for (Attribute item : list)
        n += countValues(item);
    else if (auto dict = dyn_cast<DictAttr>(tree))
      n += countValues(dict.getValues());
    return n;
  };
  for (size_t i = 0; i < args.size(); ++i) {
    unsigned n = countValues(args[i]);
    if (i < first || i >= first + count) {
      trees.push_back(args[i]);
      signature.push_back(output.getSpec(i));
      llvm::append_range(operands, output->getOperands().slice(next, n));
    }
    next += n;
  }
  bool hasSignature = !!output.getSignatureAttr();
  output->setOperands(operands);
  output.setArgsAttr(ArrayAttr::get(module.getContext(), trees));
  if (hasSignature)
    output.setSignatureAttr(ArrayAttr::get(module.getContext(), signature));
  return true;
}

bool Reducer::dropOutputs() {
  bool changed = false;
  size_t size = getMain(*best).getOutput().getArgs().size();
  for (size_t chunk = size / 2; chunk >= 1; chunk /= 2)
    for (size_t first = 0;
         first < getMain(*best).getOutput().getArgs().size();) {
      if (attempt([&](ModuleOp m) { return eraseOutputs(m, first, chunk); }))
        changed = true;
      else
        first += chunk;
    }
  return changed;
}

/// Makes the results of node `last` the outputs and removes all later nodes.
static bool truncate(ModuleOp module, size_t last) {
  GraphOp graph = getMain(module);
  SmallVector<Operation *> nodes = getNodes(graph);
  SmallVector<Value> results;
  for (Value result : nodes[last]->getResults())
    if (canBeInput(result.getType()))
      results.push_back(result);
  if (results.empty())
    return false;
  setOutputs(graph.getOutput(), results);
  for (size_t i = nodes.size(); i-- > last + 1;)
    nodes[i]->erase();
  return true;
}

/// Removes nodes from the end by bisection, which assumes that a program has
/// the property if a shorter one has it. If the assumption is wrong, the result
/// is still smaller, but not minimal.
bool Reducer::cutShort() {
  bool changed = false;
  for (size_t low = 0, high = getNodes(getMain(*best)).size();
       low + 1 < high;) {
    size_t middle = (low + high) / 2;
    if (attempt([&](ModuleOp m) { return truncate(m, middle - 1); })) {
      changed = true;
      high = middle;
    } else {
      low = middle;
    }
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Replaces the uses of `value` with a new input.
static void addInput(GraphOp graph, Value value) {
  MLIRContext *ctx = graph.getContext();
  Operation *op = value.getDefiningOp();
  SmallVector<StringRef> names = getResultNames(op);
  size_t index = cast<OpResult>(value).getResultNumber();
  std::string name = index < names.size() ? names[index].str() : "input";
  // The input takes the name of the value, because its node is removed. Append
  // "_" if another node has the name.
  llvm::StringSet<> taken;
  for (Operation &other : graph.getBlock())
    if (&other != op)
      for (StringRef n : getResultNames(&other))
        taken.insert(n);
  while (taken.contains(name))
    name += "_";
  SmallVector<PlaceholderOp, 8> inputs = graph.getPlaceholders();
  OpBuilder b(ctx);
  if (inputs.empty())
    b.setInsertionPointToStart(&graph.getBlock());
  else
    b.setInsertionPointAfter(inputs.back());
  OperationState state(withNodeName(op->getLoc(), name),
                       PlaceholderOp::getOperationName());
  state.addAttribute("name", b.getStringAttr(name));
  state.addTypes(value.getType());
  value.replaceAllUsesWith(b.create(state)->getResult(0));
}

/// Removes nodes [first, first + count) of @main. Results that other nodes use
/// become inputs.
static bool replaceByInputs(ModuleOp module, size_t first, size_t count) {
  GraphOp graph = getMain(module);
  SmallVector<Operation *> nodes = getNodes(graph);
  llvm::SmallPtrSet<Operation *, 16> gone;
  for (size_t i = first; i < std::min(first + count, nodes.size()); ++i)
    gone.insert(nodes[i]);
  for (size_t i = std::min(first + count, nodes.size()); i-- > first;) {
    for (Value result : nodes[i]->getResults()) {
      if (result.use_empty())
        continue;
      if (!canBeInput(result.getType()))
        return false;
      addInput(graph, result);
    }
    nodes[i]->erase();
  }
  return !gone.empty();
}

bool Reducer::cutOut() {
  bool changed = false;
  size_t size = getNodes(getMain(*best)).size();
  for (size_t chunk = std::max<size_t>(size / 2, 1); chunk >= 1; chunk /= 2)
    for (size_t first = 0; first < getNodes(getMain(*best)).size();) {
      if (attempt([&](ModuleOp m) { return replaceByInputs(m, first, chunk); }))
        changed = true;
      else
        first += chunk;
    }
  return changed;
}

/// Removes nodes of all graphs that have no uses, or replaces them with an
/// operand of the same type.
bool Reducer::forward() {
  bool changed = false;
  unsigned numGraphs = llvm::range_size(best->getOps<GraphOp>());
  for (unsigned g = 0; g < numGraphs; ++g) {
    auto graphAt = [&](ModuleOp m) {
      return *std::next(m.getOps<GraphOp>().begin(), g);
    };
    for (size_t i = 0; i < getNodes(graphAt(*best)).size();) {
      bool done = attempt([&](ModuleOp m) {
        Operation *node = getNodes(graphAt(m))[i];
        if (node->use_empty()) {
          node->erase();
          return true;
        }
        if (node->getNumResults() != 1)
          return false;
        for (Value operand : node->getOperands())
          if (operand.getType() == node->getResult(0).getType()) {
            node->getResult(0).replaceAllUsesWith(operand);
            node->erase();
            return true;
          }
        return false;
      });
      changed |= done;
      i += !done;
    }
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Unused inputs, guards and symbols
//===----------------------------------------------------------------------===//

static bool eraseUnusedInputs(ModuleOp module) {
  bool changed = false;
  OutputOp output = getMain(module).getOutput();
  llvm::StringSet<> named;
  for (size_t i = 0, e = output.getArgs().size(); i < e; ++i)
    if (StringAttr target = output.getSpec(i).getTarget())
      named.insert(target.getValue());
  for (PlaceholderOp input : getMain(module).getPlaceholders())
    if (input->use_empty() && !named.contains(input.getName()) &&
        !(input.getTarget() && named.contains(*input.getTarget()))) {
      input->erase();
      changed = true;
    }
  return changed;
}

static bool eraseGuards(ModuleOp module) {
  SmallVector<GuardOp> guards(getMain(module).getBlock().getOps<GuardOp>());
  for (GuardOp guard : guards)
    guard->erase();
  return !guards.empty();
}

static bool eraseUnusedSymbols(ModuleOp module) {
  bool changed = false;
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    auto graph = dyn_cast<GraphOp>(op);
    if ((isa<StateOp>(op) || (graph && graph.isPrivate())) &&
        SymbolTable::symbolKnownUseEmpty(&op, module)) {
      op.erase();
      changed = true;
    }
  }
  return changed;
}

bool Reducer::dropUnused() {
  bool changed = attempt(eraseGuards);
  changed |= attempt(eraseUnusedInputs);
  while (attempt(eraseUnusedSymbols))
    changed = true;
  return changed;
}

ReduceStatistics Reducer::run() {
  statistics.nodesBefore = countNodes();
  while (true) {
    bool changed = dropOutputs();
    changed |= cutShort();
    changed |= cutOut();
    changed |= forward();
    changed |= dropUnused();
    if (!changed)
      break;
  }
  statistics.nodesAfter = countNodes();
  return statistics;
}

ReduceStatistics fx::reduceProgram(OwningOpRef<ModuleOp> &module,
                                   Predicate predicate) {
  return Reducer(module, predicate).run();
}
