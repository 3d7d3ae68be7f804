//===- Lora.cpp - low-rank adapters of compiled models --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Weights/Lora.h"
#include "LoraConfig.h"
#include "Problems.h"
#include "fx/Support/HalfFloat.h"
#include "fx/Weights/LoadWeights.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace llvm;
using namespace fx;

namespace {
/// What an adapter has for a weight: two matrices, or a whole tensor.
struct Change {
  const WeightTensor *a = nullptr, *b = nullptr, *whole = nullptr;
  bool isEmbedding = false;
  std::string module;
};

/// The changes by the names of the weights that they concern.
using Changes = std::map<std::string, Change>;
} // namespace

/// Collects the tensors of an adapter. Names begin with `base_model.model.`.
static Changes getChanges(const WeightFile &file, Problems &problems) {
  Changes changes;
  for (const auto &[key, tensor] : file.getTensors()) {
    StringRef name = key;
    name.consume_front("base_model.model.");
    // Two names for each matrix: linear layers and convolutions, embeddings.
    static constexpr struct {
      StringLiteral suffix;
      bool isA, isEmbedding;
    } kinds[] = {{".lora_A.weight", true, false},
                 {".lora_B.weight", false, false},
                 {".lora_embedding_A", true, true},
                 {".lora_embedding_B", false, true}};
    bool isMatrix = false;
    for (auto [suffix, isA, isEmbedding] : kinds) {
      if (!name.ends_with(suffix))
        continue;
      StringRef module = name.drop_back(suffix.size());
      Change &change = changes[(module + ".weight").str()];
      (isA ? change.a : change.b) = &tensor;
      change.isEmbedding = isEmbedding;
      change.module = module.str();
      isMatrix = true;
    }
    if (isMatrix)
      continue;
    if (name.contains("lora_"))
      problems.others.push_back("'" + showText(key) +
                                "': expected lora_A or lora_B");
    else // of modules_to_save
      changes[name.str()].whole = &tensor;
  }
  return changes;
}

static Expected<HostTensor> readState(CompiledModel &model,
                                      const ModelState &state, DType dtype) {
  DLTensor view;
  if (Error e = model.getState(state, view))
    return std::move(e);
  HostTensor values = HostTensor::allocate(
      dtype, {state.info->sizes, size_t(state.info->rank)});
  if (!values.data)
    return createStringError("out of memory: " + values.describe());
  if (size_t bytes = values.getNumBytes())
    memcpy(values.data.get(),
           static_cast<const char *>(view.data) + view.byte_offset, bytes);
  return values;
}

/// Returns the number of elements that follow the first dimension.
static int64_t getRow(ArrayRef<int64_t> sizes) {
  int64_t row = 1;
  for (int64_t size : sizes.drop_front())
    row *= size;
  return row;
}

/// How B·A, a matrix, is added to a weight.
enum class Layout { Mismatch, Plain, Transposed };

/// Returns the layout of a change in a weight of `sizes`. `isTransposed`
/// decides for a square matrix.
static Layout getLayout(const Change &change, ArrayRef<int64_t> sizes,
                        bool isTransposed) {
  ArrayRef<int64_t> a = change.a->sizes, b = change.b->sizes;
  if (sizes.empty() || a.size() < 2 || b.size() < 2 || a[0] <= 0)
    return Layout::Mismatch;
  int64_t rank = a[0], inner = getRow(a), outer = b[0];
  if (getRow(b) != rank)
    return Layout::Mismatch;
  bool isPlain = sizes[0] == outer && getRow(sizes) == inner;
  bool isOther = sizes.size() == 2 && sizes[0] == inner && sizes[1] == outer;
  if (isOther && (isTransposed || change.isEmbedding || !isPlain))
    return Layout::Transposed;
  return isPlain ? Layout::Plain : Layout::Mismatch;
}

/// Adds `scale`·B·A to `values`.
static Error addProduct(HostTensor &values, const Change &change, Layout layout,
                        double scale) {
  Expected<HostTensor> a = readFloats(*change.a), b = readFloats(*change.b);
  if (!a) {
    if (!b)
      consumeError(b.takeError());
    return a.takeError();
  }
  if (!b)
    return b.takeError();
  auto *left = reinterpret_cast<const float *>(b->data.get());
  auto *right = reinterpret_cast<const float *>(a->data.get());
  int64_t rank = a->sizes[0], rows = b->sizes[0], columns = getRow(a->sizes);
  // The rows of the weight are those of the product, or its columns.
  bool isPlain = layout == Layout::Plain;
  int64_t outer = isPlain ? rows : columns, inner = isPlain ? columns : rows;
  std::vector<float> row(inner);
  for (int64_t o = 0; o < outer; ++o) {
    std::fill(row.begin(), row.end(), 0.0f);
    for (int64_t r = 0; r < rank; ++r) {
      float factor = isPlain ? left[o * rank + r] : right[r * columns + o];
      for (int64_t i = 0; i < inner; ++i)
        row[i] +=
            factor * (isPlain ? right[r * columns + i] : left[i * rank + r]);
    }
    char *bytes = values.data.get() + o * inner * getByteSize(values.dtype);
    for (int64_t i = 0; i < inner; ++i) {
      float change = row[i] * float(scale);
      if (values.dtype == DType::F32) {
        reinterpret_cast<float *>(bytes)[i] += change;
        continue;
      }
      auto &bits = reinterpret_cast<uint16_t *>(bytes)[i];
      if (values.dtype == DType::F16)
        bits = floatToHalf(halfToFloat(bits) + change);
      else
        bits = floatToBFloat(bit_cast<float>(uint32_t(bits) << 16) + change);
    }
  }
  return Error::success();
}

/// Replaces `values` by the tensor of an adapter.
static Error replace(HostTensor &values, const WeightTensor &tensor) {
  if (tensor.dtype == values.dtype && tensor.blocks == BlockFormat::None) {
    if (!tensor.bytes.empty())
      memcpy(values.data.get(), tensor.bytes.data(), tensor.bytes.size());
    return Error::success();
  }
  Expected<HostTensor> floats = readFloats(tensor);
  if (!floats)
    return floats.takeError();
  values = std::move(*floats);
  return Error::success();
}

namespace {
/// A weight and its change.
struct Target {
  ModelState state;
  const Change *change;
  DType dtype;
  Layout layout = Layout::Plain;
};
} // namespace

/// Returns the prefix by which most names of weights are names of states.
static StringRef findPrefix(ArrayRef<ModelState> states,
                            const Changes &changes) {
  StringMap<size_t> counts;
  for (const ModelState &state : states) {
    StringRef name = state.info->name;
    for (size_t at = 0;; at = name.find('.', at) + 1) {
      if (changes.count(name.drop_front(at).str()))
        ++counts[name.take_front(at)];
      if (name.find('.', at) == StringRef::npos)
        break;
    }
  }
  StringRef best;
  size_t most = 0;
  for (const auto &entry : counts)
    if (entry.second > most ||
        (entry.second == most && entry.getKey() < best)) {
      most = entry.second;
      best = entry.getKey();
    }
  return best;
}

/// Finds the weights that the changes concern, and checks them.
static std::vector<Target> findTargets(ArrayRef<ModelState> states,
                                       const Changes &changes,
                                       const LoraConfig &config,
                                       Problems &problems) {
  std::vector<Target> targets;
  std::string prefix = findPrefix(states, changes).str();
  StringMap<const ModelState *> byName;
  for (const ModelState &state : states)
    byName[state.info->name] = &state;
  for (const auto &[name, change] : changes) {
    auto it = byName.find(prefix + name);
    if (it == byName.end()) {
      bool isQuantized = byName.contains(prefix + name + "_q");
      if (isQuantized)
        problems.others.push_back("'" + showText(name) +
                                  "': expected floats, got integers of "
                                  "fx-quantize");
      else
        problems.unexpected.push_back(name);
      continue;
    }
    const ModelState &state = *it->second;
    std::optional<DType> dtype = fromDLDataType(state.info->dtype);
    ArrayRef<int64_t> sizes(state.info->sizes, state.info->rank);
    auto expect = [&](const Twine &what) {
      problems.others.push_back(("'" + showText(name) + "': " + what).str());
    };
    if (!state.info->is_settable) {
      problems.fixed.push_back(name);
      continue;
    }
    if (!dtype || (*dtype != DType::F32 && *dtype != DType::F16 &&
                   *dtype != DType::BF16)) {
      expect("expected a weight of floats");
      continue;
    }
    Target target = {state, &change, *dtype};
    if (change.whole) {
      const WeightTensor &whole = *change.whole;
      if (change.a || change.b || ArrayRef<int64_t>(whole.sizes) != sizes ||
          !(whole.dtype == *dtype ||
            (*dtype == DType::F32 &&
             (whole.dtype == DType::F16 || whole.dtype == DType::BF16)))) {
        WeightTensor wanted;
        wanted.dtype = *dtype;
        wanted.sizes.assign(sizes.begin(), sizes.end());
        expect("expected " + wanted.describe() + ", got " + whole.describe());
        continue;
      }
    } else if (!change.a || !change.b) {
      expect("expected two matrices, got one");
      continue;
    } else {
      target.layout = getLayout(change, sizes, config.isTransposed);
      if (target.layout == Layout::Mismatch) {
        WeightTensor wanted;
        wanted.dtype = *dtype;
        wanted.sizes.assign(sizes.begin(), sizes.end());
        expect("expected matrices for " + wanted.describe() + ", got " +
               change.a->describe() + " and " + change.b->describe());
        continue;
      }
    }
    targets.push_back(target);
  }
  return targets;
}

static Error share(CompiledModel &model,
                   const std::map<std::string, HostTensor> &values) {
  std::vector<const char *> names;
  std::vector<DLManagedTensor *> tensors;
  for (const auto &[name, value] : values) {
    names.push_back(name.c_str());
    tensors.push_back(
        makeManaged(value.dtype, value.sizes, value.data.get(), value.data));
  }
  return model.shareStates(names, tensors);
}

Error AppliedLora::apply(CompiledModel &model, StringRef folder, double scale) {
  if (!std::isfinite(scale))
    return createStringError(folder + ": expected a finite scale");
  SmallString<256> path(folder);
  sys::path::append(path, "adapter_config.json");
  Expected<LoraConfig> config = LoraConfig::read(path);
  if (!config)
    return config.takeError();
  path = folder;
  sys::path::append(path, "adapter_model.safetensors");
  Expected<std::shared_ptr<const WeightFile>> file = WeightFile::open(path);
  if (!file)
    return file.takeError();
  Problems problems;
  Changes changes = getChanges(**file, problems);
  std::vector<ModelState> states = model.getStates();
  std::vector<Target> targets = findTargets(states, changes, *config, problems);
  if (Error e = problems.take(path))
    return e;
  auto fail = [&](StringRef name, Error e) {
    return createStringError(path + ": '" + name +
                             "': " + toString(std::move(e)));
  };
  // `values` begins with the weights of the adapter before, so that those that
  // this one does not change are restored.
  std::map<std::string, HostTensor> before, values = base;
  for (const Target &target : targets) {
    std::string name = target.state.info->name;
    Expected<HostTensor> original = HostTensor();
    if (auto it = base.find(name); it != base.end())
      original = it->second;
    else
      original = readState(model, target.state, target.dtype);
    if (!original)
      return fail(name, original.takeError());
    HostTensor changed = HostTensor::allocate(original->dtype, original->sizes);
    if (!changed.data)
      return fail(name, createStringError("out of memory"));
    memcpy(changed.data.get(), original->data.get(), original->getNumBytes());
    const Change &change = *target.change;
    if (Error e =
            change.whole
                ? replace(changed, *change.whole)
                : addProduct(changed, change, target.layout,
                             scale * config->getScaling(change.module,
                                                        change.a->sizes[0])))
      return fail(name, std::move(e));
    before[name] = std::move(*original);
    values[name] = std::move(changed);
  }
  if (Error e = share(model, values))
    return createStringError(path + ": " + toString(std::move(e)));
  base = std::move(before);
  return Error::success();
}

Error AppliedLora::remove(CompiledModel &model) {
  if (Error e = share(model, base))
    return e;
  base.clear();
  return Error::success();
}
