//===- fx-quantize.cpp - quantizes a model after training -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Version.h"
#include "fx/Quantize/Quantize.h"
#include "fx/Support/LocatedError.h"
#include "fx/Support/Options.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

namespace cl = llvm::cl;

static cl::OptionCategory category("fx-quantize options");
static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("MODEL (.pt2 or .mlir)"),
                                  cl::cat(category));
static cl::opt<std::string> output("o", cl::Required,
                                   cl::desc("The archive to write (.pt2)"),
                                   cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    samples("calibrate",
            cl::desc("Sample inputs: files in_<k>.npy, or folders of such"),
            cl::value_desc("folder"), cl::cat(category));
static cl::opt<unsigned> maxSamples("max-samples",
                                    cl::desc("Use the first ones only"),
                                    cl::cat(category));
static cl::opt<std::string>
    mode("mode",
         cl::desc("static: activations with scales from samples (default); "
                  "dynamic: with scales from each run; weight-only"),
         cl::init("static"), cl::value_desc("mode"), cl::cat(category));
static cl::opt<std::string> observer(
    "observer",
    cl::desc("How ranges are found: min-max, moving-average, histogram "
             "(default) or kl"),
    cl::init("histogram"), cl::value_desc("kind"), cl::cat(category));
static cl::opt<bool> symmetric(
    "symmetric",
    cl::desc("Activations are int8 around 0, not uint8 with a zero point"),
    cl::cat(category));
static cl::opt<bool>
    perTensor("per-tensor",
              cl::desc("Weights have one scale each, not one a channel"),
              cl::cat(category));
static cl::opt<std::string> rounding(
    "rounding",
    cl::desc("nearest (default), or gptq: elements of a linear layer's row "
             "compensate the errors of those before them on the samples"),
    cl::init("nearest"), cl::value_desc("kind"), cl::cat(category));
static cl::opt<unsigned> weightBits("weight-bits", cl::desc("8 (default) or 4"),
                                    cl::init(8), cl::cat(category));
static cl::opt<int64_t>
    groupSize("group-size",
              cl::desc("Elements of a linear layer's row that share a scale"),
              cl::cat(category));
static cl::list<std::string>
    ops("ops", cl::CommaSeparated,
        cl::desc("What to quantize, of: linear, conv, matmul, add, pool, cat"),
        cl::value_desc("kind,..."), cl::cat(category));
static cl::list<std::string>
    skip("skip", cl::CommaSeparated,
         cl::desc("Nodes and modules, by name and path, that stay in float"),
         cl::value_desc("name,..."), cl::cat(category));
static cl::opt<double> minSQNR(
    "min-sqnr",
    cl::desc("Layers whose own signal-to-noise ratio is below this stay in "
             "float (default 0)"),
    cl::value_desc("dB"), cl::cat(category));
static cl::opt<double> minGain(
    "min-gain",
    cl::desc("Matmuls and convolutions stay in float unless integers are "
             "estimated to be so many times as fast (default 1; 0: always "
             "take them)"),
    cl::init(1), cl::value_desc("times"), cl::cat(category));
static cl::opt<double>
    peak("peak",
         cl::desc("Operations on f32 of one thread, for the estimate of "
                  "--min-gain (default 100)"),
         cl::init(100), cl::value_desc("GFLOP/s"), cl::cat(category));
static cl::opt<double>
    bandwidth("bandwidth",
              cl::desc("Bandwidth of the memory, for the estimate of "
                       "--min-gain (default 20)"),
              cl::init(20), cl::value_desc("GB/s"), cl::cat(category));
static cl::opt<double> integerRatio(
    "integer-ratio",
    cl::desc("How many times as fast contractions compute on bytes as on f32: "
             "4 on CPUs with VNNI (default), 1 on others"),
    cl::init(4), cl::value_desc("times"), cl::cat(category));
static cl::opt<std::string> report("report", cl::desc("Write a report as JSON"),
                                   cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    modelName("model", cl::desc("The model of an archive with several"),
              cl::value_desc("name"), cl::cat(category));

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // Keep LibTorch from printing its own messages to stderr.
  ::setenv("TORCH_CPP_LOG_LEVEL", "ERROR", /*overwrite=*/0);
  fx::registerVersionPrinter();
  cl::HideUnrelatedOptions(category);
  fx::parseOptions(argc, argv, "quantizes an exported PyTorch model\n");
  auto fail = [](llvm::Error error) {
    llvm::errs() << "error: " << fx::toOneLine(llvm::toString(std::move(error)))
                 << "\n";
    return 1;
  };
  fx::QuantizationSettings settings;
  settings.mode = mode;
  settings.observer = observer;
  settings.rounding = rounding;
  settings.symmetric = symmetric;
  settings.perTensor = perTensor;
  settings.weightBits = weightBits;
  settings.groupSize = groupSize;
  settings.minGain = minGain;
  settings.rates = {peak, bandwidth, integerRatio};
  settings.ops = ops;
  settings.skip = skip;
  llvm::Expected<fx::QuantizationConfig> config = fx::makeConfig(settings);
  if (!config)
    return fail(config.takeError());
  fx::QuantizeFileOptions options;
  options.handlesSignals = true;
  options.input = input;
  options.model = modelName;
  options.output = output;
  options.report = report;
  options.quantize.config = std::move(*config);
  options.quantize.samples = samples;
  options.quantize.maxSamples = maxSamples;
  options.quantize.minSQNR = minSQNR;
  llvm::Expected<fx::QuantizationReport> result = fx::quantizeFile(options);
  if (!result)
    return fail(result.takeError());
  result->print(llvm::outs());
  return 0;
}
