//===- ArgName.h - names of operators' arguments ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that handles several operators reads their arguments by name:
// `view.getArg("alpha")`. The C++ compiler checks the literal against the
// schemas: a name that no operator has is a compile error.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_ARGNAME_H
#define FX_OPERATORS_ARGNAME_H

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace fx {

namespace detail {
/// All argument names of the schemas, sorted.
inline constexpr std::string_view argumentNames[] = {
#include "fx/Operators/ArgNames.h.inc"
};
/// Is not constexpr, so that a call in a constant expression is a compile error
/// that contains this name.
inline void noOperatorHasAnArgumentOfThisName() {}
} // namespace detail

/// The name of an argument of at least one operator.
class ArgName {
public:
  template <size_t size>
  consteval ArgName(const char (&literal)[size])
      : data(literal), length(size - 1) {
    if (!std::ranges::binary_search(detail::argumentNames,
                                    std::string_view(literal, size - 1)))
      detail::noOperatorHasAnArgumentOfThisName();
  }
  operator llvm::StringRef() const { return {data, length}; }

private:
  const char *data;
  size_t length;
};

} // namespace fx

#endif // FX_OPERATORS_ARGNAME_H
