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
// Rules for all functions:
// - The last parameter of a function that can fail is `FXError **error`. On
//   success the function returns 0 or a handle. On failure it returns a value
//   other than 0, or a null handle, and sets *error to a new error, which the
//   caller destroys. `error` may be null.
// - Functions neither throw exceptions nor abort. A crash in the compiler is an
//   error, after which the context of the call is unusable. A crash in
//   fxModuleCompile does not affect the context.
// - Handles are independent: a module keeps its context alive. Every function
//   may be called from any thread; calls on one context wait for each other.
// - Strings are UTF-8 and end with a zero byte, except texts that are passed
//   with their length.
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

/* The underlying type of an enumeration. It makes every int a valid value, so
 * that C++ code can check the values that a caller passes. */
#ifdef __cplusplus
#define FX_CAPI_INT : int
#else
#define FX_CAPI_INT
#endif

/* An error message and its location. */
typedef struct FXError FXError;

/* Returns the message, which is one line. */
FX_CAPI const char *fxErrorGetMessage(const FXError *error);
/* Returns the name of the node, or "" if it is not known. */
FX_CAPI const char *fxErrorGetNode(const FXError *error);
/* Return the file and the line of the innermost Python frame of the node, or of
 * a syntax error in a text that was parsed; "" and 0 if they are not known. */
FX_CAPI const char *fxErrorGetFile(const FXError *error);
FX_CAPI int fxErrorGetLine(const FXError *error);
/* Destroys an error. Null is allowed, as for every function that destroys. */
FX_CAPI void fxErrorDestroy(FXError *error);

/* Receives a text, possibly in several calls. */
typedef void (*FXTextFn)(const char *data, size_t size, void *user_data);

/* Returns the version of fx-mlir: "0.1.0". */
FX_CAPI const char *fxVersion(void);
/* Returns the version of torch whose operator schemas are built in: "2.13.0".
 */
FX_CAPI const char *fxSchemaVersion(void);

/* Writes a JSON object that describes this machine: "cpu", LLVM's name of the
 * CPU; "features", the names of the instruction sets that LLVM finds, in
 * alphabetical order; "cache_folder", the default folder of the cache of
 * compiled kernels, "" for none. */
FX_CAPI void fxDescribeHost(FXTextFn write, void *user_data);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_SUPPORT_H */
