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
  Option<"rounding", "rounding", "std::string", "\"nearest\"",
         "nearest or gptq">,
  Option<"weightBits", "weight-bits", "unsigned", "8", "8 or 4">,
  Option<"groupSize", "group-size", "int64_t", "0",
         "Elements of a linear layer's row that share a scale; 0: all">,
  Option<"minGain", "min-gain", "double", "0",
         "Matmuls and convolutions stay in float unless integers are estimated to be so many times as fast; 0: always take them">,
  Option<"peak", "peak", "double", "100",
         "GFLOP/s of f32 on one thread, for the estimate of min-gain">,
  Option<"bandwidth", "bandwidth", "double", "20",
         "GB/s of memory, for the estimate of min-gain">,
  Option<"integerRatio", "integer-ratio", "double", "4",
         "How many times as fast contractions compute on bytes as on f32: 4 on CPUs with VNNI (vpdpbusd), 1 on others">,
  ListOption<"ops", "ops", "std::string",
         "Of 'linear', 'conv', 'matmul', 'add', 'pool', 'cat'; default: what the mode can do">,
  ListOption<"skip", "skip", "std::string",
         "Nodes and modules, by name and path, that stay in float">
];

def QuantizePreparePass : Pass<"fx-quantize-prepare", "::mlir::ModuleOp"> {
  let summary = "choose the operators to quantize and the values to observe";
  let description = [{
    Marks the operators of the functional graph @main that can compute on
    integers: matmuls and convolutions with a weight that is the same in all
    runs, matmuls of two activations, and sums, pools and concatenations whose
    results such operators use. In the mode `static` the values that become
    integers get observers. Values that must have the same scale (the operand
    and the result of a maximum pool, the operands of `cat`) share an observer.

    ```mlir
    %y = call_function @aten.linear.default(%x, %w) : ...
    // becomes
    %x = placeholder "x" {fx.observers = array<i64: 0>} : ...
    %y = call_function @aten.linear.default(%x, %w) {fx.quantize = array<i64: 0, 1>} : ...
    ```

    With `min-gain`, the pass estimates the time of each matmul and convolution
    in float and on integers from its operations, its bytes and the quantization
    of its inputs. It is quantized only if the speedup is at least `min-gain`.
    Quantized programs do not depend on a target; `peak`, `bandwidth` and
    `integer-ratio` describe the CPU of the estimate.
    `fx.times` holds both times, in seconds.

    The attribute `fx.float` of an operator is the reason why it stays in float.
    An operator whose operands are already dequantized is not changed.
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
    Runs @main on the interpreter for each sample in the folder `samples`, which
    has files in_<k>.npy as for fx-run, or folders with such files. Sets the
    attribute `fx.ranges` of the graph: minimum and maximum for each observer.

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
  let summary = "quantize the chosen operators";
  let description = [{
    Replaces the operands of each chosen operator by `dequantize_…` calls. The
    integers of an activation come from one `quantize_per_tensor` after its
    definition. A weight becomes states of int8 integers and of scales; the
    float weight is erased if it has no other uses.

    ```mlir
    fx.state @l.weight_q : !fx.tensor<[4, 8], i8> = dense<...>
    fx.state @l.weight_scale : !fx.tensor<[4], f32> = dense<...>
    %q = call_function @quantized_decomposed.quantize_per_tensor.default(%x, 0.1, 128, 0, 255, ui8) : ...
    %d = call_function @quantized_decomposed.dequantize_per_tensor.default(%q, 0.1, 128, 0, 255, ui8) : ...
    %w = call_function @quantized_decomposed.dequantize_per_channel.default(%weight_q, %weight_scale, %zero_point, 0, -127, 127, i8) : ...
    %y = call_function @aten.linear.default(%d, %w) : ...
    ```

    The pass removes the attributes of the earlier steps. A chosen operator
    stays in float if its inputs have no finite range or its weight is not
    finite.
  }];
  let statistics = [
    Statistic<"numLayers", "layers", "Operators that compute on integers">,
    Statistic<"numWeights", "weights", "Weights that became integers">
  ];
}

def QuantizePass : Pass<"fx-quantize", "::mlir::ModuleOp"> {
  let summary = "quantize a model after training";
  let description = [{
    Runs all steps of the tool `fx-quantize`: makes @main functional, folds
    batch norms, prepares, calibrates, keeps layers in float whose
    signal-to-noise ratio alone is below `min-sqnr`, converts, folds constants,
    and compares the result with the float model on the samples.

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
