//===- HigherOrder.h - operators on sub-graphs ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_HIGHERORDER_H
#define FX_LIB_INTERPRETER_HIGHERORDER_H

#include "Plan.h"

namespace fx::interp {

/// One call of a higher-order operator: the node and the values of its
/// operands, read by argument position.
struct Call {
  Runner &runner;
  const NodePlan &node;
  const Values &values;

  const ArgumentPlan &arg(size_t i) const;
  c10::IValue value(size_t i) const;
  const GraphPlan &graph(size_t i) const;
  /// Returns the items of a list or dict argument. None has no items.
  Values list(size_t i) const;
  Values flatten(const ArgumentPlan &tree) const;
  /// Returns the values of all arguments from `first` on, including keyword
  /// arguments.
  Values rest(size_t first) const;
  Values run(const GraphPlan &graph, Values inputs) const;

  const Operator &getOperator(size_t i) const;
  CallArguments argsFrom(size_t first) const;
  Values callOperator(const Operator &op, const CallArguments &args,
                      const Values &values) const;
};

/// Appends values to others.
void append(Values &to, const Values &from);
/// Returns the truth value of a bool, an int or a tensor of one element. Throws
/// on other values.
bool toCondition(const c10::IValue &value);

// Operators that run a subgraph many times.
Values whileLoop(const Call &call);
/// Returns the stacked carried values of all iterations. If there is no
/// iteration, it stacks the initial values alone.
Values whileLoopStackOutput(const Call &call);
Values map(const Call &call);
/// combine(*carry, *x, *additional) returns the new carry, then the values to
/// stack.
Values scan(const Call &call);
/// Applies combine(*left, *right, *additional) from the left.
Values associativeScan(const Call &call);

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_HIGHERORDER_H
