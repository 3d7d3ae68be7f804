//===- Prepare.cpp - choose what computes on integers ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "fx/IR/Metadata.h"
#include "fx/IR/PythonStack.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fx;

namespace {
class Preparer {
public:
  Preparer(GraphOp graph, const QuantizationConfig &config)
      : graph(graph), config(config), constants(graph) {}

  unsigned run();

private:
  std::string getObstacle(const Layer &layer);
  std::string getWeightObstacle(const Layer &layer);
  void dropSlow();
  void dropLonely();
  bool isUsedByLayers(Operation *op);
  SmallVector<int64_t> chooseOperands(const Layer &layer);
  void addObservers();

  GraphOp graph;
  const QuantizationConfig &config;
  ConstantAnalysis constants;
  llvm::MapVector<Operation *, Layer> layers;
};
} // namespace

static FakeTensorType getTensor(Value value) {
  return dyn_cast<FakeTensorType>(value.getType());
}

/// Returns why the weight of the layer cannot be quantized, or an empty string.
std::string Preparer::getWeightObstacle(const Layer &layer) {
  FakeTensorType type = getTensor(layer.source);
  if (!type || !type.getDtype().isF32())
    return "expected a weight of f32";
  if (!type.hasStaticShape() || type.getNumElements().value_or(0) == 0)
    return "expected a weight with elements of a known number";
  if (config.groupSize == 0)
    return "";
  if (layer.kind != LayerKind::Linear || type.getRank() != 2 ||
      layer.channelAxis != 0)
    return "groups need a linear layer's matrix of rows for outputs";
  if (type.getDimSize(1) % config.groupSize != 0)
    return "rows of " + std::to_string(type.getDimSize(1)) +
           " elements are not made of groups of " +
           std::to_string(config.groupSize);
  return "";
}

/// Returns why the layer is not quantized, or an empty string if it is.
std::string Preparer::getObstacle(const Layer &layer) {
  if (!config.takes(layer.kind))
    return std::string(getName(layer.kind)) +
           " layers are not quantized in this mode or by choice";
  std::string path = getModulePath(layer.op->getLoc());
  SmallVector<StringRef> keys = getResultNames(layer.op);
  // The paths of the module and of its parent modules.
  for (StringRef part = path; !part.empty();) {
    keys.push_back(part);
    size_t dot = part.rfind('.');
    part = dot == StringRef::npos ? StringRef() : part.take_front(dot);
  }
  for (StringRef key : keys)
    if (auto it = config.skip.find(key); it != config.skip.end())
      return it->second;
  for (unsigned i = 0; i < layer.activations.size(); ++i) {
    Value value = layer.getActivation(i);
    FakeTensorType type = getTensor(value);
    if (!type || !type.getDtype().isF32())
      return "expected activations of f32";
    if (isDequantize(value.getDefiningOp()))
      return "it is quantized already";
  }
  if (layer.weight && isDequantize(layer.source.getDefiningOp()))
    return "it is quantized already";
  if (layer.weight)
    return getWeightObstacle(layer);
  return "";
}

/// Returns true if a quantized layer uses the result, directly or through
/// operators between layers. Otherwise a cheap operator gains nothing from
/// integers.
bool Preparer::isUsedByLayers(Operation *op) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return layers.contains(user) ||
           (isBetweenLayers(user) && isUsedByLayers(user));
  });
}

/// Keeps layers in float that are estimated to gain less than `minGain` from
/// integers. Layers that quantize the same value share the cost of that.
void Preparer::dropSlow() {
  llvm::DenseMap<Value, unsigned> numUsers;
  for (auto &[op, layer] : layers)
    for (unsigned i = 0; i < layer.activations.size(); ++i)
      ++numUsers[layer.getActivation(i)];
  Builder b(graph.getContext());
  SmallVector<Operation *> slow;
  for (auto &[op, layer] : layers) {
    std::optional<LayerTimes> times =
        layer.activations.empty()
            ? std::nullopt
            : estimateTimes(layer, config, numUsers[layer.getActivation(0)]);
    if (!times)
      continue;
    op->setAttr("fx.times",
                b.getDenseF64ArrayAttr({times->real, times->integer}));
    if (times->real >= config.minGain * times->integer)
      continue;
    std::string text = llvm::formatv(
        "it would gain too little: about {0:F2} us on integers{1}, {2:F2} us "
        "in float",
        times->integer * 1e6,
        times->hasKernel ? "" : " (which have no code for it)",
        times->real * 1e6);
    op->setAttr("fx.float", b.getStringAttr(text));
    slow.push_back(op);
  }
  for (Operation *op : slow)
    layers.erase(op);
}

/// Keeps layers other than contractions in float if no quantized layer uses
/// their results.
void Preparer::dropLonely() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[op, layer] : llvm::reverse(layers)) {
      if (layer.isContraction() || isUsedByLayers(op))
        continue;
      op->setAttr("fx.float",
                  StringAttr::get(op->getContext(),
                                  "its result is used as floats only"));
      layers.erase(op);
      changed = true;
      break; // The iterators are invalid.
    }
  }
}

/// Returns the activations to quantize. If an operand of a sum is the result of
/// a contraction and has no other use, it stays in float: the contraction adds
/// the other operand to its accumulators, which are more exact. If this holds
/// for both operands, the later one stays in float.
SmallVector<int64_t> Preparer::chooseOperands(const Layer &layer) {
  SmallVector<int64_t> operands(layer.activations.begin(),
                                layer.activations.end());
  if (layer.kind != LayerKind::Add)
    return operands;
  Operation *accumulator = nullptr;
  for (unsigned i = 0; i < 2; ++i) {
    Operation *def = layer.getActivation(i).getDefiningOp();
    auto it = layers.find(def);
    if (it == layers.end() || !it->second.isContraction() ||
        !def->hasOneUse() || (accumulator && def->isBeforeInBlock(accumulator)))
      continue;
    accumulator = def;
  }
  llvm::erase_if(operands, [&](int64_t i) {
    return accumulator &&
           layer.op->getOperand(i).getDefiningOp() == accumulator;
  });
  return operands;
}

/// Assigns an observer to each value to quantize. Values that must have the
/// same scale share an observer.
void Preparer::addObservers() {
  llvm::EquivalenceClasses<Value> classes;
  llvm::DenseSet<Value> observed;
  for (auto &[op, layer] : layers) {
    auto operands =
        cast<DenseI64ArrayAttr>(op->getAttr("fx.quantize")).asArrayRef();
    for (int64_t i : operands) {
      if (i == layer.weight)
        continue;
      Value value = op->getOperand(i);
      observed.insert(value);
      classes.insert(value);
      if (layer.keepsValues)
        classes.unionSets(value, op->getResult(0));
    }
  }
  llvm::DenseMap<Value, int64_t> numbers;
  int64_t next = 0;
  for (Operation &op : graph.getBlock()) {
    SmallVector<int64_t> ids;
    for (Value result : op.getResults()) {
      int64_t id = -1;
      if (observed.contains(result)) {
        auto [it, isNew] =
            numbers.try_emplace(classes.getLeaderValue(result), next);
        next += isNew;
        id = it->second;
      }
      ids.push_back(id);
    }
    if (llvm::any_of(ids, [](int64_t id) { return id >= 0; }))
      op.setAttr("fx.observers", DenseI64ArrayAttr::get(op.getContext(), ids));
  }
}

unsigned Preparer::run() {
  clearQuantizationMarks(graph);
  MLIRContext *ctx = graph.getContext();
  for (Operation &op : graph.getBlock()) {
    std::optional<Layer> layer = matchLayer(&op, constants);
    if (!layer)
      continue;
    std::string obstacle = getObstacle(*layer);
    if (obstacle.empty())
      layers.insert({&op, *layer});
    else
      op.setAttr("fx.float", StringAttr::get(ctx, obstacle));
  }
  if (config.minGain > 0)
    dropSlow();
  if (config.mode == QuantizationConfig::Mode::Static)
    dropLonely();
  for (auto &[op, layer] : layers) {
    SmallVector<int64_t> operands;
    if (config.mode != QuantizationConfig::Mode::WeightOnly)
      operands = chooseOperands(layer);
    if (layer.weight)
      operands.push_back(*layer.weight);
    op->setAttr("fx.quantize", DenseI64ArrayAttr::get(ctx, operands));
  }
  if (config.mode == QuantizationConfig::Mode::Static)
    addObservers();
  graph->setAttr("fx.quantization", config.toAttr(ctx));
  return layers.size();
}

unsigned fx::prepareQuantization(GraphOp graph,
                                 const QuantizationConfig &config) {
  return Preparer(graph, config).run();
}

void fx::clearQuantizationMarks(GraphOp graph) {
  for (StringRef name : {"fx.quantization", "fx.ranges"})
    graph->removeAttr(name);
  for (Operation &op : graph.getBlock())
    for (StringRef name : {"fx.observers", "fx.quantize", "fx.float",
                           "fx.layer", "fx.shadow", "fx.times"})
      op.removeAttr(name);
}
