//===- HigherOrder.cpp - operators on sub-graphs --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements torch.ops.higher_order. The operators have the "dense" behaviour
// that torch/_higher_order_ops defines.
//
//===----------------------------------------------------------------------===//

#include "HigherOrder.h"
#include "AutoFunctionalized.h"
#include "Objects.h"
#include "Print.h"
#include "TorchBoundary.h"
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <unordered_map>

using at::Tensor;
using c10::IValue;
using Kind = fx::interp::ArgumentPlan::Kind;

namespace fx::interp {

//===----------------------------------------------------------------------===//
// Reading arguments
//===----------------------------------------------------------------------===//

const ArgumentPlan &Call::arg(size_t i) const {
  if (i >= node.args.numPositional())
    throw std::runtime_error("expected at least " + std::to_string(i + 1) +
                             " arguments, got " +
                             std::to_string(node.args.numPositional()));
  return node.args.args[i];
}

const GraphPlan &Call::graph(size_t i) const {
  if (arg(i).kind != Kind::Graph)
    throw std::runtime_error("argument " + std::to_string(i) +
                             " is no sub-graph");
  return *arg(i).graph;
}

IValue Call::value(size_t i) const { return toIValue(arg(i), values); }

Values Call::list(size_t i) const { return flatten(arg(i)); }

Values Call::flatten(const ArgumentPlan &tree) const {
  Values items;
  if (tree.isNone())
    return items;
  if (tree.kind == Kind::List || tree.kind == Kind::Dict) {
    for (const ArgumentPlan &item : tree.items)
      items.push_back(toIValue(item, values));
    return items;
  }
  IValue v = toIValue(tree, values);
  if (!v.isList())
    throw std::runtime_error("expected a list, got " + v.tagKind());
  for (const IValue &item : v.toListRef())
    items.push_back(item);
  return items;
}

Values Call::rest(size_t first) const {
  Values items;
  for (size_t i = first; i < node.args.args.size(); ++i)
    items.push_back(toIValue(node.args.args[i], values));
  return items;
}

Values Call::run(const GraphPlan &graph, Values inputs) const {
  return runner.run(graph, std::move(inputs));
}

void append(Values &to, const Values &from) {
  to.insert(to.end(), from.begin(), from.end());
}

bool toCondition(const IValue &v) {
  if (v.isBool())
    return v.toBool();
  if (v.isInt())
    return v.toInt() != 0;
  if (v.isTensor() && v.toTensor().defined() && v.toTensor().numel() == 1)
    return v.toTensor().item().toBool();
  throw std::runtime_error("expected one truth value as the condition, got " +
                           v.tagKind());
}

//===----------------------------------------------------------------------===//
// Calls of one subgraph
//===----------------------------------------------------------------------===//

static Values cond(const Call &call) {
  bool taken = toCondition(call.value(0));
  Values operands =
      call.node.args.numPositional() > 3 ? call.list(3) : Values();
  return call.run(call.graph(taken ? 1 : 2), std::move(operands));
}

/// switch(index, graphs, operands)
static Values switchOf(const Call &call) {
  IValue index = call.value(0);
  if (index.isTensor() && index.toTensor().defined() &&
      index.toTensor().numel() == 1)
    index = index.toTensor().item().toLong();
  if (!index.isInt())
    throw std::runtime_error("expected one integer as the index, got " +
                             index.tagKind());
  const ArgumentPlan &graphs = call.arg(1);
  if (index.toInt() < 0 || size_t(index.toInt()) >= graphs.items.size())
    throw std::runtime_error("expected an index from 0 to " +
                             std::to_string(int64_t(graphs.items.size()) - 1) +
                             ", got " + std::to_string(index.toInt()));
  const ArgumentPlan &chosen = graphs.items[index.toInt()];
  if (chosen.kind != Kind::Graph)
    throw std::runtime_error("a branch is no sub-graph");
  return call.run(*chosen.graph, call.list(2));
}

/// flex_gemm(operator, graph, operands, kwargs, options): the graph calls the
/// operator and computes on its result.
static Values flexGemm(const Call &call) {
  return call.run(call.graph(1), call.list(2));
}

/// op(graph, *operands)
static Values callGraph(const Call &call) {
  Values operands;
  for (size_t i = 1; i < call.node.args.numPositional(); ++i)
    operands.push_back(call.value(i));
  return call.run(call.graph(0), std::move(operands));
}

/// invoke_subgraph(graph, identifier, *operands)
static Values invokeSubgraph(const Call &call) {
  return call.run(call.graph(0), call.rest(2));
}

/// strict_mode(graph, operands), run_const_graph(graph, args)
static Values callGraphOnList(const Call &call) {
  return call.run(call.graph(0), call.list(1));
}

/// hints_wrapper(graph, args, kwargs, hints)
static Values hintsWrapper(const Call &call) {
  Values operands = call.list(1);
  if (call.node.args.numPositional() > 2)
    append(operands, call.list(2));
  return call.run(call.graph(0), std::move(operands));
}

static Values withGradMode(const Call &call) {
  IValue enabled = call.value(0);
  if (!enabled.isBool())
    throw std::runtime_error("expected bool, got " + enabled.tagKind());
  c10::AutoGradMode guard(enabled.toBool());
  return call.run(call.graph(1), call.rest(2));
}

namespace {
/// Sets PyTorch's autocast state of a device type. The destructor restores it.
class AutocastGuard {
public:
  AutocastGuard(c10::DeviceType device, std::optional<c10::ScalarType> dtype,
                bool enabled, bool cache)
      : device(device), wasEnabled(at::autocast::is_autocast_enabled(device)),
        hadDType(at::autocast::get_autocast_dtype(device)),
        hadCache(at::autocast::is_autocast_cache_enabled()) {
    at::autocast::set_autocast_enabled(device, enabled);
    if (dtype)
      at::autocast::set_autocast_dtype(device, *dtype);
    at::autocast::increment_nesting();
    at::autocast::set_autocast_cache_enabled(cache);
  }
  ~AutocastGuard() {
    if (at::autocast::decrement_nesting() == 0)
      at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device, wasEnabled);
    at::autocast::set_autocast_dtype(device, hadDType);
    at::autocast::set_autocast_cache_enabled(hadCache);
  }

private:
  c10::DeviceType device;
  bool wasEnabled;
  c10::ScalarType hadDType;
  bool hadCache;
};
} // namespace

/// wrap_with_autocast(device_type, dtype, enabled, cache_enabled, graph, *args)
static Values withAutocast(const Call &call) {
  IValue device = call.value(0), dtype = call.value(1), enabled = call.value(2),
         cache = call.value(3);
  if (!device.isString() || !enabled.isBool() ||
      !(dtype.isNone() || dtype.isInt()))
    throw std::runtime_error("expected (str, dtype, bool, bool, graph, …)");
  std::optional<c10::ScalarType> type;
  if (dtype.isInt())
    type = static_cast<c10::ScalarType>(dtype.toInt());
  AutocastGuard guard(c10::Device(device.toStringRef()).type(), type,
                      enabled.toBool(), !cache.isBool() || cache.toBool());
  return call.run(call.graph(4), call.rest(5));
}

/// print(format, *args, **kwargs): None
static Values print(const Call &call) {
  printText(call.argsFrom(0), call.values);
  return {IValue()};
}

static Values delegate(const Call &) {
  throw std::runtime_error("delegated programs cannot be interpreted");
}

//===----------------------------------------------------------------------===//
// Operators as arguments
//===----------------------------------------------------------------------===//

const Operator &Call::getOperator(size_t i) const {
  if (arg(i).kind != Kind::Operator)
    throw std::runtime_error("argument " + std::to_string(i) +
                             " is no operator");
  const Operator *op = findOperator(arg(i).text);
  if (!op)
    throw std::runtime_error("unknown operator '" + arg(i).text + "'");
  return *op;
}

Values Call::callOperator(const Operator &op, const CallArguments &args,
                          const Values &values) const {
  Values stack;
  BoundCall(op, args)(values, stack);
  return stack;
}

CallArguments Call::argsFrom(size_t first) const {
  CallArguments list;
  if (first > node.args.numPositional())
    throw std::runtime_error("expected at least " + std::to_string(first) +
                             " arguments");
  list.args.assign(node.args.args.begin() + first, node.args.args.end());
  list.kwnames = node.args.kwnames;
  return list;
}

/// with_effects(token, op, *args, **kwargs) returns the token, then the results
/// of op.
static Values withEffects(const Call &call) {
  Values results = {call.value(0)};
  if (call.arg(1).kind == Kind::Operator &&
      call.arg(1).text == "higher_order.print") {
    printText(call.argsFrom(2), call.values);
    results.emplace_back();
    return results;
  }
  bool isMethod =
      call.arg(1).kind == Kind::Operator && isCallTorchbind(call.arg(1).text);
  Values returned = isMethod ? callTorchbind(call.argsFrom(2), call.values)
                             : call.callOperator(call.getOperator(1),
                                                 call.argsFrom(2), call.values);
  if (returned.empty())
    returned.emplace_back();
  append(results, returned);
  return results;
}

/// out_dtype(op, dtype, *args) computes in the dtype that the arguments and
/// `dtype` promote to, then converts the result to `dtype`.
static Values outDType(const Call &call) {
  IValue target = call.value(1);
  if (!target.isInt())
    throw std::runtime_error("expected a dtype, got " + target.tagKind());
  auto dtype = static_cast<c10::ScalarType>(target.toInt());
  Values values = call.values;
  c10::ScalarType common = dtype;
  for (const IValue &v : values)
    if (v.isTensor() && v.toTensor().defined())
      common = c10::promoteTypes(common, v.toTensor().scalar_type());
  for (IValue &v : values)
    if (v.isTensor() && v.toTensor().defined())
      v = v.toTensor().to(common);
  Values results =
      call.callOperator(call.getOperator(0), call.argsFrom(2), values);
  if (results.size() != 1 || !results[0].isTensor())
    throw std::runtime_error("expected an operator with one Tensor result");
  return {results[0].toTensor().to(dtype)};
}

static Values callMethod(const Call &call) {
  return callTorchbind(call.node.args, call.values);
}

template <Values (*function)(const Operator &, CallArguments, Values)>
static Values callOnCopies(const Call &call) {
  return function(call.getOperator(0), call.argsFrom(1), call.values);
}

HigherOrderFunction findHigherOrder(const std::string &name) {
  static const std::unordered_map<std::string, HigherOrderFunction> table = {
      {"cond", cond},
      {"switch", switchOf},
      {"flex_gemm", flexGemm},
      {"while_loop", whileLoop},
      {"while_loop_stack_output", whileLoopStackOutput},
      {"map", map},
      {"map_impl", map},
      {"scan", scan},
      {"associative_scan", associativeScan},
      {"invoke_subgraph", invokeSubgraph},
      {"wrap", callGraph},
      {"wrap_activation_checkpoint", callGraph},
      {"tag_activation_checkpoint", callGraph},
      {"foreach_map", callGraph},
      {"invoke_quant", callGraph},
      {"invoke_quant_packed", callGraph},
      {"strict_mode", callGraphOnList},
      {"run_const_graph", callGraphOnList},
      {"hints_wrapper", hintsWrapper},
      {"wrap_with_set_grad_enabled", withGradMode},
      {"wrap_with_autocast", withAutocast},
      {"with_effects", withEffects},
      {"out_dtype", outDType},
      {"auto_functionalized", callOnCopies<autoFunctionalized>},
      {"auto_functionalized_v2", callOnCopies<autoFunctionalizedV2>},
      {"call_torchbind", callMethod},
      {"print", print},
      {"executorch_call_delegate", delegate},
      {"aoti_call_delegate", delegate}};
  std::string key = name;
  for (const char *prefix : {"torch.ops.higher_order.", "higher_order."})
    if (key.rfind(prefix, 0) == 0) {
      key.erase(0, std::string(prefix).size());
      break;
    }
  auto it = table.find(key);
  return it == table.end() ? nullptr : it->second;
}

} // namespace fx::interp
