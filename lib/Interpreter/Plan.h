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
struct NodePlan;

struct Call;
/// Runs a higher-order operator. Returns the values that `NodePlan::outs` maps
/// to the results.
using HigherOrderFunction = Values (*)(const Call &);

/// The plan of a node. Operands and results are slots of the value table of the
/// graph; an operand that is not a value of the run is -1.
struct NodePlan {
  mlir::Operation *op = nullptr;
  std::string name, target;
  CallArguments args;
  std::vector<int> operands;
  std::vector<int> results;
  /// How the returned values map to the results; null if one to one.
  mlir::ArrayAttr outs;
  /// Slots whose value is not used after this node.
  std::vector<int> dead;
  // Exactly one of call, scalar, higherOrder and body runs the node.
  std::optional<BoundCall> call;
  ScalarFunction scalar = nullptr;
  HigherOrderFunction higherOrder = nullptr;
  const GraphPlan *body = nullptr;
  /// An input of `body`: the operand at this position, or the value of a state
  /// if `operand` is -1.
  struct BodyInput {
    int operand = -1;
    c10::IValue state;
  };
  std::vector<BodyInput> bodyInputs;
};

/// The plan of a graph. Slots 0 … inputs.size()-1 are its placeholders in
/// order.
struct GraphPlan {
  GraphOp graph;
  std::vector<std::unique_ptr<NodePlan>> nodes;
  std::vector<PlaceholderOp> inputs;
  int numSlots = 0;
  std::vector<int> outputOperands;
  std::vector<ArgumentPlan> outputs;
  /// Inputs that no node uses.
  std::vector<int> deadInputs;
};

/// Creates the plans of a module's graphs on demand.
class Planner {
public:
  Planner(mlir::ModuleOp module, States &states)
      : module(module), states(states) {}
  /// Returns the plan of a graph. Throws LocatedException if a node cannot run.
  const GraphPlan &get(GraphOp graph);

private:
  std::unique_ptr<NodePlan> planNode(mlir::Operation &op,
                                     llvm::DenseMap<mlir::Value, int> &slots);
  void planArguments(NodePlan &node, mlir::ArrayAttr args,
                     mlir::ArrayAttr kwnames, mlir::OperandRange operands,
                     const llvm::DenseMap<mlir::Value, int> &slots);
  const GraphPlan *getGraphOf(mlir::Value value);
  void planBody(NodePlan &node);

  mlir::ModuleOp module;
  States &states;
  std::map<void *, std::unique_ptr<GraphPlan>> plans;
  /// Graphs whose plans are under construction, to diagnose recursive graphs.
  std::vector<void *> pending;
};

/// Runs plans. Calls the observer, if it is not empty, after each node.
class Runner {
public:
  using Observer = std::function<void(const NodePlan &, const Values &results)>;

  explicit Runner(Observer observer) : observer(std::move(observer)) {}

  /// Runs a graph. Returns the top-level entries of its output.
  Values run(const GraphPlan &plan, Values inputs);

private:
  void runNode(const NodePlan &node, Values &slots);

  Observer observer;
};

/// Returns the higher-order operator `name`, or null if it is unknown.
HigherOrderFunction findHigherOrder(const std::string &name);

/// Returns the Python source position of a node as " (at model.py:12)", or an
/// empty string if there is none.
std::string describeFrame(mlir::Operation *op);

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_PLAN_H
