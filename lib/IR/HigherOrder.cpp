//===- HigherOrder.cpp - operators on sub-graphs, by their parts ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/HigherOrder.h"

using namespace mlir;
using namespace fx;

namespace {
/// The arguments of a higher-order operator. Each number is the position of a
/// part among the positional arguments, or -1 if the operator has no such part.
struct Form {
  StringLiteral target;
  Flow flow;
  int8_t graph, secondGraph, predicate, carried, scanned, additional;
  /// The first of the arguments that a Call passes to its sub-graph. A list is
  /// passed element by element.
  int8_t first;
};

constexpr Form kForms[] = {
    {"cond", Flow::Cond, 1, 2, 0, -1, -1, 3, -1},
    {"switch", Flow::Switch, 1, -1, 0, -1, -1, 2, -1},
    {"while_loop", Flow::While, 0, 1, -1, 2, -1, 3, -1},
    {"map_impl", Flow::Map, 0, -1, -1, -1, 1, 2, -1},
    {"map", Flow::Map, 0, -1, -1, -1, 1, 2, -1},
    {"scan", Flow::Scan, 0, -1, -1, 1, 2, 3, -1},
    {"associative_scan", Flow::AssociativeScan, 0, -1, -1, -1, 1, 2, -1},
    {"invoke_subgraph", Flow::Call, 0, -1, -1, -1, -1, -1, 2},
    {"strict_mode", Flow::Call, 0, -1, -1, -1, -1, -1, 1},
    {"hints_wrapper", Flow::Call, 0, -1, -1, -1, -1, -1, 1},
    {"run_const_graph", Flow::Call, 0, -1, -1, -1, -1, -1, 1},
    {"wrap", Flow::Call, 0, -1, -1, -1, -1, -1, 1},
    {"foreach_map", Flow::Call, 0, -1, -1, -1, -1, -1, 1},
    {"invoke_quant", Flow::Call, 0, -1, -1, -1, -1, -1, 1},
    {"flex_gemm", Flow::Call, 1, -1, -1, -1, -1, 2, -1},
    {"invoke_quant_packed", Flow::Call, 0, -1, -1, -1, -1, -1, 1},
    {"wrap_activation_checkpoint", Flow::Call, 0, -1, -1, -1, -1, -1, 1},
    {"tag_activation_checkpoint", Flow::Call, 0, -1, -1, -1, -1, -1, 1},
    {"wrap_with_set_grad_enabled", Flow::Call, 1, -1, -1, -1, -1, -1, 2},
    {"wrap_with_autocast", Flow::Call, 4, -1, -1, -1, -1, -1, 5},
};
} // namespace

GraphOp fx::getReferencedGraph(Value ref) {
  auto attr = ref ? ref.getDefiningOp<GetAttrOp>() : GetAttrOp();
  if (!attr || !attr->getParentOp() || !attr->getParentOp()->getParentOp())
    return {};
  return SymbolTable::lookupNearestSymbolFrom<GraphOp>(
      attr->getParentOp()->getParentOp(), attr.getTargetAttr());
}

GraphOp fx::getModuleBody(Operation *call) {
  auto name = call->getAttrOfType<FlatSymbolRefAttr>("fx.body");
  auto graph = dyn_cast_if_present<GraphOp>(call->getParentOp());
  if (!name || !graph || !graph->getParentOp())
    return {};
  return SymbolTable::lookupNearestSymbolFrom<GraphOp>(graph->getParentOp(),
                                                       name);
}

SmallVector<Value> fx::getBodyOperands(Operation *call, GraphOp body) {
  size_t inputs =
      llvm::count_if(body.getPlaceholders(),
                     [](PlaceholderOp input) { return !input.getTarget(); });
  SmallVector<Value> operands(call->getOperands());
  if (operands.size() != inputs)
    llvm::erase_if(operands, [](Value operand) {
      // Keep tensors and symbolic integers. The body holds constant numbers as
      // immediates, so that they have no placeholder.
      auto number = dyn_cast<SymIntType>(operand.getType());
      bool isSymbolic =
          number && number.getExpr() && !number.getExpr().isInteger();
      return !isSymbolic && !isa<FakeTensorType>(operand.getType());
    });
  return operands;
}

bool fx::callsItself(GraphOp graph) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<GraphOp> pending{graph};
  while (!pending.empty()) {
    GraphOp next = pending.pop_back_val();
    if (!next.getBody().hasOneBlock())
      continue;
    for (Operation &op : next.getBlock()) {
      GraphOp callee = getModuleBody(&op);
      if (auto attr = dyn_cast<GetAttrOp>(op))
        callee = isa<GraphRefType>(attr.getType())
                     ? getReferencedGraph(attr.getResult())
                     : GraphOp();
      if (callee == graph)
        return true;
      if (callee && seen.insert(callee).second)
        pending.push_back(callee);
    }
  }
  return false;
}

namespace {
/// Reads the parts of a call from its arguments, by position. Emits an error if
/// an argument is missing or is not the expected part.
class PartReader {
public:
  PartReader(ArrayRef<Argument> args, size_t numPositional,
             function_ref<InFlightDiagnostic()> emitError)
      : args(args), numPositional(numPositional), emitError(emitError) {}

  /// Adds the graph or the list of graphs at `position`, if the operator has
  /// it (not -1).
  LogicalResult addGraph(int position, SmallVectorImpl<GraphOp> &graphs,
                         bool isList = false) const;
  /// Adds the elements of the list at `position`, if the operator has it. A
  /// call may leave out an `optional` one.
  LogicalResult addList(int position, SmallVectorImpl<Argument> &list,
                        bool optional) const;
  /// Adds the arguments that a Call passes to its sub-graph.
  void addPassedOn(const Form &form, SmallVectorImpl<Argument> &list) const;

private:
  LogicalResult fail(const Twine &what) const {
    if (emitError)
      emitError() << what;
    return failure();
  }

  ArrayRef<Argument> args;
  size_t numPositional;
  function_ref<InFlightDiagnostic()> emitError;
};
} // namespace

LogicalResult PartReader::addGraph(int position,
                                   SmallVectorImpl<GraphOp> &graphs,
                                   bool isList) const {
  if (position < 0)
    return success();
  if (size_t(position) >= numPositional)
    return fail("expected a graph as argument " + Twine(position) + ", got " +
                Twine(numPositional) + " arguments");
  auto add = [&](const Argument &arg) {
    GraphOp graph = getReferencedGraph(arg.getValue());
    if (!graph)
      return fail("expected a graph as argument " + Twine(position));
    graphs.push_back(graph);
    return success();
  };
  if (!isList)
    return add(args[position]);
  if (!args[position].isList() || args[position].getElements().empty())
    return fail("expected a list of graphs as argument " + Twine(position));
  for (const Argument &arg : args[position].getElements())
    if (failed(add(arg)))
      return failure();
  return success();
}

LogicalResult PartReader::addList(int position, SmallVectorImpl<Argument> &list,
                                  bool optional) const {
  if (position < 0 || (optional && size_t(position) >= numPositional))
    return success();
  if (size_t(position) >= numPositional ||
      (!args[position].isList() && !(optional && args[position].isNone())))
    return fail("expected a list as argument " + Twine(position));
  if (args[position].isList())
    llvm::append_range(list, args[position].getElements());
  return success();
}

void PartReader::addPassedOn(const Form &form,
                             SmallVectorImpl<Argument> &list) const {
  for (size_t i = form.first; i < numPositional; ++i) {
    if (args[i].isList()) {
      llvm::append_range(list, args[i].getElements());
    } else if (auto dict = dyn_cast<DictAttr>(args[i].tree)) {
      // A hints_wrapper passes its dict of keyword arguments, value by value in
      // the order of the dict. It does not pass its hints, the next dict.
      if (i != size_t(form.first) + 1 || form.target != "hints_wrapper")
        continue;
      OperandRange operands = args[i].operands;
      for (Attribute leaf : dict.getValues()) {
        unsigned n = countOperands(leaf);
        list.push_back({leaf, operands.take_front(n)});
        operands = operands.drop_front(n);
      }
    } else {
      list.push_back(args[i]);
    }
  }
}

FailureOr<HigherOrderView>
HigherOrderView::get(Operation *op,
                     function_ref<InFlightDiagnostic()> emitError) {
  if (!isa<CondOp, HigherOrderOp>(op))
    return failure();
  HigherOrderView view;
  view.node = cast<NodeOpInterface>(op);
  StringRef target = view.node.getTargetName();
  target.consume_front("higher_order.");
  const Form *form =
      llvm::find_if(kForms, [&](const Form &f) { return f.target == target; });
  if (form == std::end(kForms))
    return failure();
  view.flow = form->flow;

  SmallVector<Argument> args = getArguments(view.node);
  size_t numPositional = args.size() - view.node.getKwnames().size();
  PartReader reader(args, numPositional, emitError);
  if (failed(reader.addGraph(form->graph, view.graphs,
                             view.flow == Flow::Switch)) ||
      failed(reader.addGraph(form->secondGraph, view.graphs)) ||
      failed(reader.addList(form->carried, view.carried, false)) ||
      failed(reader.addList(form->scanned, view.scanned, false)) ||
      failed(reader.addList(form->additional, view.additional, true)))
    return failure();
  if (form->predicate >= 0)
    view.predicate = args[form->predicate];
  if (form->first < 0)
    return view;
  // A wrap matches keyword arguments to the parameter names of its sub-graph.
  // An exported program does not record these names.
  if (target == "wrap" && numPositional != args.size())
    return failure();
  reader.addPassedOn(*form, view.additional);
  return view;
}

std::string HigherOrderView::getGraphName(unsigned i) const {
  switch (flow) {
  case Flow::Cond:
    return i == 0 ? "true" : "false";
  case Flow::Switch:
    return "branch " + std::to_string(i);
  case Flow::While:
    return i == 0 ? "condition" : "body";
  default:
    return "body";
  }
}

size_t HigherOrderView::getNumGraphOperands() const {
  size_t scans = flow == Flow::AssociativeScan ? 2 : 1;
  return carried.size() + scans * scanned.size() + additional.size();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Returns true if `other` has the dtype of `type` and `ranks` more dimensions.
/// Types that are not tensors are compatible with every type.
static bool isCompatible(Type type, Type other, int ranks = 0) {
  auto have = dyn_cast<FakeTensorType>(type);
  auto want = dyn_cast<FakeTensorType>(other);
  if (!have || !want)
    return true; // a number may replace a 0-d tensor; an immediate has no type
  return have.getDtype() == want.getDtype() &&
         have.getRank() + ranks == want.getRank();
}

LogicalResult HigherOrderView::verifyOperands(unsigned index) const {
  GraphOp graph = graphs[index];
  SmallVector<PlaceholderOp, 8> placeholders = graph.getPlaceholders();
  size_t expected = getNumGraphOperands();
  if (placeholders.size() != expected)
    return node->emitOpError("the ")
           << getGraphName(index) << " graph @" << graph.getSymName()
           << " takes " << placeholders.size() << " operands, got " << expected;
  // Each operand with the change of its rank: -1 if the graph takes a slice.
  SmallVector<std::pair<const Argument *, int>> operands;
  for (const Argument &arg : carried)
    operands.emplace_back(&arg, 0);
  for (unsigned i = 0; i < (flow == Flow::AssociativeScan ? 2 : 1); ++i)
    for (const Argument &arg : scanned)
      operands.emplace_back(&arg, -1);
  for (const Argument &arg : additional)
    operands.emplace_back(&arg, 0);
  for (auto [i, placeholder] : llvm::enumerate(placeholders)) {
    auto [arg, ranks] = operands[i];
    Value value = arg->getValue();
    if (!value)
      continue;
    Type type = placeholder.getType();
    // A slice of an associative scan may keep the scanned dimension, of size 1.
    bool keeps = ranks && flow == Flow::AssociativeScan &&
                 isCompatible(value.getType(), type);
    if (!keeps && !isCompatible(value.getType(), type, ranks))
      return node->emitOpError("operand ")
             << i << " of the " << getGraphName(index) << " graph @"
             << graph.getSymName() << ": expected "
             << (ranks ? "slices of " : "") << type << ", got "
             << value.getType();
  }
  return success();
}

/// Returns the type of each leaf of a tree of results, null for an immediate.
static SmallVector<Type> getLeafTypes(ArrayAttr trees, TypeRange values) {
  SmallVector<Type> types;
  size_t next = 0;
  walkLeaves(trees, [&](Attribute leaf) {
    types.push_back(isa<OperandAttr>(leaf) && next < values.size()
                        ? values[next++]
                        : Type());
  });
  return types;
}

LogicalResult HigherOrderView::verifyResults() const {
  SmallVector<Type> results(node->getResultTypes());
  if (ArrayAttr outs = NodeOpInterface(node).getOutsAttr())
    results = getLeafTypes(outs, node->getResultTypes());
  for (auto [index, graph] : llvm::enumerate(graphs)) {
    OutputOp output = GraphOp(graph).getOutput();
    SmallVector<Type> given =
        getLeafTypes(output.getArgs(), output->getOperandTypes());
    if (flow == Flow::While && index == 0) {
      if (given.size() != 1)
        return node->emitOpError("the condition graph @")
               << GraphOp(graph).getSymName() << ": expected one result, got "
               << given.size();
      continue;
    }
    if (given.size() != results.size())
      return node->emitOpError("the ")
             << getGraphName(index) << " graph @" << GraphOp(graph).getSymName()
             << ": expected " << results.size() << " results, got "
             << given.size();
    size_t numCarried =
        flow == Flow::While || flow == Flow::Scan ? carried.size() : 0;
    if (given.size() < numCarried ||
        (flow == Flow::While && given.size() != numCarried))
      return node->emitOpError("the body graph @")
             << GraphOp(graph).getSymName() << ": expected " << numCarried
             << " results for the carried values, got " << given.size();
    if (flow == Flow::AssociativeScan && given.size() != scanned.size())
      return node->emitOpError("the body graph @")
             << GraphOp(graph).getSymName() << ": expected " << scanned.size()
             << " results, got " << given.size();
    for (auto [i, type] : llvm::enumerate(given)) {
      bool stacked = flow == Flow::Map || flow == Flow::AssociativeScan ||
                     (flow == Flow::Scan && i >= numCarried);
      if (!type || !results[i])
        continue;
      bool keeps =
          flow == Flow::AssociativeScan && isCompatible(type, results[i]);
      if (!keeps && !isCompatible(type, results[i], stacked))
        return node->emitOpError("result ")
               << i << " of the " << getGraphName(index) << " graph @"
               << GraphOp(graph).getSymName() << ": expected "
               << (stacked ? "slices of " : "") << results[i] << ", got "
               << type;
    }
  }
  return success();
}

/// Returns true if the graph is one block that ends in an output. The verifier
/// of a call may run before the verifier of the graph that it calls.
static bool isWellFormed(GraphOp graph) {
  return graph.getBody().hasOneBlock() && !graph.getBlock().empty() &&
         isa<OutputOp>(graph.getBlock().back());
}

LogicalResult HigherOrderView::verify() const {
  if (!llvm::all_of(graphs, isWellFormed))
    return success();
  for (unsigned i = 0; i < graphs.size(); ++i)
    if (failed(verifyOperands(i)))
      return failure();
  return verifyResults();
}
