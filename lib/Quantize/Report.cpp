//===- Report.cpp - what a quantization did -------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Quantize/Quantize.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace fx;
using llvm::StringRef;

/// Returns the text for infinite decibels: "exact" if there is no noise, "-inf"
/// if there is only noise.
static const char *infinityToText(double value) {
  return value > 0 ? "exact" : "-inf";
}

/// Formats decibels. Returns "-" if nothing was measured.
static std::string toText(const SignalToNoise &ratio) {
  double value = ratio.getDecibels();
  if (std::isnan(value))
    return "-";
  return std::isinf(value) ? infinityToText(value)
                           : llvm::formatv("{0:F1}", value).str();
}

static llvm::json::Value toJSON(const SignalToNoise &ratio) {
  double value = ratio.getDecibels();
  if (std::isnan(value))
    return nullptr;
  // JSON has no infinity.
  if (std::isinf(value))
    return infinityToText(value);
  return value;
}

void QuantizationReport::print(llvm::raw_ostream &os) const {
  std::vector<std::vector<std::string>> rows = {
      {"node", "operator", "module", "own dB", "dB", "float us", "int us", ""}};
  unsigned quantized = 0;
  for (const LayerReport &layer : layers) {
    quantized += layer.quantized;
    auto toMicros = [](double v) { return llvm::formatv("{0:F2}", v).str(); };
    std::string first = "-", second = "-";
    if (layer.micros) {
      first = toMicros(layer.micros->first);
      second = toMicros(layer.micros->second);
    }
    rows.push_back({layer.node, layer.target, layer.module, toText(layer.own),
                    toText(layer.total), first, second,
                    layer.quantized ? "" : "float: " + layer.reason});
  }
  std::vector<size_t> widths(rows.front().size());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      bool isNumber = i >= 3 && i <= 6;
      std::string pad(widths[i] - row[i].size(), ' ');
      line += (isNumber ? pad + row[i] : row[i] + pad) + "  ";
    }
    os << StringRef(line).rtrim() << '\n';
  }
  os << quantized << " of " << layers.size() << " layers quantized, " << samples
     << " samples; weights " << counts.bytesBefore << " -> "
     << counts.bytesAfter << " bytes\n";
  for (auto [i, output] : llvm::enumerate(outputs))
    os << "output " << i << ": " << toText(output) << " dB\n";
}

llvm::json::Object QuantizationReport::toJSON() const {
  llvm::json::Array list, results;
  for (const LayerReport &layer : layers)
    list.push_back(llvm::json::Object{{"node", layer.node},
                                      {"target", layer.target},
                                      {"module", layer.module},
                                      {"quantized", layer.quantized},
                                      {"reason", layer.reason},
                                      {"own_sqnr_db", ::toJSON(layer.own)},
                                      {"sqnr_db", ::toJSON(layer.total)}});
  for (auto [entry, layer] : llvm::zip(list, layers))
    if (layer.micros) {
      (*entry.getAsObject())["float_us"] = layer.micros->first;
      (*entry.getAsObject())["integer_us"] = layer.micros->second;
    }
  for (const SignalToNoise &output : outputs)
    results.push_back(llvm::json::Object{{"sqnr_db", ::toJSON(output)}});
  return llvm::json::Object{
      {"mode", getName(config.mode)},
      {"observer", getName(config.observer)},
      {"symmetric", config.symmetric},
      {"per_channel", config.perChannel},
      {"weight_bits", int64_t(config.weightBits)},
      {"group_size", config.groupSize},
      {"min_gain", config.minGain},
      {"samples", int64_t(samples)},
      {"weight_bytes_before", int64_t(counts.bytesBefore)},
      {"weight_bytes", int64_t(counts.bytesAfter)},
      {"layers", std::move(list)},
      {"outputs", std::move(results)}};
}
