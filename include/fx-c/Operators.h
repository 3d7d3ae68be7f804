/*===- fx-c/Operators.h - operators that users add ----------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers custom operators for the whole process. See fx/Operators/Custom.h
// for the properties of an operator.
//
//===----------------------------------------------------------------------===*/

#ifndef FX_C_OPERATORS_H
#define FX_C_OPERATORS_H

#include "fx-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Registers `target` ("mylib.softcap.default"). `is_pure` tells whether it is
 * pure. `decomposition` is the text of a graph, or null. */
FX_CAPI int fxOperatorRegister(const char *target, int is_pure,
                               const char *decomposition, FXError **error);

/* Registers the schema of an operator, "mylib::push(Tensor(a!) to, Tensor x) ->
 * ()", which declares the arguments that it writes. Not needed if LibTorch is
 * loaded in the process and has the operator. */
FX_CAPI int fxOperatorRegisterSchema(const char *schema, FXError **error);

/* Loads a library that registers operators or classes with torch, as
 * torch.ops.load_library does. Needs LibTorch. */
FX_CAPI int fxOperatorLibraryLoad(const char *path, FXError **error);

/* Loads a library that registers operators with shape rules and lowerings. */
FX_CAPI int fxPluginLoad(const char *path, FXError **error);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_OPERATORS_H */
