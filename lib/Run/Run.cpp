//===- Run.cpp - what fx-run does -----------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Run/Run.h"
#include "Benchmark.h"
#include "Model.h"
#include "fx/Interpreter/Interpreter.h"
#include "fx/Support/LocatedError.h"
#include "fx/Support/OutputFile.h"
#include "llvm/Support/FormatVariadic.h"

namespace fx {

RunnableModel::~RunnableModel() = default;

/// Adds the file of the model to the place of an error.
static llvm::Error inFile(const std::string &file, llvm::Error error) {
  std::string where = file, message;
  llvm::handleAllErrors(
      std::move(error),
      [&](const LocatedError &e) {
        if (!e.getWhere().empty())
          where += ":" + e.getWhere().str();
        message = e.getMessage().str();
      },
      [&](const llvm::ErrorInfoBase &e) { message = e.message(); });
  return makeLocatedError(where, message);
}

llvm::Error runModel(const RunOptions &options) {
  for (const std::string &library : options.libraries)
    if (llvm::Error error = loadOperatorLibrary(library))
      return error;
  llvm::Expected<std::unique_ptr<RunnableModel>> model = loadModel(options);
  if (!model)
    return inFile(options.model, model.takeError());
  llvm::Expected<llvm::SmallVector<HostValue>> inputs =
      readInputs(options.inputs, (*model)->getInputs());
  if (!inputs)
    return inputs.takeError();

  if (options.seed)
    (*model)->seed(*options.seed);
  llvm::SmallVector<HostValue> outputs;
  if (llvm::Error error = (*model)->run(*inputs, outputs))
    return inFile(options.model, std::move(error));
  // Keep the outputs of this run: those of later runs may differ, because runs
  // may mutate buffers.
  std::string timingText;
  if (options.benchmark > 0) {
    llvm::SmallVector<HostValue> ignored;
    llvm::Expected<Timing> timing = benchmark(
        options.benchmark, [&] { return (*model)->run(*inputs, ignored); });
    if (!timing)
      return inFile(options.model, timing.takeError());
    llvm::raw_string_ostream os(timingText);
    timing->print(os, options.json);
  }
  if (!options.report.empty()) {
    std::string text =
        llvm::formatv("{0:2}\n", llvm::json::Value((*model)->getReport()));
    if (llvm::Error error = writeTextFile(options.report, text))
      return error;
  }
  if (llvm::Error error = writeOutputs(options.outputs, outputs))
    return error;
  llvm::outs() << timingText;
  return llvm::Error::success();
}

} // namespace fx
