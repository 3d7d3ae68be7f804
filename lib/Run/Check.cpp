//===- Check.cpp - compiled code beside the interpreter -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Compare.h"
#include "Interpreted.h"
#include "Native.h"
#include "fx/IR/Metadata.h"
#include "fx/Runtime/model.h"
#include "fx/Support/LocatedError.h"
#include "fx/Support/OutputFile.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

using namespace mlir;

namespace fx {

//===----------------------------------------------------------------------===//
// Cutting a graph
//===----------------------------------------------------------------------===//

/// Returns the nodes after which the graph can be cut.
static SmallVector<Operation *> getNodes(GraphOp graph) {
  SmallVector<Operation *> nodes;
  for (Operation &op : graph.getBlock())
    if (isa<NodeOpInterface>(op))
      nodes.push_back(&op);
  return nodes;
}

/// Returns true if a value of this type can be an output of the cut graph.
static bool canLeave(Type type) {
  return isa<FakeTensorType, SymIntType, SymFloatType, SymBoolType>(type);
}

/// Returns the values computed up to `last` that later nodes use.
static SmallVector<Value> getLiveValues(GraphOp graph, Operation *last) {
  llvm::SetVector<Value> live;
  for (Operation &op : graph.getBlock()) {
    if (!op.isBeforeInBlock(last) && &op != last)
      for (Value operand : op.getOperands())
        if (canLeave(operand.getType()) &&
            (operand.getDefiningOp() == last ||
             operand.getDefiningOp()->isBeforeInBlock(last)))
          live.insert(operand);
  }
  return live.takeVector();
}

/// Returns a copy of the module whose graph @main ends after its `index`-th
/// node and returns the values that are used after this node.
static OwningOpRef<ModuleOp> cut(ModuleOp module, size_t index) {
  OwningOpRef<ModuleOp> copy = module.clone();
  auto graph = copy->lookupSymbol<GraphOp>("main");
  Operation *last = getNodes(graph)[index];
  SmallVector<Value> live = getLiveValues(graph, last);
  while (&graph.getBlock().back() != last) {
    graph.getBlock().back().dropAllReferences();
    graph.getBlock().back().erase();
  }
  OpBuilder builder = OpBuilder::atBlockEnd(&graph.getBlock());
  OperationState state(last->getLoc(), OutputOp::getOperationName());
  state.addOperands(live);
  SmallVector<Attribute> leaves(live.size(),
                                OperandAttr::get(module.getContext()));
  state.addAttribute("args", builder.getArrayAttr(leaves));
  builder.create(state);
  return copy;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// The index of the first output that differs, and a description.
using Difference = std::optional<std::pair<size_t, std::string>>;

namespace {
class CheckedModel final : public RunnableModel {
public:
  CheckedModel(std::unique_ptr<RunnableModel> native, RunOptions options)
      : native(std::move(native)), options(std::move(options)) {}

  llvm::ArrayRef<LeafFile> getInputs() const override {
    return native->getInputs();
  }
  void seed(uint64_t value) override { generatorSeed = value; }
  std::vector<Collective>
  getCollectives(llvm::ArrayRef<HostValue> inputs) const override {
    return native->getCollectives(inputs);
  }
  llvm::json::Object getReport() const override { return native->getReport(); }
  llvm::Error run(llvm::ArrayRef<HostValue> inputs,
                  llvm::SmallVectorImpl<HostValue> &outputs) override;

private:
  llvm::Expected<std::unique_ptr<RunnableModel>>
  makeInterpreter(OwningOpRef<ModuleOp> module = {});
  llvm::Expected<std::unique_ptr<RunnableModel>> compile(ModuleOp module);
  llvm::Expected<Difference> compareAt(ModuleOp module, size_t index,
                                       llvm::ArrayRef<HostValue> inputs);
  llvm::Error explain(llvm::ArrayRef<HostValue> inputs,
                      const std::string &difference, size_t output);

  std::unique_ptr<RunnableModel> native;
  RunOptions options;
  uint64_t generatorSeed = FX_DEFAULT_SEED;
};
} // namespace

static Difference compareAll(llvm::ArrayRef<HostValue> got,
                             llvm::ArrayRef<HostValue> want) {
  for (size_t i = 0; i < std::max(got.size(), want.size()); ++i) {
    HostValue g = i < got.size() ? got[i] : HostValue();
    HostValue w = i < want.size() ? want[i] : HostValue();
    if (std::optional<std::string> difference = findDifference(g, w))
      return std::make_pair(i, *difference);
  }
  return std::nullopt;
}

/// Returns a new interpreter of `module`, or of the whole model if it is null.
/// A new interpreter starts with the initial values of buffers.
llvm::Expected<std::unique_ptr<RunnableModel>>
CheckedModel::makeInterpreter(OwningOpRef<ModuleOp> module) {
  if (module)
    return loadInterpreted({nullptr, std::move(module)}, options.threads,
                           "--check");
  llvm::Expected<LoadedModule> loaded =
      loadModule(options.model, options.modelName, options.limits);
  if (!loaded)
    return loaded.takeError();
  return loadInterpreted(std::move(*loaded), options.threads, "--check");
}

/// Writes `module` to a temporary file and compiles it.
llvm::Expected<std::unique_ptr<RunnableModel>>
CheckedModel::compile(ModuleOp module) {
  llvm::SmallString<128> path;
  if (std::error_code ec =
          llvm::sys::fs::createTemporaryFile("fx-check", "mlir", path))
    return makeLocatedError("",
                            "cannot make a temporary file: " + ec.message());
  llvm::FileRemover remover(path);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  if (llvm::Error error = writeTextFile(path, text))
    return std::move(error);
  RunOptions cutOptions = options;
  cutOptions.model = path.str().str();
  cutOptions.modelName.clear();
  return compileInProcess(cutOptions);
}

/// Runs both models with the same seed of their generators and compares the
/// outputs. `got` receives those of the compiled model.
static llvm::Expected<Difference>
runBoth(RunnableModel &native, RunnableModel &interpreter,
        llvm::ArrayRef<HostValue> inputs, uint64_t seed,
        llvm::SmallVectorImpl<HostValue> &got) {
  llvm::SmallVector<HostValue> want;
  native.seed(seed);
  if (llvm::Error error = native.run(inputs, got))
    return std::move(error);
  interpreter.seed(seed);
  if (llvm::Error error = interpreter.run(inputs, want))
    return std::move(error);
  return compareAll(got, want);
}

/// Compiles and interprets the graph cut after its `index`-th node, and
/// compares the values at the cut.
llvm::Expected<Difference>
CheckedModel::compareAt(ModuleOp module, size_t index,
                        llvm::ArrayRef<HostValue> inputs) {
  OwningOpRef<ModuleOp> part = cut(module, index);
  llvm::Expected<std::unique_ptr<RunnableModel>> compiled = compile(*part);
  if (!compiled)
    return compiled.takeError();
  llvm::Expected<std::unique_ptr<RunnableModel>> interpreter =
      makeInterpreter(std::move(part));
  if (!interpreter)
    return interpreter.takeError();
  llvm::SmallVector<HostValue> got;
  return runBoth(**compiled, **interpreter, inputs, generatorSeed, got);
}

/// Finds the first cut whose values differ by binary search: a difference that
/// reaches an output is visible at every cut after the node that causes it.
/// Returns the error that names the node, or the output if no cut differs.
llvm::Error CheckedModel::explain(llvm::ArrayRef<HostValue> inputs,
                                  const std::string &difference,
                                  size_t output) {
  std::string where = "output " + std::to_string(output), what = difference;
  llvm::SmallString<256> path(options.model);
  // Paths in the cut module must not depend on where its text is written.
  llvm::sys::fs::make_absolute(path);
  llvm::Expected<LoadedModule> loaded =
      loadModule(path, options.modelName, options.limits);
  if (!loaded)
    return loaded.takeError();
  SmallVector<Operation *> nodes =
      getNodes(loaded->module->lookupSymbol<GraphOp>("main"));
  size_t low = 0, high = nodes.size(); // the answer is in [low, high]
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    llvm::Expected<Difference> differs =
        compareAt(*loaded->module, middle, inputs);
    if (!differs) {
      // Stop the search: that a part does not compile is not what is reported.
      llvm::consumeError(differs.takeError());
      break;
    }
    if (*differs) {
      Operation *node = nodes[middle];
      where = getNodeName(node).value_or("").str();
      what = cast<NodeOpInterface>(node).getTargetName().str() + ": " +
             (*differs)->second;
      if (std::optional<FileLineColLoc> frame = getPythonFrame(node->getLoc()))
        what += " (at " + frame->getFilename().str() + ":" +
                std::to_string(frame->getLine()) + ")";
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return makeLocatedError(where, "the compiled result differs from the "
                                 "interpreter's: " +
                                     what);
}

llvm::Error CheckedModel::run(llvm::ArrayRef<HostValue> inputs,
                              llvm::SmallVectorImpl<HostValue> &outputs) {
  llvm::Expected<std::unique_ptr<RunnableModel>> interpreter =
      makeInterpreter();
  if (!interpreter)
    return interpreter.takeError();
  llvm::Expected<Difference> difference =
      runBoth(*native, **interpreter, inputs, generatorSeed, outputs);
  if (!difference)
    return difference.takeError();
  if (*difference)
    return explain(inputs, (*difference)->second, (*difference)->first);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<RunnableModel>>
loadChecked(const RunOptions &options) {
  llvm::Expected<std::unique_ptr<RunnableModel>> native =
      compileInProcess(options);
  if (!native)
    return native.takeError();
  return std::make_unique<CheckedModel>(std::move(*native), options);
}

} // namespace fx
