//===- FXGraph.cpp - a graph as torch.fx has it ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FXGraph.h"
#include "GraphNames.h"
#include "Namespace.h"
#include "fx/Import/ArgumentKinds.h"

#include "fx/IR/Arguments.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fx;

StringRef fx::getSubgraphName(GraphOp subgraph, GraphOp parent) {
  if (auto given = subgraph->getAttrOfType<StringAttr>("fx.name"))
    return given;
  // The symbol of a sub-graph begins with the symbol of its parent.
  StringRef name = subgraph.getSymName();
  if (parent.isPrivate() && name.consume_front(parent.getSymName()))
    name.consume_front(".");
  return name;
}

class FXGraph::Builder {
public:
  Builder(FXGraph &result, const SymbolTable &symbols)
      : result(result), symbols(symbols), names(result.graph, strings) {}

  void run() {
    for (Operation &op : result.graph.getBlock())
      if (auto placeholder = dyn_cast<PlaceholderOp>(op))
        addPlaceholder(placeholder);
      else if (auto output = dyn_cast<OutputOp>(op))
        addOutput(output);
      else if (auto call = dyn_cast<NodeOpInterface>(op))
        addCall(call);
      else if (auto attr = dyn_cast<GetAttrOp>(op);
               attr && !isa<GraphRefType>(attr.getResult().getType()))
        addGetAttr(attr, names.get(attr.getResult()), attr.getTarget());
  }

private:
  FXNode &add(FXNode::Kind kind, std::string name, Operation *op) {
    FXNode &node = result.nodes.emplace_back();
    node.kind = kind;
    node.name = std::move(name);
    node.op = op;
    return node;
  }
  unsigned last() const { return result.nodes.size() - 1; }
  /// Maps `value` to the node that was added last.
  void define(Value value) {
    result.nodes.back().value = value;
    values[value] = last();
  }

  void addPlaceholder(PlaceholderOp op) {
    StringRef given = names.get(op.getResult());
    std::string unique = space.create(given);
    // A value keeps its name in the archive. An immediate takes the name that
    // FX gives it.
    FXNode &node =
        add(FXNode::Placeholder, op.getValueAttr() ? unique : given.str(), op);
    node.target = given;
    if (Attribute value = op.getDefaultValueAttr())
      node.args.push_back(getLeaf(value));
    define(op);
  }

  void addGetAttr(GetAttrOp op, StringRef name, StringRef target) {
    FXNode &node = add(FXNode::GetAttr, space.create(name), op);
    node.target = target;
    define(op);
  }

  static FXArgument getLeaf(Attribute leaf) {
    FXArgument argument;
    argument.leaf = leaf;
    return argument;
  }
  static FXArgument getNode(unsigned index) {
    FXArgument argument;
    argument.kind = FXArgument::Node;
    argument.node = index;
    return argument;
  }
  static FXArgument getIndex(MLIRContext *ctx, unsigned index) {
    return getLeaf(mlir::Builder(ctx).getI64IntegerAttr(index));
  }

  /// Returns the argument of a tree. Removes the operands of its leaves from
  /// the front of `operands`.
  FXArgument getArgument(Attribute tree, ValueRange &operands) {
    FXArgument argument;
    if (isa<OperandAttr>(tree)) {
      argument = getNode(values.lookup(operands.front()));
      operands = operands.drop_front();
    } else if (auto list = dyn_cast<ArrayAttr>(tree)) {
      argument.kind = llvm::is_contained(tuples, numLists++) ? FXArgument::Tuple
                                                             : FXArgument::List;
      // Torch loads a list of integer lists, such as the grids of kernels, as a
      // list of tuples. Lists of lists of tensors or floats stay lists.
      bool hasInts = getArgumentKind(tree, operands, nullptr) ==
                     schema::Argument::Kind::IntLists;
      for (Attribute element : list) {
        argument.elements.push_back(getArgument(element, operands));
        if (hasInts && tuples.empty())
          argument.elements.back().kind = FXArgument::Tuple;
      }
    } else if (auto dict = dyn_cast<DictAttr>(tree)) {
      argument.kind = FXArgument::Dict;
      for (auto [key, value] : llvm::zip(dict.getKeys(), dict.getValues())) {
        argument.keys.push_back(cast<StringAttr>(key).getValue().str());
        argument.elements.push_back(getArgument(value, operands));
      }
    } else {
      argument = getLeaf(tree);
    }
    return argument;
  }

  /// Prepares getArgument for the arguments of `op`. Its attribute `fx.tuples`
  /// has the indices of the lists that are tuples; lists are counted in
  /// pre-order.
  void beginArguments(Operation *op) {
    numLists = 0;
    auto attr = op->getAttrOfType<DenseI64ArrayAttr>("fx.tuples");
    tuples = attr ? attr.asArrayRef() : ArrayRef<int64_t>();
  }

  void addSubgraphs(Operation *op) {
    for (Value operand : op->getOperands()) {
      auto attr = operand.getDefiningOp<GetAttrOp>();
      if (!attr || !isa<GraphRefType>(operand.getType()))
        continue;
      auto graph = symbols.lookup<GraphOp>(attr.getTarget());
      std::string name = graph ? getSubgraphName(graph, result.graph).str()
                               : attr.getTarget().str();
      addGetAttr(attr, name, name);
      if (graph && !llvm::any_of(result.subgraphs, [&](const Subgraph &other) {
            return other.name == name;
          }))
        result.subgraphs.push_back({name, graph});
    }
  }

  /// Returns the name that torch gives a node without a value on loading.
  static std::string getUnusedName(NodeOpInterface op) {
    StringRef target = op.getTargetName();
    StringRef name = op->hasAttr("fx.function") ? target.rsplit('.').second
                                                : getFunctionName(target);
    // `printAll` becomes `print_all`.
    std::string result;
    for (char c : name) {
      if (llvm::isUpper(c) && !result.empty() && llvm::isLower(result.back()))
        result += '_';
      result += c;
    }
    return StringRef(result).lower() + "_unused";
  }

  void addCall(NodeOpInterface op) {
    addSubgraphs(op);
    auto kind = isa<CallMethodOp>(op)   ? FXNode::CallMethod
                : isa<CallModuleOp>(op) ? FXNode::CallModule
                                        : FXNode::CallFunction;
    std::string name = space.create(names.get(op.getOperation()));
    ResultForm form = getResultForm(op);
    ArrayAttr outs = op.getOutsAttr();
    if (form == ResultForm::Single)
      name = names.get(op->getResult(0)).str();
    else if (form == ResultForm::Nothing && outs && !outs.empty())
      name = space.create(getUnusedName(op));
    FXNode &node = add(kind, name, op);
    node.target = getTarget(op);
    ValueRange operands = op->getOperands();
    beginArguments(op);
    unsigned numKeywords = op.getKwnames().size();
    unsigned numPositional = op.getArgs().size() - numKeywords;
    for (auto [i, tree] : llvm::enumerate(op.getArgs())) {
      FXArgument argument = getArgument(tree, operands);
      if (i < numPositional)
        node.args.push_back(std::move(argument));
      else
        node.kwargs.emplace_back(
            cast<StringAttr>(op.getKwnames()[i - numPositional]).getValue(),
            std::move(argument));
    }
    if (form == ResultForm::Single)
      return define(op->getResult(0));
    ValueRange results = op->getResults();
    if (form != ResultForm::Tuple)
      return;
    // If the only output is a list, its elements are those of the node's value.
    ArrayAttr trees = outs;
    if (outs && outs.size() == 1)
      if (auto list = dyn_cast<ArrayAttr>(outs[0]))
        trees = list;
    addElements(op, last(), trees, results);
  }

  std::string getTarget(NodeOpInterface op) {
    StringRef target = op.getTargetName();
    if (isa<CallMethodOp, CallModuleOp>(op))
      return target.str();
    if (!isa<CallFunctionOp>(op))
      return ("torch.ops.higher_order." + target).str();
    if (op->hasAttr("fx.function") || isPlainTarget(target))
      return target.str();
    return ("torch.ops." + target).str();
  }

  FXNode &addItem(NodeOpInterface op, unsigned tuple, unsigned index,
                  std::string name) {
    FXNode &item = add(FXNode::CallFunction, std::move(name), op);
    item.target = "_operator.getitem";
    item.args = {getNode(tuple), getIndex(op.getContext(), index)};
    return item;
  }

  /// Adds a getitem for each element of node `tuple`. `trees` is null if each
  /// element is a value.
  void addElements(NodeOpInterface op, unsigned tuple, ArrayAttr trees,
                   ValueRange &results) {
    size_t count = trees ? trees.size() : results.size();
    for (size_t i = 0; i < count; ++i) {
      Attribute tree = trees ? trees[i] : Attribute();
      if (auto list = dyn_cast_if_present<ArrayAttr>(tree)) {
        addItem(op, tuple, i, space.create("getitem"));
        addElements(op, last(), list, results);
      } else if (tree && !isa<OperandAttr>(tree)) {
        addItem(op, tuple, i, space.create("as_none"));
      } else {
        Value value = results.front();
        results = results.drop_front();
        StringRef name = names.get(value);
        (void)space.create(name);
        addItem(op, tuple, i, name.str());
        define(value);
      }
    }
  }

  void addOutput(OutputOp op) {
    FXArgument all;
    all.kind = result.graph->hasAttr("fx.list_return") ? FXArgument::List
                                                       : FXArgument::Tuple;
    beginArguments(op);
    ValueRange operands = op.getOperands();
    for (Attribute tree : op.getArgs())
      all.elements.push_back(getArgument(tree, operands));
    if (result.graph->hasAttr("fx.single_return") && all.elements.size() == 1)
      all = FXArgument(all.elements.front());
    FXNode &node = add(FXNode::Output, space.create("output"), op);
    node.target = "output";
    node.args.push_back(std::move(all));
  }

  FXGraph &result;
  const SymbolTable &symbols;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver strings{allocator};
  GraphNames names;
  Namespace space;
  llvm::DenseMap<Value, unsigned> values;
  ArrayRef<int64_t> tuples;
  int64_t numLists = 0;
};

static void collectInputs(const FXArgument &argument,
                          llvm::SmallSetVector<unsigned, 8> &inputs) {
  if (argument.kind == FXArgument::Node)
    inputs.insert(argument.node);
  for (const FXArgument &element : argument.elements)
    collectInputs(element, inputs);
}

FXGraph::FXGraph(GraphOp graph, const SymbolTable &symbols) : graph(graph) {
  Builder(*this, symbols).run();
  for (FXNode &node : nodes) {
    llvm::SmallSetVector<unsigned, 8> inputs;
    for (const FXArgument &argument : node.args)
      collectInputs(argument, inputs);
    for (auto &[name, argument] : node.kwargs)
      collectInputs(argument, inputs);
    node.inputs.assign(inputs.begin(), inputs.end());
    for (unsigned input : inputs)
      ++nodes[input].numUsers;
  }
}

namespace {
/// Counts the graphs that result if each use of a sub-graph is written out.
class SubgraphCounter {
public:
  explicit SubgraphCounter(const SymbolTable &symbols) : symbols(symbols) {}

  FailureOr<uint64_t> count(GraphOp graph) {
    auto [it, isNew] = counts.try_emplace(graph, 0);
    // A graph that is still being counted was reached from itself.
    if (!isNew && it->second == 0)
      return emitError(graph.getLoc())
             << "the graph '" << graph.getSymName() << "' contains itself";
    if (!isNew)
      return it->second;
    constexpr unsigned maxDepth = 64;
    if (++depth > maxDepth)
      return emitError(graph.getLoc())
             << "graphs nested deeper than " << maxDepth;
    uint64_t total = 1;
    for (Operation &op : graph.getBlock())
      for (Value operand : op.getOperands()) {
        auto attr = operand.getDefiningOp<GetAttrOp>();
        auto target =
            attr ? symbols.lookup<GraphOp>(attr.getTarget()) : GraphOp();
        if (!target)
          continue;
        FailureOr<uint64_t> inner = count(target);
        if (failed(inner))
          return failure();
        total += *inner;
        constexpr uint64_t most = 1 << 16;
        if (total > most)
          return emitError(graph.getLoc())
                 << "the graph '" << graph.getSymName() << "' uses more than "
                 << most << " sub-graphs";
      }
    --depth;
    return counts[graph] = total;
  }

private:
  const SymbolTable &symbols;
  llvm::DenseMap<GraphOp, uint64_t> counts;
  unsigned depth = 0;
};
} // namespace

LogicalResult fx::checkSubgraphs(GraphOp graph, const SymbolTable &symbols) {
  return SubgraphCounter(symbols).count(graph);
}
