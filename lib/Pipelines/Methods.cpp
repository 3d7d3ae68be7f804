//===- Methods.cpp - the methods of one artefact --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Methods.h"
#include "Formats.h"
#include "fx/IR/FXDialect.h"
#include "fx/Pipelines/CompileError.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fx;

llvm::SmallVector<Method> fx::getMethods(const CompileOptions &options) {
  llvm::SmallVector<Method> methods;
  for (const MethodInput &given : options.methods)
    methods.push_back({given.name, given.input, given.model, {}});
  if (methods.empty())
    methods.push_back({"", options.input, options.model, {}});
  return methods;
}

/// Names become symbols of the object code and attributes in Python.
static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name[0]) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

llvm::Error fx::checkMethods(ArrayRef<Method> methods,
                             const CompileOptions &options) {
  auto fail = [](Twine text) {
    return CompileError::make(CompileError::Kind::Input, text);
  };
  if (methods.size() == 1 && methods.front().name.empty())
    return llvm::Error::success();
  llvm::StringSet<> names;
  for (const Method &method : methods) {
    if (!isIdentifier(method.name))
      return fail("expected an identifier as the name of a method, got '" +
                  method.name + "'");
    if (!names.insert(method.name).second)
      return fail("expected methods of different names, got '" + method.name +
                  "' twice");
  }
  if (methods.size() == 1)
    return llvm::Error::success();
  if (options.emit != EmitKind::SharedObject)
    return fail("expected a shared object as the output of " +
                Twine(methods.size()) + " methods, got '" +
                getName(options.emit) + "'");
  for (auto [isSet, name] : {std::pair(!options.target.empty(), "--target"),
                             std::pair(options.tuneSeconds > 0, "--tune")})
    if (isSet)
      return fail(Twine(name) + ": expected one method, got " +
                  Twine(methods.size()));
  return llvm::Error::success();
}

/// Adds the names of the states that the functional graph writes.
static void addWritten(ModuleOp module, llvm::StringSet<> &written) {
  auto graph = module.lookupSymbol<GraphOp>("main");
  if (!graph)
    return;
  OutputOp output = graph.getOutput();
  for (unsigned i = 0, e = output.getArgs().size(); i < e; ++i)
    if (OutputSpecAttr spec = output.getSpec(i); spec && spec.getTarget())
      written.insert(spec.getTarget().getValue());
}

void fx::markWrittenStates(
    ArrayRef<Method> methods,
    llvm::function_ref<llvm::Error(ModuleOp)> makeFunctional) {
  if (methods.size() < 2)
    return;
  llvm::StringSet<> written;
  for (const Method &method : methods) {
    OwningOpRef<ModuleOp> copy = ModuleOp(*method.module).clone();
    // The compilation of the method reports the error.
    if (llvm::Error error = makeFunctional(*copy))
      llvm::consumeError(std::move(error));
    else
      addWritten(*copy, written);
  }
  for (const Method &method : methods)
    for (StateOp state : ModuleOp(*method.module).getOps<StateOp>())
      if (written.contains(state.getSymName()))
        state->setAttr("fx.mutable", UnitAttr::get(state.getContext()));
}
