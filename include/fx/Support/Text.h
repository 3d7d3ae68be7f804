//===- Text.h - parts of messages -------------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_TEXT_H
#define FX_SUPPORT_TEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace fx {

/// Joins names as "a, b or c".
std::string joinChoices(llvm::ArrayRef<llvm::StringRef> names);

} // namespace fx

#endif // FX_SUPPORT_TEXT_H
