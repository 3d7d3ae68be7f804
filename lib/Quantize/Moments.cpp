//===- Moments.cpp - sums over the inputs of linear layers ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Moments.h"
#include "Layers.h"
#include "Samples.h"
#include "fx/IR/Metadata.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace fx;

void Moment::add(ArrayRef<float> values) {
  if (sums.empty())
    sums.resize(size * size);
  // Sum a few rows in f32 at a time, which is exact enough and fast, and keep
  // the total in f64.
  constexpr int64_t kRows = 64;
  int64_t rows = values.size() / size;
  std::vector<float> part(size);
  for (int64_t first = 0; first < rows; first += kRows) {
    int64_t count = std::min(kRows, rows - first);
    const float *block = values.data() + first * size;
    for (int64_t i = 0; i < size; ++i) {
      std::fill(part.begin() + i, part.end(), 0.0f);
      for (int64_t r = 0; r < count; ++r) {
        const float *row = block + r * size;
        float x = row[i];
        if (x == 0)
          continue;
        for (int64_t k = i; k < size; ++k)
          part[k] += x * row[k];
      }
      double *out = sums.data() + i * size;
      for (int64_t k = i; k < size; ++k)
        out[k] += part[k];
    }
  }
}

/// Returns the name of the node that gives `value`; empty if it has none.
static StringRef getWeightName(Value value) {
  if (auto input = value.getDefiningOp<PlaceholderOp>())
    return input.getName();
  SmallVector<StringRef> names = getResultNames(value.getDefiningOp());
  unsigned i = cast<OpResult>(value).getResultNumber();
  return i < names.size() ? names[i] : StringRef();
}

const Moment *InputMoments::find(Value value) const {
  auto it = byWeight.find(getWeightName(value));
  return it == byWeight.end() || it->second.sums.empty() ? nullptr
                                                         : &it->second;
}

llvm::Expected<unsigned> fx::collectMoments(ModuleOp module, StringRef folder,
                                            unsigned maxSamples,
                                            InputMoments &moments) {
  auto samples = findSamples(folder, maxSamples);
  if (!samples)
    return samples.takeError();
  auto graph = module.lookupSymbol<GraphOp>("main");
  ConstantAnalysis constants(graph);
  /// The moments that the values of each node are added to.
  llvm::MapVector<Operation *, SmallVector<std::pair<unsigned, Moment *>>>
      readers;
  for (Operation &op : graph.getBlock()) {
    if (!op.hasAttr("fx.quantize"))
      continue;
    std::optional<Layer> layer = matchLayer(&op, constants);
    if (!layer || layer->kind != LayerKind::Linear || !layer->weight ||
        layer->channelAxis != 0 || layer->activations.size() != 1)
      continue;
    auto type = cast<FakeTensorType>(layer->source.getType());
    StringRef name = getWeightName(layer->source);
    if (type.getRank() != 2 || type.getDimSize(1) <= 0 || name.empty())
      continue;
    Moment &moment = moments.byWeight[name];
    moment.size = type.getDimSize(1);
    auto input = cast<OpResult>(layer->getActivation(0));
    auto &read = readers[input.getOwner()];
    std::pair<unsigned, Moment *> entry(input.getResultNumber(), &moment);
    read.push_back(entry);
  }
  auto observe = [&](Operation *op, ArrayRef<HostValue> values) {
    for (auto [i, moment] : readers.lookup(op)) {
      const HostValue &value = values[i];
      if (value && value->dtype == DType::F32 && !value->sizes.empty() &&
          value->sizes.back() == moment->size)
        moment->add(ArrayRef(reinterpret_cast<const float *>(value->data.get()),
                             value->getNumElements()));
    }
  };
  if (llvm::Error error = SampleRunner::runAll(
          module, *samples, [&](Operation *op) { return readers.contains(op); },
          observe))
    return std::move(error);
  return samples->size();
}
