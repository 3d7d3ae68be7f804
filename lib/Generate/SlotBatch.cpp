//===- SlotBatch.cpp - decodes tokens of several sequences ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlotBatch.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>

using namespace fx;

static constexpr DLDataType kInt64 = {kDLInt, 64, 1};
static constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};

/// Returns true if a value has this dtype and these sizes; -1 stands for any
/// static size.
static bool isOf(const FXValueInfo &value, DLDataType dtype,
                 llvm::ArrayRef<int64_t> sizes) {
  bool fits = value.dtype.code == dtype.code &&
              value.dtype.bits == dtype.bits &&
              size_t(value.rank) == sizes.size();
  for (size_t i = 0; fits && i < sizes.size(); ++i)
    fits = sizes[i] == -1 ? value.sizes[i] > 0 : value.sizes[i] == sizes[i];
  return fits;
}

llvm::Expected<std::unique_ptr<SlotBatch>>
SlotBatch::create(const CompiledModel &model, size_t numSlots,
                  const TextGeneratorOptions &options) {
  llvm::ArrayRef<FXMethod> methods = model.getMethods();
  auto find = [&](llvm::StringRef name) {
    return llvm::find_if(
               methods,
               [&](const FXMethod &method) { return name == method.name; }) -
           methods.begin();
  };
  size_t decode = find("decode_slots"), join = find("join");
  if (decode == methods.size() || join == methods.size() || options.isRecurrent)
    return nullptr;
  const FXModelInfo &info = *methods[decode].info, &copy = *methods[join].info;
  int64_t numRows = info.n_inputs == 2 && info.inputs[0].rank == 2
                        ? info.inputs[0].sizes[0]
                        : 0;
  if (numRows <= 0 || info.n_outputs != 1 ||
      !isOf(info.inputs[0], kInt64, {numRows, 1}) ||
      !isOf(info.inputs[1], kInt64, {numRows}) ||
      !isOf(info.outputs[0], kFloat32, {numRows, -1}))
    return llvm::createStringError(
        "method 'decode_slots': expected input_ids int64 [slots, 1], "
        "cache_position int64 [slots], and float32 [slots, vocabulary]");
  if (copy.n_inputs != 1 || !isOf(copy.inputs[0], kInt64, {1}))
    return llvm::createStringError("method 'join': expected slot int64 [1]");
  if (numSlots > size_t(numRows))
    return llvm::createStringError(
        "slots: expected at most " + llvm::Twine(numRows) +
        ", those of 'decode_slots', got " + llvm::Twine(numSlots));
  std::unique_ptr<SlotBatch> result(new SlotBatch);
  if (llvm::Error e = model.createInstance().moveInto(result->model))
    return e;
  result->decodeMethod = result->model->getMethod(decode);
  result->joinMethod = result->model->getMethod(join);
  result->ids.resize(numRows);
  result->positions.resize(numRows);
  result->vocabularySize = info.outputs[0].sizes[1];
  result->threads = options.threads;
  // Aligned, so that the model writes the logits without a copy.
  size_t bytes = numRows * result->vocabularySize * sizeof(float);
  bytes = (bytes + 63) / 64 * 64;
  result->logits.reset(static_cast<float *>(std::aligned_alloc(64, bytes)));
  if (!result->logits)
    return llvm::createStringError("out of memory");
  return result;
}

static DLTensor makeTensor(void *data, DLDataType dtype,
                           llvm::MutableArrayRef<int64_t> shape) {
  DLTensor tensor = {};
  tensor.device = {kDLCPU, 0};
  tensor.data = data;
  tensor.dtype = dtype;
  tensor.ndim = int32_t(shape.size());
  tensor.shape = shape.data();
  return tensor;
}

llvm::Error SlotBatch::join(int64_t slot) {
  int64_t shape[] = {1};
  DLTensor input = makeTensor(&slot, kInt64, shape);
  // A result, such as Python's None, is dropped.
  llvm::SmallVector<const DLTensor *> outputs(joinMethod->getInfo().n_outputs);
  return joinMethod->runInto({&input}, outputs, threads);
}

void SlotBatch::clear() {
  llvm::fill(ids, 0);
  llvm::fill(positions, 0);
}

void SlotBatch::set(size_t slot, int64_t id, int64_t position) {
  ids[slot] = id;
  positions[slot] = position;
}

llvm::Error SlotBatch::decode() {
  int64_t numRows = ids.size(), idShape[] = {numRows, 1},
          logitShape[] = {numRows, vocabularySize};
  DLTensor id = makeTensor(ids.data(), kInt64, idShape),
           position = makeTensor(positions.data(), kInt64,
                                 llvm::MutableArrayRef(idShape).take_front(1)),
           output = makeTensor(logits.get(), kFloat32, logitShape);
  return decodeMethod->runInto({&id, &position}, {&output}, threads);
}

llvm::ArrayRef<float> SlotBatch::getLogits(size_t slot) const {
  return llvm::ArrayRef<float>(logits.get() + slot * vocabularySize,
                               vocabularySize);
}

void SlotBatch::reset() { model->getApi().reset(model->getInstance()); }
