//===- Calibrate.cpp - record the ranges of values ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"
#include "fx/Quantize/Quantize.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace fx;

static GraphOp getMain(ModuleOp module) {
  return module.lookupSymbol<GraphOp>("main");
}

llvm::Expected<unsigned> fx::calibrate(ModuleOp module, StringRef folder,
                                       unsigned maxSamples) {
  GraphOp graph = getMain(module);
  auto config = QuantizationConfig::fromAttr(
      graph ? graph->getAttr("fx.quantization") : Attribute());
  if (!config)
    return llvm::createStringError(
        "expected a graph @main that is prepared for "
        "quantization, got none");
  auto samples = findSamples(folder, maxSamples);
  if (!samples)
    return samples.takeError();

  std::vector<std::unique_ptr<Observer>> observers;
  // Marks in subgraphs and malformed marks are ignored.
  llvm::SmallPtrSet<Operation *, 16> isObserved;
  for (Operation &op : graph.getBlock()) {
    auto ids = op.getAttrOfType<DenseI64ArrayAttr>("fx.observers");
    if (!ids)
      continue;
    isObserved.insert(&op);
    if (ids.size() != op.getNumResults())
      return llvm::createStringError(
          "expected an observer or -1 for each result");
    for (int64_t id : ids.asArrayRef()) {
      if (id < -1 || id >= (int64_t(1) << 20))
        return llvm::createStringError("expected observers from -1 on, got " +
                                       Twine(id));
      while (id >= int64_t(observers.size()))
        observers.push_back(Observer::create(config->observer));
    }
  }
  auto observe = [&](Operation *op, ArrayRef<HostValue> values) {
    auto ids =
        op->getAttrOfType<DenseI64ArrayAttr>("fx.observers").asArrayRef();
    for (auto [id, value] : llvm::zip(ids, values))
      if (id >= 0 && value && value->dtype == DType::F32)
        observers[id]->observe(
            ArrayRef(reinterpret_cast<const float *>(value->data.get()),
                     value->getNumElements()));
  };
  if (llvm::Error error = SampleRunner::runAll(
          module, *samples,
          [&](Operation *op) { return isObserved.contains(op); }, observe))
    return std::move(error);

  SmallVector<double> ranges;
  for (auto &observer : observers) {
    FloatRange range = observer->getRange();
    ranges.push_back(range.min);
    ranges.push_back(range.max);
  }
  graph->setAttr("fx.ranges",
                 DenseF64ArrayAttr::get(graph.getContext(), ranges));
  return samples->size();
}
