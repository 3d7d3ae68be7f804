//===- Coloring.cpp - which nodes may share a block -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partition.h"
#include "fx/IR/PythonStack.h"
#include "fx/Operators/Cost.h"
#include "fx/Operators/Purity.h"
#include "fx/Transforms/NativeSupport.h"

using namespace mlir;
using namespace fx;
using namespace fx::partition;

SmallVector<Operation *> partition::getNodes(GraphOp graph) {
  SmallVector<Operation *> nodes;
  for (Operation &op : graph.getBlock())
    if (isa<NodeOpInterface>(op))
      nodes.push_back(&op);
  return nodes;
}

/// Returns true if the node computes only symbolic scalars, such as sizes.
static bool isSizeArithmetic(Operation *op) {
  return op->getNumResults() > 0 &&
         llvm::all_of(op->getResultTypes(), [](Type type) {
           return isa<SymIntType, SymFloatType, SymBoolType>(type);
         });
}

static FailureOr<Coloring> colorByNativeSupport(GraphOp graph) {
  const auto *nativeSupport =
      graph->getDialect()->getRegisteredInterface<NativeSupportInterface>();
  if (!nativeSupport)
    return graph.emitError(
        "expected a registered NativeSupportInterface, got none: this program "
        "is built without the code generator");
  FailureOr<FallbackReasons> fallbacks =
      nativeSupport->findFallbacks(graph->getParentOfType<ModuleOp>());
  if (failed(fallbacks))
    return failure();
  Coloring coloring;
  for (Operation *op : getNodes(graph))
    if (auto it = fallbacks->find(op); it != fallbacks->end())
      coloring.reasons[op] = it->second;
    else
      coloring.colors[op] = "native";
  return coloring;
}

static std::string getDevice(TypeRange types) {
  for (Type type : types)
    if (auto tensor = dyn_cast<FakeTensorType>(type))
      return tensor.getDevice() ? tensor.getDevice().str() : "cpu";
  return "";
}

static Coloring colorByDevice(GraphOp graph) {
  Coloring coloring;
  for (Operation *op : getNodes(graph)) {
    std::string device = getDevice(op->getResultTypes());
    if (device.empty() && isSizeArithmetic(op))
      device = kAnyColor;
    if (device.empty())
      device = getDevice(op->getOperandTypes());
    if (device.empty())
      coloring.reasons[op] = "its device is not known";
    else
      coloring.colors[op] = device;
  }
  return coloring;
}

static FailureOr<Coloring> colorByAnnotation(GraphOp graph,
                                             ArrayRef<std::string> modules) {
  Coloring coloring;
  for (Operation *op : getNodes(graph)) {
    if (Attribute attr = op->getAttr("fx.partition")) {
      auto name = dyn_cast<StringAttr>(attr);
      if (!name || name.empty() || name == kAnyColor)
        return op->emitError("expected a name in 'fx.partition', got ") << attr;
      coloring.colors[op] = name.str();
      continue;
    }
    std::string path = getModulePath(op->getLoc());
    for (StringRef module : modules)
      if (path == module || StringRef(path).starts_with(module.str() + "."))
        coloring.colors[op] = module;
    if (coloring.colors.contains(op))
      continue;
    if (isSizeArithmetic(op))
      coloring.colors[op] = kAnyColor;
    else
      coloring.reasons[op] = "not annotated";
  }
  for (StringRef module : modules)
    if (llvm::none_of(coloring.colors,
                      [&](auto &entry) { return entry.second == module; }))
      return graph.emitError("expected modules that the graph has, got '")
             << module << "'";
  return coloring;
}

/// Returns the seconds of the node by the roofline model; nullopt if sizes are
/// missing.
static std::optional<double> getTime(Operation *op, const Predicate &how) {
  OperatorView call = getOperatorView(op);
  if (!call)
    return 0;
  Cost cost = getCost(call);
  double time = 0;
  for (auto [formula, rate] : {std::pair(cost.total, how.peak * 1e9),
                               std::pair(cost.bytes, how.bandwidth * 1e9)}) {
    if (!formula)
      continue;
    std::optional<int64_t> count = evaluate(formula, how.sizes);
    if (!count)
      return std::nullopt;
    time = std::max(time, *count / rate);
  }
  return time;
}

/// Splits the node list into consecutive parts of about equal time. No part
/// depends on a later one.
static FailureOr<Coloring> colorByCost(GraphOp graph, const Predicate &how) {
  SmallVector<double> times;
  double total = 0;
  for (Operation *op : getNodes(graph)) {
    std::optional<double> time = getTime(op, how);
    if (!time)
      return op->emitError("expected a cost that is a number; 'sizes' gives "
                           "integers for symbols");
    times.push_back(*time);
    total += *time;
  }
  Coloring coloring;
  double before = 0;
  for (auto [op, time] : llvm::zip_equal(getNodes(graph), times)) {
    // A node belongs to the part that contains the middle of its time.
    double share = total > 0 ? (before + time / 2) / total : 0;
    unsigned part = std::min<unsigned>(share * how.parts, how.parts - 1);
    coloring.colors[op] = "part " + std::to_string(part);
    before += time;
  }
  return coloring;
}

FailureOr<Coloring> partition::color(GraphOp graph,
                                     const Predicate &predicate) {
  if (predicate.by == "native")
    return colorByNativeSupport(graph);
  if (predicate.by == "device")
    return colorByDevice(graph);
  if (predicate.by == "annotation")
    return colorByAnnotation(graph, predicate.modules);
  if (predicate.by == "cost")
    return colorByCost(graph, predicate);
  return graph.emitError("expected 'native', 'device', 'annotation' or 'cost' "
                         "to partition by, got '")
         << predicate.by << "'";
}
