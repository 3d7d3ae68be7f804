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

/// Creates unique names by the rules of torch.fx's namespaces: a number is
/// appended to a name that is taken or reserved, and characters that no
/// identifier has become `_`.
class Namespace {
public:
  std::string create(llvm::StringRef wanted);

private:
  llvm::StringSet<> used;
  llvm::StringMap<uint64_t> counts;
};

/// Returns true if FX gives this name to no node: it is a keyword or a builtin
/// of Python, or a name that generated code uses.
bool isReservedName(llvm::StringRef name);

/// Returns true if the name is a keyword of Python.
bool isPythonKeyword(llvm::StringRef name);

} // namespace fx

#endif // FX_LIB_EXPORT_NAMESPACE_H
