//===- Loader.cpp - loads compiled models ---------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Runtime/Loader.h"
#include "fx/Support/LoadError.h"
#include "fx/Support/TorchRelease.h"
#include "fx/Support/UnlinkedFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>

using namespace fx;

/// DLPack's dtypes, indexed by DType.
static constexpr DLDataType kDLTypes[] = {{kDLBool, 8, 1},
                                          {kDLUInt, 8, 1},
                                          {kDLInt, 8, 1},
                                          {kDLInt, 16, 1},
                                          {kDLInt, 32, 1},
                                          {kDLInt, 64, 1},
                                          {kDLUInt, 16, 1},
                                          {kDLUInt, 32, 1},
                                          {kDLUInt, 64, 1},
                                          {kDLFloat, 16, 1},
                                          {kDLBfloat, 16, 1},
                                          {kDLFloat, 32, 1},
                                          {kDLFloat, 64, 1},
                                          {kDLComplex, 32, 1},
                                          {kDLComplex, 64, 1},
                                          {kDLComplex, 128, 1},
                                          {kDLFloat8_e4m3fn, 8, 1},
                                          {kDLFloat8_e5m2, 8, 1},
                                          {kDLFloat8_e4m3fnuz, 8, 1},
                                          {kDLFloat8_e5m2fnuz, 8, 1},
                                          {kDLFloat8_e8m0fnu, 8, 1}};

DLDataType fx::toDLDataType(DType dtype) {
  return kDLTypes[static_cast<unsigned>(dtype)];
}

std::optional<DType> fx::fromDLDataType(DLDataType type) {
  for (unsigned i = 0; i < std::size(kDLTypes); ++i)
    if (kDLTypes[i].code == type.code && kDLTypes[i].bits == type.bits &&
        type.lanes == 1)
      return static_cast<DType>(i);
  return std::nullopt;
}

ModelOutputs::~ModelOutputs() {
  for (DLManagedTensor *t : tensors)
    if (t && t->deleter)
      t->deleter(t);
}

std::vector<llvm::StringRef> ModelOutputs::getBytes() const {
  std::vector<llvm::StringRef> bytes;
  for (const DLManagedTensor *t : tensors) {
    size_t n = t ? t->dl_tensor.dtype.bits / 8 : 0;
    for (int d = 0; t && d < t->dl_tensor.ndim; ++d)
      n *= t->dl_tensor.shape[d];
    bytes.push_back(
        {t ? static_cast<const char *>(t->dl_tensor.data) : nullptr, n});
  }
  return bytes;
}

namespace {
/// The functions that libFXTorch.so exports.
struct TorchFallback {
  FXFallbackFn run = nullptr;
  /// Null if the fallback only supports tensors on the host.
  FXFallbackDeviceFn takesDevice = nullptr;
  FXExchangeGeneratorFn exchangeGenerator = nullptr;
};
} // namespace

/// Returns the fallback of libFXTorch.so. The library is loaded once per
/// process and never unloaded, because LibTorch does not support unloading.
static llvm::Expected<TorchFallback> getTorchFallback() {
  static std::string error;
  static TorchFallback fallback = []() -> TorchFallback {
    std::vector<std::string> places;
    if (const char *path = getenv("FX_TORCH_LIBRARY"))
      places.push_back(path);
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(&getTorchFallback), &info) &&
        info.dli_fname) {
      llvm::SmallString<128> beside(
          llvm::sys::path::parent_path(info.dli_fname));
      llvm::sys::path::append(beside, "libFXTorch.so");
      places.push_back(beside.str().str());
    }
    places.push_back("libFXTorch.so");
    for (const std::string &name : places) {
      llvm::Expected<std::string> selected = selectTorchLibrary(name);
      if (!selected) {
        error = llvm::toString(selected.takeError());
        return {};
      }
      const std::string &place = *selected;
      void *library =
          dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
      if (!library) {
        error = place + ": " + getTorchLoadError(place);
        if (llvm::sys::fs::exists(place))
          return {};
        continue;
      }
      if (void *run = dlsym(library, FX_TORCH_FALLBACK_SYMBOL))
        return {reinterpret_cast<FXFallbackFn>(run),
                reinterpret_cast<FXFallbackDeviceFn>(
                    dlsym(library, FX_TORCH_FALLBACK_DEVICE_SYMBOL)),
                reinterpret_cast<FXExchangeGeneratorFn>(
                    dlsym(library, FX_TORCH_EXCHANGE_SYMBOL))};
      error = place + " does not export " FX_TORCH_FALLBACK_SYMBOL;
    }
    return {};
  }();
  if (!fallback.run)
    return llvm::createStringError("cannot load the fallback: " + error);
  return fallback;
}

#if defined(__aarch64__)
static constexpr Elf64_Half kMachine = EM_AARCH64;
#else
static constexpr Elf64_Half kMachine = EM_X86_64;
#endif

/// Returns an error if the file is for another machine, or is shorter than its
/// ELF headers say. Accesses beyond the end of a mapped file would end the
/// process with a signal.
static llvm::Error checkWhole(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("cannot open: " +
                                   buffer.getError().message());
  llvm::StringRef bytes = (*buffer)->getBuffer();
  auto cut = [&](uint64_t end) {
    return llvm::createStringError("expected at least " + llvm::Twine(end) +
                                   " bytes by its headers, got " +
                                   llvm::Twine(bytes.size()));
  };
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header)
    return cut(sizeof header);
  memcpy(&header, bytes.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return llvm::createStringError(
        "expected a 64-bit ELF file, got another kind");
  // dlopen would report that such a file does not exist.
  if (header.e_machine != kMachine)
    return llvm::createStringError(
        "it was compiled for another architecture: expected " +
        llvm::ELF::convertEMachineToArchName(kMachine) + ", got " +
        llvm::ELF::convertEMachineToArchName(header.e_machine));
  // The subtraction avoids that `begin + size` overflows.
  auto isBehind = [&](uint64_t begin, uint64_t size) {
    return begin > bytes.size() || size > bytes.size() - begin;
  };
  uint64_t segments = uint64_t(header.e_phnum) * sizeof(Elf64_Phdr);
  if (isBehind(header.e_phoff, segments))
    return cut(header.e_phoff + segments);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment,
           sizeof segment);
    if (isBehind(segment.p_offset, segment.p_filesz))
      return cut(segment.p_offset + segment.p_filesz);
  }
  return llvm::Error::success();
}

/// Opens the library at `path`. dlopen returns the library that it has loaded
/// by this path before, which stays loaded, also if the path is that of another
/// file by now: a model that was compiled again. Such a file is opened by
/// another path. A file that was overwritten in place is the same file.
static void *openLibrary(const std::string &path) {
  static std::mutex mutex;
  static llvm::StringMap<llvm::sys::fs::UniqueID> loaded;
  std::lock_guard<std::mutex> lock(mutex);
  int descriptor = -1;
  llvm::sys::fs::UniqueID id;
  if (!llvm::StringRef(path).starts_with("/proc/self/") &&
      !llvm::sys::fs::getUniqueID(path, id) &&
      loaded.try_emplace(path, id).first->second != id)
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *library =
      dlopen(getUniquePath(descriptor).c_str(), RTLD_NOW | RTLD_LOCAL);
  ::close(descriptor);
  return library;
}

llvm::Expected<std::unique_ptr<CompiledModel>>
CompiledModel::open(const std::string &path, const std::string &name,
                    const LoadOptions &options) {
  auto fail = [&](llvm::Twine why) {
    return llvm::createStringError(name + ": " + why);
  };
  if (llvm::Error e = checkWhole(path))
    return fail("cannot be loaded: " + llvm::toString(std::move(e)));
  std::unique_ptr<CompiledModel> model(new CompiledModel);
  model->library = openLibrary(path);
  if (!model->library)
    return fail("cannot be loaded: " + getLoadError(path));
  auto getApi = reinterpret_cast<const FXModelApi *(*)()>(
      dlsym(model->library, FX_MODEL_API_SYMBOL));
  if (!getApi)
    return fail("expected a compiled model, got a shared object without "
                "'" FX_MODEL_API_SYMBOL "'");
  const FXModelApi *known = getApi();
  if (!known || known->magic != FX_MODEL_MAGIC)
    return fail("expected a compiled model, got something else");
  if (known->abi_version != FX_MODEL_ABI_VERSION)
    return fail("expected version " + llvm::Twine(FX_MODEL_ABI_VERSION) +
                " of the model interface, got " +
                llvm::Twine(known->abi_version));
  FXModelApi &api = model->api;
  memcpy(&api, known, std::min<size_t>(known->struct_size, sizeof api));
  if (!api.get_method) {
    model->onlyMethod = {"forward", api.info};
    api.n_methods = 1;
    api.methods = &model->onlyMethod;
  }
  FXCallbacks &callbacks = model->callbacks;
  if (options.callbacks)
    memcpy(&callbacks, options.callbacks,
           std::min<size_t>(options.callbacks->struct_size, sizeof callbacks));
  callbacks.struct_size = sizeof callbacks;
  if (options.device)
    callbacks.device = options.device;
  if (api.info->n_fallbacks > 0 && !callbacks.fallback &&
      options.loadFallback) {
    if (callbacks.prepare_torch)
      if (const char *reason = callbacks.prepare_torch())
        return fail("cannot load the fallback: " + llvm::Twine(reason));
    llvm::Expected<TorchFallback> fallback = getTorchFallback();
    if (!fallback)
      return fail(llvm::toString(fallback.takeError()));
    callbacks.fallback = fallback->run;
    callbacks.exchange_generator = fallback->exchangeGenerator;
    callbacks.fallback_on_device = api.info->target && fallback->takesDevice &&
                                   fallback->takesDevice(callbacks.device);
  }
  char error[512] = "";
  model->instance = api.create(&callbacks, error, sizeof error);
  if (!model->instance)
    return fail(error);
  return model;
}

llvm::Expected<std::unique_ptr<CompiledModel>>
CompiledModel::load(llvm::StringRef path, const LoadOptions &options) {
  llvm::file_magic magic;
  if (std::error_code ec = llvm::identify_magic(path, magic))
    return llvm::createStringError(path.str() +
                                   ": cannot open: " + ec.message());
  if (magic != llvm::file_magic::elf_shared_object)
    return llvm::createStringError(
        path.str() + ": expected a compiled model, got no ELF shared object");
  // dlopen searches the system's folders for a name without a slash.
  llvm::SmallString<256> full(path);
  llvm::sys::fs::make_absolute(full);
  return open(full.str().str(), path.str(), options);
}

llvm::Expected<std::unique_ptr<CompiledModel>>
CompiledModel::loadBuffer(llvm::ArrayRef<char> bytes,
                          const LoadOptions &options) {
  llvm::Expected<UnlinkedFile> file =
      UnlinkedFile::create(llvm::StringRef(bytes.data(), bytes.size()));
  if (!file)
    return llvm::createStringError("<buffer>: " +
                                   llvm::toString(file.takeError()));
  return open(file->getPath(), "<buffer>", options);
}

CompiledModel::~CompiledModel() {
  if (instance && ownsInstance)
    api.destroy(instance);
  // The library stays loaded: outputs may outlive the model, and code of the
  // library frees them.
}

llvm::Expected<std::unique_ptr<CompiledModel>>
CompiledModel::createInstance() const {
  std::unique_ptr<CompiledModel> model(new CompiledModel);
  model->library = library;
  model->api = api;
  model->callbacks = callbacks;
  if (!api.get_method) {
    model->onlyMethod = onlyMethod;
    model->api.methods = &model->onlyMethod;
  }
  // This model may be a method.
  model->api.info = model->api.methods[0].info;
  char error[512] = "";
  model->instance = api.create(&callbacks, error, sizeof error);
  if (!model->instance)
    return llvm::createStringError(error);
  return model;
}

std::unique_ptr<CompiledModel> CompiledModel::getMethod(size_t index) {
  std::unique_ptr<CompiledModel> method(new CompiledModel);
  method->callbacks = callbacks;
  method->library = library;
  method->api = api;
  method->api.info = api.methods[index].info;
  method->ownsInstance = false;
  // This model may be a method itself.
  method->instance =
      api.get_method ? api.get_method(instance, index) : instance;
  return method;
}

llvm::Expected<std::unique_ptr<CompiledModel>>
CompiledModel::getMethod(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> names;
  for (auto [i, method] : llvm::enumerate(getMethods())) {
    if (name == method.name)
      return getMethod(i);
    names.push_back(method.name);
  }
  return llvm::createStringError("expected a method of the model (" +
                                 llvm::join(names, ", ") + "), got '" + name +
                                 "'");
}

llvm::Error CompiledModel::run(llvm::ArrayRef<const DLTensor *> inputs,
                               ModelOutputs &outputs, int threads,
                               uint32_t flags) {
  outputs = ModelOutputs();
  outputs.tensors.assign(api.info->n_outputs, nullptr);
  FXRunOptions options = {sizeof(FXRunOptions), threads, /*stream=*/nullptr,
                          flags};
  char error[1024] = "";
  if (api.run(instance, inputs.data(), inputs.size(), outputs.tensors.data(),
              outputs.tensors.size(), &options, error, sizeof error))
    return llvm::createStringError(error);
  return llvm::Error::success();
}

llvm::Error CompiledModel::runInto(llvm::ArrayRef<const DLTensor *> inputs,
                                   llvm::ArrayRef<const DLTensor *> outputs,
                                   int threads) {
  FXRunOptions options = {sizeof(FXRunOptions), threads, /*stream=*/nullptr,
                          /*flags=*/0};
  char error[1024] = "";
  if (api.run_into(instance, inputs.data(), inputs.size(), outputs.data(),
                   outputs.size(), &options, error, sizeof error))
    return llvm::createStringError(error);
  return llvm::Error::success();
}

llvm::Error CompiledModel::setStates(llvm::ArrayRef<const char *> names,
                                     llvm::ArrayRef<const DLTensor *> values) {
  if (names.size() != values.size())
    return llvm::createStringError("expected as many names as values");
  char error[1024] = "";
  if (api.set_states(instance, names.size(), names.data(), values.data(), error,
                     sizeof error))
    return llvm::createStringError(error);
  return llvm::Error::success();
}

llvm::Error
CompiledModel::shareStates(llvm::ArrayRef<const char *> names,
                           llvm::ArrayRef<DLManagedTensor *> values) {
  llvm::Error error = llvm::Error::success();
  bool isTaken = false;
  if (names.size() != values.size()) {
    error = llvm::createStringError("expected as many names as values");
  } else if (api.share_states) {
    char text[1024] = "";
    isTaken = !api.share_states(instance, names.size(), names.data(),
                                values.data(), text, sizeof text);
    if (!isTaken)
      error = llvm::createStringError(text);
  } else {
    llvm::SmallVector<const DLTensor *> tensors;
    for (DLManagedTensor *value : values)
      tensors.push_back(&value->dl_tensor);
    error = setStates(names, tensors);
  }
  for (DLManagedTensor *value : values)
    if (!isTaken && value->deleter)
      value->deleter(value);
  return error;
}

std::vector<ModelState> CompiledModel::getStates() {
  std::vector<ModelState> states;
  llvm::StringSet<> known;
  for (auto [m, method] : llvm::enumerate(getMethods())) {
    const FXModelInfo &info = *method.info;
    FXInstance *as = api.get_method ? api.get_method(instance, m) : instance;
    for (int i = 0; i < info.n_states; ++i)
      if (known.insert(info.states[i].name).second)
        states.push_back({&info.states[i],
                          !api.share_states || info.persistent_states[i] != 0,
                          as, i});
  }
  return states;
}

std::vector<llvm::StringRef> CompiledModel::getUnusedStates() {
  std::vector<llvm::StringRef> names;
  for (const FXMethod &method : getMethods())
    for (int i = 0; api.share_states && i < method.info->n_unused_states; ++i)
      names.push_back(method.info->unused_states[i]);
  return names;
}

llvm::Error CompiledModel::getState(const ModelState &state, DLTensor &out) {
  if (!api.get_state(state.instance, state.index, &out))
    return llvm::Error::success();
  return llvm::createStringError(
      "expected a state that the model contains, got '" +
      llvm::Twine(state.info->name) +
      "', which was folded or packed when the model was compiled");
}
