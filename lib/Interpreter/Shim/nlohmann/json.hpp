//===- json.hpp - what functorch's headers name ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// functorch's headers include a JSON library that the wheel does not bring, for
// two member functions that save and restore a level. Vmap.cpp calls neither:
// these declarations let the header compile, and a call would not link.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_SHIM_NLOHMANN_JSON_HPP
#define FX_LIB_INTERPRETER_SHIM_NLOHMANN_JSON_HPP

#include <string>

namespace nlohmann {
class json {
public:
  json();
  template <typename T>
  explicit json(const T &value);
  std::string dump() const;
  static json parse(const std::string &text);
  template <typename T>
  T get() const;
};
} // namespace nlohmann

#endif // FX_LIB_INTERPRETER_SHIM_NLOHMANN_JSON_HPP
