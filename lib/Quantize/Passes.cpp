//===- Passes.cpp - quantization as passes --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Quantize/Passes.h"
#include "fx/Quantize/Quantize.h"
#include "fx/Support/OutputFile.h"
#include "fx/Transforms/Constants.h"
#include "fx/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

namespace fx {
#define GEN_PASS_DEF_QUANTIZEPREPAREPASS
#define GEN_PASS_DEF_QUANTIZECALIBRATEPASS
#define GEN_PASS_DEF_QUANTIZECONVERTPASS
#define GEN_PASS_DEF_QUANTIZEPASS
#include "fx/Quantize/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {
/// A pass with the options `quantizationSettings`.
template <class Base>
struct Configured : Base {
  using Base::Base;
  /// Returns the configuration. Emits an error if the options are invalid.
  FailureOr<QuantizationConfig> getConfig() {
    QuantizationSettings settings;
    settings.mode = this->mode;
    settings.observer = this->observer;
    settings.rounding = this->rounding;
    settings.symmetric = this->symmetric;
    settings.perTensor = this->perTensor;
    settings.weightBits = this->weightBits;
    settings.groupSize = this->groupSize;
    settings.minGain = this->minGain;
    settings.rates.peak = this->peak;
    settings.rates.bandwidth = this->bandwidth;
    settings.rates.integerRatio = this->integerRatio;
    settings.ops.assign(this->ops.begin(), this->ops.end());
    settings.skip.assign(this->skip.begin(), this->skip.end());
    llvm::Expected<QuantizationConfig> config = makeConfig(settings);
    if (!config)
      return this->getOperation().emitError(llvm::toString(config.takeError()));
    return std::move(*config);
  }
};
} // namespace

/// Returns the graph @main. Emits an error and returns null if it is missing or
/// not functional.
static GraphOp getGraph(ModuleOp module) {
  auto graph = module.lookupSymbol<GraphOp>("main");
  if (!graph || !graph.getFunctional()) {
    module.emitError("expected a functional graph @main, got none");
    return GraphOp();
  }
  return graph;
}

namespace {
struct PreparePass
    : Configured<fx::impl::QuantizePreparePassBase<PreparePass>> {
  using Configured::Configured;
  void runOnOperation() override {
    FailureOr<QuantizationConfig> config = getConfig();
    if (failed(config))
      return signalPassFailure();
    GraphOp graph = getGraph(getOperation());
    if (!graph)
      return signalPassFailure();
    numLayers += prepareQuantization(graph, *config);
    for (Operation &op : graph.getBlock())
      numFloat += op.hasAttr("fx.float");
  }
};

struct CalibratePass : fx::impl::QuantizeCalibratePassBase<CalibratePass> {
  using QuantizeCalibratePassBase::QuantizeCalibratePassBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::Expected<unsigned> count = calibrate(module, samples, maxSamples);
    if (!count) {
      module.emitError(llvm::toString(count.takeError()));
      return signalPassFailure();
    }
    numSamples += *count;
  }
};

struct ConvertPass : fx::impl::QuantizeConvertPassBase<ConvertPass> {
  using QuantizeConvertPassBase::QuantizeConvertPassBase;
  void runOnOperation() override {
    GraphOp graph = getOperation().lookupSymbol<GraphOp>("main");
    auto config = QuantizationConfig::fromAttr(
        graph ? graph->getAttr("fx.quantization") : Attribute());
    if (config && config->rounding == QuantizationConfig::Rounding::Gptq) {
      getOperation().emitError("rounding 'gptq' needs the pass 'fx-quantize', "
                               "which knows the inputs of the layers");
      return signalPassFailure();
    }
    FailureOr<ConvertCounts> counts = convertQuantized(getOperation());
    if (failed(counts))
      return signalPassFailure();
    numLayers += counts->layers;
    numWeights += counts->weights;
    clearQuantizationMarks(getOperation().lookupSymbol<GraphOp>("main"));
  }
};

struct QuantizePass : Configured<fx::impl::QuantizePassBase<QuantizePass>> {
  using Configured::Configured;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<QuantizationConfig> config = getConfig();
    if (failed(config))
      return signalPassFailure();
    OpPassManager before(ModuleOp::getOperationName()),
        after(ModuleOp::getOperationName());
    buildBeforeQuantization(before);
    buildAfterQuantization(after);
    if (failed(runPipeline(before, module)))
      return signalPassFailure();
    QuantizeOptions options;
    options.config = std::move(*config);
    options.samples = samples;
    options.maxSamples = maxSamples;
    options.minSQNR = minSQNR;
    FailureOr<QuantizationReport> result = quantize(module, options);
    if (failed(result) || failed(runPipeline(after, module)))
      return signalPassFailure();
    eraseUnusedStates(module);
    numLayers += result->counts.layers;
    numWeights += result->counts.weights;
    if (report.empty())
      return;
    std::string text =
        llvm::formatv("{0:2}\n", llvm::json::Value(result->toJSON()));
    if (llvm::Error error = writeTextFile(report, text)) {
      module.emitError(llvm::toString(std::move(error)));
      return signalPassFailure();
    }
  }
};
} // namespace

void fx::buildBeforeQuantization(OpPassManager &pm) {
  pm.addPass(createUnwrapSubclassesPass());
  pm.addPass(createInlineWrappersPass());
  pm.addPass(createFunctionalizePass());
  pm.addPass(createFoldConvBNPass());
}

void fx::buildAfterQuantization(OpPassManager &pm) {
  // Fold the computations that scale the biases of folded batch norms. These
  // constants are small.
  pm.addPass(createConstantFoldPass());
}
