//===- Weights.cpp - fx-weights-fuzzer: files of weights ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is a safetensors or GGUF file in memory, or a pickle of torch.save.
// A file is refused in one line that begins with its path, or all of its
// tensors can be read: their bytes are those that their dtypes and sizes say. A
// pickle is refused in one line, or its tensors have names, dtypes, and at most
// 64 sizes and strides.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Import/TorchFile.h"
#include "fx/Weights/LoadWeights.h"

using namespace fx;
using namespace fx::fuzz;

/// The number of bytes of a tensor, which cannot overflow in a file that was
/// opened.
static uint64_t countBytes(const WeightTensor &tensor) {
  uint64_t elements = 1;
  for (int64_t size : tensor.sizes) {
    require(size >= 0, "a negative size");
    elements *= uint64_t(size);
  }
  return elements / getBlockElements(tensor.blocks) *
         (tensor.blocks == BlockFormat::None ? getByteSize(tensor.dtype)
                                             : getBlockBytes(tensor.blocks));
}

/// Checks the description of a tensor that a pickle gives.
static void check(llvm::StringRef name, const schema::PayloadMeta &meta) {
  require(meta.tensor_meta.has_value(), "a tensor without a description", name);
  const schema::TensorMeta &tensor = *meta.tensor_meta;
  require(tensor.sizes.size() <= 64 && tensor.strides.size() <= 64,
          "a tensor of too many dimensions", name);
  require(meta.path_name.starts_with("folder/data/"), "another folder", name);
}

/// Reads a pickle as a dict of tensors, and as a tensor subclass.
static void readPickle(llvm::StringRef bytes) {
  llvm::BumpPtrAllocator strings;
  auto refuse = [](llvm::Error error) {
    std::string text = llvm::toString(std::move(error));
    requireOneLine(text);
    require(llvm::StringRef(text).starts_with(": "), "another error", text);
  };
  llvm::Expected<schema::PayloadConfig> config =
      decodeTorchFile(bytes, "folder", strings);
  if (!config)
    refuse(config.takeError());
  else
    for (const auto &[name, meta] : config->config)
      check(name, meta);
  llvm::Expected<SubclassFile> subclass =
      decodeSubclassFile(bytes, "folder", strings);
  if (!subclass)
    return refuse(subclass.takeError());
  for (const auto &[name, meta] : subclass->tensors) {
    require(!name.empty(), "a tensor without a name");
    check(name, meta);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The first instruction of torch.save's pickles: their protocol.
  if (size && data[0] == 0x80) {
    readPickle({reinterpret_cast<const char *>(data), size});
    return 0;
  }
  MemoryFile memory({reinterpret_cast<const char *>(data), size});
  llvm::Expected<std::shared_ptr<const WeightFile>> file =
      WeightFile::open(memory.getPath());
  if (!file) {
    std::string error = llvm::toString(file.takeError());
    requireOneLine(error);
    require(llvm::StringRef(error).starts_with(memory.getPath()),
            "an error without the path", error);
    return 0;
  }
  unsigned sum = 0;
  for (const auto &[name, tensor] : (*file)->getTensors()) {
    require(tensor.bytes.size() == countBytes(tensor), "other bytes", name);
    for (char byte : tensor.bytes)
      sum += uint8_t(byte);
    llvm::Expected<HostTensor> values = readFloats(tensor);
    if (!values)
      requireOneLine(llvm::toString(values.takeError()));
  }
  volatile unsigned result = sum; // the bytes are read
  (void)result;
  return 0;
}
