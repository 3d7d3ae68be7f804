//===- Run.cpp - what fx-run does -----------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Run/Run.h"
#include "Benchmark.h"
#include "Compare.h"
#include "Distributed.h"
#include "Model.h"
#include "Profile.h"
#include "fx/Interpreter/Interpreter.h"
#include "fx/Support/LocatedError.h"
#include "fx/Support/OutputFile.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>

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

/// Times the kernels of `options.profile` runs. Returns the text to print, and
/// writes the trace.
static llvm::Expected<std::string> profile(const RunOptions &options,
                                           RunnableModel &model,
                                           llvm::ArrayRef<HostValue> inputs) {
  Profile profile(model.getReport(), probeMachine(options.threads));
  model.takeProfile(); // of the first run, which is slower
  bool isEmpty = true;
  for (int i = 0; i < options.profile; ++i) {
    llvm::SmallVector<HostValue> ignored;
    auto start = std::chrono::steady_clock::now();
    if (llvm::Error error = model.run(inputs, ignored))
      return std::move(error);
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start;
    std::vector<FXKernelRun> calls = model.takeProfile();
    if (calls.size() >= FX_MAX_KERNEL_RUNS)
      return makeLocatedError("", "--profile: expected less than " +
                                      llvm::Twine(FX_MAX_KERNEL_RUNS) +
                                      " calls of kernels in a run");
    isEmpty &= calls.empty();
    profile.add(calls, spent.count());
  }
  if (isEmpty)
    return makeLocatedError(
        "", "--profile: expected a model with kernels that was compiled with "
            "--profile, got no times");
  if (!options.trace.empty())
    if (llvm::Error error = writeTextFile(options.trace, profile.getTrace()))
      return std::move(error);
  std::string text;
  llvm::raw_string_ostream os(text);
  profile.print(os, options.json);
  return text;
}

/// Tells what --check compared, and how exactly the values agree.
static void printChecked(const RunOptions &options,
                         llvm::ArrayRef<HostValue> outputs) {
  llvm::SmallSetVector<DType, 4> dtypes;
  for (const HostValue &value : outputs)
    if (value)
      dtypes.insert(value->dtype);
  llvm::errs() << "checked " << options.model << ": " << outputs.size()
               << (outputs.size() == 1 ? " output agrees" : " outputs agree")
               << " with the interpreter's";
  for (DType dtype : dtypes) {
    llvm::errs() << (dtype == dtypes.front() ? " (" : ", ") << getName(dtype);
    if (double tolerance = getTolerance(dtype))
      llvm::errs() << " within " << llvm::format("%g", tolerance);
    else
      llvm::errs() << " exactly";
  }
  llvm::errs() << (dtypes.empty() ? "\n" : ")\n");
}

/// Runs the model. `session` is null unless there are other ranks.
static llvm::Error runOnRank(const RunOptions &options,
                             DistributedSession *session) {
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
  std::vector<Collective> collectives = (*model)->getCollectives(*inputs);
  if (session) {
    if (llvm::Error error = session->compare(collectives))
      return error;
  } else if (!collectives.empty() && options.libraries.empty()) {
    // A library could make process groups.
    return inFile(options.model,
                  llvm::createStringError(
                      "expected other ranks (torchrun --no-python fx-run ...): "
                      "collective 1 is " +
                      collectives[0].text + " of group '" +
                      collectives[0].group + "'"));
  }

  if (options.seed)
    (*model)->seed(*options.seed);
  llvm::SmallVector<HostValue> outputs;
  if (llvm::Error error = (*model)->run(*inputs, outputs))
    return inFile(options.model, std::move(error));
  if (options.check)
    printChecked(options, outputs);
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
  if (options.profile > 0) {
    llvm::Expected<std::string> text = profile(options, **model, *inputs);
    if (!text)
      return inFile(options.model, text.takeError());
    timingText += *text;
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

llvm::Error runModel(const RunOptions &given) {
  RunOptions options = given;
  llvm::Expected<std::unique_ptr<DistributedSession>> session =
      joinRanks(options);
  if (!session)
    return session.takeError();
  llvm::Error error = runOnRank(options, session->get());
  if (!*session)
    return error;
  error = error ? (*session)->fail(std::move(error)) : (*session)->leave();
  // The groups may wait for other ranks when they are destroyed.
  if (error)
    (void)session->release();
  return error;
}

} // namespace fx
