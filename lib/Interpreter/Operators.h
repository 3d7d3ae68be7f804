//===- Operators.h - targets to callables -----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_OPERATORS_H
#define FX_LIB_INTERPRETER_OPERATORS_H

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>
#include <functional>
#include <memory>
#include <string>

namespace fx::interp {

/// Something with a schema that takes its arguments from a stack and leaves
/// its results there.
struct Operator {
  std::string target;
  const c10::FunctionSchema *schema = nullptr;
  std::function<void(torch::jit::Stack &)> call;
  std::unique_ptr<c10::FunctionSchema> ownSchema;
};

/// Loads the libraries of operators that the environment variable
/// FX_OPERATOR_LIBRARIES names, once; throws where one cannot be loaded.
void loadLibrariesOfEnvironment();

/// The operator of a target such as `aten.add.Tensor`: torch's dispatcher is
/// asked first, then our own definitions. Null where neither knows it. The
/// result lives as long as the process; safe from several threads.
const Operator *findOperator(const std::string &target);

/// An operator of Python that works on scalars (`_operator.mul`,
/// `math.ceil`, `torch.sym_max`) and has no schema: positional arguments in,
/// one value out. Null where unknown.
using ScalarFunction = c10::IValue (*)(const std::vector<c10::IValue> &);
ScalarFunction findScalarFunction(const std::string &target);

/// The functions that torch.vmap leaves in a graph. They open and close levels
/// of a stack that belongs to the thread.
ScalarFunction findVmapFunction(const std::string &target);

/// Closes the levels that a run left open because it failed.
class VmapScope {
public:
  VmapScope();
  ~VmapScope();
  VmapScope(const VmapScope &) = delete;
  VmapScope &operator=(const VmapScope &) = delete;

private:
  size_t depth;
};

/// An operator of Python's `torch._prims` by its name, `view_of`; null where
/// there is none.
std::unique_ptr<Operator> makePrim(const std::string &name);

/// Our definitions of `quantized_decomposed`, which is Python's as well.
struct OwnOperator {
  const char *schema;
  void (*call)(torch::jit::Stack &);
};
const std::vector<OwnOperator> &getQuantizedOperators();

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_OPERATORS_H
