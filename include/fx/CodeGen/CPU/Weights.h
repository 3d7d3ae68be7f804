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

#include <map>
#include <thread>

namespace fx::cpu {

/// The values of a state: a strided view of its storage.
struct StateView {
  const char *data = nullptr; ///< the first element
  kernel::Dtype dtype{};
  llvm::SmallVector<int64_t> sizes, strides; ///< strides in elements

  bool isContiguous() const;
  int64_t getNumElements() const;
};

/// Gives access to the bytes of states. Files are mapped when they are first
/// needed. The CRC of each record is checked once.
class StateReader {
public:
  explicit StateReader(mlir::ModuleOp module);
  ~StateReader();

  /// Starts to check the bytes of all states on another thread. The module must
  /// not change until the first `read`, which waits for the end.
  void readAhead();
  /// Returns the view of state `name`. Errors name the state, and the file and
  /// the range if these are wrong.
  llvm::Expected<StateView> read(llvm::StringRef name);

private:
  void wait();

  mlir::ModuleOp module;
  ExternalData files;
  std::thread ahead;
  bool crashed = false; ///< set by `ahead`
};

/// Assigns offsets in the data segment to the constants and states of the
/// versions and methods of a model. A mutable state whose values are zero, as
/// those of caches are, takes no place. Equal views of the same storage share
/// an offset. `comparesBytes`: so do views with equal bytes of other storages,
/// which takes a pass over all bytes. The readers of `add` must live as long
/// then.
class WeightPlaces {
public:
  explicit WeightPlaces(bool comparesBytes = false)
      : comparesBytes(comparesBytes) {}
  /// Places those of one method of one version. `numbers` has a number for each
  /// result of
  /// @prepare: results with equal numbers, also of different versions, share an
  /// offset. Empty: all results are different.
  llvm::Error add(ModelDescription &model, StateReader &states,
                  llvm::ArrayRef<int64_t> numbers = {});
  /// Returns the size of the data segment; 0 if none is needed.
  uint64_t getBytes() const { return end; }

private:
  /// Data pointer, dtype code, dtype bits, sizes and strides of a state. States
  /// with equal keys hold the same values and share one place.
  using Key = std::tuple<const char *, uint8_t, uint8_t, std::vector<int64_t>,
                         std::vector<int64_t>>;
  /// Returns the offset of a placed view with the bytes of `view`. If there is
  /// none, remembers that `view` is at `start` and returns that.
  uint64_t findBytes(const StateView &view, uint64_t start);

  bool comparesBytes;
  std::map<Key, uint64_t> places;
  struct Placed {
    StateView view;
    uint64_t offset;
  };
  llvm::DenseMap<uint64_t, llvm::SmallVector<Placed, 1>> byHash;
  llvm::DenseMap<int64_t, uint64_t> preparedPlaces;
  uint64_t end = 0;
};

/// The data segment of a shared object, mapped for writing and initially zero.
/// The destructor completes the writes to the file.
class WeightSegment {
public:
  char *data() { return region.data(); }

private:
  friend llvm::Expected<WeightSegment> appendSegment(llvm::StringRef path,
                                                     uint64_t bytes);
  llvm::sys::fs::mapped_file_region region;
};

/// Appends a page-aligned data segment of `bytes` (not 0), which the loader
/// maps, to the shared object at `path`.
llvm::Expected<WeightSegment> appendSegment(llvm::StringRef path,
                                            uint64_t bytes);

/// Copies all constants and states of `model` that have a place, except results
/// of @prepare, to their offsets in the data segment.
llvm::Error writeStates(WeightSegment &segment, const ModelDescription &model,
                        StateReader &states);

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_WEIGHTS_H
