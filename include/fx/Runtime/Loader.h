//===- Loader.h - loads compiled models -------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_RUNTIME_LOADER_H
#define FX_RUNTIME_LOADER_H

#include "fx/Runtime/model.h"
#include "fx/Support/HostTensor.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace fx {

/// Returns DLPack's name of a dtype.
DLDataType toDLDataType(DType dtype);
/// Returns nullopt for a dtype that torch does not have.
std::optional<DType> fromDLDataType(DLDataType type);

/// A parameter, buffer or constant of a model, in the first method that has it.
struct ModelState {
  const FXStateInfo *info;
  /// The state_dict has it. Models of older compilers do not tell: true.
  bool isPersistent;
  FXInstance *instance;
  int index;
};

/// The outputs of a run, which the destructor frees. A None output is null.
class ModelOutputs {
public:
  ModelOutputs() = default;
  ModelOutputs(ModelOutputs &&other) : tensors(std::move(other.tensors)) {
    other.tensors.clear();
  }
  ModelOutputs &operator=(ModelOutputs &&other) {
    std::swap(tensors, other.tensors);
    return *this;
  }
  ~ModelOutputs();

  size_t size() const { return tensors.size(); }
  const DLTensor *operator[](size_t i) const {
    return tensors[i] ? &tensors[i]->dl_tensor : nullptr;
  }
  /// Returns the bytes of each output. All outputs are contiguous.
  std::vector<llvm::StringRef> getBytes() const;

private:
  friend class CompiledModel;
  std::vector<DLManagedTensor *> tensors;
};

struct LoadOptions {
  /// The services that instances use; may be null.
  const FXCallbacks *callbacks = nullptr;
  /// Load libFXTorch.so if the model needs the fallback and `callbacks` do not
  /// provide it. The library is searched at the path in FX_TORCH_LIBRARY, in
  /// the folder of this library, and then by the system's search path.
  bool loadFallback = true;
  /// For a model for a GPU: the number of the device. `callbacks`, if given,
  /// must contain it as well.
  int device = 0;
};

/// A loaded artefact with one instance of its state.
class CompiledModel {
public:
  /// Loads the shared object at `path`. Fails if it cannot be opened, is no ELF
  /// file, exports no model or a model of another version, or needs a fallback
  /// that is missing. Error texts are one line and name the file.
  static llvm::Expected<std::unique_ptr<CompiledModel>>
  load(llvm::StringRef path, const LoadOptions &options);
  /// As `load`, but from memory.
  static llvm::Expected<std::unique_ptr<CompiledModel>>
  loadBuffer(llvm::ArrayRef<char> bytes, const LoadOptions &options);

  ~CompiledModel();

  /// Returns another instance of the same artefact: the states have the values
  /// of the file, weights in the file are in memory once.
  llvm::Expected<std::unique_ptr<CompiledModel>> createInstance() const;

  /// The methods of the model. The first one is the one that `run` runs.
  llvm::ArrayRef<FXMethod> getMethods() const {
    return {api.methods, size_t(api.n_methods)};
  }
  /// Returns method `index` of the model as a model that shares all its states.
  /// It must not outlive this model.
  std::unique_ptr<CompiledModel> getMethod(size_t index);
  /// As above, by name. The error names all methods.
  llvm::Expected<std::unique_ptr<CompiledModel>>
  getMethod(llvm::StringRef name);

  const FXModelInfo &getInfo() const { return *api.info; }
  /// Returns the functions of the model. Those that an older compiler did not
  /// know are null: `take_profile`, `get_method`.
  const FXModelApi &getApi() const { return api; }
  FXInstance *getInstance() { return instance; }

  /// Runs the model. `threads` and `flags` are those of FXRunOptions.
  llvm::Error run(llvm::ArrayRef<const DLTensor *> inputs,
                  ModelOutputs &outputs, int threads = 1, uint32_t flags = 0);

  /// Runs the model and writes the outputs to the caller's tensors. See
  /// FXModelApi::run_into.
  llvm::Error runInto(llvm::ArrayRef<const DLTensor *> inputs,
                      llvm::ArrayRef<const DLTensor *> outputs,
                      int threads = 1);

  /// Replaces states by name. On failure no state is changed. See
  /// FXModelApi::set_states.
  llvm::Error setStates(llvm::ArrayRef<const char *> names,
                        llvm::ArrayRef<const DLTensor *> values);
  /// As `setStates`, but takes the tensors over, also on failure, and reads
  /// them where they are if it can. See FXModelApi::share_states.
  llvm::Error shareStates(llvm::ArrayRef<const char *> names,
                          llvm::ArrayRef<DLManagedTensor *> values);

  /// Returns the states of all methods, each name once.
  std::vector<ModelState> getStates();
  /// Returns the names of the states of the program that no method uses.
  std::vector<llvm::StringRef> getUnusedStates();
  /// Sets `out` to a view of the current value of a state. See
  /// FXModelApi::get_state.
  llvm::Error getState(const ModelState &state, DLTensor &out);

private:
  CompiledModel() = default;
  static llvm::Expected<std::unique_ptr<CompiledModel>>
  open(const std::string &path, const std::string &name,
       const LoadOptions &options);

  void *library = nullptr;
  FXModelApi api = {};
  FXInstance *instance = nullptr;
  /// The services of the instance.
  FXCallbacks callbacks = {};
  bool ownsInstance = true;
  /// For a model of a compiler that did not know methods.
  FXMethod onlyMethod = {};
};

} // namespace fx

#endif // FX_RUNTIME_LOADER_H
