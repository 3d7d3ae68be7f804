//===- Weights.h - the data segment of an artefact --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_WEIGHTS_H
#define FX_CODEGEN_CPU_WEIGHTS_H

#include "fx/CodeGen/CPU/Description.h"
#include "fx/IR/ExternalData.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace fx::cpu {

/// A state's values: a strided view of its storage.
struct StateView {
  const char *data = nullptr; ///< first element
  kernel::Dtype dtype{};
  llvm::SmallVector<int64_t> sizes, strides; ///< strides in elements

  bool isContiguous() const;
  int64_t getNumElements() const;
};

/// Gives access to the bytes of states. Files are mapped when first needed,
/// their records checked against the CRC once, and nothing is copied.
class StateReader {
public:
  explicit StateReader(mlir::ModuleOp module);

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

/// The data segment of a shared object, mapped to be written: zeros at first.
/// What is written is in the file when this goes.
class WeightSegment {
public:
  char *data() { return region.data(); }

private:
  friend llvm::Expected<WeightSegment> appendSegment(llvm::StringRef path,
                                                     uint64_t bytes);
  llvm::sys::fs::mapped_file_region region;
};

/// Appends a data segment of `bytes` (not 0) to the shared object at `path`,
/// page aligned, as a segment that the loader maps.
llvm::Expected<WeightSegment> appendSegment(llvm::StringRef path,
                                            uint64_t bytes);

/// Copies every constant and state of `model` that is not prepared to its
/// place in the data segment.
llvm::Error writeStates(WeightSegment &segment, const ModelDescription &model,
                        StateReader &states);

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_WEIGHTS_H
