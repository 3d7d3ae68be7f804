// RUN: fx-opt %s -fx-note-narrow-weights | FileCheck %s
// RUN: fx-opt %s -fx-note-narrow-weights=multiple=4 | FileCheck %s
// RUN: fx-opt %s -fx-note-narrow-weights=multiple=8 | FileCheck %s --check-prefix=NONE
// NONE-NOT: fx.bits

fx.state @low : !fx.tensor<[2, 4], i8> = dense<[7, 0, 248, 249, 1, 2, 3, 4]> : tensor<8xui8>
fx.state @high : !fx.tensor<[2, 4], i8> = dense<[7, 0, 8, 249, 1, 2, 3, 4]> : tensor<8xui8>
fx.state @less : !fx.tensor<[2, 4], i8> = dense<247> : tensor<8xui8>
fx.state @bytes : !fx.tensor<[2, 4], ui8> = dense<1> : tensor<8xui8>
fx.state @unknown : !fx.tensor<[2, 4], i8>
fx.state @s : !fx.tensor<[2], f32> = dense<1> : tensor<8xui8>
fx.state @g : !fx.tensor<[2, 2], f32> = dense<1> : tensor<16xui8>
// CHECK-LABEL: fx.graph @main
fx.graph @main attributes {functional} {
  %low = placeholder "low" buffer @low : !fx.tensor<[2, 4], i8>
  %high = placeholder "high" buffer @high : !fx.tensor<[2, 4], i8>
  %less = placeholder "less" buffer @less : !fx.tensor<[2, 4], i8>
  %bytes = placeholder "bytes" buffer @bytes : !fx.tensor<[2, 4], ui8>
  %unknown = placeholder "unknown" buffer @unknown : !fx.tensor<[2, 4], i8>
  %s = placeholder "s" buffer @s : !fx.tensor<[2], f32>
  %g = placeholder "g" buffer @g : !fx.tensor<[2, 2], f32>
  %input = placeholder "input" : !fx.tensor<[2, 4], i8>
  // The values of the weight decide, not the bounds of the call.
  // CHECK: dequantize_per_channel.default(%low, %s, None, 0, -128, 127, i8) {fx.bits = 4 : i64}
  %a = call_function @quantized_decomposed.dequantize_per_channel.default(%low, %s, None, 0, -128, 127, i8) : (!fx.tensor<[2, 4], i8>, !fx.tensor<[2], f32>) -> !fx.tensor<[2, 4], f32>
  // CHECK: dequantize_per_channel_group.default(%low, {{.*}} {fx.bits = 4 : i64}
  %b = call_function @quantized_decomposed.dequantize_per_channel_group.default(%low, %g, None, -8, 7, i8, 2, f32) : (!fx.tensor<[2, 4], i8>, !fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 4], f32>
  // CHECK: dequantize_per_tensor.default(%low, {{.*}} {fx.bits = 4 : i64}
  %c = call_function @quantized_decomposed.dequantize_per_tensor.default(%low, 0.5, 0, -8, 7, i8) : (!fx.tensor<[2, 4], i8>) -> !fx.tensor<[2, 4], f32>
  // Weights with a value that is too large or too small, unsigned and unknown
  // weights, and an input.
  // CHECK-NOT: fx.bits
  %d = call_function @quantized_decomposed.dequantize_per_tensor.default(%high, 0.5, 0, -8, 7, i8) : (!fx.tensor<[2, 4], i8>) -> !fx.tensor<[2, 4], f32>
  %e = call_function @quantized_decomposed.dequantize_per_tensor.default(%less, 0.5, 0, -8, 7, i8) : (!fx.tensor<[2, 4], i8>) -> !fx.tensor<[2, 4], f32>
  %f = call_function @quantized_decomposed.dequantize_per_tensor.default(%bytes, 0.5, 0, 0, 7, ui8) : (!fx.tensor<[2, 4], ui8>) -> !fx.tensor<[2, 4], f32>
  %h = call_function @quantized_decomposed.dequantize_per_tensor.default(%unknown, 0.5, 0, -8, 7, i8) : (!fx.tensor<[2, 4], i8>) -> !fx.tensor<[2, 4], f32>
  %i = call_function @quantized_decomposed.dequantize_per_tensor.default(%input, 0.5, 0, -8, 7, i8) : (!fx.tensor<[2, 4], i8>) -> !fx.tensor<[2, 4], f32>
  output(%a, %b, %c, %d, %e, %f, %h, %i) : (!fx.tensor<[2, 4], f32>, !fx.tensor<[2, 4], f32>, !fx.tensor<[2, 4], f32>, !fx.tensor<[2, 4], f32>, !fx.tensor<[2, 4], f32>, !fx.tensor<[2, 4], f32>, !fx.tensor<[2, 4], f32>, !fx.tensor<[2, 4], f32>)
}
