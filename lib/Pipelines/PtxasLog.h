//===- PtxasLog.h - what ptxas says of kernels ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_PTXASLOG_H
#define FX_LIB_PIPELINES_PTXASLOG_H

#include "fx/CodeGen/CPU/Description.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace fx {

/// Parses the output of `ptxas -v`: the registers, spills and shared memory of
/// each kernel, and other remarks on it, such as warnings.
class PtxasLog {
public:
  /// Parses `text`, the output of ptxas for `chip`.
  void add(llvm::StringRef chip, llvm::StringRef text);
  /// Returns the report's entry for each of `kernels`.
  llvm::json::Array
  getKernels(llvm::ArrayRef<cpu::KernelDescription> kernels) const;

private:
  struct Entry {
    std::string chip;
    llvm::json::Object numbers;
    std::vector<std::string> remarks;
  };
  Entry &getEntry(llvm::StringRef kernel, llvm::StringRef chip);

  /// The entries of each kernel, by its name. Remarks on no particular kernel
  /// have the key "".
  llvm::StringMap<std::vector<Entry>> entries;
};

} // namespace fx

#endif // FX_LIB_PIPELINES_PTXASLOG_H
