// RUN: fx-opt %s -fx-keep-integers | FileCheck %s

// CHECK-LABEL: fx.graph @main
// CHECK: %pool = call_function @aten.max_pool2d.default(%q, [2, 2]) : (!fx.tensor<[1, 2, 4, 4], ui8>) -> !fx.tensor<[1, 2, 2, 2], ui8>
// CHECK-NOT: quantize_per_tensor.default(%pool
// CHECK: %d2 = call_function @quantized_decomposed.dequantize_per_tensor.default(%pool,
// CHECK: %cat = call_function @aten.cat.default([%q, %p], 1) : (!fx.tensor<[1, 2, 4, 4], ui8>, !fx.tensor<[1, 2, 4, 4], ui8>) -> !fx.tensor<[1, 4, 4, 4], ui8>
// CHECK: %view = call_function @aten.view.default(%cat, [1, 64])
// These stay: another scale, bounds that clamp, a mean, a float that is used.
// CHECK: call_function @aten.max_pool2d.default(%d,
// CHECK: call_function @aten.max_pool2d.default(%n,
// CHECK: call_function @aten.avg_pool2d.default(%d,
// CHECK: %u = call_function @aten.max_pool2d.default(%d, [4, 4])
fx.graph @main attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[1, 2, 4, 4], ui8>
  %p = placeholder "p" : !fx.tensor<[1, 2, 4, 4], ui8>
  %d = call_function @quantized_decomposed.dequantize_per_tensor.default(%q, 0.5, 3, 0, 255, ui8) : (!fx.tensor<[1, 2, 4, 4], ui8>) -> !fx.tensor<[1, 2, 4, 4], f32>
  %e = call_function @quantized_decomposed.dequantize_per_tensor.default(%p, 0.5, 3, 0, 255, ui8) : (!fx.tensor<[1, 2, 4, 4], ui8>) -> !fx.tensor<[1, 2, 4, 4], f32>
  %pool = call_function @aten.max_pool2d.default(%d, [2, 2]) : (!fx.tensor<[1, 2, 4, 4], f32>) -> !fx.tensor<[1, 2, 2, 2], f32>
  %q2 = call_function @quantized_decomposed.quantize_per_tensor.default(%pool, 0.5, 3, 0, 255, ui8) : (!fx.tensor<[1, 2, 2, 2], f32>) -> !fx.tensor<[1, 2, 2, 2], ui8>
  %d2 = call_function @quantized_decomposed.dequantize_per_tensor.default(%q2, 0.5, 3, 0, 255, ui8) : (!fx.tensor<[1, 2, 2, 2], ui8>) -> !fx.tensor<[1, 2, 2, 2], f32>
  %cat = call_function @aten.cat.default([%d, %e], 1) : (!fx.tensor<[1, 2, 4, 4], f32>, !fx.tensor<[1, 2, 4, 4], f32>) -> !fx.tensor<[1, 4, 4, 4], f32>
  %q3 = call_function @quantized_decomposed.quantize_per_tensor.default(%cat, 0.5, 3, 0, 255, ui8) : (!fx.tensor<[1, 4, 4, 4], f32>) -> !fx.tensor<[1, 4, 4, 4], ui8>
  %d3 = call_function @quantized_decomposed.dequantize_per_tensor.default(%q3, 0.5, 3, 0, 255, ui8) : (!fx.tensor<[1, 4, 4, 4], ui8>) -> !fx.tensor<[1, 4, 4, 4], f32>
  %view = call_function @aten.view.default(%d3, [1, 64]) : (!fx.tensor<[1, 4, 4, 4], f32>) -> !fx.tensor<[1, 64], f32>
  %q4 = call_function @quantized_decomposed.quantize_per_tensor.default(%view, 0.5, 3, 0, 255, ui8) : (!fx.tensor<[1, 64], f32>) -> !fx.tensor<[1, 64], ui8>
  %a = call_function @aten.max_pool2d.default(%d, [2, 2]) : (!fx.tensor<[1, 2, 4, 4], f32>) -> !fx.tensor<[1, 2, 2, 2], f32>
  %q5 = call_function @quantized_decomposed.quantize_per_tensor.default(%a, 0.25, 3, 0, 255, ui8) : (!fx.tensor<[1, 2, 2, 2], f32>) -> !fx.tensor<[1, 2, 2, 2], ui8>
  %n = call_function @quantized_decomposed.dequantize_per_tensor.default(%q, 0.5, 3, 0, 127, ui8) : (!fx.tensor<[1, 2, 4, 4], ui8>) -> !fx.tensor<[1, 2, 4, 4], f32>
  %b = call_function @aten.max_pool2d.default(%n, [2, 2]) : (!fx.tensor<[1, 2, 4, 4], f32>) -> !fx.tensor<[1, 2, 2, 2], f32>
  %q6 = call_function @quantized_decomposed.quantize_per_tensor.default(%b, 0.5, 3, 0, 127, ui8) : (!fx.tensor<[1, 2, 2, 2], f32>) -> !fx.tensor<[1, 2, 2, 2], ui8>
  %c = call_function @aten.avg_pool2d.default(%d, [2, 2]) : (!fx.tensor<[1, 2, 4, 4], f32>) -> !fx.tensor<[1, 2, 2, 2], f32>
  %q7 = call_function @quantized_decomposed.quantize_per_tensor.default(%c, 0.5, 3, 0, 255, ui8) : (!fx.tensor<[1, 2, 2, 2], f32>) -> !fx.tensor<[1, 2, 2, 2], ui8>
  %u = call_function @aten.max_pool2d.default(%d, [4, 4]) : (!fx.tensor<[1, 2, 4, 4], f32>) -> !fx.tensor<[1, 2, 1, 1], f32>
  %q8 = call_function @quantized_decomposed.quantize_per_tensor.default(%u, 0.5, 3, 0, 255, ui8) : (!fx.tensor<[1, 2, 1, 1], f32>) -> !fx.tensor<[1, 2, 1, 1], ui8>
  output(%d2, %d3, %q4, %q5, %q6, %q7, %q8, %u) : (!fx.tensor<[1, 2, 2, 2], f32>, !fx.tensor<[1, 4, 4, 4], f32>, !fx.tensor<[1, 64], ui8>, !fx.tensor<[1, 2, 2, 2], ui8>, !fx.tensor<[1, 2, 2, 2], ui8>, !fx.tensor<[1, 2, 2, 2], ui8>, !fx.tensor<[1, 2, 1, 1], ui8>, !fx.tensor<[1, 2, 1, 1], f32>)
}
