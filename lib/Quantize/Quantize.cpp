//===- Quantize.cpp - the steps of a quantization -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "Moments.h"
#include "fx/IR/Metadata.h"
#include "fx/IR/PythonStack.h"
#include "fx/Operators/View.h"
#include "fx/Transforms/Constants.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace fx;

namespace {
class Quantizer {
public:
  Quantizer(ModuleOp module, const QuantizeOptions &options)
      : module(module), graph(module.lookupSymbol<GraphOp>("main")),
        options(options) {
    report.config = options.config;
  }

  FailureOr<QuantizationReport> run();

private:
  LogicalResult prepare();
  LogicalResult dropInexact();
  void listLayers();

  bool isStatic() const {
    return options.config.mode == QuantizationConfig::Mode::Static;
  }
  LogicalResult fail(llvm::Error error) {
    return module.emitError(llvm::toString(std::move(error)));
  }

  ModuleOp module;
  GraphOp graph;
  QuantizeOptions options;
  InputMoments moments;
  QuantizationReport report;
};
} // namespace

LogicalResult Quantizer::prepare() {
  prepareQuantization(graph, options.config);
  if (options.config.rounding == QuantizationConfig::Rounding::Gptq &&
      moments.byWeight.empty()) {
    llvm::Expected<unsigned> count =
        collectMoments(module, options.samples, options.maxSamples, moments);
    if (!count)
      return fail(count.takeError());
    report.samples = *count;
  }
  if (!isStatic())
    return success();
  llvm::Expected<unsigned> count =
      calibrate(module, options.samples, options.maxSamples);
  if (!count)
    return fail(count.takeError());
  report.samples = *count;
  return success();
}

/// Adds an entry to the report for each operator that is quantized or could be
/// quantized.
void Quantizer::listLayers() {
  report.layers.clear();
  Builder b(module.getContext());
  for (Operation &op : graph.getBlock()) {
    auto why = op.getAttrOfType<StringAttr>("fx.float");
    if (!why && !op.hasAttr("fx.quantize"))
      continue;
    op.setAttr("fx.layer", b.getI64IntegerAttr(report.layers.size()));
    LayerReport &layer = report.layers.emplace_back();
    SmallVector<StringRef> names = getResultNames(&op);
    layer.node = names.empty() ? "" : names.front().str();
    layer.target = cast<NodeOpInterface>(op).getTargetName().str();
    layer.module = getModulePath(op.getLoc());
    layer.quantized = !why;
    if (why)
      layer.reason = why.str();
    auto times = op.getAttrOfType<DenseF64ArrayAttr>("fx.times");
    if (times && times.size() == 2)
      layer.micros.emplace(times[0] * 1e6, times[1] * 1e6);
  }
}

/// Excludes layers whose error is too large, and prepares the graph again if
/// there are any.
LogicalResult Quantizer::dropInexact() {
  if (llvm::Error error =
          measureLayers(module, options, moments, report.layers))
    return fail(std::move(error));
  bool dropped = false;
  std::vector<LayerReport> before = report.layers;
  for (const LayerReport &layer : before) {
    double ratio = layer.own.getDecibels();
    if (!layer.quantized || layer.node.empty() || std::isnan(ratio) ||
        ratio >= options.minSQNR)
      continue;
    options.config.skip[layer.node] = llvm::formatv(
        "it would lose too much: {0:F1} dB, expected {1:F1} or more", ratio,
        options.minSQNR);
    dropped = true;
  }
  if (!dropped)
    return success();
  if (failed(prepare()))
    return failure();
  listLayers();
  // Both lists have the same layers; only `quantized` and `reason` differ.
  for (auto [layer, old] : llvm::zip(report.layers, before))
    layer.own = old.own;
  return success();
}

FailureOr<QuantizationReport> Quantizer::run() {
  if (!graph || !graph.getFunctional())
    return module.emitError("expected a functional graph @main, got none");
  if (llvm::Error error = options.config.check())
    return fail(std::move(error));
  if (std::isnan(options.minSQNR))
    return module.emitError(
        "expected a number of decibels as the minimal ratio, got NaN");
  if (isStatic() && options.samples.empty())
    return module.emitError("static quantization needs samples, got none");
  if (options.config.rounding == QuantizationConfig::Rounding::Gptq &&
      options.samples.empty())
    return module.emitError("rounding 'gptq' needs samples, got none");
  bool hasSamples = !options.samples.empty();
  if (failed(prepare()))
    return failure();
  listLayers();
  if (hasSamples && failed(dropInexact()))
    return failure();
  OwningOpRef<ModuleOp> floats(module.clone());
  FailureOr<ConvertCounts> counts = convertQuantized(module, &moments);
  if (failed(counts))
    return failure();
  report.counts = *counts;
  for (Operation &op : graph.getBlock())
    if (auto number = op.getAttrOfType<IntegerAttr>("fx.layer"))
      if (auto why = op.getAttrOfType<StringAttr>("fx.float")) {
        report.layers[number.getInt()].quantized = false;
        report.layers[number.getInt()].reason = why.str();
      }
  if (hasSamples)
    if (llvm::Error error = measureModel(*floats, module, options, report))
      return fail(std::move(error));
  clearQuantizationMarks(graph);
  return std::move(report);
}

FailureOr<QuantizationReport> fx::quantize(ModuleOp module,
                                           const QuantizeOptions &options) {
  return Quantizer(module, options).run();
}

void fx::eraseUnusedStates(ModuleOp module) {
  auto graph = module.lookupSymbol<GraphOp>("main");
  if (!graph)
    return;
  llvm::StringSet<> written;
  OutputOp output = graph.getOutput();
  for (unsigned i = 0, e = output.getArgs().size(); i < e; ++i)
    if (OutputSpecAttr spec = output.getSpec(i); spec && spec.getTarget())
      written.insert(spec.getTarget().getValue());
  for (PlaceholderOp input : graph.getPlaceholders()) {
    InputKind kind = input.getKind();
    if (!input->use_empty() || !input.getTarget() ||
        written.contains(*input.getTarget()) ||
        (kind != InputKind::Parameter && kind != InputKind::Buffer &&
         kind != InputKind::TensorConstant))
      continue;
    auto state = module.lookupSymbol<StateOp>(*input.getTarget());
    input.erase();
    if (state && SymbolTable::symbolKnownUseEmpty(state, module))
      state.erase();
  }
}
