//===- Samples.cpp - a folder of sample inputs ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"
#include "fx/Run/Files.h"
#include "fx/Support/LocatedError.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace fx;

static bool isInput(StringRef path) {
  StringRef name = llvm::sys::path::filename(path);
  return name.starts_with("in_") && name.ends_with(".npy");
}

llvm::Expected<std::vector<std::string>> fx::findSamples(StringRef folder,
                                                         unsigned most) {
  if (!llvm::sys::fs::is_directory(folder))
    return makeLocatedError(folder, "expected a folder of samples, got none");
  std::vector<std::string> folders;
  bool hasInputs = false;
  std::error_code ec;
  for (llvm::sys::fs::directory_iterator it(folder, ec), end; !ec && it != end;
       it.increment(ec)) {
    hasInputs |= isInput(it->path());
    if (llvm::sys::fs::is_directory(it->path()))
      folders.push_back(it->path());
  }
  if (ec)
    return makeLocatedError(folder, ec.message());
  if (hasInputs)
    return std::vector<std::string>{folder.str()};
  if (folders.empty())
    return makeLocatedError(
        folder, "expected files in_<k>.npy, or folders of such, got none");
  llvm::sort(folders);
  if (most && folders.size() > most)
    folders.resize(most);
  return folders;
}

llvm::Expected<std::unique_ptr<SampleRunner>>
SampleRunner::create(ModuleOp module, std::function<bool(Operation *)> wants,
                     Watch watch) {
  llvm::Expected<GraphSignature> signature = GraphSignature::get(module);
  if (!signature)
    return signature.takeError();
  std::unique_ptr<SampleRunner> runner(new SampleRunner(std::move(*signature)));
  runner->wants = std::move(wants);
  runner->watch = std::move(watch);
  InterpreterOptions options;
  options.isObserved = runner->wants;
  options.observer = runner->watch;
  llvm::Expected<std::unique_ptr<Interpreter>> interpreter =
      loadInterpreter(module, options);
  if (!interpreter)
    return interpreter.takeError();
  runner->interpreter = std::move(*interpreter);
  return runner;
}

llvm::Error SampleRunner::run(StringRef folder,
                              llvm::SmallVectorImpl<HostValue> &outputs) {
  auto inputs = readInputs(folder, getLeafFiles(signature));
  if (!inputs)
    return inputs.takeError();
  // The interpreter's observer sees nodes only. Watch the inputs here.
  unsigned leaf = 0;
  for (PlaceholderOp op : signature.getGraph().getPlaceholders()) {
    if (op.getKind() != InputKind::UserInput &&
        op.getKind() != InputKind::ConstantInput)
      continue;
    if (wants(op))
      watch(op, (*inputs)[leaf]);
    ++leaf;
  }
  if (llvm::Error error = interpreter->run(*inputs, outputs))
    return llvm::joinErrors(
        makeLocatedError(folder, "the model fails on this sample"),
        std::move(error));
  return llvm::Error::success();
}

llvm::Error SampleRunner::runAll(ModuleOp module,
                                 llvm::ArrayRef<std::string> samples,
                                 std::function<bool(Operation *)> wants,
                                 Watch watch) {
  auto runner = create(module, std::move(wants), std::move(watch));
  if (!runner)
    return runner.takeError();
  llvm::SmallVector<HostValue> outputs;
  for (const std::string &sample : samples)
    if (llvm::Error error = (*runner)->run(sample, outputs))
      return error;
  return llvm::Error::success();
}
