//===- OperatorReport.cpp - what became of each operator ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorReport.h"
#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/IR/FXDialect.h"
#include "fx/IR/Metadata.h"
#include "fx/IR/PythonStack.h"
#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fx;

/// The maximal number of nodes in a text that lists them.
static constexpr unsigned kMostNodes = 4;

/// The key of the mark, "graph:node", in a location's metadata. It cannot clash
/// with keys of the importer, which are those of FX.
static constexpr StringLiteral kSource = "fx.source";

/// Returns the metadata that `loc` has itself, not its nested locations.
static DictionaryAttr getOwnMetadata(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  return fused ? dyn_cast_if_present<DictionaryAttr>(fused.getMetadata())
               : DictionaryAttr();
}

/// Returns `loc` with the mark `source` added to its metadata.
static Location withSource(Location loc, StringAttr source) {
  MLIRContext *ctx = loc.getContext();
  NamedAttrList metadata(getMetadata(loc));
  metadata.set(kSource, source);
  // Keep the metadata and the locations in one fused location, as the importer
  // creates them.
  if (auto fused = dyn_cast<FusedLoc>(loc); fused && getOwnMetadata(loc))
    return FusedLoc::get(ctx, fused.getLocations(),
                         metadata.getDictionary(ctx));
  return FusedLoc::get(ctx, {loc}, metadata.getDictionary(ctx));
}

/// Calls `fn` with each mark in `loc` and the location that has it. Looks
/// through the locations that passes add (fused and name locations) but not
/// into call stacks, which are deep.
static void walkSources(Location loc,
                        function_ref<void(StringAttr, Location)> fn) {
  while (auto name = dyn_cast<NameLoc>(loc))
    loc = name.getChildLoc();
  auto fused = dyn_cast<FusedLoc>(loc);
  if (!fused)
    return;
  if (DictionaryAttr metadata = getOwnMetadata(loc))
    if (auto source = metadata.getAs<StringAttr>(kSource)) {
      fn(source, loc);
      return;
    }
  for (Location inner : fused.getLocations())
    walkSources(inner, fn);
}

/// Returns the marks of the nodes from which an op at `loc` was created.
static llvm::SetVector<StringAttr> getSources(Location loc) {
  llvm::SetVector<StringAttr> sources;
  walkSources(loc,
              [&](StringAttr source, Location) { sources.insert(source); });
  return sources;
}

void OperatorReport::mark(ModuleOp module) {
  for (GraphOp graph : module.getOps<GraphOp>())
    graph.walk([&](NodeOpInterface node) {
      Operator op;
      op.graph = graph.getSymName().str();
      op.node = getNodeName(node).value_or("").str();
      op.target = node.getTargetName().str();
      op.module = getModulePath(node->getLoc());
      op.stack = getPythonStack(node->getLoc());
      // Identify a node without a name by its position.
      std::string name =
          op.node.empty() ? std::to_string(operators.size()) : op.node;
      auto source = StringAttr::get(node->getContext(), op.graph + ":" + name);
      node->setLoc(withSource(node->getLoc(), source));
      operators[source] = std::move(op);
    });
}

/// Creates the entry of a fallback that has no mark, because the input was not
/// an FX graph.
OperatorReport::Operator &OperatorReport::getOperator(Operation *op) {
  auto eager = cast<EagerOp>(op);
  std::string name = getNodeName(op).value_or("").str();
  auto key = StringAttr::get(op->getContext(),
                             "main:" + std::to_string(operators.size()));
  Operator &entry = operators[key];
  entry.graph = "main";
  entry.node = name;
  entry.target = eager.getTarget().str();
  entry.module = getModulePath(op->getLoc());
  entry.stack = getPythonStack(op->getLoc());
  return entry;
}

void OperatorReport::noteFallbacks(ModuleOp module) {
  module.walk([&](Operation *op) {
    auto eager = dyn_cast<EagerOp>(op);
    SmallVector<Operator *> from;
    for (StringAttr source : getSources(op->getLoc()))
      if (auto it = operators.find(source); it != operators.end())
        from.push_back(&it->second);
    for (Operator *entry : from)
      entry->isKept = true;
    // A graph that is left in the module belongs to an operator that ATen runs.
    auto node = dyn_cast<NodeOpInterface>(op);
    if (node && op->getParentOfType<GraphOp>())
      for (Operator *entry : from) {
        entry->isFallback = true;
        entry->reason = "part of a graph that has no native code";
        entry->fallbacks.insert(
            StringAttr::get(op->getContext(), node.getTargetName()));
      }
    if (!eager)
      return;
    if (from.empty())
      from.push_back(&getOperator(op));
    auto reason = op->getAttrOfType<StringAttr>("fx.reason");
    for (Operator *entry : from) {
      entry->isKept = entry->isFallback = true;
      if (entry->reason.empty() && reason)
        entry->reason = reason.str();
      entry->fallbacks.insert(
          StringAttr::get(op->getContext(), eager.getTarget()));
    }
  });
}

void OperatorReport::numberFallbacks(ModuleOp module) {
  Builder b(module.getContext());
  module.walk([&](EagerOp op) {
    for (StringAttr source : getSources(op->getLoc()))
      if (auto it = operators.find(source); it != operators.end()) {
        op->setAttr(cpu::kReportIndexAttr,
                    b.getI64IntegerAttr(it - operators.begin()));
        return;
      }
  });
}

void OperatorReport::noteInterpreted(StringRef reason) {
  for (auto &[source, op] : operators) {
    op.isFallback = true;
    op.reason = reason.str();
    op.fallbacks.insert(StringAttr::get(source.getContext(), op.target));
  }
}

void OperatorReport::addKernel(StringRef name, llvm::json::Object schedule,
                               Operation *call, bool isTuned) {
  auto function = call->getParentOfType<func::FuncOp>();
  bool isPrepared = function && function.getSymName() == "prepare";
  // A kernel that both @main and @prepare call has an entry for each.
  auto key = StringAttr::get(call->getContext(),
                             name + (isPrepared ? "@prepare" : ""));
  Kernel &kernel = kernels[key];
  kernel.schedule = std::move(schedule);
  kernel.isPrepared = isPrepared;
  kernel.isTuned = isTuned;
  ++kernel.calls;
  for (StringAttr source : getSources(call->getLoc())) {
    auto it = operators.find(source);
    if (it == operators.end())
      continue;
    it->second.kernels.insert(key.getValue());
    kernel.nodes.insert(source.getValue());
  }
}

/// Returns the schedule of `kernel` as JSON: its class ("kind") and parameters.
/// The parameters of a contraction are joined as "tiles", such as "128:6", and
/// the static sizes "m", "n" and "k" of the contraction are added.
static llvm::json::Object getSchedule(func::FuncOp kernel) {
  llvm::json::Object json;
  auto schedule = kernel ? kernel->getAttrOfType<kernel::ScheduleAttrInterface>(
                               kernel::kScheduleAttr)
                         : kernel::ScheduleAttrInterface();
  if (!schedule)
    return json;
  json["kind"] = schedule.getKernelClass().str();
  auto problem =
      kernel->getAttrOfType<kernel::ProblemAttr>(kernel::kProblemAttr);
  std::string tiles;
  schedule.walkParameters([&](StringRef name, Attribute value) {
    auto number = dyn_cast<IntegerAttr>(value);
    if (problem && number)
      tiles += (tiles.empty() ? "" : ":") + std::to_string(number.getInt());
    else if (number)
      json[name] = number.getInt();
    else
      json[name] = true;
  });
  if (!problem)
    return json;
  json["tiles"] = tiles;
  for (auto [name, size] :
       {std::pair("m", problem.getM()), std::pair("n", problem.getN()),
        std::pair("k", problem.getK())})
    if (size >= 0)
      json[name] = size;
  return json;
}

void OperatorReport::noteKernels(ModuleOp module) {
  unsigned loops = 0;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func->hasAttr(kernel::kKernelAttr))
      continue;
    func.walk([&](Operation *op) {
      if (auto invoke = dyn_cast<kernel::InvokeOp>(op)) {
        auto kernel = module.lookupSymbol<func::FuncOp>(invoke.getCallee());
        addKernel(invoke.getCallee(), getSchedule(kernel), invoke,
                  kernel && kernel->hasAttr(kernel::kTunedAttr));
      } else if (isa<linalg::LinalgOp, linalg::PackOp>(op) &&
                 !isa<linalg::FillOp>(op)) {
        // Ops that are in no kernel are lowered to plain loops.
        addKernel("loops_" + std::to_string(loops++),
                  llvm::json::Object{{"kind", "loops"}}, op,
                  /*isTuned=*/false);
      }
    });
  }
}

/// Strips "main:" from a mark: "main:add" is "add". "true_graph_0:add" stays.
static StringRef getShortName(StringRef source) {
  source.consume_front("main:");
  return source;
}

/// Adds "NODE (LINE)" to the list `text`, unless it is complete.
/// `count` is the number of all nodes.
static void addNode(std::string &text, unsigned &count, StringRef node,
                    ArrayRef<std::string> stack) {
  if (count++ >= kMostNodes)
    return;
  text += (text.empty() ? "" : ", ") + node.str();
  if (!stack.empty())
    text += " (" + stack.front() + ")";
}

/// Adds the number of nodes that `addNode` left out.
static std::string endNodes(std::string text, unsigned count) {
  if (count > kMostNodes)
    text += " and " + std::to_string(count - kMostNodes) + " more";
  return text;
}

void OperatorReport::nameKernels(ModuleOp module) {
  for (const auto &[name, kernel] : kernels) {
    auto func = module.lookupSymbol<func::FuncOp>(name);
    if (kernel.isPrepared || !func || !func->hasAttr(kernel::kKernelAttr))
      continue;
    std::string text;
    unsigned count = 0;
    for (StringRef source : kernel.nodes) {
      auto it = operators.find(StringAttr::get(module.getContext(), source));
      if (it != operators.end())
        addNode(text, count, getShortName(source), it->second.stack);
    }
    func->setAttr(fx::gpu::kNodesAttr,
                  StringAttr::get(module.getContext(), endNodes(text, count)));
  }
}

std::string fx::describeNodes(Location loc) {
  DenseSet<StringAttr> seen;
  std::string text;
  unsigned count = 0;
  walkSources(loc, [&](StringAttr source, Location marked) {
    if (seen.insert(source).second)
      addNode(text, count, getShortName(source), getPythonStack(marked));
  });
  return endNodes(text, count);
}

/// Returns a copy of `text` for JSON. Replaces invalid UTF-8, which text of the
/// user may contain.
static std::string toText(StringRef text) { return llvm::json::fixUTF8(text); }

llvm::json::Array OperatorReport::getOperators() const {
  llvm::json::Array list;
  for (const auto &[source, op] : operators) {
    llvm::json::Array kernels;
    for (StringRef kernel : op.kernels)
      kernels.push_back(kernel.split('@').first.str());
    llvm::json::Array stack;
    for (const std::string &frame : op.stack)
      stack.push_back(toText(frame));
    llvm::json::Object entry{{"node", toText(op.node)},
                             {"graph", toText(op.graph)},
                             {"target", toText(op.target)},
                             {"native", !op.isFallback},
                             {"status", op.isFallback ? "fallback"
                                        : op.isKept   ? "native"
                                                      : "removed"},
                             {"kernels", std::move(kernels)},
                             {"stack", std::move(stack)},
                             {"module", toText(op.module)}};
    if (op.isFallback) {
      entry["reason"] = toText(op.reason);
      llvm::json::Array targets;
      for (StringAttr target : op.fallbacks)
        targets.push_back(toText(target));
      entry["fallbacks"] = std::move(targets);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

llvm::json::Array OperatorReport::getKernels() const {
  llvm::json::Array list;
  for (const auto &[name, kernel] : kernels) {
    llvm::json::Array nodes;
    for (StringRef source : kernel.nodes)
      nodes.push_back(toText(getShortName(source)));
    StringRef shortName = name.getValue();
    shortName.consume_back("@prepare");
    list.push_back(
        llvm::json::Object{{"name", toText(shortName)},
                           {"schedule", llvm::json::Object(kernel.schedule)},
                           {"tuned", kernel.isTuned},
                           {"calls", kernel.calls},
                           {"when", kernel.isPrepared ? "compile" : "run"},
                           {"nodes", std::move(nodes)}});
  }
  return list;
}
