//===- Quantize.h - post-training quantization ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The three steps of quantization after training, on the graph @main:
//
//   prepare    chooses the operators that compute on integers, and the values
//              to watch for that;
//   calibrate  runs the graph on samples and records the ranges of these
//   values; convert    puts quantized_decomposed operators around the chosen
//   ones and
//              integers in the place of their weights.
//
// What is left is PyTorch's own form of a quantized program (pt2e). Between the
// steps, discardable attributes carry what is known:
//
//   on a graph   fx.quantization, the settings; fx.ranges, [min, max] for each
//                observer: inf, -inf where no finite value was seen
//   on a node    fx.observers, the observer of each result, -1 for none;
//                fx.quantize, the operands of a chosen operator that become
//                integers; fx.float, why an operator is none of them;
//                fx.times, the estimated seconds in floats and on integers
//
//===----------------------------------------------------------------------===//

#ifndef FX_QUANTIZE_QUANTIZE_H
#define FX_QUANTIZE_QUANTIZE_H

#include "fx/IR/FXDialect.h"
#include "fx/Quantize/Observer.h"
#include "fx/Support/HostTensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace fx {

/// Contractions first.
enum class LayerKind { Linear, Conv, MatMul, Add, Pool, Cat };
inline constexpr LayerKind kAllLayerKinds[] = {
    LayerKind::Linear, LayerKind::Conv, LayerKind::MatMul,
    LayerKind::Add,    LayerKind::Pool, LayerKind::Cat};
/// "linear", "conv", "matmul", "add", "pool", "cat".
llvm::StringRef getName(LayerKind kind);
std::optional<LayerKind> getLayerKind(llvm::StringRef name);

struct QuantizationConfig {
  enum class Mode {
    Static,    ///< activations with scales from samples
    Dynamic,   ///< activations with scales from each run; linear layers only
    WeightOnly ///< weights alone
  };
  Mode mode = Mode::Static;
  ObserverKind observer = ObserverKind::Histogram;
  /// Activations are int8 around 0; else uint8 with a zero point.
  bool symmetric = false;
  /// A scale for each output channel of a weight, else one.
  bool perChannel = true;
  /// 8 or 4; both lie in int8.
  unsigned weightBits = 8;
  /// Elements of a linear layer's row that share a scale; 0: all.
  int64_t groupSize = 0;
  /// Empty: what the mode can do.
  llvm::SmallVector<LayerKind> kinds;
  /// A matmul or convolution stays in float unless integers are estimated to
  /// be so many times as fast; 0: whatever they take.
  double minGain = 0;
  /// Nodes, and paths of modules, that stay in float, and why.
  llvm::StringMap<std::string> skip;

  bool takes(LayerKind kind) const;
  /// An error where settings exclude each other.
  llvm::Error check() const;

  mlir::DictionaryAttr toAttr(mlir::MLIRContext *context) const;
  /// Without `kinds`, `minGain` and `skip`, which only prepare needs.
  static std::optional<QuantizationConfig> fromAttr(mlir::Attribute attr);
};

/// "static", "dynamic", "weight-only".
llvm::StringRef getName(QuantizationConfig::Mode mode);
std::optional<QuantizationConfig::Mode>
getQuantizationMode(llvm::StringRef name);

/// Settings as users write them.
struct QuantizationSettings {
  std::string mode = "static", observer = "histogram";
  bool symmetric = false, perTensor = false;
  unsigned weightBits = 8;
  int64_t groupSize = 0;
  double minGain = 0;
  std::vector<std::string> ops, skip;
};
/// An error names what is expected in place of a setting.
llvm::Expected<QuantizationConfig>
makeConfig(const QuantizationSettings &settings);

/// Marks what to quantize and to observe in a functional graph; what it held of
/// marks before is gone. The number of layers marked.
unsigned prepareQuantization(GraphOp graph, const QuantizationConfig &config);

/// Removes all marks.
void clearQuantizationMarks(GraphOp graph);

/// Runs the module on the samples in `folder` (files in_<k>.npy as for fx-run,
/// or folders of such), at most `maxSamples` unless that is 0, and records the
/// ranges in @main. The number of samples.
llvm::Expected<unsigned> calibrate(mlir::ModuleOp module,
                                   llvm::StringRef folder, unsigned maxSamples);

struct ConvertCounts {
  unsigned layers = 0, weights = 0;
  /// Bytes of the float weights, and of the states that replace them: integers,
  /// scales and zero points.
  uint64_t bytesBefore = 0, bytesAfter = 0;
};

/// Puts integers in the place of what is marked. Fails after an error.
mlir::FailureOr<ConvertCounts> convertQuantized(mlir::ModuleOp module);

/// As `convertQuantized`, but each layer stays beside a copy that computes on
/// integers made from the float values: what that copy gets wrong is the
/// layer's own error. The copy of a layer with the attribute `fx.layer` has
/// that as `fx.shadow`.
mlir::FailureOr<ConvertCounts> convertToShadows(mlir::ModuleOp module);

/// 10 log10(sum x^2 / sum (x - y)^2), over all samples, where x is not NaN.
struct SignalToNoise {
  double signal = 0, noise = 0;
  void add(const HostTensor &want, const HostTensor &got);
  /// Infinite without noise; -infinite without signal; NaN without both.
  double getDecibels() const;
};

struct LayerReport {
  std::string node, target, module;
  bool quantized = false;
  /// Why not.
  std::string reason;
  /// The layer's own error; the error of its result in the quantized model.
  SignalToNoise own, total;
  /// Estimated microseconds in floats and on integers, where there are any.
  std::optional<std::pair<double, double>> micros;
};

struct QuantizationReport {
  QuantizationConfig config;
  unsigned samples = 0;
  std::vector<LayerReport> layers;
  /// Of the model, by its flattened outputs.
  std::vector<SignalToNoise> outputs;
  ConvertCounts counts;

  void print(llvm::raw_ostream &os) const;
  llvm::json::Object toJSON() const;
};

struct QuantizeOptions {
  QuantizationConfig config;
  /// May be empty where the mode needs no samples.
  std::string samples;
  unsigned maxSamples = 0;
  /// A layer whose own signal-to-noise ratio (in dB) is lower stays in float.
  double minSQNR = 0;
};

/// All of it, on a functional graph @main with its batch norms folded:
/// prepares, calibrates, keeps in float what loses too much, converts, and
/// compares with the float model on the samples. Fails after an error.
mlir::FailureOr<QuantizationReport> quantize(mlir::ModuleOp module,
                                             const QuantizeOptions &options);

/// Removes inputs of @main that are fed by states and that nothing uses, and
/// these states: what is left of norms and float weights.
void eraseUnusedStates(mlir::ModuleOp module);

/// What the tool fx-quantize does.
struct QuantizeFileOptions {
  /// An archive, or a module of the fx dialect (`.mlir`); the model of it.
  std::string input, model;
  /// The archive to write.
  std::string output;
  /// Where the JSON report goes; empty for none.
  std::string report;
  QuantizeOptions quantize;
};

/// Quantizes a file. The output appears whole or not at all.
llvm::Expected<QuantizationReport>
quantizeFile(const QuantizeFileOptions &options);

} // namespace fx

#endif // FX_QUANTIZE_QUANTIZE_H
