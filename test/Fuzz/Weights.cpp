//===- Weights.cpp - fx-weights-fuzzer: files of weights ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is a safetensors or GGUF file in memory. It is refused in one line
// that begins with its path, or all of its tensors can be read: their bytes are
// those that their dtypes and sizes say.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
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

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
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
