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
#include <stdexcept>
#include <string>
#include <vector>

namespace fx::interp {

using Values = std::vector<c10::IValue>;

/// An operator with a schema. `call` pops its arguments from a stack and pushes
/// its results.
struct Operator {
  std::string target;
  const c10::FunctionSchema *schema = nullptr;
  std::function<void(torch::jit::Stack &)> call;
  std::unique_ptr<c10::FunctionSchema> ownSchema;
};

/// Loads the operator libraries that the environment variable
/// FX_OPERATOR_LIBRARIES names at the first call. Throws if one cannot be
/// loaded.
void loadLibrariesOfEnvironment();

/// Returns what is wrong with a target that neither `findOperator` nor
/// `findScalarFunction` knows.
std::string describeUnknown(const std::string &target);

/// Returns the operator of a target such as `aten.add.Tensor`, or null if it is
/// unknown. Our own definitions take precedence over PyTorch's dispatcher. The
/// result lives as long as the process. This function is thread-safe.
const Operator *findOperator(const std::string &target);

/// A Python function on scalars (`_operator.mul`, `math.ceil`,
/// `torch.sym_max`). It has no schema, takes positional arguments and returns
/// one value.
using ScalarFunction = c10::IValue (*)(const Values &);
/// Returns the function of a target, or null if it is unknown.
ScalarFunction findScalarFunction(const std::string &target);

/// Returns a function that torch.vmap leaves in a graph, or null if the target
/// is another. The functions open and close levels of a thread-local stack.
ScalarFunction findVmapFunction(const std::string &target);

/// Closes the levels that a failed run leaves open.
class VmapScope {
public:
  VmapScope();
  ~VmapScope();
  VmapScope(const VmapScope &) = delete;
  VmapScope &operator=(const VmapScope &) = delete;

private:
  size_t depth;
};

/// Throws an error with the message unless the condition holds.
inline void require(bool condition, const std::string &message) {
  if (!condition)
    throw std::runtime_error(message);
}

/// Creates the operator of Python's `torch._prims` with a name such as
/// `view_of`. Returns null if there is none.
std::unique_ptr<Operator> makePrim(const std::string &name);

/// Our definition of an operator that PyTorch defines in Python.
struct OwnOperator {
  const char *schema;
  void (*call)(torch::jit::Stack &);
};
/// Returns our definitions of the namespace `quantized_decomposed`.
const std::vector<OwnOperator> &getQuantizedOperators();
/// Returns our definitions of the affine operators of torchao.
const std::vector<OwnOperator> &getTorchaoOperators();

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_OPERATORS_H
