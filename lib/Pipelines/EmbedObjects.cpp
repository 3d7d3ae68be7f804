//===- EmbedObjects.cpp - objects that calls of ATen take -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "fx/IR/Arguments.h"
#include "fx/IR/ExternalData.h"

using namespace mlir;
using namespace fx;

/// Returns the class name of the state and its value as LibTorch pickles it.
/// Fails if the state is not an object of a C++ custom class.
static llvm::Expected<ArrayAttr>
getObject(StateOp state, EagerOp op, ExternalData &data, ErrorCatcher &errors) {
  auto type = dyn_cast<ObjectType>(state.getType());
  auto pickled = state->getAttrOfType<ExternalAttr>("fx.pickled");
  auto payload = state->getAttrOfType<StringAttr>("fx.payload");
  if (!type || !pickled || !payload || payload.getValue() != "custom_obj_") {
    op.emitError("'") << op.getTarget()
                      << "' has no native code: expected an object of a C++ "
                      << "class as '" << state.getSymName() << "', got "
                      << (pickled ? "one of a class of Python" : "none");
    return errors.take("an object cannot be compiled",
                       CompileError::Kind::NoNativeCode);
  }
  llvm::Expected<llvm::ArrayRef<char>> bytes = data.get(pickled);
  if (!bytes)
    return bytes.takeError();
  return Builder(state.getContext())
      .getStrArrayAttr(
          {type.getClassName(), StringRef(bytes->data(), bytes->size())});
}

llvm::Error fx::embedObjects(ModuleOp module, ErrorCatcher &errors) {
  ExternalData data;
  SymbolTable symbols(module);
  SmallVector<EagerOp> calls;
  module.walk([&](EagerOp op) { calls.push_back(op); });
  for (EagerOp op : calls) {
    SmallVector<FlatSymbolRefAttr> names;
    walkLeaves(op.getArgs(), [&](Attribute leaf) {
      if (auto name = dyn_cast<FlatSymbolRefAttr>(leaf))
        names.push_back(name);
    });
    NamedAttrList objects;
    for (FlatSymbolRefAttr name : names) {
      auto state = symbols.lookup<StateOp>(name.getValue());
      if (!state)
        continue;
      llvm::Expected<ArrayAttr> object = getObject(state, op, data, errors);
      if (!object)
        return object.takeError();
      objects.set(name.getAttr(), *object);
    }
    if (!objects.empty())
      op->setAttr("fx.objects", objects.getDictionary(op.getContext()));
  }
  return llvm::Error::success();
}
