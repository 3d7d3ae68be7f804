//===- Model.h - a compiled model in Python ---------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_PYTHON_MODEL_H
#define FX_PYTHON_MODEL_H

#include "Bindings.h"
#include "fx-c/Run.h"

namespace fx::python {

/// The weight of the program (None: the tensor is ignored), the tensor of the
/// file, the number of rotary heads, and the number that is added.
using Bindings = std::vector<
    std::tuple<std::optional<std::string>, std::string, int64_t, double>>;

class Model {
public:
  /// `callsPython`: operators without native code run by Python's torch, not by
  /// libFXTorch.
  static Model load(const std::string &path, int device, bool callsPython);

  nb::list run(nb::sequence inputs, int threads, uintptr_t stream,
               unsigned flags);
  /// Runs the model on NumPy arrays, or on tensors of one type with DLPack's C
  /// exchange, in the CPU's memory, and returns such arrays or tensors. Returns
  /// None if an input is anything else, or if an output can be no array.
  nb::object call(nb::tuple inputs, int threads);
  /// An output that is None is dropped.
  void runInto(nb::sequence inputs, nb::sequence outputs, int threads);

  nb::dict getInfo() const;
  /// The compiler's report, as JSON.
  const char *getReport() const { return fxModelGetInfo(get())->report; }
  /// The names of the methods.
  nb::list getMethods() const;
  /// The model as one of its methods.
  Model getMethod(size_t index);
  void reset() { fxModelReset(get()); }
  void seed(uint64_t seed) { fxModelSeed(get(), seed); }
  nb::bytes getGenerator();
  void setGenerator(nb::bytes state);
  /// `names` and `tensors` have the same length.
  void loadTensors(const std::vector<std::string> &names, nb::sequence tensors,
                   bool strict, const Bindings &bindings);
  void applyLora(const std::string &folder, double scale);
  void removeLora();

  FXModel *get() const { return model.get(); }

private:
  nb::object callArrays(nb::tuple inputs, int threads);
  explicit Model(FXModel *model, void (*destroy)(FXModel *) = fxModelDestroy)
      : model(model, destroy) {}

  std::shared_ptr<FXModel> model;
  /// The model that a method belongs to.
  std::shared_ptr<FXModel> whole;
};

} // namespace fx::python

#endif // FX_PYTHON_MODEL_H
