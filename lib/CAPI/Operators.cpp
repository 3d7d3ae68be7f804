//===- Operators.cpp - custom operators through the C interface -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx-c/Operators.h"
#include "Handles.h"
#include "fx/Interpreter/Interpreter.h"
#include "fx/Operators/Custom.h"
#include "fx/Operators/Plugin.h"

using namespace fx;
using namespace fx::capi;

int fxOperatorRegister(const char *target, int isPure,
                       const char *decomposition, FXError **error) {
  if (!target)
    return failNull(error, "fxOperatorRegister", "target");
  return protect(error, nullptr, [&](FXError &) {
    CustomOperator op;
    op.target = target;
    op.isPure = isPure;
    op.decomposition = decomposition ? decomposition : "";
    return registerCustomOperator(std::move(op));
  });
}

int fxOperatorRegisterSchema(const char *schema, FXError **error) {
  if (!schema)
    return failNull(error, "fxOperatorRegisterSchema", "schema");
  return protect(error, nullptr, [&](FXError &) -> llvm::Error {
    llvm::Expected<gen::OperatorDeclaration> parsed = gen::parseSchema(schema);
    if (!parsed)
      return parsed.takeError();
    CustomOperator op;
    op.target = parsed->target;
    op.schema = schema;
    return registerCustomOperator(std::move(op));
  });
}

int fxOperatorLibraryLoad(const char *path, FXError **error) {
  if (!path)
    return failNull(error, "fxOperatorLibraryLoad", "path");
  return protect(error, nullptr,
                 [&](FXError &) { return loadOperatorLibrary(path); });
}

int fxPluginLoad(const char *path, FXError **error) {
  if (!path)
    return failNull(error, "fxPluginLoad", "path");
  return protect(error, nullptr, [&](FXError &) { return loadPlugin(path); });
}
