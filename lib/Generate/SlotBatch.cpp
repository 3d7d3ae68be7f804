//===- SlotBatch.cpp - decodes tokens of several sequences ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlotBatch.h"
#include "Tensors.h"

#include "llvm/ADT/STLExtras.h"

using namespace fx;

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
      !hasType(info.inputs[0], kInt64, {numRows, 1}) ||
      !hasType(info.inputs[1], kInt64, {numRows}) ||
      !hasType(info.outputs[0], kFloat32, {numRows, -1}) ||
      info.outputs[0].sizes[1] <= 0)
    return llvm::createStringError(
        "method 'decode_slots': expected input_ids int64 [slots, 1], "
        "cache_position int64 [slots], and float32 [slots, vocabulary]");
  if (copy.n_inputs != 1 || !hasType(copy.inputs[0], kInt64, {1}))
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
  result->logits.reset(allocateFloats(numRows * result->vocabularySize));
  if (!result->logits)
    return llvm::createStringError("out of memory");
  return result;
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
