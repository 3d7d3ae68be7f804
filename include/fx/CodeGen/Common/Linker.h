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

/// Links by lld's driver for ELF, for any machine. `run` resets all llvm::cl
/// options of the process to their defaults.
class Linker {
public:
  explicit Linker(std::vector<std::string> options)
      : args(std::move(options)) {}
  /// Appends an object or a library with the content `bytes` to the command
  /// line.
  llvm::Error add(llvm::StringRef bytes);
  /// Appends an option to the command line.
  void addOption(llvm::StringRef option) { args.push_back(option.str()); }
  /// Links. Returns the bytes of the output.
  llvm::Expected<std::string> run();

private:
  std::vector<std::string> args;
  std::vector<UnlinkedFile> files;
};

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_LINKER_H
