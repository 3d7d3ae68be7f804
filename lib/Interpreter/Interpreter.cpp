//===- Interpreter.cpp - running fx graphs on ATen ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file is the boundary of libFXTorch.so. It converts exceptions to
// llvm::Errors.
//
//===----------------------------------------------------------------------===//

#include "fx/Interpreter/Interpreter.h"
#include "Distributed/Session.h"
#include "Operators.h"
#include "Plan.h"
#include "States.h"
#include "TorchBoundary.h"
#include "Work.h"
#include "fx/IR/Signature.h"
#include "fx/Operators/Collectives.h"
#include "fx/Operators/Purity.h"
#include "fx/Support/LocatedError.h"
#include "fx/Transforms/StridedMemory.h"
#include "llvm/Support/MathExtras.h"
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>

#include <numeric>

using namespace mlir;

namespace fx::interp {

/// Runs `fn` and converts an exception to an llvm::Error.
template <typename Fn>
static llvm::Error guard(Fn fn) {
  try {
    return fn();
  } catch (const LocatedException &e) {
    return makeLocatedError(e.where, toOneLine(getMessage(e)));
  } catch (const std::exception &e) {
    return makeLocatedError("", toOneLine(getMessage(e)));
  } catch (...) {
    return makeLocatedError("", "unknown failure in LibTorch");
  }
}

namespace {
class TorchInterpreter final : public Interpreter {
public:
  TorchInterpreter(ModuleOp module, InterpreterOptions options)
      : options(std::move(options)), states(module), planner(module, states) {}

  llvm::Error prepare(ModuleOp module);
  llvm::Error run(llvm::ArrayRef<HostValue> inputs,
                  llvm::SmallVectorImpl<HostValue> &outputs) override;
  void seed(uint64_t value) override;
  llvm::Expected<HostTensor> getState(llvm::StringRef name) override;

private:
  Values bindInputs(llvm::ArrayRef<HostValue> inputs);
  at::Tensor getMutated(OutputSpecAttr spec, const Values &inputs);
  void applyMutations(OutputOp output, Values &results, const Values &inputs);

  InterpreterOptions options;
  States states;
  Planner planner;
  std::optional<GraphSignature> signature;
  const GraphPlan *plan = nullptr;
  /// Whether a node addresses memory by strides or writes to memory. The result
  /// then depends on the strides of the inputs: they decide, for example,
  /// whether `ravel` of an input is a view or a copy.
  bool dependsOnMemory = false;
  /// Whether a node communicates with other processes.
  bool hasCollectives = false;
};
} // namespace

llvm::Error TorchInterpreter::prepare(ModuleOp module) {
  llvm::Expected<GraphSignature> found = GraphSignature::get(module);
  if (!found)
    return found.takeError();
  signature = std::move(*found);
  module.walk([&](CallFunctionOp call) {
    OperatorView view = getOperatorView(call);
    hasCollectives |= isCollective(call.getTarget());
    dependsOnMemory |= fx::addressesMemory(call.getTarget()) ||
                       (view && !getWrittenOperands(view).empty());
  });
  return guard([&]() -> llvm::Error {
    c10::InferenceMode inference;
    plan = &planner.get(signature->getGraph());
    for (PlaceholderOp input : plan->inputs) {
      switch (input.getKind()) {
      case InputKind::Parameter:
      case InputKind::Buffer:
      case InputKind::TensorConstant:
        states.get(input.getTarget().value_or(""));
        break;
      case InputKind::CustomObj:
        states.getObject(input.getTarget().value_or(""));
        break;
      default:
        break;
      }
    }
    return llvm::Error::success();
  });
}

/// Converts a leaf of the user's inputs to a value of the graph.
static c10::IValue toInput(const InputLeaf &leaf, const HostValue &value) {
  switch (leaf.kind) {
  case LeafKind::Tensor:
    return toTensor(*value);
  case LeafKind::Int:
    return value->item<int64_t>();
  case LeafKind::Float:
    return value->item<double>();
  case LeafKind::Bool:
    return value->item<bool>();
  case LeafKind::String:
    if (auto text = llvm::dyn_cast_if_present<StringAttr>(leaf.constant))
      return text.str();
    return {};
  case LeafKind::None:
    return {};
  }
  return {};
}

/// Returns a copy of an input with the strides, the offset and the gaps that
/// its memory had when the graph was traced. Returns an undefined tensor if
/// these are not known or elements overlap.
static at::Tensor withTracedGaps(FakeTensorType type,
                                 const at::Tensor &tensor) {
  std::optional<llvm::SmallVector<int64_t>> addresses =
      getElementAddresses(type);
  if (!addresses || tensor.numel() != int64_t(addresses->size()) ||
      addresses->empty())
    return {};
  int64_t last = *llvm::max_element(*addresses);
  if (*llvm::min_element(*addresses) < 0)
    return {};
  std::vector<int64_t> strides;
  for (ExprAttr stride : type.getMeta().getStrides())
    strides.push_back(*stride.getInteger());
  at::Tensor storage = at::zeros({last + 1}, tensor.options());
  return storage.as_strided(tensor.sizes(), strides, addresses->front())
      .copy_(tensor);
}

/// Returns an input with the order of elements in memory (e.g. channels last)
/// that it had when the graph was traced. With `withOffset`, restores its
/// storage offset and gaps too, since views by strides depend on them.
static at::Tensor inTracedOrder(PlaceholderOp input, const at::Tensor &tensor,
                                bool withOffset) {
  auto type = llvm::dyn_cast<FakeTensorType>(input.getResult().getType());
  MetaAttr meta = type ? type.getMeta() : MetaAttr();
  if (!meta || type.getRank() != tensor.dim())
    return tensor;
  if (withOffset)
    if (at::Tensor gapped = withTracedGaps(type, tensor); gapped.defined())
      return gapped;
  llvm::SmallVector<int64_t> strides;
  for (ExprAttr stride : meta.getStrides())
    strides.push_back(stride.getInteger().value_or(0));
  std::vector<int64_t> order(tensor.dim()), back(tensor.dim());
  std::iota(order.begin(), order.end(), 0);
  if (!llvm::is_contained(strides, 0) && !strides.empty())
    llvm::stable_sort(
        order, [&](int64_t a, int64_t b) { return strides[a] > strides[b]; });
  for (size_t i = 0; i < order.size(); ++i)
    back[order[i]] = i;
  at::Tensor ordered = tensor.permute(order).contiguous();
  ExprAttr offset = meta.getStorageOffset();
  if (int64_t before = offset ? offset.getInteger().value_or(0) : 0;
      withOffset && before > 0 && tensor.numel() > 0) {
    int64_t elements;
    if (llvm::AddOverflow(before, tensor.numel(), elements))
      throw LocatedException(input.getName().str(),
                             "the offset in its storage overflows");
    at::Tensor storage = at::empty({elements}, tensor.options());
    ordered = storage.narrow(0, before, tensor.numel())
                  .view(ordered.sizes())
                  .copy_(ordered);
  }
  return ordered.permute(back);
}

Values TorchInterpreter::bindInputs(llvm::ArrayRef<HostValue> inputs) {
  Values values;
  size_t leaf = 0;
  for (PlaceholderOp input : plan->inputs) {
    switch (input.getKind()) {
    case InputKind::Parameter:
    case InputKind::Buffer:
    case InputKind::TensorConstant:
      values.emplace_back(states.get(input.getTarget().value_or("")));
      break;
    case InputKind::Token:
      values.emplace_back(at::empty({0}));
      break;
    case InputKind::CustomObj:
      values.push_back(states.getObject(input.getTarget().value_or("")));
      break;
    case InputKind::UserInput:
    case InputKind::ConstantInput:
      values.push_back(toInput(signature->getInputs()[leaf], inputs[leaf]));
      if (values.back().isTensor())
        values.back() =
            inTracedOrder(input, values.back().toTensor(), dependsOnMemory);
      ++leaf;
      break;
    }
  }
  return values;
}

/// Returns the state or input whose new value is the output with `spec`, or an
/// undefined tensor if there is none.
at::Tensor TorchInterpreter::getMutated(OutputSpecAttr spec,
                                        const Values &inputs) {
  if (!spec.getTarget())
    return {};
  llvm::StringRef target = spec.getTarget().getValue();
  switch (spec.getKind()) {
  case OutputKind::BufferMutation:
  case OutputKind::ParameterMutation:
    return states.get(target);
  case OutputKind::UserInputMutation:
    for (auto [i, input] : llvm::enumerate(llvm::ArrayRef(plan->inputs)))
      if (PlaceholderOp(input).getName() == target && inputs[i].isTensor())
        return inputs[i].toTensor();
    return {};
  default:
    return {};
  }
}

/// Writes new values to states and inputs. A new value may alias a state that
/// is written before it, e.g. if a program swaps two buffers. Such a value is
/// copied first.
void TorchInterpreter::applyMutations(OutputOp output, Values &results,
                                      const Values &inputs) {
  std::vector<std::pair<at::Tensor, at::Tensor>> writes;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].isTensor())
      continue;
    at::Tensor target = getMutated(output.getSpec(i), inputs);
    if (target.defined() && !target.is_same(results[i].toTensor()))
      writes.emplace_back(target, results[i].toTensor());
  }
  // The new value in a decomposed graph may have another dtype or shape than
  // the state; copy_ converts it. If the value is also an output, the user gets
  // the converted state.
  for (c10::IValue &result : results)
    for (auto &[target, value] : writes)
      if (result.isTensor() && result.toTensor().is_same(value) &&
          (value.scalar_type() != target.scalar_type() ||
           value.sizes() != target.sizes())) {
        result = target;
        break;
      }
  for (auto &[target, value] : writes)
    if (llvm::any_of(writes, [&](auto &other) {
          return value.is_alias_of(other.first) && other.first.numel() > 0;
        }))
      value = value.clone();
  for (auto &[target, value] : writes)
    target.copy_(value);
}

/// Waits for the collectives whose results are in `value`.
static void awaitAll(const c10::IValue &value) {
  if (value.isTensor() && value.toTensor().defined())
    waitTensor(value.toTensor());
  else if (value.isList())
    for (const c10::IValue &item : value.toListRef())
      awaitAll(item);
}

/// Appends the leaves of a top-level output to `outputs`.
static void flatten(const c10::IValue &value,
                    llvm::SmallVectorImpl<HostValue> &outputs) {
  if (value.isList()) {
    for (const c10::IValue &item : value.toListRef())
      flatten(item, outputs);
  } else if (value.isGenericDict()) {
    for (const auto &entry : value.toGenericDict())
      flatten(entry.value(), outputs);
  } else {
    outputs.push_back(fromIValue(value));
  }
}

llvm::Error TorchInterpreter::run(llvm::ArrayRef<HostValue> inputs,
                                  llvm::SmallVectorImpl<HostValue> &outputs) {
  llvm::Expected<SymbolValues> symbols = signature->check(inputs);
  if (!symbols)
    return symbols.takeError();
  return guard([&]() -> llvm::Error {
    c10::InferenceMode inference;
    if (options.threads > 0)
      at::set_num_threads(options.threads);
    Runner::Observer observer;
    if (options.observer)
      observer = [&](const NodePlan &node, const Values &results) {
        if (options.isObserved && !options.isObserved(node.op))
          return;
        llvm::SmallVector<HostValue> values;
        for (const c10::IValue &result : results) {
          if (hasCollectives)
            awaitAll(result);
          values.push_back(fromIValue(result));
        }
        options.observer(node.op, values);
      };
    Values values = bindInputs(inputs);
    SilenceWarnings silence;
    VmapScope levels;
    // Write mutations after the run, so that outputs that alias an input have
    // its new value, as in eager mode.
    Values results = Runner(std::move(observer)).run(*plan, values);
    if (hasCollectives)
      for (const c10::IValue &result : results)
        awaitAll(result);
    OutputOp output = signature->getGraph().getOutput();
    applyMutations(output, results, values);
    outputs.clear();
    for (size_t i = 0; i < results.size(); ++i) {
      // The gradients of a joint export follow the user's outputs.
      switch (output.getSpec(i).getKind()) {
      case OutputKind::UserOutput:
      case OutputKind::LossOutput:
      case OutputKind::GradientToParameter:
      case OutputKind::GradientToUserInput:
        flatten(results[i], outputs);
        break;
      default:
        break;
      }
    }
    return llvm::Error::success();
  });
}

void TorchInterpreter::seed(uint64_t value) {
  (void)llvm::errorToBool(guard([&]() -> llvm::Error {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_current_seed(value);
    return llvm::Error::success();
  }));
}

llvm::Expected<HostTensor> TorchInterpreter::getState(llvm::StringRef name) {
  HostTensor tensor;
  llvm::Error error = guard([&]() -> llvm::Error {
    c10::InferenceMode inference;
    tensor = fromTensor(states.get(name));
    return llvm::Error::success();
  });
  if (error)
    return std::move(error);
  return tensor;
}

static std::optional<std::string> getSchemaText(llvm::StringRef target) {
  std::optional<std::string> text;
  llvm::consumeError(guard([&]() -> llvm::Error {
    if (const Operator *op = findOperator(target.str()))
      text = c10::str(*op->schema);
    return llvm::Error::success();
  }));
  return text;
}

static llvm::Expected<std::unique_ptr<Interpreter>>
create(ModuleOp module, const InterpreterOptions &options) {
  auto interpreter = std::make_unique<TorchInterpreter>(module, options);
  if (llvm::Error error = interpreter->prepare(module))
    return std::move(error);
  return interpreter;
}

} // namespace fx::interp

extern "C" __attribute__((visibility("default"))) const fx::TorchLibrary *
fx_torch_library() {
  static const fx::TorchLibrary library = {
      fx::TorchLibrary::kVersion, fx::interp::create, fx::interp::getSchemaText,
      fx::interp::joinProcessGroups};
  return &library;
}
