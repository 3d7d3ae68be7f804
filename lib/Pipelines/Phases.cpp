//===- Phases.cpp - what the phases of a compilation share ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "fx/IR/Metadata.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;
using namespace fx;

struct ErrorCatcher::Impl {
  Impl(MLIRContext &context, std::function<void(Location)> onError)
      : onError(std::move(onError)),
        handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              text.empty()) {
            text = diagnostic.str();
            location = diagnostic.getLocation();
          }
          if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
            warnings.push_back(getWarning(diagnostic));
          return success();
        }) {}
  std::function<void(Location)> onError;
  static std::string getWarning(Diagnostic &diagnostic) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (auto line = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
      os << line.getFilename().getValue() << ':' << line.getLine() << ':'
         << line.getColumn() << ": ";
    os << diagnostic;
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
  std::string text;
  std::vector<std::string> warnings;
  std::optional<Location> location;
  ScopedDiagnosticHandler handler;
};

ErrorCatcher::ErrorCatcher(MLIRContext &context,
                           std::function<void(Location)> onError)
    : impl(std::make_unique<Impl>(context, std::move(onError))) {}
ErrorCatcher::~ErrorCatcher() = default;

std::vector<std::string> ErrorCatcher::getWarnings() const {
  return impl->warnings;
}
void ErrorCatcher::clearWarnings() { impl->warnings.clear(); }

/// Returns the name of the node, or else LINE:COLUMN of the source text. Empty
/// if the location has neither.
static std::string getPlace(Location location) {
  if (std::optional<StringRef> name = getNodeName(location))
    return name->str();
  if (auto line = dyn_cast<FileLineColLoc>(location))
    return std::to_string(line.getLine()) + ":" +
           std::to_string(line.getColumn());
  return "";
}

llvm::Error ErrorCatcher::take(StringRef otherwise, CompileError::Kind kind) {
  if (impl->text.empty())
    return CompileError::make(kind, otherwise);
  if (impl->onError)
    impl->onError(*impl->location);
  std::string text = std::exchange(impl->text, "");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return llvm::make_error<CompileError>(kind, getPlace(*impl->location), text);
}

/// Crashes in one of the ways in which the compiler can crash: by a signal, by
/// a fatal error of LLVM ("fatal"), or by stack overflow ("stack").
static void crash(StringRef how) {
  if (how == "fatal")
    llvm::reportFatalUsageError("a fatal error\nin two lines");
  if (how == "stack") {
    volatile char frame[4096] = {};
    crash(how);
    (void)frame[0];
  }
  LLVM_BUILTIN_TRAP;
}

llvm::Error PhaseRunner::run(StringRef name, double done,
                             function_ref<llvm::Error()> fn) {
  now = {name, first + scale * done};
  if (options.onProgress)
    options.onProgress(now);
  auto [crashIn, how] = StringRef(options.crashIn).split(':');
  if (!crashIn.empty() && name == crashIn)
    crash(how);
  auto start = std::chrono::steady_clock::now();
  llvm::Error error = fn();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  report.phases.push_back({name.str(), seconds.count()});
  if (!error && module && llvm::is_contained(options.dumpAfter, name.str())) {
    // Print with one write: standard error is unbuffered.
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "// ----- after " << name << " -----\n";
    module.print(os);
    llvm::errs() << text << "\n";
  }
  return error;
}

void PhaseRunner::finishKernel(int64_t kernels, double share) {
  ++now.kernelsDone;
  now.kernels = kernels;
  now.done += share;
  if (options.onProgress)
    options.onProgress(now);
}
