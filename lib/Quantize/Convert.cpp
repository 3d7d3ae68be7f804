//===- Convert.cpp - put integers where they were chosen ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gptq.h"
#include "Layers.h"
#include "Weights.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/aten/to.h"
#include "fx/Operators/quantized_decomposed/choose_qparams.h"
#include "fx/Operators/quantized_decomposed/choose_qparams_symmetric.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_channel.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_channel_group.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_tensor.h"
#include "fx/Operators/quantized_decomposed/quantize_per_tensor.h"
#include "fx/Transforms/Constants.h"
#include "fx/Transforms/NodeNamer.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;
namespace qd = fx::quantized_decomposed;

namespace {
/// A quantized activation. The scale and the zero point are immediates
/// (`params`) or values that are computed in each run (`scale`, `zeroPoint`).
struct QuantizedValue {
  Value values;
  QuantParams params;
  Value scale, zeroPoint;
};

/// The states of a quantized weight. If `scales` is null, `scale` holds for all
/// values.
struct WeightStates {
  Value values, scales, zeroPoints;
  float scale = 1;
};

class Converter {
public:
  Converter(ModuleOp module, bool asShadows, const InputMoments *moments)
      : module(module), moments(moments),
        graph(module.lookupSymbol<GraphOp>("main")), asShadows(asShadows),
        constants(graph), namer(graph), b(module.getContext()) {}

  FailureOr<ConvertCounts> run();

private:
  FailureOr<SmallVector<Layer>> findLayers();
  std::string getObstacle(const Layer &layer);
  FailureOr<bool> loadWeight(const Layer &layer);
  /// Returns the key of the layer's weight in `weights`. The scales depend on
  /// the channel axis, so a weight with two axes is quantized twice.
  std::pair<Value, int> getWeightKey(const Layer &layer) const {
    bool perChannel = config.perChannel && layer.channelAxis;
    return {layer.source, perChannel ? int(*layer.channelAxis) : -1};
  }
  void convert(const Layer &layer);
  int64_t getObserver(Value value);
  const QuantizedValue &quantize(Value value);
  Value dequantize(const QuantizedValue &value, Type type);
  Value dequantizeWeight(const Layer &layer);
  Value makeState(Location loc, StateOp like, StringRef suffix,
                  const HostTensor &tensor, Type dtype);
  void eraseDead();

  QuantType getActivationType() const {
    return QuantType::activation(config.symmetric);
  }
  IntegerType getActivationDtype() {
    return IntegerType::get(b.getContext(), 8,
                            config.symmetric ? IntegerType::Signless
                                             : IntegerType::Unsigned);
  }
  /// Returns the location with a new unique node name made of `base`.
  Location name(Location loc, StringRef base) {
    return namer.rename(loc, base);
  }

  ModuleOp module;
  const InputMoments *moments;
  GraphOp graph;
  bool asShadows;
  QuantizationConfig config;
  SmallVector<double> ranges;
  ConstantAnalysis constants;
  NodeNamer namer;
  OpBuilder b;
  llvm::DenseMap<Value, QuantizedValue> activations;
  llvm::DenseMap<std::pair<Value, int>, WeightStates> weights;
  llvm::DenseSet<Value> sources; ///< of `weights`
  SmallVector<Value> replaced;
  ConvertCounts counts;
};
} // namespace

/// Returns the marked operators. Checks the marks, which may come from a file.
FailureOr<SmallVector<Layer>> Converter::findLayers() {
  SmallVector<Layer> layers;
  for (Operation &op : graph.getBlock()) {
    Attribute mark = op.getAttr("fx.quantize");
    if (!mark)
      continue;
    std::optional<Layer> layer = matchLayer(&op, constants);
    auto operands = dyn_cast<DenseI64ArrayAttr>(mark);
    if (!layer || !operands)
      return op.emitError(
          "expected 'fx.quantize' to be operands of an operator "
          "that can be quantized");
    for (int64_t i : operands.asArrayRef())
      if (!llvm::is_contained(layer->activations, i) && i != layer->weight)
        return op.emitError(
                   "expected an activation or the weight as operand to "
                   "quantize, got operand ")
               << i;
    for (Value value : op.getOperands()) {
      auto type = dyn_cast<FakeTensorType>(value.getType());
      if (!type || !type.getDtype().isF32())
        return op.emitError("expected operands of f32, got ")
               << value.getType();
    }
    if (layer->weight && config.groupSize) {
      auto type = cast<FakeTensorType>(layer->source.getType());
      if (type.getRank() != 2 || layer->channelAxis != 0 ||
          type.getDimSize(1) <= 0 || type.getDimSize(1) % config.groupSize)
        return op.emitError("expected a weight with rows of groups of ")
               << config.groupSize << " elements, got " << type;
    }
    layers.push_back(std::move(*layer));
  }
  return layers;
}

/// Returns the observer of a value, or -1 if it has none.
int64_t Converter::getObserver(Value value) {
  auto ids =
      value.getDefiningOp()->getAttrOfType<DenseI64ArrayAttr>("fx.observers");
  unsigned i = cast<OpResult>(value).getResultNumber();
  return ids && i < ids.size() ? ids[i] : -1;
}

/// Returns why a marked layer stays in float, or an empty string if it does
/// not.
std::string Converter::getObstacle(const Layer &layer) {
  if (config.mode != QuantizationConfig::Mode::Static)
    return "";
  auto operands =
      cast<DenseI64ArrayAttr>(layer.op->getAttr("fx.quantize")).asArrayRef();
  for (int64_t i : operands) {
    if (i == layer.weight)
      continue;
    int64_t id = getObserver(layer.op->getOperand(i));
    if (id < 0 || 2 * id + 1 >= int64_t(ranges.size()))
      return "no range of its inputs is known";
    FloatRange range{float(ranges[2 * id]), float(ranges[2 * id + 1])};
    if (!range.isValid())
      return "the samples gave its inputs no finite range";
  }
  return "";
}

/// Adds a buffer whose name is the name of `like` with a suffix.
Value Converter::makeState(Location loc, StateOp like, StringRef suffix,
                           const HostTensor &tensor, Type dtype) {
  auto fqn = like->getAttrOfType<StringAttr>("fx.fqn");
  std::string base = (fqn ? fqn.getValue() : like.getSymName()).str();
  std::string symbol = base + suffix.str();
  for (unsigned i = 1; module.lookupSymbol(symbol); ++i)
    symbol = base + suffix.str() + "_" + std::to_string(i);
  std::string node = "b_" + symbol;
  for (char &c : node)
    if (!llvm::isAlnum(c))
      c = '_';
  SmallVector<ExprAttr> sizes;
  for (int64_t size : tensor.sizes)
    sizes.push_back(ExprAttr::integer(b.getContext(), size));
  return addState(graph, loc, symbol, namer.getUnique(node), InputKind::Buffer,
                  FakeTensorType::get(sizes, dtype), tensor)
      ->getResult(0);
}

/// Returns the state that a weight is computed from.
static StateOp getOrigin(ModuleOp module, Value weight) {
  SmallVector<Value> worklist = {weight};
  StateOp origin;
  auto rank = cast<FakeTensorType>(weight.getType()).getRank();
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (auto input = dyn_cast<PlaceholderOp>(op)) {
      auto state = module.lookupSymbol<StateOp>(input.getTarget().value_or(""));
      auto type = dyn_cast<FakeTensorType>(input.getType());
      // Prefer a state with the rank of the weight to the statistics of a batch
      // norm that scales the weight.
      if (state && (!origin || (type && type.getRank() == rank)))
        origin = state;
      continue;
    }
    llvm::append_range(worklist, op->getOperands());
  }
  return origin;
}

/// Creates the states of the layer's weight. Returns false if the weight cannot
/// be quantized.
FailureOr<bool> Converter::loadWeight(const Layer &layer) {
  if (weights.contains(getWeightKey(layer)))
    return true;
  llvm::Expected<SmallVector<HostTensor>> tensors =
      evaluateConstants(graph, layer.source);
  if (!tensors)
    return layer.op->emitError("cannot compute the weight: ")
           << llvm::toString(tensors.takeError());
  HostTensor &tensor = tensors->front();
  auto type = cast<FakeTensorType>(layer.source.getType());
  if (tensor.dtype != DType::F32 ||
      tensor.getNumElements() != type.getNumElements())
    return layer.op->emitError("expected a weight of type ")
           << type << ", got " << tensor.describe();
  // A weight whose inputs are not known, and that of a convolution, is rounded
  // to the nearest integers.
  std::optional<QuantizedWeight> quantized;
  const Moment *moment =
      config.rounding == QuantizationConfig::Rounding::Gptq && moments
          ? moments->find(layer.source)
          : nullptr;
  if (moment && layer.channelAxis == 0)
    quantized = quantizeWeightGptq(tensor, *moment, config);
  if (!quantized)
    quantized = quantizeWeight(tensor, layer.channelAxis, config);
  if (!quantized)
    return false;
  Location loc = layer.source.getLoc();
  MLIRContext *ctx = b.getContext();
  StateOp origin = getOrigin(module, layer.source);
  WeightStates states;
  states.scale = quantized->scale;
  states.values =
      makeState(loc, origin, "_q", quantized->values, IntegerType::get(ctx, 8));
  if (sources.insert(layer.source).second) {
    counts.bytesBefore += tensor.getNumBytes();
    ++counts.weights;
  }
  counts.bytesAfter += quantized->values.getNumBytes();
  if (quantized->scales) {
    HostTensor zeros =
        HostTensor::allocate(DType::I64, quantized->scales->sizes);
    counts.bytesAfter += quantized->scales->getNumBytes() + zeros.getNumBytes();
    std::fill_n(zeros.data.get(), zeros.getNumBytes(), 0);
    bool isHalf = quantized->scales->dtype == DType::F16;
    Type dtype = isHalf ? Type(Float16Type::get(ctx)) : Float32Type::get(ctx);
    states.scales = makeState(loc, origin, "_scale", *quantized->scales, dtype);
    states.zeroPoints =
        makeState(loc, origin, "_zero_point", zeros, IntegerType::get(ctx, 64));
  }
  weights[getWeightKey(layer)] = states;
  return true;
}

/// Creates the dequantization of the layer's weight.
Value Converter::dequantizeWeight(const Layer &layer) {
  const WeightStates &states = weights[getWeightKey(layer)];
  QuantType range = QuantType::weight(config.weightBits);
  Location loc = layer.op->getLoc();
  auto type = cast<FakeTensorType>(layer.source.getType()).withoutMeta();
  Type dtype = IntegerType::get(b.getContext(), 8);
  Value scales = states.scales;
  if (scales && cast<FakeTensorType>(scales.getType()).getDtype().isF16())
    // Not aten._to_copy, which would be evaluated: the state stays f16.
    scales = aten::ToDtype::createInferred(b, name(loc, "to"), scales,
                                           b.getF32Type())
                 ->getResult(0);
  Operation *result;
  if (!states.scales)
    result = qd::DequantizePerTensor::create(
        b, name(loc, "dequantize_per_tensor"), type, states.values,
        double(states.scale), 0, range.min, range.max, dtype, ArgumentRef());
  else if (config.groupSize)
    result = qd::DequantizePerChannelGroup::create(
        b, name(loc, "dequantize_per_channel_group"), type, states.values,
        scales, states.zeroPoints, range.min, range.max, dtype,
        config.groupSize, type.getDtype());
  else
    result = qd::DequantizePerChannel::create(
        b, name(loc, "dequantize_per_channel"), type, states.values, scales,
        states.zeroPoints, int64_t(*layer.channelAxis), range.min, range.max,
        dtype, ArgumentRef());
  // The operand may be the transpose of the quantized matrix.
  Value operand = layer.op->getOperand(*layer.weight);
  if (operand == layer.source)
    return result->getResult(0);
  Operation *transpose = b.clone(*operand.getDefiningOp());
  namer.makeUnique(transpose);
  transpose->replaceUsesOfWith(layer.source, result->getResult(0));
  return transpose->getResult(0);
}

/// Returns the quantized activation. The first call creates it after the
/// definition of `value`.
const QuantizedValue &Converter::quantize(Value value) {
  auto [it, isNew] = activations.try_emplace(value);
  QuantizedValue &result = it->second;
  if (!isNew)
    return result;
  OpBuilder::InsertionGuard guard(b);
  Operation *def = value.getDefiningOp();
  if (isa<PlaceholderOp>(def))
    while (isa<PlaceholderOp>(def->getNextNode()))
      def = def->getNextNode();
  b.setInsertionPointAfter(def);
  Location loc = value.getLoc();
  auto type = cast<FakeTensorType>(value.getType());
  IntegerType dtype = getActivationDtype();
  FakeTensorType quantizedType = type.withDtype(dtype);
  QuantType range = getActivationType();
  if (config.mode == QuantizationConfig::Mode::Static) {
    int64_t id = getObserver(value);
    result.params =
        chooseParams({float(ranges[2 * id]), float(ranges[2 * id + 1])}, range);
    result.values = qd::QuantizePerTensor::create(
                        b, name(loc, "quantize_per_tensor"), quantizedType,
                        value, double(result.params.scale),
                        result.params.zeroPoint, range.min, range.max, dtype)
                        ->getResult(0);
    return result;
  }
  ExprAttr one = ExprAttr::integer(b.getContext(), 1);
  Type types[] = {FakeTensorType::get(one, b.getF64Type()),
                  FakeTensorType::get(one, b.getI64Type())};
  constexpr double epsilon = std::numeric_limits<float>::epsilon();
  Location chooseLoc =
      withNodeName(loc, namer.getUnique("choose_qparams_scale") + "," +
                            namer.getUnique("choose_qparams_zero_point"));
  Operation *choose =
      config.symmetric
          ? qd::ChooseQparamsSymmetricTensor::create(b, chooseLoc, types, value,
                                                     range.min, range.max,
                                                     epsilon, dtype)
          : qd::ChooseQparamsTensor::create(b, chooseLoc, types, value,
                                            range.min, range.max, epsilon,
                                            dtype);
  result.scale = choose->getResult(0);
  result.zeroPoint = choose->getResult(1);
  result.values =
      qd::QuantizePerTensorTensor::create(
          b, name(loc, "quantize_per_tensor"), quantizedType, value,
          result.scale, result.zeroPoint, range.min, range.max, dtype)
          ->getResult(0);
  return result;
}

/// Creates a dequantization. Each user has its own, as in PyTorch's graphs.
Value Converter::dequantize(const QuantizedValue &value, Type type) {
  QuantType range = getActivationType();
  Location loc = name(value.values.getLoc(), "dequantize_per_tensor");
  IntegerType dtype = getActivationDtype();
  Operation *op =
      value.scale
          ? qd::DequantizePerTensorTensor::create(
                b, loc, type, value.values, value.scale, value.zeroPoint,
                range.min, range.max, dtype, ArgumentRef())
          : qd::DequantizePerTensor::create(b, loc, type, value.values,
                                            double(value.params.scale),
                                            value.params.zeroPoint, range.min,
                                            range.max, dtype, ArgumentRef());
  return op->getResult(0);
}

/// Replaces the operands to quantize by dequantized values. With `asShadows`,
/// does this in a copy after the layer and leaves the layer unchanged.
void Converter::convert(const Layer &layer) {
  Operation *op = layer.op;
  auto operands = cast<DenseI64ArrayAttr>(op->getAttr("fx.quantize"));
  Operation *target = op;
  if (asShadows) {
    b.setInsertionPointAfter(op);
    target = b.clone(*op);
    namer.makeUnique(target);
    if (Attribute number = target->removeAttr("fx.layer"))
      target->setAttr("fx.shadow", number);
  }
  b.setInsertionPoint(target);
  for (int64_t i : operands.asArrayRef()) {
    Value old = op->getOperand(i), now;
    if (i == layer.weight)
      now = dequantizeWeight(layer);
    else
      now = dequantize(quantize(old), old.getType());
    if (!asShadows)
      replaced.push_back(old);
    target->setOperand(i, now);
  }
  ++counts.layers;
}

/// Erases the operations that only computed replaced operands, and the states
/// that only they used.
void Converter::eraseDead() {
  llvm::SmallSetVector<Operation *, 16> worklist;
  for (Value value : replaced)
    worklist.insert(value.getDefiningOp());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!op->use_empty())
      continue;
    StateOp state;
    if (auto input = dyn_cast<PlaceholderOp>(op)) {
      if (input.getKind() == InputKind::UserInput || !input.getTarget())
        continue;
      state = module.lookupSymbol<StateOp>(*input.getTarget());
    } else if (!isOpTriviallyDead(op)) {
      continue;
    }
    for (Value operand : op->getOperands())
      worklist.insert(operand.getDefiningOp());
    op->erase();
    if (state && SymbolTable::symbolKnownUseEmpty(state, module))
      state.erase();
  }
}

FailureOr<ConvertCounts> Converter::run() {
  if (!graph)
    return module.emitError("expected a graph @main, got none");
  auto given = QuantizationConfig::fromAttr(graph->getAttr("fx.quantization"));
  if (!given || !graph.getFunctional())
    return graph.emitError("expected a functional graph that is prepared for "
                           "quantization, got none");
  config = *given;
  if (auto attr = graph->getAttrOfType<DenseF64ArrayAttr>("fx.ranges"))
    ranges.assign(attr.asArrayRef().begin(), attr.asArrayRef().end());
  FailureOr<SmallVector<Layer>> layers = findLayers();
  if (failed(layers))
    return failure();
  for (const Layer &layer : *layers) {
    std::string obstacle = getObstacle(layer);
    if (obstacle.empty() && layer.weight &&
        llvm::is_contained(
            cast<DenseI64ArrayAttr>(layer.op->getAttr("fx.quantize"))
                .asArrayRef(),
            *layer.weight)) {
      FailureOr<bool> loaded = loadWeight(layer);
      if (failed(loaded))
        return failure();
      if (!*loaded)
        obstacle = "its weight has values that are not finite";
    }
    if (obstacle.empty()) {
      convert(layer);
      continue;
    }
    layer.op->removeAttr("fx.quantize");
    layer.op->setAttr("fx.float", b.getStringAttr(obstacle));
  }
  eraseDead();
  return counts;
}

FailureOr<ConvertCounts> fx::convertQuantized(ModuleOp module,
                                              const InputMoments *moments) {
  return Converter(module, /*asShadows=*/false, moments).run();
}

FailureOr<ConvertCounts> fx::convertToShadows(ModuleOp module,
                                              const InputMoments *moments) {
  return Converter(module, /*asShadows=*/true, moments).run();
}
