// REQUIRES: libtorch
// RUN: not fx-opt %s -fx-quantize-convert -split-input-file -o %t 2>&1 | FileCheck %s

// CHECK: error: expected 'fx.quantize' to be operands of an operator that can be quantized
fx.graph @main attributes {functional, fx.quantization = {group_size = 0 : i64, mode = "static", observer = "histogram", per_channel = true, symmetric = false, weight_bits = 8 : i64}} {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %y = call_function @aten.sin.default(%x) {fx.quantize = array<i64: 0>} : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%y) : (!fx.tensor<[2], f32>)
}

// -----

// CHECK: error: expected an activation or the weight as operand to quantize, got operand 2
fx.state @w : !fx.tensor<[2, 2], f32>
fx.state @b : !fx.tensor<[2], f32>
fx.graph @main attributes {functional, fx.quantization = {group_size = 0 : i64, mode = "static", observer = "histogram", per_channel = true, symmetric = false, weight_bits = 8 : i64}} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2, 2], f32>
  %b = placeholder "b" parameter @b : !fx.tensor<[2], f32>
  %x = placeholder "x" : !fx.tensor<[2, 2], f32>
  %y = call_function @aten.linear.default(%x, %w, %b) {fx.quantize = array<i64: 0, 2>} : (!fx.tensor<[2, 2], f32>, !fx.tensor<[2, 2], f32>, !fx.tensor<[2], f32>) -> !fx.tensor<[2, 2], f32>
  output(%y) : (!fx.tensor<[2, 2], f32>)
}

// -----

// CHECK: error: cannot compute the weight: {{.*}}w
fx.state @w : !fx.tensor<[2, 2], f32>
fx.graph @main attributes {functional, fx.quantization = {group_size = 0 : i64, mode = "weight-only", observer = "histogram", per_channel = true, symmetric = false, weight_bits = 8 : i64}} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2, 2], f32>
  %x = placeholder "x" : !fx.tensor<[2, 2], f32>
  %y = call_function @aten.linear.default(%x, %w) {fx.quantize = array<i64: 1>} : (!fx.tensor<[2, 2], f32>, !fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  output(%y) : (!fx.tensor<[2, 2], f32>)
}

// -----

// CHECK: error: expected a weight with rows of groups of 4 elements, got '!fx.tensor<[2, 2], f32>'
fx.state @w : !fx.tensor<[2, 2], f32>
fx.graph @main attributes {functional, fx.quantization = {group_size = 4 : i64, mode = "weight-only", observer = "histogram", per_channel = true, symmetric = false, weight_bits = 8 : i64}} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2, 2], f32>
  %x = placeholder "x" : !fx.tensor<[2, 2], f32>
  %y = call_function @aten.linear.default(%x, %w) {fx.quantize = array<i64: 1>} : (!fx.tensor<[2, 2], f32>, !fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  output(%y) : (!fx.tensor<[2, 2], f32>)
}

// -----

// CHECK: error: expected operands of f32, got '!fx.tensor<[2, 2], f16>'
fx.state @w : !fx.tensor<[2, 2], f16>
fx.graph @main attributes {functional, fx.quantization = {group_size = 0 : i64, mode = "weight-only", observer = "histogram", per_channel = true, symmetric = false, weight_bits = 8 : i64}} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2, 2], f16>
  %x = placeholder "x" : !fx.tensor<[2, 2], f16>
  %y = call_function @aten.linear.default(%x, %w) {fx.quantize = array<i64: 1>} : (!fx.tensor<[2, 2], f16>, !fx.tensor<[2, 2], f16>) -> !fx.tensor<[2, 2], f16>
  output(%y) : (!fx.tensor<[2, 2], f16>)
}
