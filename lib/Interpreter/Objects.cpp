//===- Objects.cpp - objects of custom classes ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "Operators.h"
#include <ATen/core/class_type.h>
#include <ATen/core/function.h>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/custom_class.h>

using c10::IValue;

namespace fx::interp {

IValue loadObject(std::string_view bytes, const std::string &className) {
  loadLibrariesOfEnvironment();
  if (!className.empty() && !torch::getCustomClass(className))
    throw std::runtime_error("the class '" + className +
                             "' is not known: expected its library to be "
                             "loaded (--load-library)");
  IValue object = torch::jit::pickle_load_obj(bytes);
  if (!object.isObject())
    throw std::runtime_error("expected an object of '" + className + "', got " +
                             object.tagKind());
  std::string got = object.toObjectRef().type()->name()->qualifiedName();
  if (!className.empty() && got != className)
    throw std::runtime_error("expected an object of '" + className +
                             "', got one of '" + got + "'");
  return object;
}

IValue getSharedObject(const void *address, const std::string &name,
                       std::string_view bytes, const std::string &className) {
  // The key has the bytes, since another library may be loaded at the address
  // of one that was unloaded.
  using Key = std::tuple<const void *, std::string, std::string>;
  static std::mutex mutex;
  static std::map<Key, IValue> known;
  Dl_info info;
  const void *model = ::dladdr(address, &info) ? info.dli_fbase : address;
  std::lock_guard<std::mutex> lock(mutex);
  Key key(model, name, std::string(bytes));
  auto it = known.find(key);
  if (it == known.end())
    it = known.emplace(std::move(key), loadObject(bytes, className)).first;
  return it->second;
}

Values callTorchbind(const CallArguments &args, const Values &values) {
  if (args.numPositional() < 2 ||
      args.args[1].kind != ArgumentPlan::Kind::String)
    throw std::runtime_error("expected an object and the name of a method");
  IValue object = toIValue(args.args[0], values);
  if (!object.isObject())
    throw std::runtime_error("expected an object, got " + object.tagKind());
  const std::string &name = args.args[1].text;
  c10::ClassTypePtr type = object.toObjectRef().type();
  torch::jit::Function *method = type->findMethod(name);
  if (!method)
    throw std::runtime_error("'" + type->name()->qualifiedName() +
                             "' has no method '" + name + "'");
  Operator op;
  op.target = name;
  op.schema = &method->getSchema();
  op.call = [&](torch::jit::Stack &stack) { method->run(stack); };
  // The object is the method's first argument.
  CallArguments list = args;
  list.args.erase(list.args.begin() + 1);
  Values stack;
  BoundCall(op, list)(values, stack);
  return stack;
}

} // namespace fx::interp
