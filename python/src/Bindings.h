//===- Bindings.h - shared by the parts of the extension --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_PYTHON_BINDINGS_H
#define FX_PYTHON_BINDINGS_H

#include "fx-c/IR.h"
#include "fx-c/Run.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <tuple>

namespace nb = nanobind;

namespace fx::python {

/// Raises `fx_mlir.Error` for an error of the C interface, and destroys it.
[[noreturn]] void raise(FXError *error);

/// Collects a text.
inline void append(const char *data, size_t size, void *text) {
  static_cast<std::string *>(text)->append(data, size);
}

/// Imports torch before libFXTorch is loaded, so that the process has one
/// LibTorch: an FXPrepareTorchFn.
const char *prepareTorch();

/// Returns the tensor of a capsule, which keeps it.
const DLTensor *getTensor(nb::handle capsule);

/// Returns a capsule that owns the tensor until someone takes it, or None for
/// null.
nb::object makeCapsule(DLManagedTensor *tensor);

/// Call an operator, and exchange the random generator, by Python's torch: an
/// FXFallbackFn and an FXExchangeGeneratorFn.
int callFallback(void *context, const char *json, int numInputs,
                 const DLTensor *const *inputs, int numScalars,
                 const FXScalar *scalars, int numOutputs,
                 DLManagedTensor **outputs, char *error, size_t errorSize);
void exchangeGenerator(void *context, FXGenerator *generator, int begin);

/// Returns a new context that uses the LibTorch of Python's torch.
inline FXContext *createContext() {
  FXContext *context = fxContextCreate();
  fxContextSetTorchPreparation(context, prepareTorch);
  return context;
}

/// A text for the C interface, where it ends at the first null character.
inline const char *toC(const std::string &text) {
  if (text.find('\0') != std::string::npos)
    throw nb::value_error("expected a text without null characters");
  return text.c_str();
}

/// The options of tuning in FXCompileOptions: file, seconds, threads, sizes,
/// and the number of a candidate.
using Tuning = std::tuple<std::string, double, int, std::string, int64_t>;

/// The limits in FXImportOptions: nodes, bytes of text, seconds.
using Limits = std::tuple<uint64_t, uint64_t, double>;

/// A module in a context of its own.
class Module {
public:
  explicit Module(FXModule *module) : module(module, fxModuleDestroy) {}

  static Module import(const std::string &path, const std::string &model,
                       const Limits &limits);
  /// `name` is the name of the archive in errors.
  static Module importBuffer(nb::object data, const std::string &name,
                             const std::string &model, const Limits &limits);
  /// `read(n)` returns up to `n` bytes of the archive, none at its end.
  static Module importStream(nb::object read, const std::string &name,
                             const std::string &model, const Limits &limits);
  static Module parse(nb::object data, const std::string &name,
                      const std::string &folder);
  static Module parseFile(const std::string &path);
  Module clone() const;
  void verify() const;
  void run(const std::string &pipeline);
  std::string getText(bool locations) const;
  /// The text attribute of a symbol; empty if there is none.
  std::string getAttribute(const std::string &symbol,
                           const std::string &name) const;
  nb::bytes getBytecode() const;
  /// An FXExportKind of the module.
  nb::bytes exportAs(int kind) const;
  std::string getFolder() const { return fxModuleGetFolder(get()); }
  /// The modules that become methods of one file, by name.
  using Methods = std::vector<std::pair<std::string, const Module *>>;
  /// Compiles to `path`; the report as JSON. If `methods` is not empty,
  /// compiles these instead of this module.
  std::string compile(const std::string &path, int emit,
                      const std::string &name, const std::string &cpu,
                      int optLevel, bool refuseFallback, nb::object onPhase,
                      const std::string &debugCrash, const std::string &target,
                      const std::string &precision,
                      const std::optional<std::string> &cacheDir,
                      const Tuning &tuning, const std::string &winograd,
                      const std::string &triple, bool swappable,
                      int64_t cacheCapacity, const Methods &methods) const;

  FXModule *get() const { return module.get(); }

private:
  std::unique_ptr<FXModule, void (*)(FXModule *)> module;
};

void bindModule(nb::module_ &m);
void bindModel(nb::module_ &m);
void bindWeights(nb::module_ &m);
void bindBuilder(nb::module_ &m);
void bindOperators(nb::module_ &m);
void bindGenerate(nb::module_ &m);

} // namespace fx::python

#endif // FX_PYTHON_BINDINGS_H
