//===- Handles.h - what the handles of the C interface hold -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CAPI_HANDLES_H
#define FX_LIB_CAPI_HANDLES_H

#include "fx-c/IR.h"
#include "fx/Support/UnlinkedFile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>

struct FXError {
  std::string message, node, file;
  int line = 0;
};

namespace fx::capi {

/// A context with the lock that guards it.
struct ContextState {
  explicit ContextState(const mlir::DialectRegistry &registry)
      : context(new mlir::MLIRContext(registry,
                                      mlir::MLIRContext::Threading::DISABLED)) {
  }
  ~ContextState() {
    // After a crash, leak the context: it may hold locks and dangling handlers.
    if (!crashed)
      delete context;
  }

  mlir::MLIRContext *context;
  /// Multithreading is disabled in the context, so that only one thread at a
  /// time may use it.
  std::mutex lock;
  bool crashed = false;
};

} // namespace fx::capi

struct FXContext {
  std::shared_ptr<fx::capi::ContextState> state;
};

struct FXModule {
  std::shared_ptr<fx::capi::ContextState> state;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string folder;
  /// The archive in memory to which states of the module refer, or null.
  std::shared_ptr<const fx::UnlinkedFile> archive;
  ~FXModule() {
    // Leak the operations of a context that crashed.
    if (state && state->crashed)
      (void)module.release();
  }
};

namespace fx::capi {

/// Sets the node, the file and the line of an error, as far as `location` has
/// them.
void setPlace(FXError &error, mlir::Location location);

/// Sets *error, unless `error` is null. Always returns 1, for
/// `return fail(...)`.
int fail(FXError **error, FXError value);
int fail(FXError **error, const llvm::Twine &message);

/// Reports that `argument` of the C function `function` is null. Returns 1.
int failNull(FXError **error, const char *function, const char *argument);

/// Runs `fn`, which may return an error and set the error's place in `place`.
/// Exceptions, fatal errors and crashes of `fn` become errors. If `state` is
/// not null, `fn` runs under the context's lock and its diagnostics are caught.
/// If `fn` then fails, the first error among the diagnostics, if any, replaces
/// the error of `fn`. Returns 0 on success, 1 after an error.
int protect(FXError **error, ContextState *state,
            llvm::function_ref<llvm::Error(FXError &place)> fn);

/// A stream that passes its text to a callback.
class CallbackStream : public llvm::raw_ostream {
public:
  CallbackStream(FXTextFn write, void *context)
      : raw_ostream(/*unbuffered=*/false), write(write), context(context) {}
  ~CallbackStream() override { flush(); }

private:
  void write_impl(const char *data, size_t size) override {
    write(data, size, context);
    position += size;
  }
  uint64_t current_pos() const override { return position; }

  FXTextFn write;
  void *context;
  uint64_t position = 0;
};

} // namespace fx::capi

#endif // FX_LIB_CAPI_HANDLES_H
