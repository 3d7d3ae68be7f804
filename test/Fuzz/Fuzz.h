//===- Fuzz.h - what the fuzzers share --------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_TEST_FUZZ_FUZZ_H
#define FX_TEST_FUZZ_FUZZ_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <random>
#include <string>

/// libFuzzer's own mutations, in place; the new size.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace fx::fuzz {

using Random = std::mt19937;

/// A number below `bound`, 0 where that is 0.
inline size_t pick(Random &random, size_t bound) {
  return bound ? random() % bound : 0;
}

/// A file without a name that holds `bytes`, and goes with this object.
class MemoryFile {
public:
  explicit MemoryFile(llvm::StringRef bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  const std::string &getPath() const { return path; }

private:
  int descriptor;
  std::string path;
};

/// Ends the process as a finding, unless `condition` holds.
void require(bool condition, llvm::StringRef what, llvm::StringRef detail = "");

/// The texts of errors are one line each, and say something.
void requireOneLine(llvm::StringRef error);

/// `text` by libFuzzer's own mutations, at most `extra` bytes longer.
std::string mutateBytes(llvm::StringRef text, size_t extra);

/// Another value of the document's, an odd one, or none in the place of one of
/// its values.
void mutateJson(llvm::json::Value &document, Random &random);

/// Exchanges, drops and repeats tokens and lines of IR.
std::string mutateIR(llvm::StringRef text, Random &random);

} // namespace fx::fuzz

#endif // FX_TEST_FUZZ_FUZZ_H
