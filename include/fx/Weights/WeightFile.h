//===- WeightFile.h - files of named tensors --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads safetensors (one file, or shards with an index) and GGUF. Files are
// mapped and untrusted: everything that a header says is checked against the
// length of the file when it is opened. The error texts are one line and begin
// with the path of the file.
//
//===----------------------------------------------------------------------===//

#ifndef FX_WEIGHTS_WEIGHTFILE_H
#define FX_WEIGHTS_WEIGHTFILE_H

#include "fx/Support/HostTensor.h"
#include "fx/Weights/Blocks.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace fx {

/// A tensor of a file. Its bytes are contiguous in row-major order.
struct WeightTensor {
  /// The dtype of the elements; F32 if they are quantized in blocks.
  DType dtype = DType::F32;
  BlockFormat blocks = BlockFormat::None;
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::ArrayRef<char> bytes;

  /// Returns "float32", or the name of the blocks, "Q4_K".
  llvm::StringRef getFormat() const {
    return blocks == BlockFormat::None ? fx::getName(dtype)
                                       : fx::getName(blocks);
  }
  /// Returns "float32[2, 3]".
  std::string describe() const;
};

class WeightFile {
public:
  using Metadata = std::variant<int64_t, uint64_t, double, bool, std::string>;
  using Tensors = std::map<std::string, WeightTensor, std::less<>>;

  /// Opens a `.safetensors` file, an index of shards
  /// (`model.safetensors.index.json`), a folder that contains
  /// `model.safetensors` or such an index, or a `.gguf` file. GGUF is known by
  /// its first bytes.
  static llvm::Expected<std::shared_ptr<const WeightFile>>
  open(llvm::StringRef path);

  /// Makes a file of tensors in memory, which `owner` keeps. Errors about it
  /// begin with `name`.
  static std::shared_ptr<const WeightFile>
  create(llvm::StringRef name, Tensors tensors,
         std::shared_ptr<const void> owner);

  /// The path that was opened.
  llvm::StringRef getPath() const { return path; }
  bool isGguf() const { return gguf; }
  const Tensors &getTensors() const { return tensors; }
  const WeightTensor *find(llvm::StringRef name) const;
  /// The metadata: numbers, truth values and texts of GGUF, except lists, and
  /// the texts of `__metadata__` in safetensors.
  const std::map<std::string, Metadata, std::less<>> &getMetadata() const {
    return metadata;
  }

private:
  llvm::Error openFile(llvm::StringRef file);
  llvm::Error openIndex(llvm::StringRef file);
  llvm::Error readSafetensors(llvm::StringRef file, llvm::StringRef bytes);
  llvm::Error readGguf(llvm::StringRef file, llvm::StringRef bytes);

  std::string path;
  bool gguf = false;
  std::vector<llvm::sys::fs::mapped_file_region> maps;
  std::shared_ptr<const void> owner;
  Tensors tensors;
  std::map<std::string, Metadata, std::less<>> metadata;
};

/// Returns the beginning of a text of a file for a message, without control
/// characters.
std::string showText(llvm::StringRef text);

} // namespace fx

#endif // FX_WEIGHTS_WEIGHTFILE_H
