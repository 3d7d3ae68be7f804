//===- Profile.cpp - times of the kernels of a model ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace fx;
using llvm::StringRef;
namespace json = llvm::json;

std::optional<double>
KernelProfile::getShareOfLimit(const MachineRates &rates) const {
  if (flops == 0 && (isContraction() || isFallback()))
    return std::nullopt;
  if (seconds == 0 || rates.flops == 0 || rates.bytes == 0)
    return 0;
  return std::max(flops / rates.flops, bytes / rates.bytes) / seconds;
}

//===----------------------------------------------------------------------===//
// Reading the report
//===----------------------------------------------------------------------===//

static std::vector<std::string> getStrings(const json::Array *array) {
  std::vector<std::string> strings;
  for (const json::Value &value : array ? *array : json::Array())
    if (std::optional<llvm::StringRef> text = value.getAsString())
      strings.push_back(text->str());
  return strings;
}

/// Returns the innermost line of a stack that is not part of PyTorch.
static std::string getUserLine(const std::vector<std::string> &stack) {
  for (const std::string &line : stack)
    if (!llvm::StringRef(line).contains("/torch/"))
      return llvm::sys::path::filename(line).str();
  return "";
}

Profile::Profile(const json::Object &report, const MachineRates &rates)
    : rates(rates) {
  std::map<std::string, KernelProfile *> byName;
  const json::Array *list = report.getArray("kernels");
  for (const json::Value &value : list ? *list : json::Array()) {
    const json::Object *entry = value.getAsObject();
    std::optional<llvm::StringRef> name =
        entry ? entry->getString("name") : std::nullopt;
    int64_t number;
    llvm::StringRef digits = name.value_or("");
    if (!digits.consume_front("kernel_") || digits.getAsInteger(10, number))
      continue;
    KernelProfile &kernel = kernels[number];
    kernel.name = name->str();
    kernel.nodes = getStrings(entry->getArray("nodes"));
    if (const json::Object *schedule = entry->getObject("schedule"))
      kernel.kind = schedule->getString("kind").value_or("").str();
    byName[kernel.name] = &kernel;
  }
  list = report.getArray("operators");
  int64_t index = 0;
  for (const json::Value &value : list ? *list : json::Array()) {
    const json::Object *entry = value.getAsObject();
    ++index;
    if (!entry)
      continue;
    if (entry->getString("status") == "fallback") {
      KernelProfile &call = kernels[-index];
      call.name = entry->getString("target").value_or("").str();
      call.kind = KernelProfile::kFallback;
      call.nodes = {entry->getString("node").value_or("").str()};
      call.module = entry->getString("module").value_or("").str();
      call.place = getUserLine(getStrings(entry->getArray("stack")));
    }
    for (const std::string &name : getStrings(entry->getArray("kernels"))) {
      auto it = byName.find(name);
      if (it == byName.end() || !it->second->place.empty())
        continue;
      it->second->module = entry->getString("module").value_or("").str();
      it->second->place = getUserLine(getStrings(entry->getArray("stack")));
    }
  }
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void Profile::add(llvm::ArrayRef<FXKernelRun> calls, double runSeconds) {
  ++runs;
  seconds += runSeconds;
  last.assign(calls.begin(), calls.end());
  for (const FXKernelRun &call : calls) {
    KernelProfile &kernel = kernels[call.kernel];
    if (kernel.name.empty())
      kernel.name = "kernel_" + std::to_string(call.kernel);
    ++kernel.calls;
    kernel.seconds += 1e-9 * (call.end - call.start);
    kernel.bytes += call.bytes;
    kernel.flops += call.flops;
  }
}

std::vector<const KernelProfile *> Profile::getSorted() const {
  std::vector<const KernelProfile *> sorted;
  for (const auto &[number, kernel] : kernels)
    if (kernel.calls)
      sorted.push_back(&kernel);
  llvm::stable_sort(sorted, [](const auto *a, const auto *b) {
    return a->seconds > b->seconds;
  });
  return sorted;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

json::Object Profile::toJSON() const {
  json::Array list;
  double n = std::max<int64_t>(runs, 1);
  for (const KernelProfile *kernel : getSorted()) {
    json::Object entry{{"name", kernel->name},
                       {"kind", kernel->kind},
                       {"nodes", json::Array(kernel->nodes)},
                       {"module", kernel->module},
                       {"place", kernel->place},
                       {"calls", kernel->calls / n},
                       {"ms", kernel->seconds * 1e3 / n},
                       {"bytes", kernel->bytes / n},
                       {"share_of_limit", kernel->getShareOfLimit(rates)}};
    if (kernel->flops)
      entry["flops"] = kernel->flops / n;
    list.push_back(std::move(entry));
  }
  return json::Object{{"runs", runs},
                      {"ms", seconds * 1e3 / n},
                      {"gflops", rates.flops * 1e-9},
                      {"gbytes", rates.bytes * 1e-9},
                      {"kernels", std::move(list)}};
}

/// Returns the first names, and the number of the others.
static std::string summarize(const std::vector<std::string> &nodes) {
  constexpr size_t kShown = 3;
  auto shown = llvm::ArrayRef(nodes).take_front(kShown);
  std::string text = llvm::join(shown, ", ");
  if (nodes.size() > kShown)
    text += ", +" + std::to_string(nodes.size() - kShown);
  return text;
}

void Profile::print(llvm::raw_ostream &os, bool asJSON) const {
  if (asJSON) {
    os << llvm::formatv("{0:2}\n", json::Value(toJSON()));
    return;
  }
  double n = std::max<int64_t>(runs, 1), kernelSeconds = 0;
  bool isShort = seconds / n < 1e-3;
  double unit = isShort ? 1e6 : 1e3;
  StringRef name = isShort ? "us" : "ms";
  os << llvm::formatv("{0} runs of {1:f3} {2}; limit: {3:f0} GFLOP/s in f32, "
                      "{4:f1} GB/s\n",
                      runs, seconds * unit / n, name, rates.flops * 1e-9,
                      rates.bytes * 1e-9);
  os << "       " << name << "      %  calls  GFLOP/s    GB/s  limit  kernel\n";
  auto row = [&](double part, llvm::StringRef rest) {
    os << llvm::formatv("{0,9:f3} {1,6:f1}", part * unit / n,
                        seconds > 0 ? 100 * part / seconds : 0.0)
       << rest << "\n";
  };
  for (const KernelProfile *k : getSorted()) {
    kernelSeconds += k->seconds;
    std::string flops =
        k->flops && k->seconds
            ? llvm::formatv("{0:f1}", k->flops / k->seconds * 1e-9).str()
            : std::string("-");
    // A kernel in a branch does not run each time.
    std::string calls =
        llvm::formatv(k->calls % runs ? "{0:f1}" : "{0:f0}", k->calls / n);
    std::optional<double> limit = k->getShareOfLimit(rates);
    std::string share =
        limit ? llvm::formatv("{0:f0}%", 100 * *limit).str() : "-";
    std::string text = llvm::formatv(
        " {0,6} {1,8} {2,7:f1} {3,6}  {4}", calls, flops,
        k->seconds ? k->bytes / k->seconds * 1e-9 : 0.0, share, k->name);
    for (const std::string &part :
         {k->kind, summarize(k->nodes), k->module, k->place})
      if (!part.empty())
        text += "  " + part;
    row(k->seconds, text);
  }
  row(seconds - kernelSeconds,
      "                                  between kernels");
}

std::string Profile::getTrace() const {
  json::Array events;
  int64_t first = last.empty() ? 0 : last.front().start;
  for (const FXKernelRun &call : last) {
    const KernelProfile &kernel = kernels.at(call.kernel);
    std::string title = kernel.module.empty() || kernel.isFallback()
                            ? summarize(kernel.nodes)
                            : kernel.module;
    events.push_back(
        json::Object{{"name", title.empty() ? kernel.name : title},
                     {"cat", kernel.kind},
                     {"ph", "X"},
                     {"ts", (call.start - first) * 1e-3},
                     {"dur", (call.end - call.start) * 1e-3},
                     {"pid", 1},
                     {"tid", 1},
                     {"args", json::Object{{"kernel", kernel.name},
                                           {"nodes", json::Array(kernel.nodes)},
                                           {"place", kernel.place},
                                           {"bytes", call.bytes},
                                           {"flops", call.flops}}}});
  }
  return llvm::formatv(
      "{0}\n", json::Value(json::Object{{"traceEvents", std::move(events)},
                                        {"displayTimeUnit", "ms"}}));
}
