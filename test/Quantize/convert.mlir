// REQUIRES: libtorch
// RUN: fx-opt %s -fx-quantize-convert -split-input-file | FileCheck %s
// RUN: fx-opt %s -fx-quantize-convert -split-input-file | fx-opt -split-input-file -fx-shape-prop -verify-roundtrip


// Rows of -1, 2 and of 0, 4 have the scales 2/127 and 4/127. The range [-1, 3]
// has the scale 4/255 and the zero point 64.
// CHECK-NOT: fx.state @l.weight :
// CHECK-DAG: fx.state @l.weight_q : !fx.tensor<[2, 2], i8> = dense<[192, 127, 0, 127]> : tensor<4xui8>
// CHECK-DAG: fx.state @l.weight_scale : !fx.tensor<[2], f32> = dense<[4, 2, 129, 60, 4, 2, 1, 61]>
// CHECK-DAG: fx.state @l.weight_zero_point : !fx.tensor<[2], i64> = dense<0>
// CHECK-LABEL: fx.graph @main
// CHECK-NOT: fx.quantization
// CHECK-NOT: fx.ranges
// CHECK-NEXT: %[[Q:.*]] = placeholder "b_l_weight_q" buffer @l.weight_q
// CHECK-NEXT: %[[S:.*]] = placeholder "b_l_weight_scale" buffer @l.weight_scale
// CHECK-NEXT: %[[Z:.*]] = placeholder "b_l_weight_zero_point" buffer @l.weight_zero_point
// CHECK-NEXT: %x = placeholder "x" : !fx.tensor
// CHECK-NEXT: %[[X:.*]] = call_function @quantized_decomposed.quantize_per_tensor.default(%x, 0.0156862{{[0-9]*}}, 64, 0, 255, ui8) : (!fx.tensor<[s0, 2], f32>) -> !fx.tensor<[s0, 2], ui8>
// CHECK-NEXT: %[[D:.*]] = call_function @quantized_decomposed.dequantize_per_tensor.default(%[[X]], 0.0156862{{[0-9]*}}, 64, 0, 255, ui8) : (!fx.tensor<[s0, 2], ui8>) -> !fx.tensor<[s0, 2], f32>
// CHECK-NEXT: %[[W:.*]] = call_function @quantized_decomposed.dequantize_per_channel.default(%[[Q]], %[[S]], %[[Z]], 0, -127, 127, i8)
// CHECK-NEXT: %y = call_function @aten.linear.default(%[[D]], %[[W]]) : (!fx.tensor<[s0, 2], f32>, !fx.tensor<[2, 2], f32>) -> !fx.tensor<[s0, 2], f32>
// A second user has its own dequantize nodes of the same integers.
// CHECK: %[[D2:.*]] = call_function @quantized_decomposed.dequantize_per_tensor.default(%[[X]],
// CHECK: %[[W2:.*]] = call_function @quantized_decomposed.dequantize_per_channel.default(%[[Q]],
// CHECK: %z = call_function @aten.linear.default(%[[D2]], %[[W2]])
fx.state @l.weight : !fx.tensor<[2, 2], f32> = dense<[0, 0, 128, 191, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 128, 64]> : tensor<16xui8>
fx.graph @main symbols [s0 in [1, 64]] attributes {functional, fx.quantization = {group_size = 0 : i64, mode = "static", observer = "histogram", per_channel = true, symmetric = false, weight_bits = 8 : i64}, fx.ranges = array<f64: -1.0, 3.0>} {
  %w = placeholder "w" parameter @l.weight : !fx.tensor<[2, 2], f32>
  %x = placeholder "x" {fx.observers = array<i64: 0>} : !fx.tensor<[s0, 2], f32>
  %y = call_function @aten.linear.default(%x, %w) {fx.quantize = array<i64: 0, 1>} : (!fx.tensor<[s0, 2], f32>, !fx.tensor<[2, 2], f32>) -> !fx.tensor<[s0, 2], f32>
  %z = call_function @aten.linear.default(%x, %w) {fx.quantize = array<i64: 0, 1>} : (!fx.tensor<[s0, 2], f32>, !fx.tensor<[2, 2], f32>) -> !fx.tensor<[s0, 2], f32>
  output(%y, %z) : (!fx.tensor<[s0, 2], f32>, !fx.tensor<[s0, 2], f32>)
}

// -----

// Activations are quantized symmetrically to int8 in each run. The weight is a
// transposed state with int4 groups of two: the scales are 2/7 and 4/7, rounded
// to f16.
// CHECK-DAG: fx.state @w_q : !fx.tensor<[2, 4], i8> = dense<[252, 7, 0, 7, 0, 7, 249, 2]> : tensor<8xui8>
// CHECK-DAG: fx.state @w_scale : !fx.tensor<[2, 2], f16>
// CHECK-LABEL: fx.graph @main
// CHECK: %choose_qparams_scale, %choose_qparams_zero_point = call_function @quantized_decomposed.choose_qparams_symmetric.tensor(%x, -128, 127, 1.1920928955078125{{(E|e)}}-{{0?}}7, i8) : (!fx.tensor<[2, 4], f32>) -> (!fx.tensor<[1], f64>, !fx.tensor<[1], i64>)
// CHECK: %[[X:.*]] = call_function @quantized_decomposed.quantize_per_tensor.tensor(%x, %choose_qparams_scale, %choose_qparams_zero_point, -128, 127, i8)
// CHECK: %[[D:.*]] = call_function @quantized_decomposed.dequantize_per_tensor.tensor(%[[X]], %choose_qparams_scale, %choose_qparams_zero_point, -128, 127, i8)
// CHECK: %[[S:.*]] = call_function @aten.to.dtype(%b_w_scale, f32)
// CHECK: %[[W:.*]] = call_function @quantized_decomposed.dequantize_per_channel_group.default({{.*}}, %[[S]], {{.*}}, -7, 7, i8, 2, f32)
// CHECK: %[[T:.*]] = call_function @aten.t.default(%[[W]])
// CHECK: %y = call_function @aten.mm.default(%[[D]], %[[T]])
fx.state @w : !fx.tensor<[2, 4], f32> = dense<[0, 0, 128, 191, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 128, 64, 0, 0, 0, 0, 0, 0, 128, 64, 0, 0, 0, 192, 0, 0, 0, 63]> : tensor<32xui8>
fx.graph @main attributes {functional, fx.quantization = {group_size = 2 : i64, mode = "dynamic", observer = "histogram", per_channel = true, symmetric = true, weight_bits = 4 : i64}} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2, 4], f32>
  %x = placeholder "x" : !fx.tensor<[2, 4], f32>
  %t = call_function @aten.t.default(%w) : (!fx.tensor<[2, 4], f32>) -> !fx.tensor<[4, 2], f32>
  %y = call_function @aten.mm.default(%x, %t) {fx.quantize = array<i64: 0, 1>} : (!fx.tensor<[2, 4], f32>, !fx.tensor<[4, 2], f32>) -> !fx.tensor<[2, 2], f32>
  output(%y) : (!fx.tensor<[2, 2], f32>)
}

// -----

// One scale for the weight, which is computed from a state. The layer whose
// input has no finite range is not quantized, so the float weight that it
// shares stays.
// CHECK-DAG: fx.state @w :
// CHECK-DAG: fx.state @w_q :
// CHECK-NOT: fx.state @w_scale
// CHECK-LABEL: fx.graph @main
// CHECK: %[[W:.*]] = call_function @quantized_decomposed.dequantize_per_tensor.default(%b_w_q, 0.0314960{{[0-9]*}}, 0, -127, 127, i8)
// CHECK: %y = call_function @aten.linear.default(%{{.*}}, %[[W]])
// CHECK: %z = call_function @aten.linear.default(%y, %n)
fx.state @w : !fx.tensor<[2, 2], f32> = dense<[0, 0, 128, 191, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 128, 64]> : tensor<16xui8>
fx.graph @main attributes {functional, fx.quantization = {group_size = 0 : i64, mode = "static", observer = "min-max", per_channel = false, symmetric = false, weight_bits = 8 : i64}, fx.ranges = array<f64: 0.0, 1.0, 0x7FF0000000000000, 0xFFF0000000000000>} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2, 2], f32>
  %x = placeholder "x" {fx.observers = array<i64: 0>} : !fx.tensor<[2, 2], f32>
  %n = call_function @aten.neg.default(%w) : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  %y = call_function @aten.linear.default(%x, %n) {fx.observers = array<i64: 1>, fx.quantize = array<i64: 0, 1>} : (!fx.tensor<[2, 2], f32>, !fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  %z = call_function @aten.linear.default(%y, %n) {fx.quantize = array<i64: 0, 1>} : (!fx.tensor<[2, 2], f32>, !fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  output(%z) : (!fx.tensor<[2, 2], f32>)
}
