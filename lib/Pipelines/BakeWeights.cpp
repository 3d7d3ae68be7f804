//===- BakeWeights.cpp - weights from files, at compile time --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BakeWeights.h"
#include "fx/IR/FXDialect.h"
#include "fx/Weights/LoadWeights.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fx;

namespace {
/// The weights of the modules, each with the states that have its value.
class States {
public:
  void add(ModuleOp module);
  void set(size_t target, DLManagedTensor *value);

  std::vector<WeightTarget> targets;
  std::vector<std::string> unused;

private:
  SmallVector<SmallVector<StateOp>> ops; ///< of each target
  llvm::StringMap<size_t> byName;
  /// Tied weights refer to the same bytes with the same type.
  DenseMap<std::pair<Attribute, Type>, size_t> byValue;
};
} // namespace

static std::string getStateName(StateOp state) {
  auto fqn = state->getAttrOfType<StringAttr>("fx.fqn");
  return (fqn ? fqn.getValue() : state.getSymName()).str();
}

void States::add(ModuleOp module) {
  enum Use { Weight, Other };
  llvm::StringMap<Use> uses;
  for (auto graph : module.getOps<GraphOp>())
    for (PlaceholderOp input : graph.getPlaceholders())
      if (input.getTarget()) {
        bool isWeight =
            input.getKind() == InputKind::Parameter ||
            (input.getKind() == InputKind::Buffer && !input.getNonPersistent());
        Use &use = uses.try_emplace(*input.getTarget(), Other).first->second;
        if (isWeight)
          use = Weight;
      }
  llvm::StringSet<> wrapped;
  for (auto state : module.getOps<StateOp>())
    if (auto outer = state->getAttrOfType<FlatSymbolRefAttr>("fx.inner_of"))
      wrapped.insert(outer.getValue());
  for (auto state : module.getOps<StateOp>()) {
    auto type = dyn_cast<FakeTensorType>(state.getType());
    // The tensors of a subclass have values, the subclass has none.
    if (!type || wrapped.contains(state.getSymName()))
      continue;
    std::string name = getStateName(state);
    auto use = uses.find(state.getSymName());
    if (use == uses.end() && !state->hasAttr("fx.inner_of")) {
      unused.push_back(name);
      continue;
    }
    WeightTarget target;
    target.name = name;
    target.dtype = getDType(type.getDtype());
    bool isStatic = true;
    for (ExprAttr size : type.getSizes()) {
      std::optional<int64_t> n = size.getInteger();
      isStatic &= n.has_value();
      target.sizes.push_back(n.value_or(0));
    }
    if (!isStatic)
      continue;
    target.isPersistent = use != uses.end() && use->second == Weight;
    auto [known, isNew] = byName.try_emplace(name, targets.size());
    size_t index = known->second;
    if (isNew && state.getInitAttr()) {
      auto [tied, isFirst] =
          byValue.try_emplace({state.getInitAttr(), type}, index);
      if (!isFirst) {
        index = known->second = tied->second;
        targets[index].otherNames.push_back(name);
        targets[index].isPersistent |= target.isPersistent;
        isNew = false;
      }
    }
    if (isNew) {
      targets.push_back(std::move(target));
      ops.emplace_back();
    } else if (targets[index].sizes != target.sizes) {
      // The methods disagree: an error below, if the file has the weight.
      targets[index].dtype.reset();
    }
    ops[index].push_back(state);
  }
}

void States::set(size_t target, DLManagedTensor *value) {
  StateOp first = ops[target].front();
  auto type = cast<FakeTensorType>(first.getType());
  const DLTensor &tensor = value->dl_tensor;
  int64_t count = tensor.dtype.bits / 8;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    count *= tensor.shape[d];
  // Keep the memory of the file until the context is destroyed.
  AsmResourceBlob blob(
      ArrayRef(static_cast<const char *>(tensor.data), count), /*align=*/1,
      [value](void *, size_t, size_t) { value->deleter(value); },
      /*dataIsMutable=*/false);
  MLIRContext *context = first.getContext();
  Attribute init = DenseResourceElementsAttr::get(
      RankedTensorType::get(
          {count}, IntegerType::get(context, 8, IntegerType::Unsigned)),
      "fx_weight", std::move(blob));
  for (StateOp state : ops[target]) {
    state.setInitAttr(init);
    // The elements of the file are in the order of the dimensions.
    MetaAttr meta = cast<FakeTensorType>(state.getType()).getMeta();
    if (meta && (!meta.getStrides().empty() || meta.getStorageOffset())) {
      Type plain = FakeTensorType::get(type.getSizes(), type.getDtype());
      state.setTypeAttr(TypeAttr::get(plain));
      auto module = state->getParentOfType<ModuleOp>();
      for (auto graph : module.getOps<GraphOp>())
        for (PlaceholderOp input : graph.getPlaceholders())
          if (input.getTarget() == state.getSymName())
            input.getResult().setType(plain);
    }
  }
}

llvm::Error fx::bakeWeights(ArrayRef<ModuleOp> modules,
                            ArrayRef<std::string> paths) {
  std::vector<std::shared_ptr<const WeightFile>> files;
  for (const std::string &path : paths) {
    llvm::Expected<std::shared_ptr<const WeightFile>> file =
        WeightFile::open(path);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
  }
  States states;
  for (ModuleOp module : modules)
    states.add(module);
  llvm::Expected<std::vector<WeightValue>> values =
      readWeights(states.targets, states.unused, files);
  if (!values)
    return values.takeError();
  for (const WeightValue &value : *values)
    states.set(value.index, value.value);
  return llvm::Error::success();
}
