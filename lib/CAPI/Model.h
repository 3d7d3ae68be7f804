//===- Model.h - the handle of a compiled model -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CAPI_MODEL_H
#define FX_LIB_CAPI_MODEL_H

#include "fx-c/Run.h"
#include "fx/Runtime/Loader.h"
#include "fx/Weights/Lora.h"

#include <memory>
#include <vector>

struct FXModel {
  std::unique_ptr<fx::CompiledModel> model;
  /// All methods, for a model with several.
  std::vector<std::unique_ptr<FXModel>> methods;
  /// The adapter that is applied to all methods.
  std::shared_ptr<fx::AppliedLora> lora = std::make_shared<fx::AppliedLora>();
};

#endif // FX_LIB_CAPI_MODEL_H
