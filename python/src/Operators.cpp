//===- Operators.cpp - custom operators in Python -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx-c/Operators.h"
#include "Bindings.h"

using namespace fx::python;

static void registerOperator(const std::string &target, bool isPure,
                             const std::optional<std::string> &decomposition) {
  FXError *error = nullptr;
  if (fxOperatorRegister(toC(target), isPure,
                         decomposition ? toC(*decomposition) : nullptr, &error))
    raise(error);
}

static void loadPlugin(const std::string &path) {
  FXError *error = nullptr;
  if (fxPluginLoad(toC(path), &error))
    raise(error);
}

void fx::python::bindOperators(nb::module_ &m) {
  m.def("register_operator", &registerOperator, nb::arg("target"),
        nb::arg("pure"), nb::arg("decomposition").none());
  m.def("load_plugin", &loadPlugin, nb::arg("path"));
}
