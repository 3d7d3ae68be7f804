//===- Aoti.cpp - AOTInductor's interface of a compiled model -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LibTorch's loaders of packages (AOTIModelPackageLoader,
// torch._inductor.aoti_load_package) open a shared object with the functions of
// torch/csrc/inductor/aoti_runtime/interface.h. `fx-compile --emit=aoti` links
// this file to a model. It calls the model by fx_model_api and LibTorch by its
// stable C interface.
//
//===----------------------------------------------------------------------===//

/* The order matters: a file uses definitions of those before it. */
/* clang-format off */
#include "Tensors.cpp"
#include "Fallback.cpp"
#include "Run.cpp"
#include "Constants.cpp"
/* clang-format on */
