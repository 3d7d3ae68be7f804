//===- Fallback.cpp - operators by Python's torch -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the fallback of fx/Runtime/fallback.h by the module fx_mlir._aten,
// for releases of torch whose LibTorch libFXTorch cannot use.
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include <cstring>

using namespace fx::python;

static constexpr const char *kModule = "fx_mlir._aten";

/// Returns a capsule of a tensor in the memory of the caller.
static nb::object borrow(const DLTensor &tensor) {
  auto *managed = new DLManagedTensor{
      tensor, nullptr, [](DLManagedTensor *self) { delete self; }};
  return makeCapsule(managed);
}

static nb::object toNumber(const FXScalar &scalar) {
  if (scalar.kind == FX_SCALAR_FLOAT)
    return nb::float_(scalar.value.f);
  if (scalar.kind == FX_SCALAR_BOOL)
    return nb::bool_(scalar.value.i != 0);
  return nb::int_(scalar.value.i);
}

/// Takes the tensor of a result: a capsule and its dtype, or None.
static DLManagedTensor *take(nb::handle result) {
  if (result.is_none())
    return nullptr;
  nb::object capsule = result[0];
  auto *managed = static_cast<DLManagedTensor *>(
      PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (!managed)
    throw nb::python_error();
  managed->dl_tensor.dtype = {nb::cast<uint8_t>(result[1]),
                              nb::cast<uint8_t>(result[2]), 1};
  if (PyCapsule_SetName(capsule.ptr(), "used_dltensor"))
    throw nb::python_error();
  return managed;
}

static void call(const char *json, int numInputs, const DLTensor *const *inputs,
                 int numScalars, const FXScalar *scalars, int numOutputs,
                 DLManagedTensor **outputs) {
  nb::list tensors, numbers;
  for (int i = 0; i < numInputs; ++i)
    tensors.append(borrow(*inputs[i]));
  for (int i = 0; i < numScalars; ++i)
    numbers.append(toNumber(scalars[i]));
  nb::object results = nb::module_::import_(kModule).attr("call")(
      nb::str(json), tensors, numbers);
  if (nb::len(results) != static_cast<size_t>(numOutputs))
    throw std::runtime_error("expected " + std::to_string(numOutputs) +
                             " outputs, got " +
                             std::to_string(nb::len(results)));
  for (int i = 0; i < numOutputs; ++i)
    outputs[i] = take(results[i]);
}

/// The text of a Python exception, without its class and trace.
static std::string getText(const nb::python_error &e) {
  return nb::cast<std::string>(nb::str(e.value()));
}

int fx::python::callFallback(void *, const char *json, int numInputs,
                             const DLTensor *const *inputs, int numScalars,
                             const FXScalar *scalars, int numOutputs,
                             DLManagedTensor **outputs, char *error,
                             size_t errorSize) {
  std::string message = "the Python interpreter has ended";
  if (Py_IsInitialized()) {
    nb::gil_scoped_acquire acquire;
    try {
      call(json, numInputs, inputs, numScalars, scalars, numOutputs, outputs);
      return 0;
    } catch (const nb::python_error &e) {
      message = getText(e);
    } catch (const std::exception &e) {
      message = e.what();
    }
  }
  for (int i = 0; i < numOutputs; ++i)
    if (DLManagedTensor *output = std::exchange(outputs[i], nullptr))
      output->deleter(output);
  if (errorSize) {
    size_t n = std::min(errorSize - 1, message.size());
    std::memcpy(error, message.data(), n);
    error[n] = 0;
  }
  return 1;
}

void fx::python::exchangeGenerator(void *, FXGenerator *generator, int begin) {
  if (!Py_IsInitialized())
    return;
  nb::gil_scoped_acquire acquire;
  try {
    auto state = nb::cast<nb::bytes>(nb::module_::import_(kModule).attr(
        "exchange")(nb::bytes(generator, sizeof *generator), begin != 0));
    if (state.size() == sizeof *generator)
      std::memcpy(generator, state.data(), sizeof *generator);
  } catch (nb::python_error &e) {
    e.discard_as_unraisable("the exchange of torch's random generator");
  }
}
