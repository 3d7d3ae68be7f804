// RUN: fx-opt %s --split-input-file --convert-fx-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %s = placeholder "s" : !fx.tensor<[4], f32>
  // The inverse of the scale is computed once, in f64. Values are clamped in
  // f32.
  // CHECK-DAG: %[[INV:.*]] = arith.constant 4.000000e+00 : f32
  // CHECK: linalg.generic
  // CHECK: arith.mulf %{{.*}}, %[[INV]]
  // CHECK: math.roundeven
  // CHECK: arith.addf
  // CHECK: arith.maxnumf
  // CHECK: arith.minnumf
  // CHECK: arith.fptosi
  %q = call_function @quantized_decomposed.quantize_per_tensor.default(%x, 0.25, 3, 0, 255, ui8) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], ui8>
  // CHECK: linalg.generic
  // CHECK: arith.uitofp
  // CHECK: arith.subf
  // CHECK: arith.mulf
  %y = call_function @quantized_decomposed.dequantize_per_tensor.default(%q, 0.25, 3, 0, 255, ui8) : (!fx.tensor<[s0, 4], ui8>) -> !fx.tensor<[s0, 4], f32>
  // CHECK: linalg.generic
  // CHECK: arith.divf
  // CHECK: math.roundeven
  %p = call_function @quantized_decomposed.quantize_per_channel.default(%y, %s, %s, 1, -128, 127, i8) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[s0, 4], i8>
  // Without zero points there is no subtraction.
  // CHECK: linalg.generic
  // CHECK: arith.sitofp
  // CHECK-NOT: arith.subf
  // CHECK: arith.mulf
  %z = call_function @quantized_decomposed.dequantize_per_channel.default(%p, %s, None, 1, -128, 127, i8) : (!fx.tensor<[s0, 4], i8>, !fx.tensor<[4], f32>) -> !fx.tensor<[s0, 4], f32>
  output(%z) : (!fx.tensor<[s0, 4], f32>)
}

// -----

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  // CHECK: arith.minimumf
  // CHECK: arith.maximumf
  // CHECK: cf.assert {{.*}}expected a minimum below the maximum
  %s, %z = call_function @quantized_decomposed.choose_qparams.tensor(%x, -128, 127, 1.0e-06, i8) : (!fx.tensor<[s0, 4], f32>) -> (!fx.tensor<[1], f64>, !fx.tensor<[1], i64>)
  output(%s, %z) : (!fx.tensor<[1], f64>, !fx.tensor<[1], i64>)
}

// -----

// Integers wider than 16 bits are left to ATen.
// CHECK-LABEL: func.func @main
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // CHECK: fx.eager @quantized_decomposed.quantize_per_tensor.default
  // CHECK-SAME: quantized to other than 8 or 16 bits
  %q = call_function @quantized_decomposed.quantize_per_tensor.default(%x, 0.25, 3, -2147483648, 2147483647, i32) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], i32>
  output(%q) : (!fx.tensor<[4], i32>)
}
