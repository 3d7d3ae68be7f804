//===- LoadWeights.cpp - weights of compiled models from files ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First decides for every state what it becomes, and collects all problems.
// Values are only made if there are none.
//
//===----------------------------------------------------------------------===//

#include "fx/Weights/LoadWeights.h"
#include "Problems.h"
#include "fx/Support/HalfFloat.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace fx;

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

/// Adds "WHAT: 'a', 'b' and 3 more".
static void addNames(SmallVectorImpl<std::string> &texts, StringRef what,
                     ArrayRef<std::string> names) {
  constexpr size_t maxShown = 8;
  if (names.empty())
    return;
  std::string text = what.str();
  for (auto [i, name] : enumerate(names.take_front(maxShown)))
    text += (i ? ", '" : " '") + showText(name) + "'";
  if (names.size() > maxShown)
    text += " and " + std::to_string(names.size() - maxShown) + " more";
  texts.push_back(std::move(text));
}

Error Problems::take(StringRef path) {
  constexpr size_t maxShown = 8;
  SmallVector<std::string> texts;
  addNames(texts, "the file lacks", missing);
  addNames(texts, "the model has no", unexpected);
  addNames(texts,
           "expected a model compiled with --swappable-weights, which can "
           "replace the folded or packed",
           fixed);
  for (const std::string &text : ArrayRef(others).take_front(maxShown))
    texts.push_back(text);
  if (others.size() > maxShown)
    texts.push_back(std::to_string(others.size() - maxShown) + " more");
  if (texts.empty())
    return Error::success();
  return createStringError(path + ": " + join(texts, "; "));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {
/// A tensor with the memory that it refers to.
struct Managed {
  DLManagedTensor tensor = {};
  SmallVector<int64_t, 6> sizes;
  std::shared_ptr<const void> owner;
};

/// What the weight of a name in the program is.
struct Source {
  const WeightTensor *tensor;
  std::string name; ///< in the file
  std::shared_ptr<const WeightFile> file;
  int64_t rotaryHeads = 0;
  double offset = 0;
};

/// The part of a weight quantized in groups that a state is.
enum class Part { Whole, Integers, Scales, ZeroPoints };

/// What a weight becomes.
struct Plan {
  size_t target;
  DType dtype;
  ArrayRef<int64_t> sizes;
  const Source *source;
  Part part = Part::Whole;
};
} // namespace

DLManagedTensor *fx::makeManaged(DType dtype, ArrayRef<int64_t> sizes,
                                 const char *data,
                                 std::shared_ptr<const void> owner) {
  auto *managed = new Managed;
  managed->sizes.assign(sizes.begin(), sizes.end());
  managed->owner = std::move(owner);
  DLTensor &tensor = managed->tensor.dl_tensor;
  // An empty tensor may have any address.
  static char empty;
  tensor.data = const_cast<char *>(data ? data : &empty);
  tensor.device = {kDLCPU, 0};
  tensor.ndim = int32_t(sizes.size());
  tensor.dtype = toDLDataType(dtype);
  tensor.shape = managed->sizes.data();
  managed->tensor.manager_ctx = managed;
  managed->tensor.deleter = [](DLManagedTensor *self) {
    delete static_cast<Managed *>(self->manager_ctx);
  };
  return &managed->tensor;
}

Expected<HostTensor> fx::readFloats(const WeightTensor &tensor) {
  if (tensor.blocks == BlockFormat::None && tensor.dtype != DType::F32 &&
      tensor.dtype != DType::F16 && tensor.dtype != DType::BF16)
    return createStringError("expected floats, got " + tensor.describe());
  HostTensor values = HostTensor::allocate(DType::F32, tensor.sizes);
  if (!values.data)
    return createStringError("out of memory: " + tensor.describe());
  auto *out = reinterpret_cast<float *>(values.data.get());
  if (tensor.blocks != BlockFormat::None) {
    dequantize(tensor.blocks, tensor.bytes, out);
    return values;
  }
  if (tensor.dtype == DType::F32) {
    if (!tensor.bytes.empty())
      memcpy(out, tensor.bytes.data(), tensor.bytes.size());
    return values;
  }
  for (size_t i = 0, n = tensor.bytes.size() / 2; i < n; ++i) {
    uint16_t bits;
    memcpy(&bits, tensor.bytes.data() + 2 * i, 2);
    out[i] = tensor.dtype == DType::F16 ? halfToFloat(bits)
                                        : bit_cast<float>(uint32_t(bits) << 16);
  }
  return values;
}

/// Changes pairs of rows of each head to two halves.
static Error splitPairs(HostTensor &values, int64_t heads) {
  int64_t rows = values.sizes[0], head = rows / heads, half = head / 2;
  size_t bytes = rows ? values.getNumBytes() / rows : 0;
  HostTensor result = HostTensor::allocate(values.dtype, values.sizes);
  if (!result.data)
    return createStringError("out of memory: " + values.describe());
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t p = 0; p < 2; ++p)
      for (int64_t k = 0; k < half; ++k)
        memcpy(result.data.get() + bytes * (h * head + p * half + k),
               values.data.get() + bytes * (h * head + 2 * k + p), bytes);
  values = std::move(result);
  return Error::success();
}

/// Makes the integers or the scales of blocks.
static Expected<HostTensor> readPart(const Plan &plan) {
  HostTensor values = HostTensor::allocate(plan.dtype, plan.sizes);
  if (!values.data)
    return createStringError("out of memory: " + values.describe());
  if (plan.part == Part::ZeroPoints) {
    memset(values.data.get(), 0, values.getNumBytes());
    return values;
  }
  const WeightTensor &tensor = *plan.source->tensor;
  if (plan.part == Part::Integers)
    readIntegers(tensor.blocks, tensor.bytes,
                 reinterpret_cast<int8_t *>(values.data.get()));
  else
    forEachScale(
        tensor.blocks, tensor.bytes, [&, i = size_t(0)](uint16_t bits) mutable {
          if (plan.dtype == DType::F16)
            reinterpret_cast<uint16_t *>(values.data.get())[i++] = bits;
          else
            reinterpret_cast<float *>(values.data.get())[i++] =
                halfToFloat(bits);
        });
  return values;
}

/// Makes the value of a state.
static Expected<DLManagedTensor *>
makeValue(const Plan &plan, const std::shared_ptr<const WeightFile> &file) {
  const Source &source = *plan.source;
  const WeightTensor &tensor = *source.tensor;
  bool isEqual = plan.part == Part::Whole &&
                 tensor.blocks == BlockFormat::None &&
                 tensor.dtype == plan.dtype;
  if (isEqual && !source.rotaryHeads && source.offset == 0)
    return makeManaged(plan.dtype, plan.sizes, tensor.bytes.data(), file);
  Expected<HostTensor> values = HostTensor();
  if (plan.part != Part::Whole) {
    values = readPart(plan);
  } else if (isEqual && source.offset == 0) {
    values = HostTensor::allocate(plan.dtype, plan.sizes);
    if (!values->data)
      return createStringError("out of memory: " + values->describe());
    if (!tensor.bytes.empty())
      memcpy(values->data.get(), tensor.bytes.data(), tensor.bytes.size());
  } else {
    values = readFloats(tensor);
  }
  if (!values)
    return values.takeError();
  if (source.offset != 0) {
    auto *at = reinterpret_cast<float *>(values->data.get());
    for (int64_t i = 0, n = values->getNumElements(); i < n; ++i)
      at[i] = float(at[i] + source.offset);
  }
  if (source.rotaryHeads)
    if (Error e = splitPairs(*values, source.rotaryHeads))
      return std::move(e);
  return makeManaged(plan.dtype, plan.sizes, values->data.get(), values->data);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Returns the name of the weight that `state` is a part of, if it ends in the
/// suffix of the part.
static StringRef getWhole(StringRef state, Part &part) {
  if (state.consume_back("_q"))
    part = Part::Integers;
  else if (state.consume_back("_scale"))
    part = Part::Scales;
  else if (state.consume_back("_zero_point"))
    part = Part::ZeroPoints;
  else
    return "";
  return state;
}

namespace {
/// The names of the file, and the prefix by which those of the model differ.
class Names {
public:
  StringMap<Source> sources;

  void findPrefix(ArrayRef<WeightTarget> targets);
  /// Returns the source of a state's name, or null.
  const Source *find(StringRef state) const {
    if (!state.consume_front(ofModel))
      return nullptr;
    auto it = sources.find((ofFile + state).str());
    return it == sources.end() ? nullptr : &it->second;
  }
  /// Returns the name that the model has for a name of the file.
  std::string getState(StringRef name) const {
    return name.consume_front(ofFile) ? (ofModel + name).str() : "";
  }

private:
  std::string ofModel, ofFile;
};
} // namespace

/// Calls `use` with the parts of a name that end in one of its first dots, and
/// the rest. The number is limited, because a file can have any name.
static void splitPrefixes(StringRef name,
                          function_ref<void(StringRef, StringRef)> use) {
  size_t dot = name.find('.');
  for (unsigned i = 0; i < 8 && dot != StringRef::npos; ++i) {
    use(name.take_front(dot + 1), name.drop_front(dot + 1));
    dot = name.find('.', dot + 1);
  }
}

/// Finds the prefixes by which most states have a source.
void Names::findPrefix(ArrayRef<WeightTarget> targets) {
  StringMap<size_t> forModel, forFile;
  StringSet<> known;
  size_t best = 0;
  for (const WeightTarget &target : targets) {
    Part part;
    StringRef name = target.name, whole = getWhole(name, part);
    for (StringRef text : {name, whole}) {
      known.insert(text);
      best += !text.empty() && sources.contains(text);
      splitPrefixes(text, [&](StringRef prefix, StringRef rest) {
        if (sources.contains(rest))
          ++forModel[prefix];
      });
    }
  }
  for (const auto &source : sources)
    splitPrefixes(source.getKey(), [&](StringRef prefix, StringRef rest) {
      if (known.contains(rest))
        ++forFile[prefix];
    });
  auto consider = [&](const StringMap<size_t> &counts, bool isModel) {
    for (const auto &entry : counts) {
      // The order of a StringMap is not fixed: ties go to the smaller text.
      const std::string &now = isModel ? ofModel : ofFile;
      bool isTie = entry.second == best && !now.empty() &&
                   entry.getKey() < StringRef(now);
      if (entry.second <= best && !isTie)
        continue;
      best = entry.second;
      ofModel = isModel ? entry.getKey().str() : "";
      ofFile = isModel ? "" : entry.getKey().str();
    }
  };
  consider(forModel, true);
  consider(forFile, false);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Checks that the source can become the state, or a part of it.
static void check(const Plan &plan, StringRef name, Problems &problems) {
  const Source &source = *plan.source;
  const WeightTensor &tensor = *source.tensor;
  auto expect = [&](const Twine &what) {
    problems.others.push_back(("'" + showText(name) + "': expected " + what +
                               ", got " + tensor.describe())
                                  .str());
  };
  WeightTensor wanted;
  wanted.dtype = plan.dtype;
  wanted.sizes.assign(plan.sizes.begin(), plan.sizes.end());
  bool isFloat = tensor.blocks != BlockFormat::None ||
                 tensor.dtype == DType::F32 || tensor.dtype == DType::F16 ||
                 tensor.dtype == DType::BF16;
  if (plan.part != Part::Whole) {
    SmallVector<int64_t, 4> sizes(tensor.sizes);
    bool isSplit = tensor.blocks == BlockFormat::Q4_0 ||
                   tensor.blocks == BlockFormat::Q8_0;
    bool hasDtype = plan.part == Part::Integers ? plan.dtype == DType::I8
                    : plan.part == Part::Scales
                        ? plan.dtype == DType::F32 || plan.dtype == DType::F16
                        : true;
    if (isSplit && plan.part != Part::Integers)
      sizes.back() /= 32;
    if (!isSplit || !hasDtype || ArrayRef(sizes) != plan.sizes)
      return expect("blocks of Q4_0 or Q8_0 for " + wanted.describe());
  } else if (ArrayRef<int64_t>(tensor.sizes) != plan.sizes ||
             !((tensor.blocks == BlockFormat::None &&
                tensor.dtype == plan.dtype) ||
               (isFloat && plan.dtype == DType::F32))) {
    return expect(wanted.describe());
  }
  if (source.offset != 0 && (plan.dtype != DType::F32 || !isFloat))
    return expect("float32 for a value that is added");
  if (source.rotaryHeads < 0 ||
      (source.rotaryHeads &&
       (plan.sizes.empty() || plan.sizes[0] % (2 * source.rotaryHeads))))
    return expect("rows of " + Twine(source.rotaryHeads) + " heads");
}

/// Adds the tensors of the file by the names that the program has for them.
static Error addSources(const std::shared_ptr<const WeightFile> &file,
                        ArrayRef<WeightBinding> bindings, Names &names,
                        StringSet<> &used) {
  for (const auto &[name, tensor] : file->getTensors())
    names.sources[name] = {&tensor, name, file};
  for (const WeightBinding &binding : bindings) {
    const WeightTensor *tensor = file->find(binding.tensor);
    if (!tensor)
      return createStringError(file->getPath() +
                               ": expected a tensor of the file, got '" +
                               showText(binding.tensor) + "'");
    if (binding.state.empty())
      used.insert(binding.tensor);
    else
      names.sources[binding.state] = {tensor, binding.tensor, file,
                                      binding.rotaryHeads, binding.offset};
  }
  return Error::success();
}

/// Returns the source of a weight, or of the weight that it is a part of.
static const Source *findSource(const WeightTarget &target, const Names &names,
                                const StringSet<> &targetNames, Part &part) {
  if (const Source *source = names.find(target.name))
    return source;
  for (const std::string &name : target.otherNames)
    if (const Source *source = names.find(name))
      return source;
  StringRef whole = getWhole(target.name, part);
  return targetNames.contains((whole + "_q").str()) ? names.find(whole)
                                                    : nullptr;
}

Expected<std::vector<WeightValue>>
fx::readWeights(ArrayRef<WeightTarget> targets, ArrayRef<std::string> unused,
                ArrayRef<std::shared_ptr<const WeightFile>> files,
                const LoadWeightsOptions &options) {
  std::string paths = llvm::join(
      map_range(files, [](const auto &file) { return file->getPath().str(); }),
      ", ");
  auto fail = [&](const Twine &text) {
    return createStringError(paths + ": " + text);
  };
  Names names;
  StringSet<> used, targetNames;
  for (const auto &file : files) {
    for (const auto &[name, tensor] : file->getTensors())
      if (names.sources.contains(name))
        return fail("expected different tensors in each file, got '" +
                    showText(name) + "' twice");
    if (Error e = addSources(file, options.bindings, names, used))
      return std::move(e);
  }
  names.findPrefix(targets);
  for (const WeightTarget &target : targets)
    targetNames.insert(target.name);
  Problems problems;
  std::vector<Plan> plans;
  for (auto [i, target] : enumerate(targets)) {
    StringRef name = target.name;
    Plan plan = {i, DType::F32, target.sizes, nullptr};
    plan.source = findSource(target, names, targetNames, plan.part);
    if (!plan.source) {
      if (options.strict && target.isPersistent)
        problems.missing.push_back(name.str());
      continue;
    }
    used.insert(plan.source->name);
    for (const std::string &other : target.otherNames)
      if (const Source *source = names.find(other))
        used.insert(source->name);
    if (!target.isSettable) {
      problems.fixed.push_back(name.str());
    } else if (!target.dtype) {
      problems.others.push_back("'" + showText(name) +
                                "': its dtype is unknown");
    } else {
      plan.dtype = *target.dtype;
      check(plan, name, problems);
      plans.push_back(plan);
    }
  }
  StringSet<> unusedNames;
  for (const std::string &name : unused)
    unusedNames.insert(name);
  for (const auto &source : names.sources)
    if (unusedNames.contains(names.getState(source.getKey())))
      used.insert(source.second.name);
  for (const auto &file : files)
    for (const auto &[name, tensor] : file->getTensors())
      if (options.strict && !used.contains(name))
        problems.unexpected.push_back(name);
  if (Error e = problems.take(paths))
    return std::move(e);
  std::vector<WeightValue> values;
  for (const Plan &plan : plans) {
    Expected<DLManagedTensor *> value = makeValue(plan, plan.source->file);
    if (!value) {
      for (const WeightValue &made : values)
        made.value->deleter(made.value);
      return fail("'" + targets[plan.target].name +
                  "': " + toString(value.takeError()));
    }
    values.push_back({plan.target, *value});
  }
  return values;
}

Error fx::loadWeights(CompiledModel &model,
                      std::shared_ptr<const WeightFile> file,
                      const LoadWeightsOptions &options) {
  std::vector<WeightTarget> targets;
  for (const ModelState &state : model.getStates())
    targets.push_back(
        {state.info->name,
         {},
         fromDLDataType(state.info->dtype),
         {state.info->sizes, state.info->sizes + state.info->rank},
         state.isPersistent,
         bool(state.info->is_settable)});
  std::vector<std::string> unused;
  for (StringRef name : model.getUnusedStates())
    unused.push_back(name.str());
  std::string path = file->getPath().str();
  Expected<std::vector<WeightValue>> read =
      readWeights(targets, unused, {std::move(file)}, options);
  if (!read)
    return read.takeError();
  std::vector<const char *> names;
  std::vector<DLManagedTensor *> values;
  for (const WeightValue &value : *read) {
    names.push_back(targets[value.index].name.c_str());
    values.push_back(value.value);
  }
  if (Error e = model.shareStates(names, values))
    return createStringError(path + ": " + toString(std::move(e)));
  return Error::success();
}
