//===- WinogradMode.h - what uses Winograd's method -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_WINOGRADMODE_H
#define FX_CODEGEN_CPU_WINOGRADMODE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>

namespace fx::cpu {

/// Which of the 3 x 3 convolutions with stride 1 use Winograd's method: those
/// that gain from it, none, or all. The values of F2 and F4 are the sizes of
/// the tiles.
enum class WinogradMode { Auto = 0, Off = 1, F2 = 2, F4 = 4 };

inline std::optional<WinogradMode> parseWinogradMode(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<WinogradMode>>(name)
      .Case("auto", WinogradMode::Auto)
      .Case("off", WinogradMode::Off)
      .Case("f2", WinogradMode::F2)
      .Case("f4", WinogradMode::F4)
      .Default(std::nullopt);
}

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_WINOGRADMODE_H
