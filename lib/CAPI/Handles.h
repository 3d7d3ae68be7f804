//===- Handles.h - what the handles of the C interface hold -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CAPI_HANDLES_H
#define FX_LIB_CAPI_HANDLES_H

#include "fx-c/IR.h"

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

/// A context and what guards it.
struct ContextState {
  explicit ContextState(const mlir::DialectRegistry &registry)
      : context(new mlir::MLIRContext(registry,
                                      mlir::MLIRContext::Threading::DISABLED)) {
  }
  ~ContextState() {
    // What a crash left may hold locks and dangling handlers.
    if (!crashed)
      delete context;
  }

  mlir::MLIRContext *context;
  /// A context without threads of its own is used by one thread at a time.
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
  ~FXModule() {
    // The operations of a context that crashed are left alone.
    if (state && state->crashed)
      (void)module.release();
  }
};

namespace fx::capi {

/// Where an error is, as far as its location tells.
void setPlace(FXError &error, mlir::Location location);

/// Sets *error, if there is one to set. Always 1, for `return fail(...)`.
int fail(FXError **error, FXError value);
int fail(FXError **error, const llvm::Twine &message);

/// A null argument that must not be null.
int failNull(FXError **error, const char *function, const char *argument);

/// Runs `fn`, which may fail with an error whose place is set by `place`.
/// Exceptions, fatal errors and crashes of `fn` become errors. With a context
/// it runs under the context's lock, its diagnostics are caught and the first
/// error among them, if any, is the one that is returned.
int protect(FXError **error, ContextState *state,
            llvm::function_ref<llvm::Error(FXError &place)> fn);

/// A stream that hands texts to a call-back.
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
