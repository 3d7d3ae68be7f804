//===- Weights.h - the data segment of an artefact --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_WEIGHTS_H
#define FX_CODEGEN_CPU_WEIGHTS_H

#include "fx/CodeGen/CPU/Description.h"
#include "fx/Import/ExternalData.h"

#include "llvm/Support/MemoryBuffer.h"

namespace fx::cpu {

/// A state's values: a strided view of its storage.
struct StateView {
  const char *data = nullptr; ///< first element
  Dtype dtype{};
  llvm::SmallVector<int64_t> sizes, strides; ///< strides in elements

  bool isContiguous() const;
  int64_t getNumElements() const;
};

/// Gives access to the bytes of states. Files are mapped when first needed,
/// their records checked against the CRC once, and nothing is copied.
class StateReader {
public:
  /// External files are relative to `directory`.
  StateReader(mlir::ModuleOp module, llvm::StringRef directory);

  /// The view of state `name`. Errors name the state, and file and range where
  /// they are bad.
  llvm::Expected<StateView> read(llvm::StringRef name);

private:
  llvm::Expected<llvm::StringRef> getStorage(StateOp state);

  mlir::ModuleOp module;
  ExternalData files;
  llvm::StringMap<std::string> splats;
};

/// Gives every constant and state of `model` its place in the data segment;
/// equal views of the same storage share one. Sets offsets and `weightBytes`.
llvm::Error placeWeights(ModelDescription &model, StateReader &states);

/// Appends the data segment to the shared object at `path`, page aligned, as a
/// segment that the loader maps. `prepared` are the results of @prepare:
/// contiguous bytes.
llvm::Error appendWeights(llvm::StringRef path, const ModelDescription &model,
                          StateReader &states, llvm::ArrayRef<llvm::StringRef> prepared);

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_WEIGHTS_H
