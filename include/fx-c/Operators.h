/*===- fx-c/Operators.h - operators that users add ----------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the whole process; fx/Custom/Operators.h has the meaning of each part.
//
//===----------------------------------------------------------------------===*/

#ifndef FX_C_OPERATORS_H
#define FX_C_OPERATORS_H

#include "fx-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Registers `target` ("mylib.softcap.default"): whether it is pure, and a
 * decomposition as the text of a graph, or null. */
FX_CAPI int fxOperatorRegister(const char *target, int is_pure,
                               const char *decomposition, FXError **error);

/* Registers what torch says of an operator, "mylib::push(Tensor(a!) to, Tensor
 * x) -> ()": what it writes. Where LibTorch is in the process its own operators
 * are known without this. */
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
