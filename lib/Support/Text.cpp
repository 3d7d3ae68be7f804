//===- Text.cpp - parts of messages ---------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/Text.h"

#include "llvm/ADT/STLExtras.h"

std::string fx::joinChoices(llvm::ArrayRef<llvm::StringRef> names) {
  std::string text;
  for (auto [i, name] : llvm::enumerate(names)) {
    if (i > 0)
      text += i + 1 < names.size() ? ", " : " or ";
    text += name;
  }
  return text;
}
