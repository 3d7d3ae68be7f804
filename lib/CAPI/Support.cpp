//===- Support.cpp - errors and texts of the C interface ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/Schema.h"
#include "fx/Support/CrashRecovery.h"
#include "fx/Support/LocatedError.h"
#include "fx/Support/ObjectCache.h"
#include "fx/Support/Version.h"

#include "llvm/Support/JSON.h"
#include "llvm/TargetParser/Host.h"

#include <exception>

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void capi::setPlace(FXError &error, Location location) {
  if (std::optional<StringRef> node = getNodeName(location))
    error.node = node->str();
  std::optional<FileLineColLoc> frame = getPythonFrame(location);
  if (!frame)
    if (auto line = dyn_cast<FileLineColLoc>(location))
      frame = line;
  if (!frame)
    return;
  error.file = frame->getFilename().str();
  error.line = frame->getLine();
}

int capi::fail(FXError **error, FXError value) {
  value.message = toOneLine(value.message);
  if (error)
    *error = new FXError(std::move(value));
  return 1;
}

int capi::fail(FXError **error, const llvm::Twine &message) {
  return fail(error, FXError{message.str(), "", "", 0});
}

int capi::failNull(FXError **error, const char *function,
                   const char *argument) {
  return fail(error, llvm::Twine(function) + ": expected '" + argument +
                         "', got null");
}

const char *fxErrorGetMessage(const FXError *error) {
  return error ? error->message.c_str() : "";
}
const char *fxErrorGetNode(const FXError *error) {
  return error ? error->node.c_str() : "";
}
const char *fxErrorGetFile(const FXError *error) {
  return error ? error->file.c_str() : "";
}
int fxErrorGetLine(const FXError *error) { return error ? error->line : 0; }
void fxErrorDestroy(FXError *error) { delete error; }

const char *fxVersion(void) { return getVersion().data(); }
const char *fxSchemaVersion(void) { return getSchemaVersion().data(); }

void fxDescribeHost(FXTextFn write, void *userData) {
  std::vector<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (feature.second)
      features.push_back(feature.first().str());
  llvm::sort(features);
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("cpu", llvm::sys::getHostCPUName());
    json.attribute("features", llvm::json::Array(features));
    json.attribute("cache_folder", getDefaultCacheFolder());
  });
  if (write)
    write(text.data(), text.size(), userData);
}

//===----------------------------------------------------------------------===//
// Protection
//===----------------------------------------------------------------------===//

/// Runs `fn`. Returns true and sets `message` if it returns an error or throws
/// an exception. The message may be empty.
static bool callAndCatch(llvm::function_ref<llvm::Error()> fn,
                         std::string &message) {
  try {
    llvm::Error e = fn();
    if (!e)
      return false;
    message = llvm::toString(std::move(e));
  } catch (const std::exception &e) {
    message = e.what();
  } catch (...) {
    message = "an unknown exception";
  }
  return true;
}

int capi::protect(FXError **error, ContextState *state,
                  llvm::function_ref<llvm::Error(FXError &)> fn) {
  std::unique_lock<std::mutex> lock;
  if (state) {
    lock = std::unique_lock<std::mutex>(state->lock);
    if (state->crashed)
      return fail(
          error, "the compiler crashed in this context before: make a new one");
  }
  // A crash of `fn` ends it by a longjmp, which may leave locals of this frame
  // undefined, so the outcome is on the heap.
  struct Outcome {
    FXError error, diagnosed;
    bool hasFailed = false, hasDiagnosed = false;
  };
  auto outcome = std::make_unique<Outcome>();
  Outcome *out = outcome.get();
  auto run = [&, out] {
    std::optional<ScopedDiagnosticHandler> handler;
    if (state)
      handler.emplace(state->context, [out](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            !out->hasDiagnosed) {
          out->hasDiagnosed = true;
          out->diagnosed.message = diagnostic.str();
          setPlace(out->diagnosed, diagnostic.getLocation());
        }
        return success();
      });
    out->hasFailed =
        callAndCatch([&] { return fn(out->error); }, out->error.message);
  };
  std::string fatal;
  if (!runSafely(run, fatal)) {
    if (state)
      state->crashed = true;
    return fail(error,
                "the compiler crashed" + (fatal.empty() ? "" : ": " + fatal));
  }
  if (!out->hasFailed)
    return 0;
  FXError &cause = out->hasDiagnosed ? out->diagnosed : out->error;
  if (cause.message.empty())
    cause.message = "an error without a message";
  return fail(error, std::move(cause));
}
