//===- States.h - parameters, buffers and constants -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_STATES_H
#define FX_LIB_INTERPRETER_STATES_H

#include "fx/IR/FXDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Storage.h>
#include <map>
#include <string>

namespace fx::interp {

/// Loads the values of a module's states on demand. Files are mapped privately,
/// so writes of a run stay in this process. States with the same bytes of a
/// file share a storage.
class States {
public:
  explicit States(mlir::ModuleOp module) : module(module) {}

  /// Returns the tensor of state `name`. Throws LocatedException if there is no
  /// such state or its bytes are wrong.
  at::Tensor get(llvm::StringRef name);

  /// Returns the object of state `name`, which has a custom class. Throws as
  /// `get` does.
  c10::IValue getObject(llvm::StringRef name);

private:
  at::Tensor load(StateOp state);
  c10::Storage getStorage(ExternalAttr external);
  c10::IValue loadObject(StateOp state);

  mlir::ModuleOp module;
  llvm::StringMap<at::Tensor> tensors;
  llvm::StringMap<c10::IValue> objects;
  std::map<std::string, std::shared_ptr<struct MappedFile>> files;
  std::map<std::pair<std::string, uint64_t>, c10::Storage> storages;
};

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_STATES_H
