//===- Passes.td - quantization ----------------------------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_QUANTIZE_PASSES_TD
#define FX_QUANTIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

defvar quantizationSettings = [
  Option<"mode", "mode", "std::string", "\"static\"",
         "'static': activations with scales from samples; 'dynamic': with scales from each run; 'weight-only'">,
  Option<"observer", "observer", "std::string", "\"histogram\"",
         "How ranges are found: 'min-max', 'moving-average', 'histogram' or 'kl'">,
  Option<"symmetric", "symmetric", "bool", "false",
         "Activations are int8 around 0, not uint8 with a zero point">,
  Option<"perTensor", "per-tensor", "bool", "false",
         "Weights have one scale each, not one a channel">,
  Option<"weightBits", "weight-bits", "unsigned", "8", "8 or 4">,
  Option<"groupSize", "group-size", "int64_t", "0",
         "Elements of a linear layer's row that share a scale; 0: all">,
  Option<"minGain", "min-gain", "double", "0",
         "Matmuls and convolutions stay in float unless integers are estimated to be so many times as fast; 0: always take them">,
  ListOption<"ops", "ops", "std::string",
         "Of 'linear', 'conv', 'matmul', 'add', 'pool', 'cat'; default: what the mode can do">,
  ListOption<"skip", "skip", "std::string",
         "Nodes and modules, by name and path, that stay in float">
];

def QuantizePreparePass : Pass<"fx-quantize-prepare", "::mlir::ModuleOp"> {
  let summary = "choose what to quantize and what to observe for that";
  let description = [{
    Marks in the functional graph @main the operators that can compute on
    integers: matmuls and convolutions with a weight that is the same in all
    runs, matmuls of two activations, and sums, pools and concatenations whose
    results such operators use. In the mode `static` the values
    that become integers get observers. Values that must have one scale (what a
    maximum pool takes and gives, what `cat` joins) share one.

    ```mlir
    %y = call_function @aten.linear.default(%x, %w) : ...
    // becomes
    %x = placeholder "x" {fx.observers = array<i64: 0>} : ...
    %y = call_function @aten.linear.default(%x, %w) {fx.quantize = array<i64: 0, 1>} : ...
    ```

    With `min-gain` the time of each matmul and convolution is estimated, from
    its operations, its bytes and what quantizes its inputs; one that integers
    make no faster stays in float. `fx.times` has both times, in seconds.

    An operator that stays in float says why in `fx.float`. One whose operands
    are dequantized already stays as it is.
  }];
  let options = quantizationSettings;
  let statistics = [
    Statistic<"numLayers", "layers", "Operators chosen">,
    Statistic<"numFloat", "float", "Operators that stay in float">
  ];
}

def QuantizeCalibratePass : Pass<"fx-quantize-calibrate", "::mlir::ModuleOp"> {
  let summary = "record the ranges of observed values on samples";
  let description = [{
    Runs @main on the interpreter for each sample: a folder with files
    in_<k>.npy, as fx-run takes them, or folders of such in `samples`. Sets
    `fx.ranges` of the graph: minimum and maximum for each observer.

    ```mlir
    fx.graph @main attributes {functional, fx.ranges = array<f64: -1.0, 2.0>, ...}
    ```
  }];
  let options = [
    Option<"samples", "samples", "std::string", "", "The folder of samples">,
    Option<"maxSamples", "max-samples", "unsigned", "0",
           "Use the first ones only; 0: all">
  ];
  let statistics = [Statistic<"numSamples", "samples", "Samples run">];
}

def QuantizeConvertPass : Pass<"fx-quantize-convert", "::mlir::ModuleOp"> {
  let summary = "put integers where they were chosen";
  let description = [{
    Each chosen operator gets its operands from `dequantize_…` calls. An
    activation's integers come from one `quantize_per_tensor` behind it; a
    weight becomes states of int8 with scales, and its floats go where nothing
    else uses them.

    ```mlir
    fx.state @l.weight_q : !fx.tensor<[4, 8], i8> = dense<...>
    fx.state @l.weight_scale : !fx.tensor<[4], f32> = dense<...>
    %q = call_function @quantized_decomposed.quantize_per_tensor.default(%x, 0.1, 128, 0, 255, ui8) : ...
    %d = call_function @quantized_decomposed.dequantize_per_tensor.default(%q, 0.1, 128, 0, 255, ui8) : ...
    %w = call_function @quantized_decomposed.dequantize_per_channel.default(%weight_q, %weight_scale, %zero_point, 0, -127, 127, i8) : ...
    %y = call_function @aten.linear.default(%d, %w) : ...
    ```

    The marks of the steps before are removed. A marked operator whose inputs
    have no finite range, or whose weight is not finite, stays in float.
  }];
  let statistics = [
    Statistic<"numLayers", "layers", "Operators that compute on integers">,
    Statistic<"numWeights", "weights", "Weights that became integers">
  ];
}

def QuantizePass : Pass<"fx-quantize", "::mlir::ModuleOp"> {
  let summary = "quantize a model after training";
  let description = [{
    All that is needed, as the tool `fx-quantize` does it: makes @main
    functional, folds batch norms, prepares, calibrates, keeps in float the
    layers whose own signal-to-noise ratio is below `min-sqnr`, converts, folds
    constants, and compares the result with the float model on the samples.

    ```mlir
    %y = call_function @aten.linear.default(%x, %w) : ...
    // becomes
    %q = call_function @quantized_decomposed.quantize_per_tensor.default(%x, ...) : ...
    %d = call_function @quantized_decomposed.dequantize_per_tensor.default(%q, ...) : ...
    %y = call_function @aten.linear.default(%d, %dequantized) : ...
    ```
  }];
  let options = !listconcat(quantizationSettings, [
    Option<"samples", "samples", "std::string", "", "The folder of samples">,
    Option<"maxSamples", "max-samples", "unsigned", "0",
           "Use the first ones only; 0: all">,
    Option<"minSQNR", "min-sqnr", "double", "0",
           "Layers with a signal-to-noise ratio below this, in dB, stay in float">,
    Option<"report", "report", "std::string", "", "Write a JSON report here">
  ]);
  let statistics = [
    Statistic<"numLayers", "layers", "Operators that compute on integers">,
    Statistic<"numWeights", "weights", "Weights that became integers">
  ];
}

#endif // FX_QUANTIZE_PASSES_TD
