//===- Native.cpp - compiled models in fx-run -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Native.h"
#include "Distributed.h"
#include "Interpreted.h"
#include "fx/IR/Metadata.h"
#include "fx/IR/Signature.h"
#include "fx/Pipelines/Compile.h"
#include "fx/Runtime/Loader.h"
#include "fx/Support/LocatedError.h"
#include "fx/Support/ObjectCache.h"
#include "fx/Support/UnlinkedFile.h"
#include "fx/Weights/LoadWeights.h"

namespace fx {

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

namespace {
class NativeModel final : public RunnableModel {
public:
  NativeModel(std::unique_ptr<CompiledModel> whole,
              std::unique_ptr<CompiledModel> model, llvm::json::Object report,
              int threads)
      : whole(std::move(whole)), model(std::move(model)),
        report(std::move(report)), threads(threads) {}

  /// Sets the graph that was compiled. Its signature has more information than
  /// the compiled model, and its checks give the interpreter's messages.
  void setSignature(LoadedModule module, GraphSignature value) {
    loaded = std::move(module);
    signature = std::move(value);
  }

  llvm::Error prepare();
  llvm::ArrayRef<LeafFile> getInputs() const override { return leaves; }
  llvm::Error run(llvm::ArrayRef<HostValue> inputs,
                  llvm::SmallVectorImpl<HostValue> &outputs) override;
  void seed(uint64_t value) override {
    model->getApi().seed(model->getInstance(), value);
  }
  std::vector<FXKernelRun> takeProfile() override;
  std::vector<Collective>
  getCollectives(llvm::ArrayRef<HostValue> inputs) const override;
  llvm::json::Object getReport() const override;

private:
  llvm::Error locate(llvm::StringRef message);

  /// The model that `model` is a method of, or null.
  std::unique_ptr<CompiledModel> whole;
  std::unique_ptr<CompiledModel> model;
  llvm::json::Object report;
  int threads;
  llvm::SmallVector<LeafFile> leaves;
  LoadedModule loaded;
  std::optional<GraphSignature> signature;
};
} // namespace

/// Returns the report of the compilation in this process, or else the one that
/// the artefact contains.
llvm::json::Object NativeModel::getReport() const {
  if (!report.empty())
    return report;
  llvm::Expected<llvm::json::Value> parsed =
      llvm::json::parse(model->getInfo().report);
  if (!parsed || !parsed->getAsObject()) {
    llvm::consumeError(parsed.takeError());
    return {};
  }
  llvm::json::Object embedded = std::move(*parsed->getAsObject());
  embedded["mode"] = "artefact";
  return embedded;
}

std::vector<FXKernelRun> NativeModel::takeProfile() {
  constexpr size_t kPart = 4096;
  std::vector<FXKernelRun> calls;
  if (!model->getApi().take_profile) // the model is of an older compiler
    return calls;
  for (size_t taken = kPart; taken == kPart;) {
    calls.resize(calls.size() + kPart);
    taken = model->getApi().take_profile(
        model->getInstance(), calls.data() + calls.size() - kPart, kPart);
    calls.resize(calls.size() - kPart + taken);
  }
  return calls;
}

std::vector<Collective>
NativeModel::getCollectives(llvm::ArrayRef<HostValue> inputs) const {
  const FXModelInfo &info = model->getInfo();
  SymbolValues symbols;
  for (int i = 0; i < info.n_inputs; ++i) {
    const FXValueInfo &input = info.inputs[i];
    const HostValue &value = inputs[input.leaf];
    for (int32_t d = 0; value && d < input.rank; ++d)
      if (d < static_cast<int32_t>(value->sizes.size()))
        symbols[input.size_exprs[d]] = value->sizes[d];
  }
  return listWithSymbols(
      listCollectives({info.fallbacks, size_t(info.n_fallbacks)}), symbols);
}

/// Finds the leaves of the inputs.
llvm::Error NativeModel::prepare() {
  const FXModelInfo &info = model->getInfo();
  if (signature) {
    leaves = getLeafFiles(*signature);
    if (leaves.size() != static_cast<size_t>(info.n_input_leaves))
      return makeLocatedError(
          "", "the compiled model has " + llvm::Twine(info.n_input_leaves) +
                  " inputs, expected " + llvm::Twine(leaves.size()));
    return llvm::Error::success();
  }
  // Leaves that are no inputs are None, str, or scalars that torch.export made
  // constants. A constant may have a file, which is ignored.
  leaves.resize(info.n_input_leaves);
  for (LeafFile &leaf : leaves)
    leaf.use = LeafFile::Ignored;
  for (int i = 0; i < info.n_inputs; ++i) {
    const FXValueInfo &input = info.inputs[i];
    std::optional<DType> dtype = fromDLDataType(input.dtype);
    if (!dtype || input.leaf < 0 || input.leaf >= info.n_input_leaves)
      return makeLocatedError(input.name, "the compiled model describes this "
                                          "input in an unknown way");
    leaves[input.leaf] = {input.name, LeafFile::Passed, *dtype};
  }
  return llvm::Error::success();
}

/// Copies an output, which is contiguous.
static llvm::Expected<HostTensor> copyOutput(const DLTensor &t,
                                             const FXValueInfo &info) {
  std::optional<DType> dtype = fromDLDataType(t.dtype);
  llvm::ArrayRef<int64_t> sizes(t.shape, t.ndim);
  if (!dtype || !getCheckedBytes(getByteSize(*dtype), sizes))
    return makeLocatedError(info.name, "the output is of an unknown kind");
  HostTensor host = HostTensor::allocate(*dtype, sizes);
  if (!host.data)
    return makeLocatedError(info.name, "out of memory");
  if (size_t bytes = host.getNumBytes())
    memcpy(host.data.get(), static_cast<const char *>(t.data) + t.byte_offset,
           bytes);
  return host;
}

/// Makes an error of a message of the runtime. The place of the error is the
/// input of "input 'NAME': TEXT", or the node of "NODE: TEXT" if the graph has
/// such a node.
llvm::Error NativeModel::locate(llvm::StringRef message) {
  if (llvm::StringRef text = message; text.consume_front("input '")) {
    auto [name, rest] = text.split("': ");
    if (!rest.empty())
      return makeLocatedError(name, rest);
  }
  auto [where, rest] = message.split(": ");
  bool isNode = false;
  if (loaded.module && !rest.empty())
    loaded.module->walk([&](NodeOpInterface node) {
      for (llvm::StringRef name : getResultNames(node))
        isNode |= name == where;
    });
  return isNode ? makeLocatedError(where, rest) : makeLocatedError("", message);
}

llvm::Error NativeModel::run(llvm::ArrayRef<HostValue> inputs,
                             llvm::SmallVectorImpl<HostValue> &outputs) {
  if (signature) {
    llvm::Expected<SymbolValues> symbols = signature->check(inputs);
    if (!symbols)
      return symbols.takeError();
  }
  const FXModelInfo &info = model->getInfo();
  llvm::SmallVector<DLTensor> tensors(info.n_inputs);
  llvm::SmallVector<const DLTensor *> pointers;
  // Mutated inputs are copied, so that the caller's tensors do not change.
  llvm::SmallVector<HostTensor> copies;
  llvm::SmallVector<llvm::SmallVector<int64_t, 6>> shapes(info.n_inputs);
  for (int i = 0; i < info.n_inputs; ++i) {
    const HostValue &value = inputs[info.inputs[i].leaf];
    if (!value)
      return makeLocatedError(info.inputs[i].name, "no value is given");
    HostTensor source = *value;
    if (info.inputs[i].mutated) {
      HostTensor copy = HostTensor::allocate(source.dtype, source.sizes);
      if (!copy.data)
        return makeLocatedError(info.inputs[i].name, "out of memory");
      if (size_t bytes = source.getNumBytes())
        memcpy(copy.data.get(), source.data.get(), bytes);
      source = std::move(copy);
    }
    shapes[i].assign(source.sizes.begin(), source.sizes.end());
    tensors[i] = DLTensor{source.data.get(),
                          {kDLCPU, 0},
                          static_cast<int32_t>(shapes[i].size()),
                          toDLDataType(source.dtype),
                          shapes[i].data(),
                          nullptr,
                          0};
    copies.push_back(std::move(source));
    pointers.push_back(&tensors[i]);
  }
  ModelOutputs results;
  if (llvm::Error error =
          model->run(pointers, results, threads, FX_RUN_HOST_OUTPUTS))
    return locate(toOneLine(llvm::toString(std::move(error))));
  int32_t leafCount = 0;
  for (int i = 0; i < info.n_outputs; ++i)
    leafCount = std::max(leafCount, info.outputs[i].leaf + 1);
  outputs.assign(leafCount, std::nullopt);
  for (int i = 0; i < info.n_outputs; ++i) {
    if (info.outputs[i].leaf < 0 || !results[i])
      continue;
    llvm::Expected<HostTensor> copy = copyOutput(*results[i], info.outputs[i]);
    if (!copy)
      return copy.takeError();
    outputs[info.outputs[i].leaf] = std::move(*copy);
  }
  return llvm::Error::success();
}

/// Removes "<file>: " or "<file>:" from the beginning of the message; fx-run
/// adds it again.
static llvm::Error stripFile(llvm::Error error, llvm::StringRef file) {
  std::string message = toOneLine(llvm::toString(std::move(error)));
  llvm::StringRef text = message;
  if (text.consume_front(file)) {
    if (text.consume_front(": "))
      return makeLocatedError("", text);
    if (text.consume_front(":")) {
      auto [where, rest] = text.split(": ");
      return makeLocatedError(where, rest);
    }
  }
  return makeLocatedError("", message);
}

/// The parts of the option "cuda:N"; the number is 0 if the option does not
/// have it. The platform is empty for the CPU.
struct DeviceOption {
  std::string platform;
  int number = 0;
};

static llvm::Expected<DeviceOption> parseDevice(const RunOptions &options) {
  auto [platform, number] = llvm::StringRef(options.device).split(':');
  DeviceOption device = {platform.str()};
  bool isKnown = options.device.empty() ||
                 llvm::is_contained({"cuda", "rocm", "vulkan"}, platform);
  if (!isKnown ||
      (llvm::StringRef(options.device).contains(':') &&
       (number.getAsInteger(10, device.number) || device.number < 0)))
    return makeLocatedError(
        "", "--device: expected cuda, rocm or vulkan, or one of these with a "
            "number, as in cuda:0, got '" +
                llvm::Twine(options.device) + "'");
  return device;
}

static llvm::Expected<std::unique_ptr<RunnableModel>>
loadNative(const std::string &path, const RunOptions &options,
           llvm::json::Object report,
           std::optional<LoadedModule> module = std::nullopt) {
  LoadOptions loadOptions;
  loadOptions.loadFallback = !options.noFallback;
  llvm::Expected<DeviceOption> device = parseDevice(options);
  if (!device)
    return device.takeError();
  loadOptions.device = device->number;
  llvm::Expected<std::unique_ptr<CompiledModel>> model =
      CompiledModel::load(path, loadOptions);
  if (!model)
    return stripFile(model.takeError(), path);
  const char *target = (*model)->getInfo().target;
  llvm::StringRef platform =
      llvm::StringRef(target ? target : "").split(':').first;
  if (!device->platform.empty() && platform != device->platform)
    return makeLocatedError(
        "", "--device: expected a model that was compiled with --target=" +
                llvm::Twine(device->platform) + ", got one for " +
                (target ? target : "the CPU"));
  if (options.noFallback && (*model)->getInfo().n_fallbacks)
    return makeLocatedError(
        "", llvm::Twine((*model)->getInfo().n_fallbacks) +
                " operators have no native code, the first is " +
                toOneLine((*model)->getInfo().fallbacks[0]));
  if (!options.weights.empty()) {
    llvm::Expected<std::shared_ptr<const WeightFile>> weights =
        WeightFile::open(options.weights);
    if (!weights)
      return makeLocatedError("",
                              toOneLine(llvm::toString(weights.takeError())));
    if (llvm::Error e = loadWeights(**model, std::move(*weights)))
      return makeLocatedError("", toOneLine(llvm::toString(std::move(e))));
  }
  std::unique_ptr<CompiledModel> whole;
  if (!options.method.empty()) {
    whole = std::move(*model);
    model = whole->getMethod(options.method);
    if (!model)
      return stripFile(model.takeError(), path);
  }
  auto native = std::make_unique<NativeModel>(
      std::move(whole), std::move(*model), std::move(report), options.threads);
  if (module) {
    llvm::Expected<GraphSignature> signature =
        GraphSignature::get(*module->module);
    if (!signature)
      return signature.takeError();
    native->setSignature(std::move(*module), std::move(*signature));
  }
  if (llvm::Error error = native->prepare())
    return std::move(error);
  return native;
}

llvm::Expected<std::unique_ptr<RunnableModel>>
loadArtefact(const RunOptions &options) {
  return loadNative(options.model, options, {});
}

llvm::Expected<std::unique_ptr<RunnableModel>>
compileInProcess(const RunOptions &options) {
  llvm::Expected<UnlinkedFile> file = UnlinkedFile::create();
  if (!file)
    return makeLocatedError("", toOneLine(llvm::toString(file.takeError())));
  CompileOptions compileOptions;
  compileOptions.input = options.model;
  compileOptions.output = file->getPath();
  compileOptions.crashIn = options.crashIn;
  compileOptions.swappableWeights = !options.weights.empty();
  compileOptions.cacheFolder = getDefaultCacheFolder();
  compileOptions.model = options.modelName;
  compileOptions.limits = options.limits;
  compileOptions.allowFallback = !options.noFallback;
  compileOptions.optLevel = options.optLevel;
  compileOptions.profile = options.profile > 0;
  llvm::Expected<DeviceOption> device = parseDevice(options);
  if (!device)
    return device.takeError();
  compileOptions.target = device->platform;
  std::optional<ProgressLine> line(std::in_place);
  compileOptions.onProgress = [&](const Progress &progress) {
    line->show(progress);
  };
  llvm::Expected<CompileReport> report = compileModelSafely(compileOptions);
  line.reset();
  if (!report)
    return stripFile(report.takeError(), options.model);
  for (const std::string &text : report->isolated)
    llvm::errs() << "warning: " << options.model << ": ATen runs " << text
                 << "\n";
  llvm::json::Object json = report->toJSON();
  llvm::Expected<LoadedModule> module =
      loadModule(options.model, options.modelName, options.limits);
  if (!module)
    return module.takeError();
  // The temporary file is removed when this function returns; the loaded model
  // keeps it mapped.
  return loadNative(compileOptions.output, options, std::move(json),
                    std::move(*module));
}

} // namespace fx
