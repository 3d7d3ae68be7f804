/*===- fx-c/Support.h - errors and texts of the C interface -------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface of fx-mlir: fx-c/IR.h (modules: import, parse, passes,
// print), fx-c/Compile.h (native code), fx-c/Run.h (compiled models).
//
// Rules that hold for all of it:
// - A function that can fail takes `FXError **error` last, returns 0 or a
//   handle on success, and not 0 or null on failure. It then sets *error to a
//   new error, which the caller destroys. `error` may be null.
// - No exception and no abort reaches the caller; a crash in the compiler is an
//   error, after which only the context it happened in is unusable (none, when
//   it happened in fxModuleCompile).
// - Handles are independent: a module keeps its context alive. Every function
//   may be called from any thread; those of one context wait for each other.
// - Strings are UTF-8 and end in a zero byte, but for texts that come with
//   their length.
//
//===----------------------------------------------------------------------===*/

#ifndef FX_C_SUPPORT_H
#define FX_C_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FX_CAPI __attribute__((visibility("default")))

/* Beneath an enumeration: its variables may hold any int, also where it is C++
 * that reads what a caller passes. */
#ifdef __cplusplus
#define FX_CAPI_INT : int
#else
#define FX_CAPI_INT
#endif

/* What went wrong, and where. */
typedef struct FXError FXError;

/* One line: what is wrong, expected and got. */
FX_CAPI const char *fxErrorGetMessage(const FXError *error);
/* The node of the graph, "" if none is known. */
FX_CAPI const char *fxErrorGetNode(const FXError *error);
/* The innermost line of the user's Python source that made the node, or the
 * place in the text that was parsed; "" and 0 if not known. */
FX_CAPI const char *fxErrorGetFile(const FXError *error);
FX_CAPI int fxErrorGetLine(const FXError *error);
/* Null is allowed, here and for every function that destroys. */
FX_CAPI void fxErrorDestroy(FXError *error);

/* Receives a text, maybe in several pieces. */
typedef void (*FXTextFn)(const char *data, size_t size, void *user_data);

/* "0.1.0" */
FX_CAPI const char *fxVersion(void);
/* The version of torch whose operator schemas are built in: "2.13.0". */
FX_CAPI const char *fxSchemaVersion(void);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_SUPPORT_H */
