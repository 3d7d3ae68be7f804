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

/// Reads what `ptxas -v` wrote: of each kernel its registers, spills and shared
/// memory, and what is said of it beside, such as warnings.
class PtxasLog {
public:
  void add(llvm::StringRef chip, llvm::StringRef text);
  /// An entry of the report for each kernel.
  llvm::json::Array
  getKernels(llvm::ArrayRef<cpu::KernelDescription> kernels) const;

private:
  struct Entry {
    std::string chip;
    llvm::json::Object numbers;
    std::vector<std::string> remarks;
  };
  Entry &getEntry(llvm::StringRef kernel, llvm::StringRef chip);

  /// By the kernel's name; what no kernel is named for by "".
  llvm::StringMap<std::vector<Entry>> entries;
};

} // namespace fx

#endif // FX_LIB_PIPELINES_PTXASLOG_H
