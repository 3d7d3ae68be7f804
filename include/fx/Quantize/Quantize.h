//===- Quantize.h - post-training quantization ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The three steps of post-training quantization, on the graph @main:
//
//   prepare:   chooses the operators that compute on integers, and the values
//              to observe
//   calibrate: runs the graph on samples and records the ranges of the observed
//              values
//   convert:   adds quantized_decomposed operators before and after the chosen
//              operators, and replaces their weights by integers
//
// The result has the form of PyTorch's quantized programs (pt2e). Discardable
// attributes hold the state between the steps. On the graph:
//
//   fx.quantization: the configuration
//   fx.ranges:       [min, max] for each observer; [inf, -inf] if it observed
//                    no finite value
//
// On a node:
//
//   fx.observers: the observer of each result; -1 for none
//   fx.quantize:  the operands of a chosen operator that become integers
//   fx.float:     the reason why an operator stays in float
//   fx.times:     the estimated seconds in float and on integers
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

/// The kinds of operators that can be quantized, contractions first.
enum class LayerKind { Linear, Conv, MatMul, Add, Pool, Cat };
inline constexpr LayerKind kAllLayerKinds[] = {
    LayerKind::Linear, LayerKind::Conv, LayerKind::MatMul,
    LayerKind::Add,    LayerKind::Pool, LayerKind::Cat};
/// Returns "linear", "conv", "matmul", "add", "pool" or "cat".
llvm::StringRef getName(LayerKind kind);
std::optional<LayerKind> getLayerKind(llvm::StringRef name);

/// The CPU for which `minGain` compares times. Quantization does not depend on
/// a target, so the user describes it.
struct CPURates {
  double peak = 100;     ///< f32 operations of one thread, in GFLOP/s
  double bandwidth = 20; ///< of the memory, in GB/s
  /// The rate of operations on bytes in a contraction, relative to f32. An
  /// instruction with vpdpbusd multiplies four times as many elements; without
  /// it, each byte takes as long as an f32.
  double integerRatio = 4;
};

struct QuantizationConfig {
  enum class Mode {
    Static,    ///< activations have scales from samples
    Dynamic,   ///< activations have scales from each run; linear layers only
    WeightOnly ///< only weights are quantized
  };
  Mode mode = Mode::Static;
  ObserverKind observer = ObserverKind::Histogram;
  /// Activations are int8 with zero point 0; else uint8 with a zero point.
  bool symmetric = false;
  /// A weight has one scale for each output channel; else one scale.
  bool perChannel = true;
  /// 8 or 4; both are stored as int8.
  unsigned weightBits = 8;
  /// The number of elements of a linear layer's row that share a scale; 0: all.
  int64_t groupSize = 0;
  /// How the weights of linear layers are rounded: to the nearest integer, or
  /// so that later elements of a row compensate the errors of earlier ones,
  /// which needs samples.
  enum class Rounding { Nearest, Gptq };
  Rounding rounding = Rounding::Nearest;
  /// The kinds to quantize; empty: all kinds that the mode supports.
  llvm::SmallVector<LayerKind> kinds;
  /// The least estimated speedup by integers for which a matmul or convolution
  /// is quantized; 0: always quantize.
  double minGain = 0;
  /// The rates of these estimates.
  CPURates rates;
  /// Nodes and module paths that stay in float, with the reason.
  llvm::StringMap<std::string> skip;

  /// Returns true if operators of `kind` are quantized.
  bool takes(LayerKind kind) const;
  /// Returns an error if settings exclude each other.
  llvm::Error check() const;

  mlir::DictionaryAttr toAttr(mlir::MLIRContext *context) const;
  /// Parses the attribute of `toAttr`. The result has no `kinds`, `minGain`,
  /// `rates` and `skip`, which only prepare needs.
  static std::optional<QuantizationConfig> fromAttr(mlir::Attribute attr);
};

/// Returns "static", "dynamic" or "weight-only".
llvm::StringRef getName(QuantizationConfig::Mode mode);
llvm::StringRef getName(QuantizationConfig::Rounding rounding);
std::optional<QuantizationConfig::Rounding>
getQuantizationRounding(llvm::StringRef name);
std::optional<QuantizationConfig::Mode>
getQuantizationMode(llvm::StringRef name);

/// The settings of a user, as text.
struct QuantizationSettings {
  std::string mode = "static", observer = "histogram", rounding = "nearest";
  bool symmetric = false, perTensor = false;
  unsigned weightBits = 8;
  int64_t groupSize = 0;
  double minGain = 0;
  CPURates rates;
  std::vector<std::string> ops, skip;
};
/// Converts settings to a configuration. An error tells what is expected
/// instead of an invalid setting.
llvm::Expected<QuantizationConfig>
makeConfig(const QuantizationSettings &settings);

/// Sets the attributes of the operators to quantize and of the values to
/// observe in a functional graph. Removes earlier attributes. Returns the
/// number of operators to quantize.
unsigned prepareQuantization(GraphOp graph, const QuantizationConfig &config);

/// Removes the attributes that `prepareQuantization` sets.
void clearQuantizationMarks(GraphOp graph);

/// Runs the module on the samples in `folder` and records the ranges in @main.
/// `folder` has files in_<k>.npy as for fx-run, or folders with such files.
/// Runs at most `maxSamples` samples; 0: all. Returns the number of samples.
llvm::Expected<unsigned> calibrate(mlir::ModuleOp module,
                                   llvm::StringRef folder, unsigned maxSamples);

struct ConvertCounts {
  unsigned layers = 0, weights = 0;
  /// The bytes of the float weights, and of the states that replace them:
  /// integers, scales and zero points.
  uint64_t bytesBefore = 0, bytesAfter = 0;
};

struct InputMoments;

/// Quantizes the operators that `prepareQuantization` chose. The rounding
/// `Gptq` needs the moments of the inputs. Fails after emitting an error.
mlir::FailureOr<ConvertCounts>
convertQuantized(mlir::ModuleOp module, const InputMoments *moments = nullptr);

/// As `convertQuantized`, but keeps each layer and adds a quantized copy of it
/// that computes from the float values. The difference of the two results is
/// the error of this layer alone. The copy of a layer with the attribute
/// `fx.layer` has the same value as the attribute `fx.shadow`.
mlir::FailureOr<ConvertCounts>
convertToShadows(mlir::ModuleOp module, const InputMoments *moments = nullptr);

/// The signal-to-noise ratio 10 log10(sum x^2 / sum (x - y)^2) over all samples
/// of the values x in float and y in the quantized model, where x is not NaN.
struct SignalToNoise {
  double signal = 0, noise = 0;
  void add(const HostTensor &want, const HostTensor &got);
  /// Returns the ratio in dB: infinity without noise, -infinity without signal,
  /// NaN without both.
  double getDecibels() const;
};

struct LayerReport {
  std::string node, target, module;
  bool quantized = false;
  /// The reason why the layer is not quantized; empty if it is.
  std::string reason;
  /// The error of the layer alone, and the error of its result in the quantized
  /// model.
  SignalToNoise own, total;
  /// The estimated microseconds in float and on integers, if there are
  /// estimates.
  std::optional<std::pair<double, double>> micros;
};

struct QuantizationReport {
  QuantizationConfig config;
  unsigned samples = 0;
  std::vector<LayerReport> layers;
  /// The errors of the flattened outputs of the model.
  std::vector<SignalToNoise> outputs;
  ConvertCounts counts;

  void print(llvm::raw_ostream &os) const;
  llvm::json::Object toJSON() const;
};

struct QuantizeOptions {
  QuantizationConfig config;
  /// The folder of samples; may be empty if the mode needs no samples.
  std::string samples;
  /// The maximum number of samples; 0: all.
  unsigned maxSamples = 0;
  /// A layer stays in float if `LayerReport::own` is less than this, in dB.
  double minSQNR = 0;
};

/// Runs all steps on a functional graph @main whose batch norms are folded:
/// prepares, calibrates, keeps layers with a large error in float, converts,
/// and compares the result with the float model on the samples. Fails after
/// emitting an error.
mlir::FailureOr<QuantizationReport> quantize(mlir::ModuleOp module,
                                             const QuantizeOptions &options);

/// Removes unused inputs of @main that are states, and these states. They are
/// the states of folded norms and of float weights.
void eraseUnusedStates(mlir::ModuleOp module);

/// The options of the tool fx-quantize.
struct QuantizeFileOptions {
  /// An archive or a module of the fx dialect (`.mlir`), and the name of the
  /// model in the archive.
  std::string input, model;
  /// The archive to write.
  std::string output;
  /// The path of the JSON report; empty: no report.
  std::string report;
  QuantizeOptions quantize;
  /// Remove unfinished files at signals: for tools only.
  bool handlesSignals = false;
};

/// Quantizes a file. On failure no output is written.
llvm::Expected<QuantizationReport>
quantizeFile(const QuantizeFileOptions &options);

} // namespace fx

#endif // FX_QUANTIZE_QUANTIZE_H
