//===- store.h - what c10d's headers name -----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ProcessGroupGloo.hpp includes gloo's headers, which the wheel of torch does
// not bring, for types that it refers to by pointers. These declarations let
// the header compile. Nothing of gloo is called.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_SHIM_GLOO_RENDEZVOUS_STORE_H
#define FX_LIB_INTERPRETER_SHIM_GLOO_RENDEZVOUS_STORE_H

#include <chrono>
#include <string>
#include <vector>

namespace gloo::rendezvous {
class Store {
public:
  virtual ~Store();
  virtual void set(const std::string &key, const std::vector<char> &value) = 0;
  virtual std::vector<char> get(const std::string &key) = 0;
  virtual void wait(const std::vector<std::string> &keys) = 0;
  virtual void wait(const std::vector<std::string> &keys,
                    const std::chrono::milliseconds &timeout) = 0;
};
} // namespace gloo::rendezvous

#endif // FX_LIB_INTERPRETER_SHIM_GLOO_RENDEZVOUS_STORE_H
