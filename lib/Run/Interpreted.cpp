//===- Interpreted.cpp - interpreted models in fx-run ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreted.h"
#include "Distributed.h"
#include "fx/IR/Signature.h"
#include "fx/Interpreter/Interpreter.h"
#include "fx/Pipelines/Compile.h"

using namespace mlir;

namespace fx {

namespace {
class InterpretedModel final : public RunnableModel {
public:
  InterpretedModel(LoadedModule loaded,
                   std::unique_ptr<Interpreter> interpreter,
                   llvm::SmallVector<LeafFile> leaves, std::string reason)
      : loaded(std::move(loaded)), interpreter(std::move(interpreter)),
        leaves(std::move(leaves)), reason(std::move(reason)) {}

  llvm::ArrayRef<LeafFile> getInputs() const override { return leaves; }
  llvm::Error run(llvm::ArrayRef<HostValue> inputs,
                  llvm::SmallVectorImpl<HostValue> &outputs) override {
    return interpreter->run(inputs, outputs);
  }
  void seed(uint64_t value) override { interpreter->seed(value); }
  std::vector<Collective>
  getCollectives(llvm::ArrayRef<HostValue> inputs) const override {
    return listWithSymbols(listCollectives(*loaded.module),
                           getSymbolValues(*loaded.module, inputs));
  }
  llvm::json::Object getReport() const override;

private:
  LoadedModule loaded;
  std::unique_ptr<Interpreter> interpreter;
  llvm::SmallVector<LeafFile> leaves;
  std::string reason;
};
} // namespace

llvm::json::Object InterpretedModel::getReport() const {
  return getInterpretedReport(*loaded.module, reason).toJSON("interpret");
}

llvm::Expected<std::unique_ptr<RunnableModel>>
loadInterpreted(LoadedModule loaded, int threads, llvm::StringRef reason) {
  llvm::Expected<GraphSignature> signature =
      GraphSignature::get(*loaded.module);
  if (!signature)
    return signature.takeError();
  InterpreterOptions interpreterOptions;
  interpreterOptions.threads = threads;
  llvm::Expected<std::unique_ptr<Interpreter>> interpreter =
      loadInterpreter(*loaded.module, interpreterOptions);
  if (!interpreter)
    return interpreter.takeError();
  return std::make_unique<InterpretedModel>(
      std::move(loaded), std::move(*interpreter), getLeafFiles(*signature),
      reason.str());
}

} // namespace fx
