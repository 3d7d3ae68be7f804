//===- Fallback.cpp - ATen calls of compiled code -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements `fx_torch_fallback` of fx/Runtime/fallback.h.
//
//===----------------------------------------------------------------------===//

#include "fx/Runtime/fallback.h"
#include "FallbackCall.h"
#include "FallbackDevice.h"
#include "Objects.h"
#include "Print.h"
#include "TorchBoundary.h"
#include "Work.h"
#include "fx/Support/LocatedError.h"
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/core/InferenceMode.h>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

using c10::IValue;
using c10::ScalarType;

namespace fx::interp {

//===----------------------------------------------------------------------===//
// dtypes of DLPack
//===----------------------------------------------------------------------===//

static ScalarType toScalarType(DLDataType type) {
  struct Row {
    uint8_t code, bits;
    ScalarType type;
  };
  static const Row rows[] = {
      {kDLBool, 8, ScalarType::Bool},
      {kDLUInt, 8, ScalarType::Byte},
      {kDLInt, 8, ScalarType::Char},
      {kDLInt, 16, ScalarType::Short},
      {kDLInt, 32, ScalarType::Int},
      {kDLInt, 64, ScalarType::Long},
      {kDLUInt, 16, ScalarType::UInt16},
      {kDLUInt, 32, ScalarType::UInt32},
      {kDLUInt, 64, ScalarType::UInt64},
      {kDLFloat, 16, ScalarType::Half},
      {kDLBfloat, 16, ScalarType::BFloat16},
      {kDLFloat, 32, ScalarType::Float},
      {kDLFloat, 64, ScalarType::Double},
      {kDLComplex, 32, ScalarType::ComplexHalf},
      {kDLComplex, 64, ScalarType::ComplexFloat},
      {kDLComplex, 128, ScalarType::ComplexDouble},
      {kDLFloat8_e4m3fn, 8, ScalarType::Float8_e4m3fn},
      {kDLFloat8_e5m2, 8, ScalarType::Float8_e5m2},
      {kDLFloat8_e4m3fnuz, 8, ScalarType::Float8_e4m3fnuz},
      {kDLFloat8_e5m2fnuz, 8, ScalarType::Float8_e5m2fnuz},
      {kDLFloat8_e8m0fnu, 8, ScalarType::Float8_e8m0fnu}};
  for (const Row &row : rows)
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1)
      return row.type;
  throw std::runtime_error("unknown DLPack dtype " + std::to_string(type.code) +
                           "/" + std::to_string(type.bits));
}

static DLDataType fromScalarTypeToDL(ScalarType type) {
  for (uint8_t code = 0; code <= kDLFloat8_e8m0fnu; ++code)
    for (uint8_t bits : {8, 16, 32, 64, 128}) {
      DLDataType candidate{code, bits, 1};
      try {
        if (toScalarType(candidate) == type)
          return candidate;
      } catch (const std::runtime_error &) {
      }
    }
  throw std::runtime_error(std::string("dtype ") + c10::toString(type) +
                           " has no place in DLPack");
}

/// Returns the parsed call of a text. The cache is keyed by the address of the
/// text. It also compares the content, since another model may be loaded at
/// the address of one that was unloaded.
static std::shared_ptr<Prepared> prepare(const char *text, size_t numInputs) {
  static std::shared_mutex mutex;
  static std::unordered_map<const void *, std::shared_ptr<Prepared>> known;
  {
    std::shared_lock<std::shared_mutex> lock(mutex);
    auto it = known.find(text);
    if (it != known.end() && it->second->numInputs == numInputs &&
        it->second->text == text)
      return it->second;
  }
  std::shared_ptr<Prepared> call = parseCall(text, numInputs);
  std::unique_lock<std::shared_mutex> lock(mutex);
  known[text] = call;
  return call;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Returns a tensor that views the caller's memory.
static at::Tensor borrow(const DLTensor &t) {
  c10::Device device(c10::DeviceType::CPU);
  if (t.device.device_type == kDLCUDA && hasCUDADevice(t.device.device_id))
    device = {c10::DeviceType::CUDA,
              static_cast<c10::DeviceIndex>(t.device.device_id)};
  else if (t.device.device_type != kDLCPU)
    throw std::runtime_error("expected a tensor in host memory");
  c10::IntArrayRef sizes(t.shape, t.ndim);
  at::TensorMaker maker =
      at::for_blob(static_cast<char *>(t.data) + t.byte_offset, sizes);
  if (t.strides)
    maker.strides(c10::IntArrayRef(t.strides, t.ndim));
  // With a target device, LibTorch does not look up the device of the address.
  return maker
      .options(at::TensorOptions().dtype(toScalarType(t.dtype)).device(device))
      .target_device(device)
      .make_tensor();
}

namespace {
struct Owned {
  DLManagedTensor managed;
  at::Tensor tensor;
  std::vector<int64_t> shape, strides;
};
} // namespace

/// Wraps a tensor in a DLManagedTensor, whose deleter releases the tensor.
static DLManagedTensor *give(at::Tensor tensor) {
  auto *owned = new Owned;
  owned->tensor = std::move(tensor);
  const at::Tensor &t = owned->tensor;
  owned->shape = t.sizes().vec();
  owned->strides = t.strides().vec();
  DLTensor &dl = owned->managed.dl_tensor;
  dl.data = t.mutable_data_ptr();
  dl.device =
      t.is_cpu() ? DLDevice{kDLCPU, 0} : DLDevice{kDLCUDA, t.device().index()};
  dl.ndim = static_cast<int32_t>(t.dim());
  dl.dtype = fromScalarTypeToDL(t.scalar_type());
  dl.shape = owned->shape.data();
  dl.strides = owned->strides.data();
  dl.byte_offset = 0;
  owned->managed.manager_ctx = owned;
  owned->managed.deleter = [](DLManagedTensor *self) {
    delete static_cast<Owned *>(self->manager_ctx);
  };
  return &owned->managed;
}

/// Converts a result to the dtype that the graph expects, in contiguous memory
/// that does not alias an input. `mustCopy` forces a copy; it is set if an
/// object may keep a reference to the result.
static at::Tensor finishResult(const IValue &value, const Out &out,
                               const std::vector<at::Tensor> &inputs,
                               bool mustCopy) {
  at::Tensor t;
  if (out.scalar) {
    c10::Scalar scalar = value.isTensor() ? value.toTensor().item()
                         : value.isBool() ? c10::Scalar(value.toBool())
                                          : value.toScalar();
    return at::scalar_tensor(scalar, at::TensorOptions().dtype(out.dtype));
  }
  if (!value.isTensor() || !value.toTensor().defined())
    throw std::runtime_error("expected a Tensor result, got " +
                             value.tagKind());
  t = value.toTensor();
  // The dtype in the graph comes from a meta kernel. Some meta kernels give
  // double where the operator returns float. Compiled code expects the dtype in
  // the graph.
  bool sameKind =
      c10::isFloatingType(t.scalar_type()) == c10::isFloatingType(out.dtype) &&
      t.is_complex() == c10::isComplexType(out.dtype);
  if (!sameKind || (out.rank >= 0 && t.dim() != out.rank))
    throw std::runtime_error(std::string("expected a result of ") +
                             c10::toString(out.dtype) + " and rank " +
                             std::to_string(out.rank) + ", got " +
                             c10::toString(t.scalar_type()) + " and rank " +
                             std::to_string(t.dim()));
  t = t.to(out.dtype);
  t = t.resolve_conj().resolve_neg().contiguous();
  if (mustCopy)
    return t.clone();
  for (const at::Tensor &input : inputs)
    if (t.is_alias_of(input))
      return t.clone();
  return t;
}

/// Appends the results of a call to `out`, with lists and tuples flattened.
static void flattenResults(const IValue &value, std::vector<IValue> &out) {
  if (value.isTuple()) {
    for (const IValue &item : value.toTupleRef().elements())
      flattenResults(item, out);
  } else if (value.isList()) {
    for (const IValue &item : value.toListRef())
      flattenResults(item, out);
  } else {
    out.push_back(value);
  }
}

/// Calls the operator on tensors and scalars. Does not write to the tensors.
static Values invoke(const Prepared &call,
                     const std::vector<at::Tensor> &tensors,
                     const Values &scalars) {
  // Copy tensors that the operator may write to or that an object may keep.
  bool writes = call.call && call.call->getOperator().schema->is_mutable();
  Values values, returned;
  for (const at::Tensor &t : tensors)
    if (call.isCollective)
      // A collective reads the tensors after it has returned, and expects
      // contiguous ones.
      values.emplace_back(t.clone(at::MemoryFormat::Contiguous));
    else
      values.emplace_back(writes || call.takesObjects ? t.clone() : t);
  values.insert(values.end(), scalars.begin(), scalars.end());
  if (call.work) {
    returned.emplace_back(takeWork(scalars.at(*call.work).toInt()));
  } else if (call.isMethod) {
    returned = callTorchbind(call.args, values);
  } else if (call.call) {
    (*call.call)(values, returned);
  } else if (call.prints) {
    printText(call.args, values);
  } else if (call.onCopies) {
    returned = call.onCopies(*call.written, call.args, values);
  } else {
    Values args;
    for (const ArgumentPlan &arg : call.args.args)
      args.push_back(toIValue(arg, values));
    returned.push_back(call.scalar(args));
  }
  return returned;
}

/// Calls the operator on `device` if there is one and the operator has a kernel
/// for it, and on the CPU otherwise. Moves all tensors there first.
static Values invokeOn(const std::optional<c10::Device> &device, Prepared &call,
                       std::vector<at::Tensor> &tensors,
                       const Values &scalars) {
  auto move = [&](c10::Device to) {
    for (at::Tensor &t : tensors)
      t = t.to(to);
  };
  // Objects have their tensors on the CPU. Printing runs on the CPU, too.
  if (device && !call.onHost && !call.takesObjects && !call.prints) {
    move(*device);
    try {
      return invoke(call, tensors, scalars);
    } catch (const c10::NotImplementedError &) {
      call.onHost = true;
    }
  }
  if (device)
    move(c10::DeviceType::CPU);
  return invoke(call, tensors, scalars);
}

static void execute(Prepared *call, int nInputs, const DLTensor *const *inputs,
                    int nScalars, const FXScalar *scalars, int nOutputs,
                    DLManagedTensor **outputs) {
  c10::InferenceMode inference;
  SilenceWarnings silence;
  std::vector<at::Tensor> tensors;
  Values numbers;
  for (int i = 0; i < nInputs; ++i)
    tensors.push_back(borrow(*inputs[i]));
  for (int i = 0; i < nScalars; ++i) {
    const FXScalar &s = scalars[i];
    if (s.kind == FX_SCALAR_FLOAT)
      numbers.emplace_back(s.value.f);
    else if (s.kind == FX_SCALAR_BOOL)
      numbers.emplace_back(s.value.i != 0);
    else
      numbers.emplace_back(s.value.i);
  }
  std::optional<c10::Device> device = getDevice(tensors);
  DeviceScope scope(device);
  Values returned = invokeOn(device, *call, tensors, numbers);
  std::vector<IValue> results;
  if (call->hasToken)
    results.emplace_back(at::empty({0}));
  for (const IValue &value : returned)
    flattenResults(value, results);
  if (call->isCollective)
    for (size_t i = 0; i < results.size(); ++i)
      if (results[i].isTensor() &&
          !(i < call->outs.size() && call->outs[i].work))
        results[i] = waitTensor(results[i].toTensor());
  if (static_cast<size_t>(nOutputs) != call->outs.size())
    throw std::runtime_error("expected " + std::to_string(call->outs.size()) +
                             " outputs, got " + std::to_string(nOutputs));
  size_t at = 0;
  for (int i = 0; i < nOutputs; ++i) {
    const Out &out = call->outs[i];
    // A None result that the graph does not use has no entry in `outs`.
    while (!out.none && at < results.size() &&
           (results[at].isNone() ||
            (results[at].isTensor() && !results[at].toTensor().defined())))
      ++at;
    if (at >= results.size()) {
      // An operator without results has a None result in the graph.
      if (out.none)
        continue;
      throw std::runtime_error("expected " + std::to_string(nOutputs) +
                               " results, got " + std::to_string(at));
    }
    if (out.work)
      outputs[i] =
          give(at::scalar_tensor(keepWork(results[at].toTensor()),
                                 at::TensorOptions().dtype(ScalarType::Long)));
    else if (!out.none)
      outputs[i] =
          give(finishResult(results[at], out, tensors, call->takesObjects));
    ++at;
  }
  scope.wait();
}

static void run(const char *text, int nInputs, const DLTensor *const *inputs,
                int nScalars, const FXScalar *scalars, int nOutputs,
                DLManagedTensor **outputs) {
  std::shared_ptr<Prepared> call = prepare(text, nInputs);
  try {
    execute(call.get(), nInputs, inputs, nScalars, scalars, nOutputs, outputs);
  } catch (const std::exception &e) {
    throwAt(*call, e);
  }
}

static void writeError(char *error, size_t size, const std::string &text) {
  if (!error || !size)
    return;
  size_t n = std::min(size - 1, text.size());
  std::memcpy(error, text.data(), n);
  error[n] = 0;
}

} // namespace fx::interp

extern "C" __attribute__((visibility("default"))) int
fx_torch_fallback(void *, const char *json, int nInputs,
                  const DLTensor *const *inputs, int nScalars,
                  const FXScalar *scalars, int nOutputs,
                  DLManagedTensor **outputs, char *error, size_t errorSize) {
  std::string message;
  try {
    fx::interp::run(json, nInputs, inputs, nScalars, scalars, nOutputs,
                    outputs);
    return 0;
  } catch (const std::exception &e) {
    message = fx::toOneLine(fx::interp::getMessage(e));
  } catch (...) {
    message = "unknown failure in LibTorch";
  }
  for (int i = 0; i < nOutputs; ++i)
    if (outputs[i]) {
      outputs[i]->deleter(outputs[i]);
      outputs[i] = nullptr;
    }
  fx::interp::writeError(error, errorSize, message);
  return 1;
}
