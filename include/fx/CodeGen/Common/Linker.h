//===- Linker.h - lld in this process ---------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_COMMON_LINKER_H
#define FX_CODEGEN_COMMON_LINKER_H

#include "fx/Support/UnlinkedFile.h"

#include <vector>

namespace fx::codegen {

/// A link by lld's driver for ELF, of any machine. It sets all llvm::cl options
/// of the process back to their defaults.
class Linker {
public:
  explicit Linker(std::vector<std::string> options)
      : args(std::move(options)) {}
  /// An object or a library, behind what was added before.
  llvm::Error add(llvm::StringRef bytes);
  /// An option for what is added after it.
  void addOption(llvm::StringRef option) { args.push_back(option.str()); }
  /// What was linked.
  llvm::Expected<std::string> run();

private:
  std::vector<std::string> args;
  std::vector<UnlinkedFile> files;
};

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_LINKER_H
