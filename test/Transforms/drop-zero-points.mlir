// RUN: fx-opt %s -fx-drop-zero-points -split-input-file | FileCheck %s

fx.state @q : !fx.tensor<[2, 4], i8> = dense<1> : tensor<8xui8>
fx.state @s : !fx.tensor<[2], f32> = dense<1> : tensor<8xui8>
fx.state @g : !fx.tensor<[2, 2], f32> = dense<1> : tensor<16xui8>
fx.state @zeros : !fx.tensor<[2], i64> = dense<0> : tensor<16xui8>
fx.state @ones : !fx.tensor<[2], i64> = dense<1> : tensor<16xui8>
fx.state @unknown : !fx.tensor<[2], i64>
// CHECK-LABEL: fx.graph @main
fx.graph @main attributes {functional} {
  %q = placeholder "q" buffer @q : !fx.tensor<[2, 4], i8>
  %s = placeholder "s" buffer @s : !fx.tensor<[2], f32>
  %g = placeholder "g" buffer @g : !fx.tensor<[2, 2], f32>
  %zeros = placeholder "zeros" buffer @zeros : !fx.tensor<[2], i64>
  %ones = placeholder "ones" buffer @ones : !fx.tensor<[2], i64>
  %unknown = placeholder "unknown" buffer @unknown : !fx.tensor<[2], i64>
  %input = placeholder "input" : !fx.tensor<[2], i64>
  // CHECK: dequantize_per_channel.default(%q, %s, None, 0, -128, 127, i8)
  %a = call_function @quantized_decomposed.dequantize_per_channel.default(%q, %s, %zeros, 0, -128, 127, i8) : (!fx.tensor<[2, 4], i8>, !fx.tensor<[2], f32>, !fx.tensor<[2], i64>) -> !fx.tensor<[2, 4], f32>
  // CHECK: dequantize_per_channel_group.default(%q, %g, None, -128, 127, i8, 2, f32)
  %b = call_function @quantized_decomposed.dequantize_per_channel_group.default(%q, %g, %zeros, -128, 127, i8, 2, f32) : (!fx.tensor<[2, 4], i8>, !fx.tensor<[2, 2], f32>, !fx.tensor<[2], i64>) -> !fx.tensor<[2, 4], f32>
  // Zero points that are not 0, not known, or given by the caller stay.
  // CHECK: (%q, %s, %ones, 0
  %c = call_function @quantized_decomposed.dequantize_per_channel.default(%q, %s, %ones, 0, -128, 127, i8) : (!fx.tensor<[2, 4], i8>, !fx.tensor<[2], f32>, !fx.tensor<[2], i64>) -> !fx.tensor<[2, 4], f32>
  // CHECK: (%q, %s, %unknown, 0
  %d = call_function @quantized_decomposed.dequantize_per_channel.default(%q, %s, %unknown, 0, -128, 127, i8) : (!fx.tensor<[2, 4], i8>, !fx.tensor<[2], f32>, !fx.tensor<[2], i64>) -> !fx.tensor<[2, 4], f32>
  // CHECK: (%q, %s, %input, 0
  %e = call_function @quantized_decomposed.dequantize_per_channel.default(%q, %s, %input, 0, -128, 127, i8) : (!fx.tensor<[2, 4], i8>, !fx.tensor<[2], f32>, !fx.tensor<[2], i64>) -> !fx.tensor<[2, 4], f32>
  output(%a, %b, %c, %d, %e) : (!fx.tensor<[2, 4], f32>, !fx.tensor<[2, 4], f32>, !fx.tensor<[2, 4], f32>, !fx.tensor<[2, 4], f32>, !fx.tensor<[2, 4], f32>)
}
