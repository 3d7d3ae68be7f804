//===- Operators.cpp - targets to callables -------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "fx/Operators/TorchVersions.h"
#include <ATen/core/dispatch/Dispatcher.h>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <sstream>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/headeronly/version.h>
#include <unordered_map>

namespace fx::interp {

/// Converts `aten.add.Tensor` to `aten::add` with overload `Tensor`.
static std::optional<c10::OperatorName> parseTarget(const std::string &target) {
  size_t first = target.find('.'), last = target.rfind('.');
  if (first == std::string::npos || first == last)
    return std::nullopt;
  std::string overload = target.substr(last + 1);
  if (overload == "default")
    overload.clear();
  return c10::OperatorName(target.substr(0, first) + "::" +
                               target.substr(first + 1, last - first - 1),
                           std::move(overload));
}

static std::unique_ptr<Operator> makeDispatched(const std::string &target,
                                                c10::OperatorHandle handle) {
  auto op = std::make_unique<Operator>();
  op->target = target;
  op->schema = &handle.schema();
  op->call = [handle](torch::jit::Stack &stack) { handle.callBoxed(stack); };
  return op;
}

static std::unique_ptr<Operator> makeOwn(const std::string &target,
                                         const c10::OperatorName &name) {
  std::string full = name.name;
  if (!name.overload_name.empty())
    full += "." + name.overload_name;
  if (full.rfind("prims::", 0) == 0)
    return makePrim(full.substr(std::strlen("prims::")));
  const auto &owns = full.rfind("torchao::", 0) == 0 ? getTorchaoOperators()
                                                     : getQuantizedOperators();
  for (const OwnOperator &own : owns) {
    const std::string text = own.schema;
    if (text.substr(0, text.find('(')) != full)
      continue;
    c10::FunctionSchema schema = torch::jit::parseSchema(text);
    auto op = std::make_unique<Operator>();
    op->target = target;
    op->ownSchema = std::make_unique<c10::FunctionSchema>(std::move(schema));
    op->schema = op->ownSchema.get();
    op->call = own.call;
    return op;
  }
  return nullptr;
}

/// Loads the libraries in FX_OPERATOR_LIBRARIES. Returns an error message, or
/// an empty string on success.
static std::string openLibraries() {
  const char *list = std::getenv("FX_OPERATOR_LIBRARIES");
  std::istringstream paths(list ? list : "");
  for (std::string path; std::getline(paths, path, ':');)
    if (!path.empty() && !::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      const char *reason = ::dlerror();
      return "FX_OPERATOR_LIBRARIES: cannot load: " +
             std::string(reason ? reason : path);
    }
  return "";
}

void loadLibrariesOfEnvironment() {
  static const std::string error = openLibraries();
  if (!error.empty())
    throw std::runtime_error(error);
}

std::string describeUnknown(const std::string &target) {
  if (std::string version = getOtherVersionOf(target); !version.empty())
    return "unknown operator: torch " + version + " has it, and LibTorch " +
           TORCH_VERSION + " does not";
  return "unknown operator: expected an operator of PyTorch or of a library "
         "that is loaded (--load-library)";
}

const Operator *findOperator(const std::string &target) {
  loadLibrariesOfEnvironment();
  static std::mutex mutex;
  static std::unordered_map<std::string, std::unique_ptr<Operator>> known;
  std::lock_guard<std::mutex> lock(mutex);
  auto it = known.find(target);
  if (it != known.end())
    return it->second.get();
  std::optional<c10::OperatorName> name = parseTarget(target);
  if (!name)
    return nullptr;
  // In a Python process, PyTorch may have registered quantized_decomposed and
  // prims. Ours take precedence, since those need the global interpreter lock.
  std::unique_ptr<Operator> op = makeOwn(target, *name);
  if (!op)
    if (auto handle = c10::Dispatcher::singleton().findSchema(*name))
      op = makeDispatched(target, *handle);
  // Failures are not cached: the operator may be registered later.
  if (!op)
    return nullptr;
  return known.emplace(target, std::move(op)).first->second.get();
}

} // namespace fx::interp
