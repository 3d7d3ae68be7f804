//===- Tuner.cpp - measure schedules of kernels ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are measured within the model: their operands are as cold as in
// production, and a run measures all kernels at the same time. The candidates
// are compiled in waves. In a wave, runs with the default schedules alternate
// with runs in which every kernel uses one of its candidates. The slower half
// of the candidates is dropped every few rounds. The best candidate of each
// kernel then meets the default in pairs of runs, and a sign test decides. In
// the end, a sign test of whole runs decides on all of them.
//
//===----------------------------------------------------------------------===//

#include "Tuner.h"
#include "TuneStatistics.h"
#include "VariantModel.h"
#include "fx/CodeGen/CPU/ScheduleChoices.h"
#include "fx/Kernels/Tuning.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;
using namespace fx;
using fx::kernel::ScheduleAttrInterface;
using fx::kernel::TuningFile;
using fx::kernel::TuningTarget;

/// The ratio of times up to which a schedule is clearly faster than another.
static constexpr double kFaster = 0.98;
/// The probabilities with which noise may make a schedule, and the model with
/// schedules that passed this test, look faster.
static constexpr double kLevel = 0.01, kModelLevel = 0.05;
/// The share of the kernels' time that the measured kernels have.
static constexpr double kCovered = 0.98;
/// The least time of a measurement. Shorter runs are repeated.
static constexpr double kLeastSeconds = 20e-3;
/// The number of candidates of a kernel that are compiled at a time.
static constexpr size_t kMostInWave = 16;
/// The number of rounds after which the slower half of the candidates is
/// dropped.
static constexpr int kRounds = 2;
/// The least number of pairs of runs that can pass a test, and the greatest
/// numbers of pairs for the best candidates and for the model.
static constexpr int kLeastPairs = 7, kPairs = 31, kModelPairs = 151;
/// The share of the time that is left for the last check of the model.
static constexpr double kCheckShare = 0.25;

namespace {
/// A kernel whose schedules are measured.
struct TunedKernel {
  std::string name, signature;
  FunctionType type;
  SmallVector<ScheduleAttrInterface> schedules;
  double seconds = 0; ///< of a run, with the default schedule
  size_t next = 1;    ///< the first schedule that is not measured yet
  size_t best = 0;
  double ratio = 1; ///< the time of `best` to the time of the default
};

class Tuner {
public:
  Tuner(ModuleOp formed, const CompileOptions &options,
        const cpu::CPUOptions &cpu, ErrorCatcher &errors)
      : formed(formed), options(options), cpu(cpu), errors(errors),
        start(Clock::now()),
        target(TuningTarget::get(cpu.cpu, cpu.features, options.tuneThreads)) {}
  llvm::Error run(function_ref<void()> onRun);

private:
  using Clock = std::chrono::steady_clock;
  double getSpent() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  double getLeft() const { return options.tuneSeconds - getSpent(); }
  void say(const Twine &text) {
    if (options.onTune)
      options.onTune(text.str());
  }
  llvm::Error readFile();
  void listKernels();
  llvm::Error measureDefault(function_ref<void()> onRun);
  std::vector<KernelVariants> planWave();
  llvm::Error runWave();
  llvm::Expected<RunTimes> measure(ArrayRef<int64_t> variants);
  /// Returns the number of pairs of measurements for which `seconds` suffice.
  int countPairs(double seconds, int most) const {
    double pair = 2 * repeats * std::max(runSeconds, 1e-6);
    return int(std::clamp<double>(seconds / pair, 0, most));
  }
  llvm::Error selectBest(double until);
  llvm::Error confirmBest(double until);
  llvm::Expected<bool> checkModel();
  llvm::Error writeFile();

  ModuleOp formed;
  const CompileOptions &options;
  const cpu::CPUOptions &cpu;
  ErrorCatcher &errors;
  Clock::time_point start;
  TuningTarget target;
  std::optional<TuningFile> file;
  std::vector<TunedKernel> kernels;
  std::unique_ptr<VariantModel> model;
  int repeats = 1;
  double runSeconds = 0;     ///< of a run with the default schedules
  double buildSeconds = 0;   ///< of the model without variants
  double variantSeconds = 0; ///< of an additional variant

  // The state of a wave. A variant is an index of `slots`, which maps it to the
  // index of the schedule.
  std::vector<SmallVector<size_t>> slots;
  std::vector<SmallVector<int64_t>> alive;
  std::vector<std::map<int64_t, std::vector<double>>> ratios;
};
} // namespace

static std::string getText(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

//===----------------------------------------------------------------------===//
// What is measured
//===----------------------------------------------------------------------===//

llvm::Error Tuner::readFile() {
  if (!llvm::sys::fs::exists(options.tuneFile)) {
    file.emplace(*formed.getContext());
    return llvm::Error::success();
  }
  llvm::Expected<TuningFile> read =
      TuningFile::read(options.tuneFile, *formed.getContext());
  if (!read)
    return read.takeError();
  file.emplace(std::move(*read));
  return llvm::Error::success();
}

void Tuner::listKernels() {
  for (cpu::ScheduleChoices &choices : cpu::listSchedules(
           formed, cpu::getKernelOptions(cpu.features, cpu.cpu))) {
    TunedKernel kernel;
    kernel.name = choices.kernel.getSymName().str();
    kernel.signature = kernel::getSignature(choices.kernel);
    kernel.type = choices.kernel.getFunctionType();
    kernel.schedules = choices.schedules;
    // The winner of an earlier measurement is the most promising candidate.
    if (auto entry = file->lookup(kernel.signature, target)) {
      auto it = llvm::find(kernel.schedules, entry.getSchedule());
      if (it != kernel.schedules.end() && it != kernel.schedules.begin())
        std::rotate(kernel.schedules.begin() + 1, it, it + 1);
    }
    kernels.push_back(std::move(kernel));
  }
}

llvm::Expected<RunTimes> Tuner::measure(ArrayRef<int64_t> variants) {
  std::optional<RunTimes> least;
  for (int i = 0; i < repeats; ++i) {
    llvm::Expected<RunTimes> times = model->run(variants);
    if (!times)
      return times.takeError();
    if (!least) {
      least = std::move(*times);
      continue;
    }
    least->seconds = std::min(least->seconds, times->seconds);
    for (auto [number, seconds] : times->kernels) {
      auto [it, isNew] = least->kernels.try_emplace(number, seconds);
      it->second = std::min(it->second, seconds);
    }
  }
  return std::move(*least);
}

/// Compiles and runs the model with the default schedules. Keeps the kernels
/// that determine its time, the slowest first.
llvm::Error Tuner::measureDefault(function_ref<void()> onRun) {
  auto built = VariantModel::create(formed, {}, options, cpu, errors);
  if (!built)
    return built.takeError();
  model = std::move(*built);
  buildSeconds = getSpent();
  int64_t none = 0;
  if (llvm::Expected<RunTimes> first = model->run(none); !first)
    return CompileError::make(
        CompileError::Kind::Input,
        "--tune: expected a model that runs on random floats and on zeros, "
        "got: " +
            llvm::toString(first.takeError()));
  onRun();
  llvm::Expected<RunTimes> times = model->run(none);
  if (!times)
    return times.takeError();
  repeats =
      std::clamp<int>(kLeastSeconds / std::max(times->seconds, 1e-6), 1, 200);
  times = measure(none);
  if (!times)
    return times.takeError();
  runSeconds = times->seconds;
  double all = 0;
  for (auto [number, seconds] : times->kernels)
    all += seconds;
  for (TunedKernel &kernel : kernels) {
    auto it = times->kernels.find(getKernelNumber(kernel.name));
    kernel.seconds = it == times->kernels.end() ? 0 : it->second;
  }
  llvm::stable_sort(kernels, [](const TunedKernel &a, const TunedKernel &b) {
    return a.seconds > b.seconds;
  });
  double covered = 0;
  size_t kept = 0, schedules = 0;
  for (; kept < kernels.size() && kernels[kept].seconds > 0 &&
         covered < kCovered * all;
       ++kept) {
    covered += kernels[kept].seconds;
    schedules += kernels[kept].schedules.size() - 1;
  }
  kernels.resize(kept);
  say(llvm::formatv("{0} kernels with {1} other schedules take {2:f0} % of "
                    "{3:f3} ms",
                    kept, schedules, 100 * covered / std::max(runSeconds, 1e-9),
                    runSeconds * 1e3)
          .str());
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Waves
//===----------------------------------------------------------------------===//

/// Returns the number of parameters that differ.
static int64_t countDifferences(ScheduleAttrInterface a,
                                ScheduleAttrInterface b) {
  llvm::StringMap<Attribute> parameters;
  a.walkParameters(
      [&](StringRef name, Attribute value) { parameters[name] = value; });
  int64_t differences = 0;
  b.walkParameters([&](StringRef name, Attribute value) {
    auto it = parameters.find(name);
    differences += it == parameters.end() || it->second != value;
    if (it != parameters.end())
      parameters.erase(it);
  });
  return differences + parameters.size();
}

/// Chooses the candidates that are compiled next: as many as can be compiled in
/// a third of the time that is left, those of the slowest kernels first. Sets
/// `slots`.
std::vector<KernelVariants> Tuner::planWave() {
  double seconds = getLeft() / 3 - buildSeconds;
  int64_t most = variantSeconds > 0 ? int64_t(seconds / variantSeconds) : 0;
  slots.assign(kernels.size(), {});
  std::vector<KernelVariants> wave;
  for (auto [k, kernel] : llvm::enumerate(kernels)) {
    slots[k].push_back(0);
    if (kernel.best)
      slots[k].push_back(kernel.best);
    size_t count =
        std::min<size_t>(kernel.schedules.size() - kernel.next, kMostInWave);
    count = std::min<size_t>(count, std::max<int64_t>(most, 0));
    most -= count;
    for (size_t i = 0; i < count; ++i)
      slots[k].push_back(kernel.next++);
    KernelVariants variants{kernel.name, {}};
    for (size_t schedule : slots[k])
      variants.schedules.push_back(kernel.schedules[schedule]);
    wave.push_back(std::move(variants));
  }
  return wave;
}

/// Compiles the candidates of a wave and measures them. Sets `best` of each
/// kernel.
llvm::Error Tuner::runWave() {
  if (options.crashIn == "wave")
    LLVM_BUILTIN_TRAP;
  double begin = getSpent();
  std::vector<KernelVariants> wave = planWave();
  size_t count = 0;
  for (const KernelVariants &kernel : wave)
    count += kernel.schedules.size() - 1;
  // Free the model before, so that the weights are in memory once.
  model.reset();
  auto built = VariantModel::create(formed, wave, options, cpu, errors);
  if (!built)
    return built.takeError();
  model = std::move(*built);
  double spent = getSpent() - begin;
  variantSeconds =
      std::max(spent - buildSeconds, 0.1 * spent) / std::max<size_t>(count, 1);
  say(llvm::formatv("compiled {0} schedules in {1:f1} s", count, spent).str());
  alive.assign(kernels.size(), {});
  ratios.assign(kernels.size(), {});
  bool isLast = true;
  for (auto [k, kernel] : llvm::enumerate(kernels)) {
    for (size_t v = 1; v < slots[k].size(); ++v)
      if (model->isAvailable(k, v))
        alive[k].push_back(v);
    isLast &= kernel.next == kernel.schedules.size();
  }
  double reserve = kCheckShare * options.tuneSeconds;
  double time = std::max(getLeft() - reserve, 0.0);
  if (!isLast)
    time *= 0.5;
  double now = getSpent();
  if (llvm::Error e = selectBest(now + 0.6 * time))
    return e;
  if (llvm::Error e = confirmBest(now + time))
    return e;
  // Next come the neighbours of what is the fastest so far.
  for (TunedKernel &kernel : kernels)
    if (kernel.best)
      llvm::stable_sort(
          MutableArrayRef(kernel.schedules).drop_front(kernel.next),
          [&](ScheduleAttrInterface a, ScheduleAttrInterface b) {
            ScheduleAttrInterface best = kernel.schedules[kernel.best];
            return countDifferences(a, best) < countDifferences(b, best);
          });
  return llvm::Error::success();
}

/// Drops candidates until each kernel has one left, or until `until`.
llvm::Error Tuner::selectBest(double until) {
  SmallVector<int64_t> none(kernels.size(), 0);
  llvm::Expected<RunTimes> before = measure(none);
  if (!before)
    return before.takeError();
  while (true) {
    size_t most = 0;
    for (ArrayRef<int64_t> candidates : alive)
      most = std::max(most, candidates.size());
    if (most <= 1)
      return llvm::Error::success();
    for (int round = 0; round < kRounds; ++round) {
      for (size_t position = 0; position < most; ++position) {
        if (getSpent() > until)
          return llvm::Error::success();
        SmallVector<int64_t> variants(kernels.size(), 0);
        for (auto [k, candidates] : llvm::enumerate(alive))
          if (!candidates.empty())
            variants[k] = candidates[position % candidates.size()];
        llvm::Expected<RunTimes> times = measure(variants);
        if (!times)
          return times.takeError();
        llvm::Expected<RunTimes> after = measure(none);
        if (!after)
          return after.takeError();
        for (auto [k, kernel] : llvm::enumerate(kernels)) {
          int64_t number = getKernelNumber(kernel.name);
          double base = (before->kernels[number] + after->kernels[number]) / 2;
          if (variants[k] && base > 0)
            ratios[k][variants[k]].push_back(times->kernels[number] / base);
        }
        before = std::move(after);
      }
    }
    for (auto [k, candidates] : llvm::enumerate(alive)) {
      llvm::stable_sort(candidates, [&](int64_t a, int64_t b) {
        return getMedian(ratios[k][a]) < getMedian(ratios[k][b]);
      });
      candidates.truncate((candidates.size() + 1) / 2);
    }
  }
}

/// Compares the best candidate of each kernel with the default in pairs of
/// runs.
llvm::Error Tuner::confirmBest(double until) {
  SmallVector<int64_t> none(kernels.size(), 0), chosen(kernels.size(), 0);
  for (auto [k, candidates] : llvm::enumerate(alive)) {
    auto it = llvm::min_element(candidates, [&](int64_t a, int64_t b) {
      return getMedian(ratios[k][a]) < getMedian(ratios[k][b]);
    });
    // Do not spend measurements on what is not faster.
    if (it != candidates.end() && getMedian(ratios[k][*it]) < 1)
      chosen[k] = *it;
    else if (candidates.size() == 1 && ratios[k][*it].empty())
      chosen[k] = *it;
  }
  std::vector<std::vector<double>> pairs(kernels.size());
  int count = countPairs(until - getSpent(), kPairs);
  if (count < kLeastPairs)
    return llvm::Error::success();
  for (int i = 0; i < count; ++i) {
    // Alternate which one is first.
    llvm::Expected<RunTimes> first = measure(i % 2 ? chosen : none);
    if (!first)
      return first.takeError();
    llvm::Expected<RunTimes> second = measure(i % 2 ? none : chosen);
    if (!second)
      return second.takeError();
    auto &times = i % 2 ? *first : *second;
    auto &base = i % 2 ? *second : *first;
    for (auto [k, kernel] : llvm::enumerate(kernels)) {
      int64_t number = getKernelNumber(kernel.name);
      if (chosen[k] && base.kernels[number] > 0)
        pairs[k].push_back(times.kernels[number] / base.kernels[number]);
    }
  }
  for (auto [k, kernel] : llvm::enumerate(kernels)) {
    double ratio = getMedian(pairs[k]);
    bool isFaster = chosen[k] && ratio <= kFaster && areLess(pairs[k], kLevel);
    size_t best = isFaster ? slots[k][chosen[k]] : 0;
    // Keep what an earlier wave confirmed, unless it was measured again.
    if (!isFaster && slots[k][chosen[k]] != kernel.best)
      continue;
    if (best && best != kernel.best)
      say(llvm::formatv("{0}: {1:f3} of the time with ", kernel.name, ratio)
              .str() +
          Twine(getText(kernel.schedules[best])));
    kernel.best = best;
    kernel.ratio = best ? ratio : 1;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

/// Returns true if the model is faster with all chosen schedules.
llvm::Expected<bool> Tuner::checkModel() {
  SmallVector<int64_t> none(kernels.size(), 0), chosen(kernels.size(), 0);
  for (auto [k, kernel] : llvm::enumerate(kernels))
    if (kernel.best)
      chosen[k] = llvm::find(slots[k], kernel.best) - slots[k].begin();
  std::vector<double> pairs;
  int count = std::max(countPairs(getLeft(), kModelPairs), kLeastPairs);
  for (int i = 0; i < count; ++i) {
    llvm::Expected<RunTimes> first = measure(i % 2 ? chosen : none);
    if (!first)
      return first.takeError();
    llvm::Expected<RunTimes> second = measure(i % 2 ? none : chosen);
    if (!second)
      return second.takeError();
    double with = (i % 2 ? *first : *second).seconds;
    double without = (i % 2 ? *second : *first).seconds;
    pairs.push_back(with / without);
  }
  double ratio = getMedian(pairs);
  bool isFaster = ratio < 1 && areLess(pairs, kModelLevel);
  say(llvm::formatv("the model takes {0:f3} of the time in {1} pairs of runs",
                    ratio, pairs.size())
          .str() +
      Twine(isFaster ? "" : ": the default schedules stay"));
  return isFaster;
}

llvm::Error Tuner::writeFile() {
  int64_t count = 0;
  for (const TunedKernel &kernel : kernels)
    if (kernel.best) {
      file->add(kernel.signature, target, kernel.schedules[kernel.best],
                kernel.type);
      ++count;
    }
  if (llvm::Error e = file->write(options.tuneFile))
    return e;
  say("wrote " + Twine(count) + " schedules to " + options.tuneFile);
  return llvm::Error::success();
}

llvm::Error Tuner::run(function_ref<void()> onRun) {
  if (llvm::Error e = readFile())
    return e;
  listKernels();
  if (llvm::Error e = measureDefault(onRun))
    return e;
  // A guess for the first wave: a kernel takes its share of the compilation.
  size_t all = llvm::range_size(formed.getOps<func::FuncOp>());
  variantSeconds = buildSeconds / std::max<size_t>(all, 1);
  auto isLeft = [&] {
    return llvm::any_of(kernels, [](const TunedKernel &kernel) {
      return kernel.next < kernel.schedules.size();
    });
  };
  // Each wave needs time for its code and for its runs.
  bool isFirst = true;
  while (isLeft() &&
         (isFirst || getLeft() > (1 - kCheckShare) * options.tuneSeconds / 4) &&
         getLeft() / 3 > buildSeconds + 4 * variantSeconds) {
    isFirst = false;
    if (llvm::Error e = runWave())
      return e;
  }
  if (isFirst && !kernels.empty())
    say("no time is left to compile other schedules");
  bool isChanged = llvm::any_of(
      kernels, [](const TunedKernel &kernel) { return kernel.best != 0; });
  if (isChanged) {
    llvm::Expected<bool> isFaster = checkModel();
    if (!isFaster)
      return isFaster.takeError();
    if (!*isFaster)
      for (TunedKernel &kernel : kernels)
        kernel.best = 0;
  } else if (!isFirst) {
    say("no schedule is faster than the default");
  }
  return writeFile();
}

llvm::Error fx::tuneKernels(ModuleOp formed, const CompileOptions &options,
                            const cpu::CPUOptions &cpu, ErrorCatcher &errors,
                            function_ref<void()> onRun) {
  return Tuner(formed, options, cpu, errors).run(onRun);
}

std::string fx::getDefaultTuneFile(StringRef output) {
  SmallString<128> path(output);
  llvm::sys::path::replace_extension(path, "tune.mlir");
  return path.str().str();
}
