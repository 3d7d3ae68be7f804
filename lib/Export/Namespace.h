//===- Namespace.h - names as torch.fx makes them ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_EXPORT_NAMESPACE_H
#define FX_LIB_EXPORT_NAMESPACE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace fx {

/// Follows the rules of torch.fx's namespaces: a name that is taken, a keyword
/// or a builtin of Python gets a number, and other characters become `_`.
class Namespace {
public:
  std::string create(llvm::StringRef wanted);

private:
  llvm::StringSet<> used;
  llvm::StringMap<uint64_t> counts;
};

/// Whether FX gives no node this name: a keyword, a builtin, or a name that
/// generated code uses itself.
bool isReservedName(llvm::StringRef name);

/// Whether the name is one of Python's keywords.
bool isPythonKeyword(llvm::StringRef name);

} // namespace fx

#endif // FX_LIB_EXPORT_NAMESPACE_H
