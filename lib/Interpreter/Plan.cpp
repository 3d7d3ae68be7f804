//===- Plan.cpp - a graph made ready to run -------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HigherOrder.h"
#include "TorchBoundary.h"
#include "fx/IR/HigherOrder.h"
#include "fx/Transforms/StridedMemory.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace fx::interp {

std::string describeFrame(Operation *op) {
  std::optional<FileLineColLoc> frame = getPythonFrame(op->getLoc());
  if (!frame)
    return "";
  return " (at " + frame->getFilename().str() + ":" +
         std::to_string(frame->getLine()) + ")";
}

const GraphPlan *Planner::getGraphOf(Value value) {
  if (!isa<GraphRefType>(value.getType()))
    return nullptr;
  auto get = value.getDefiningOp<GetAttrOp>();
  auto graph = get ? module.lookupSymbol<GraphOp>(get.getTarget()) : GraphOp();
  if (!graph)
    throw std::runtime_error("a sub-graph argument does not name a graph");
  return &this->get(graph);
}

void Planner::planArguments(NodePlan &node, ArrayAttr args, ArrayAttr kwnames,
                            OperandRange operands,
                            const llvm::DenseMap<Value, int> &slots) {
  // The verifier has matched the leaves with the operands.
  int64_t next = 0;
  auto getGraph = [&](int64_t i) { return getGraphOf(operands[i]); };
  for (Attribute arg : args)
    node.args.args.push_back(toArgumentPlan(arg, next, getGraph));
  for (auto name : kwnames.getAsRange<StringAttr>())
    node.args.kwnames.push_back(name.str());
  for (Value operand : operands) {
    auto it = slots.find(operand);
    node.operands.push_back(it == slots.end() ? -1 : it->second);
  }
}

/// Resolves the target of a `call_function`: an operator or a scalar function.
static void resolveTarget(NodePlan &node) {
  if (const Operator *op = findOperator(node.target))
    node.call.emplace(*op, node.args);
  else if ((node.scalar = findScalarFunction(node.target))) {
    if (!node.args.kwnames.empty())
      throw std::runtime_error("keyword arguments are not known here");
  } else
    throw std::runtime_error(describeUnknown(node.target));
}

/// Plans a node that calls a graph: a part of the program or the recorded body
/// of a module.
void Planner::planBody(NodePlan &node) {
  GraphOp graph = getModuleBody(node.op);
  if (!graph)
    throw std::runtime_error("'" + node.op->getName().getStringRef().str() +
                             "' needs Python's modules and cannot be "
                             "interpreted");
  node.body = &get(graph);
  SmallVector<Value> given = getBodyOperands(node.op, graph);
  size_t next = 0;
  for (PlaceholderOp input : node.body->inputs) {
    NodePlan::BodyInput from;
    if (input.getTarget()) {
      if (input.getKind() == InputKind::CustomObj)
        from.state = states.getObject(*input.getTarget());
      else
        from.state = states.get(*input.getTarget());
    } else if (next < given.size()) {
      from.operand = llvm::find(node.op->getOperands(), given[next++]) -
                     node.op->operand_begin();
    } else {
      ++next;
    }
    node.bodyInputs.push_back(std::move(from));
  }
  if (next != given.size())
    throw std::runtime_error("expected " + std::to_string(next) +
                             " inputs of @" + graph.getSymName().str() +
                             ", got " + std::to_string(given.size()));
}

std::unique_ptr<NodePlan> Planner::planNode(Operation &op,
                                            llvm::DenseMap<Value, int> &slots) {
  auto node = std::make_unique<NodePlan>();
  node->op = &op;
  node->name = getNodeName(&op).value_or("").str();
  auto interface = dyn_cast<NodeOpInterface>(op);
  if (!interface)
    throw LocatedException(node->name, "operation '" +
                                           op.getName().getStringRef().str() +
                                           "' cannot be interpreted");
  node->target = interface.getTargetName().str();
  if (node->name.empty())
    node->name = node->target;
  try {
    planArguments(*node, interface.getArgs(), interface.getKwnames(),
                  op.getOperands(), slots);
    node->outs = interface.getOutsAttr();
    if (auto call = dyn_cast<CallFunctionOp>(op)) {
      resolveTarget(*node);
      if (std::string why = getUnknownMemory(call); !why.empty())
        throw std::runtime_error(why);
    } else if (isa<CondOp, HigherOrderOp>(op)) {
      node->higherOrder = findHigherOrder(node->target);
      if (!node->higherOrder)
        throw std::runtime_error("unknown higher-order operator");
    } else
      planBody(*node);
  } catch (const LocatedException &) {
    throw;
  } catch (const std::exception &e) {
    throw LocatedException(node->name, node->target + ": " + getMessage(e) +
                                           describeFrame(&op));
  }
  return node;
}

/// Computes for each node the slots that are dead after it, in a backward
/// traversal.
static void findDeaths(GraphPlan &plan) {
  std::vector<bool> live(plan.numSlots, false);
  for (int slot : plan.outputOperands)
    if (slot >= 0)
      live[slot] = true;
  for (auto &node : llvm::reverse(plan.nodes)) {
    auto touch = [&](int slot) {
      if (slot < 0 || live[slot])
        return;
      live[slot] = true;
      node->dead.push_back(slot);
    };
    for (int slot : node->results)
      touch(slot);
    for (int slot : node->operands)
      touch(slot);
  }
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    if (!live[i])
      plan.deadInputs.push_back(i);
}

const GraphPlan &Planner::get(GraphOp graph) {
  void *key = graph.getOperation();
  auto it = plans.find(key);
  if (it != plans.end())
    return *it->second;
  if (llvm::is_contained(pending, key))
    throw LocatedException(graph.getSymName().str(),
                           "the graph contains itself");
  pending.push_back(key);

  auto plan = std::make_unique<GraphPlan>();
  plan->graph = graph;
  llvm::DenseMap<Value, int> slots;
  for (Operation &op : graph.getBlock()) {
    if (auto input = dyn_cast<PlaceholderOp>(op)) {
      slots[input.getResult()] = plan->numSlots++;
      plan->inputs.push_back(input);
    } else if (auto output = dyn_cast<OutputOp>(op)) {
      NodePlan node;
      planArguments(node, output.getArgs(),
                    ArrayAttr::get(graph.getContext(), {}),
                    output.getOperands(), slots);
      plan->outputs = std::move(node.args.args);
      plan->outputOperands = std::move(node.operands);
    } else if (!isa<GuardOp, GetAttrOp>(op)) {
      auto node = planNode(op, slots);
      for (Value result : op.getResults()) {
        node->results.push_back(plan->numSlots);
        slots[result] = plan->numSlots++;
      }
      plan->nodes.push_back(std::move(node));
    } else if (auto get = dyn_cast<GetAttrOp>(op)) {
      // Subgraphs are resolved at their uses, states at their placeholders.
      if (!isa<GraphRefType>(get.getResult().getType()))
        throw LocatedException(get.getTarget().str(),
                               "get_attr of a state cannot be interpreted");
    }
  }
  findDeaths(*plan);
  pending.pop_back();
  return *plans.emplace(key, std::move(plan)).first->second;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static size_t getSize(const c10::IValue &v) {
  if (v.isTuple())
    return v.toTupleRef().elements().size();
  return v.isList() ? v.toListRef().size() : 0;
}
static c10::IValue getItem(const c10::IValue &v, size_t i) {
  return v.isTuple() ? v.toTupleRef().elements()[i] : v.toListRef()[i];
}
static bool isSequence(const c10::IValue &v) {
  return v.isTuple() || v.isList();
}

/// Appends the parts of `value` at the value leaves of `outs` to `results`, in
/// order.
static void spread(Attribute outs, const c10::IValue &value, Values &results) {
  if (isa<OperandAttr>(outs)) {
    results.push_back(value);
    return;
  }
  auto list = dyn_cast<ArrayAttr>(outs);
  if (!list)
    return; // None: the result is not used.
  if (!isSequence(value) || getSize(value) != list.size())
    throw std::runtime_error(
        "expected a list of " + std::to_string(list.size()) + " results, got " +
        (isSequence(value) ? std::to_string(getSize(value)) + " items"
                           : value.tagKind()));
  for (size_t i = 0; i < list.size(); ++i)
    spread(list[i], getItem(value, i), results);
}

/// Maps the returned values to the results of the node.
static Values distribute(const NodePlan &node, Values returned) {
  size_t expected = node.outs ? node.outs.size() : node.results.size();
  // A single list or tuple is unpacked if the node expects its items.
  if (returned.size() == 1 && returned.size() != expected &&
      isSequence(returned[0]) && getSize(returned[0]) == expected) {
    Values items;
    for (size_t i = 0; i < expected; ++i)
      items.push_back(getItem(returned[0], i));
    returned = std::move(items);
  }
  if (!node.outs) {
    if (node.results.empty())
      return {};
    if (returned.size() != expected)
      throw std::runtime_error("expected " + std::to_string(expected) +
                               " results, got " +
                               std::to_string(returned.size()));
    return returned;
  }
  // `outs` may omit results after the last one in use.
  if (returned.size() < expected)
    throw std::runtime_error("expected " + std::to_string(expected) +
                             " results, got " +
                             std::to_string(returned.size()));
  Values results;
  for (size_t i = 0; i < expected; ++i)
    spread(node.outs[i], returned[i], results);
  return results;
}

void Runner::runNode(const NodePlan &node, Values &slots) {
  Values values;
  values.reserve(node.operands.size());
  for (int slot : node.operands)
    values.push_back(slot < 0 ? c10::IValue() : slots[slot]);

  Values returned;
  if (node.call) {
    (*node.call)(values, returned);
  } else if (node.scalar) {
    Values args;
    for (const ArgumentPlan &arg : node.args.args)
      args.push_back(toIValue(arg, values));
    returned.push_back(node.scalar(args));
  } else if (node.body) {
    Values inputs;
    for (const NodePlan::BodyInput &from : node.bodyInputs)
      inputs.push_back(from.operand < 0 ? from.state : values[from.operand]);
    returned = run(*node.body, std::move(inputs));
  } else {
    returned = node.higherOrder(Call{*this, node, values});
  }
  Values results = distribute(node, std::move(returned));
  if (observer)
    observer(node, results);
  for (size_t i = 0; i < results.size() && i < node.results.size(); ++i)
    slots[node.results[i]] = std::move(results[i]);
  values.clear();
  for (int slot : node.dead)
    slots[slot] = c10::IValue();
}

Values Runner::run(const GraphPlan &plan, Values inputs) {
  if (inputs.size() != plan.inputs.size())
    throw std::runtime_error(
        "graph @" + mlir::SymbolTable::getSymbolName(plan.graph).str() +
        " takes " + std::to_string(plan.inputs.size()) + " inputs, got " +
        std::to_string(inputs.size()));
  Values slots = std::move(inputs);
  slots.resize(plan.numSlots);
  for (int slot : plan.deadInputs)
    slots[slot] = c10::IValue();
  for (const auto &node : plan.nodes) {
    try {
      runNode(*node, slots);
    } catch (const LocatedException &) {
      throw; // It has the location of a node of a subgraph.
    } catch (const std::exception &e) {
      throw LocatedException(node->name, node->target + ": " + getMessage(e) +
                                             describeFrame(node->op));
    }
  }
  Values values, outputs;
  for (int slot : plan.outputOperands)
    values.push_back(slot < 0 ? c10::IValue() : slots[slot]);
  slots.clear();
  for (const ArgumentPlan &output : plan.outputs)
    outputs.push_back(toIValue(output, values));
  return outputs;
}

} // namespace fx::interp
