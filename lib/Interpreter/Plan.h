//===- Plan.h - a graph made ready to run -----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_PLAN_H
#define FX_LIB_INTERPRETER_PLAN_H

#include "Arguments.h"
#include "States.h"
#include "fx/IR/FXDialect.h"
#include "fx/IR/Metadata.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>
#include <map>
#include <memory>

namespace fx::interp {

class Runner;
struct Node;

/// A higher-order operator: gives the results that `outs` distributes.
struct Call;
using HigherOrderFunction = Values (*)(const Call &);

/// A node: operands and results are slots of the graph's value table.
struct Node {
  mlir::Operation *op = nullptr;
  std::string name, target;
  ArgList args;
  std::vector<int> operands;
  std::vector<int> results;
  /// How the returned values spread over the results; null: one for one.
  mlir::ArrayAttr outs;
  /// Slots whose value is not used after this node.
  std::vector<int> dead;
  // One of these runs it.
  std::optional<BoundCall> call;
  ScalarFunction scalar = nullptr;
  HigherOrderFunction higherOrder = nullptr;
  const GraphPlan *body = nullptr;
  /// An input of the body: an operand, or a state's value.
  struct BodyInput {
    int operand = -1;
    c10::IValue state;
  };
  std::vector<BodyInput> bodyInputs;
};

/// A graph. Slots 0 … inputs.size()-1 are its placeholders in order.
struct GraphPlan {
  GraphOp graph;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<PlaceholderOp> inputs;
  int numSlots = 0;
  std::vector<int> outputOperands;
  std::vector<ArgTree> outputs;
  /// Inputs that no node uses.
  std::vector<int> deadInputs;
};

/// The plans of a module's graphs, made when first asked for.
class Planner {
public:
  Planner(mlir::ModuleOp module, States &states)
      : module(module), states(states) {}
  /// Throws LocatedException where a node cannot run.
  const GraphPlan &get(GraphOp graph);

private:
  std::unique_ptr<Node> planNode(mlir::Operation &op,
                                 llvm::DenseMap<mlir::Value, int> &slots);
  void planArguments(Node &node, mlir::ArrayAttr args, mlir::ArrayAttr kwnames,
                     mlir::OperandRange operands,
                     const llvm::DenseMap<mlir::Value, int> &slots);
  const GraphPlan *getGraphOf(mlir::Value value);
  void planBody(Node &node);

  mlir::ModuleOp module;
  States &states;
  std::map<void *, std::unique_ptr<GraphPlan>> plans;
  /// Graphs whose plan is being made: a cycle of sub-graphs cannot run.
  std::vector<void *> pending;
};

/// Runs plans. `depth` guards against runaway recursion.
class Runner {
public:
  using Observer = std::function<void(const Node &, const Values &results)>;

  explicit Runner(Observer observer) : observer(std::move(observer)) {}

  /// The top-level entries of the graph's output.
  Values run(const GraphPlan &plan, Values inputs);

private:
  void runNode(const Node &node, Values &slots);

  Observer observer;
};

/// The higher-order operator `name`; null where unknown.
HigherOrderFunction findHigherOrder(const std::string &name);

/// " (at model.py:12)", or nothing.
std::string describeFrame(mlir::Operation *op);

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_PLAN_H
