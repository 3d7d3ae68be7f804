//===- Vmap.cpp - torch.vmap as export leaves it --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph that was not decomposed may hold the calls that torch.vmap makes
// around its body: enter a level, mark the batched dimension of each input,
// unmark it in each output, leave the level. The operators between them run
// on functorch's batched tensors, which LibTorch has.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include <ATen/core/Tensor.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <stdexcept>

using at::Tensor;
using c10::IValue;
namespace functorch = at::functorch;

namespace fx::interp {

static void expect(const Values &args, size_t count) {
  if (args.size() != count)
    throw std::runtime_error("expected " + std::to_string(count) +
                             " arguments, got " + std::to_string(args.size()));
}

static Tensor getTensor(const Values &args, size_t i) {
  if (!args[i].isTensor() || !args[i].toTensor().defined())
    throw std::runtime_error("expected a Tensor, got " + args[i].tagKind());
  return args[i].toTensor();
}

static int64_t getInt(const Values &args, size_t i) {
  if (!args[i].isInt())
    throw std::runtime_error("expected an int, got " + args[i].tagKind());
  return args[i].toInt();
}

static int64_t wrapDim(int64_t dim, int64_t rank) {
  int64_t wrapped = dim < 0 ? dim + rank : dim;
  if (wrapped < 0 || wrapped >= rank)
    throw std::runtime_error("dimension " + std::to_string(dim) +
                             " is out of range for rank " +
                             std::to_string(rank));
  return wrapped;
}

/// (batch_size, randomness) -> level
static IValue enter(const Values &args) {
  expect(args, 2);
  if (!args[1].isString())
    throw std::runtime_error("expected a str, got " + args[1].tagKind());
  const std::string &mode = args[1].toStringRef();
  functorch::RandomnessType randomness =
      mode == "same"        ? functorch::RandomnessType::Same
      : mode == "different" ? functorch::RandomnessType::Different
                            : functorch::RandomnessType::Error;
  return functorch::initAndPushDynamicLayer(
      functorch::TransformType::Vmap, c10::SymInt(getInt(args, 0)), randomness);
}

/// () -> level
static IValue leave(const Values &) {
  if (functorch::getDynamicLayerStack().empty())
    throw std::runtime_error("no level is open");
  return functorch::popDynamicLayerAndDeleteMetadata().layerId();
}

/// (tensor, dim, level) -> batched tensor
static IValue addBatch(const Values &args) {
  expect(args, 3);
  Tensor t = getTensor(args, 0);
  return functorch::addBatchDim(t, wrapDim(getInt(args, 1), t.dim()),
                                getInt(args, 2));
}

/// (tensor, level, batch_size, out_dim) -> tensor with the batch dimension at
/// out_dim. A tensor that is not batched is expanded.
static IValue removeBatch(const Values &args) {
  expect(args, 4);
  Tensor t = getTensor(args, 0);
  int64_t level = getInt(args, 1), size = getInt(args, 2);
  int64_t out = wrapDim(getInt(args, 3), t.dim() + 1);
  auto *batched = functorch::maybeGetBatchedImpl(t);
  if (batched && batched->level() >= level)
    return batched->value().movedim(batched->bdim(), out);
  std::vector<int64_t> sizes = t.sizes().vec();
  sizes.insert(sizes.begin() + out, size);
  return t.unsqueeze(out).expand(sizes);
}

static IValue nothing(const Values &) { return {}; }

ScalarFunction findVmapFunction(const std::string &target) {
  static const std::pair<const char *, ScalarFunction> table[] = {
      {"_vmap_increment_nesting", enter},
      {"_vmap_decrement_nesting", leave},
      {"_add_batch_dim", addBatch},
      {"_remove_batch_dim", removeBatch},
      {"lazy_load_decompositions", nothing}};
  static const std::string prefix = "torch._functorch.predispatch.";
  if (target.rfind(prefix, 0) != 0)
    return nullptr;
  for (auto &[name, function] : table)
    if (target.substr(prefix.size()) == name)
      return function;
  return nullptr;
}

VmapScope::VmapScope() : depth(functorch::getDynamicLayerStack().size()) {}

VmapScope::~VmapScope() {
  while (functorch::getDynamicLayerStack().size() > depth)
    functorch::popDynamicLayerAndDeleteMetadata();
}

} // namespace fx::interp
