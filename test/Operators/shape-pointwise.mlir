// RUN: fx-opt %s --fx-shape-prop | FileCheck %s

// Types that the shape rules give to results of unknown type.

// CHECK-LABEL: fx.graph @case_0 symbols
fx.graph @case_0 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 1, 8], f32>
  %a1 = placeholder "a1" : !fx.tensor<[4, 8], i64>
  // CHECK: @aten.add.Tensor{{.*}} -> !fx.tensor<[s0, 4, 8], f32>{{$}}
  %r = call_function @aten.add.Tensor(%a0, %a1) : (!fx.tensor<[s0, 1, 8], f32>, !fx.tensor<[4, 8], i64>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_1 symbols
fx.graph @case_1 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], i32>
  // CHECK: @aten.add.Tensor{{.*}} -> !fx.tensor<[s0], i32>{{$}}
  %r = call_function @aten.add.Tensor(%a0, 1) : (!fx.tensor<[s0], i32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_2 symbols
fx.graph @case_2 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], i32>
  // CHECK: @aten.add.Tensor{{.*}} -> !fx.tensor<[s0], f32>{{$}}
  %r = call_function @aten.add.Tensor(%a0, 1.5) : (!fx.tensor<[s0], i32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_3 symbols
fx.graph @case_3 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], bf16>
  // CHECK: @aten.add.Tensor{{.*}} -> !fx.tensor<[s0], bf16>{{$}}
  %r = call_function @aten.add.Tensor(%a0, 1.5) : (!fx.tensor<[s0], bf16>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_4 symbols
fx.graph @case_4 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4], f16>
  %a1 = placeholder "a1" : !fx.tensor<[], f64>
  // CHECK: @aten.mul.Tensor{{.*}} -> !fx.tensor<[4], f16>{{$}}
  %r = call_function @aten.mul.Tensor(%a0, %a1) : (!fx.tensor<[4], f16>, !fx.tensor<[], f64>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_5 symbols
fx.graph @case_5 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4], i8>
  %a1 = placeholder "a1" : !fx.tensor<[], bf16>
  // CHECK: @aten.mul.Tensor{{.*}} -> !fx.tensor<[4], bf16>{{$}}
  %r = call_function @aten.mul.Tensor(%a0, %a1) : (!fx.tensor<[4], i8>, !fx.tensor<[], bf16>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_6 symbols
fx.graph @case_6 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4], f16>
  %a1 = placeholder "a1" : !fx.tensor<[4], bf16>
  // CHECK: @aten.mul.Tensor{{.*}} -> !fx.tensor<[4], f32>{{$}}
  %r = call_function @aten.mul.Tensor(%a0, %a1) : (!fx.tensor<[4], f16>, !fx.tensor<[4], bf16>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_7 symbols
fx.graph @case_7 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4], ui8>
  %a1 = placeholder "a1" : !fx.tensor<[4], i8>
  // CHECK: @aten.mul.Tensor{{.*}} -> !fx.tensor<[4], i16>{{$}}
  %r = call_function @aten.mul.Tensor(%a0, %a1) : (!fx.tensor<[4], ui8>, !fx.tensor<[4], i8>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_8 symbols
fx.graph @case_8 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4], i64>
  %a1 = placeholder "a1" : !fx.tensor<[4], i64>
  // CHECK: @aten.div.Tensor{{.*}} -> !fx.tensor<[4], f32>{{$}}
  %r = call_function @aten.div.Tensor(%a0, %a1) : (!fx.tensor<[4], i64>, !fx.tensor<[4], i64>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_9 symbols
fx.graph @case_9 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4], i64>
  %a1 = placeholder "a1" : !fx.tensor<[4], i64>
  // CHECK: @aten.div.Tensor_mode{{.*}} -> !fx.tensor<[4], i64>{{$}}
  %r = call_function @aten.div.Tensor_mode(%a0, %a1, rounding_mode = "floor") : (!fx.tensor<[4], i64>, !fx.tensor<[4], i64>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_10 symbols
fx.graph @case_10 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], i1>
  // CHECK: @aten.sin.default{{.*}} -> !fx.tensor<[s0], f32>{{$}}
  %r = call_function @aten.sin.default(%a0) : (!fx.tensor<[s0], i1>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_11 symbols
fx.graph @case_11 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 3], f32>
  // CHECK: @aten.eq.Scalar{{.*}} -> !fx.tensor<[s0, 3], i1>{{$}}
  %r = call_function @aten.eq.Scalar(%a0, 0) : (!fx.tensor<[s0, 3], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_12 symbols
fx.graph @case_12 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 2*s0], f32>
  // CHECK: @aten.relu.default{{.*}} -> !fx.tensor<[s0, 2*s0], f32>{{$}}
  %r = call_function @aten.relu.default(%a0) : (!fx.tensor<[s0, 2*s0], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_13 symbols
fx.graph @case_13 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4], complex<f32>>
  // CHECK: @aten.abs.default{{.*}} -> !fx.tensor<[4], f32>{{$}}
  %r = call_function @aten.abs.default(%a0) : (!fx.tensor<[4], complex<f32>>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_14 symbols
fx.graph @case_14 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 1], i1>
  %a1 = placeholder "a1" : !fx.tensor<[1, 4], f16>
  %a2 = placeholder "a2" : !fx.tensor<[], f32>
  // CHECK: @aten.where.self{{.*}} -> !fx.tensor<[s0, 4], f16>{{$}}
  %r = call_function @aten.where.self(%a0, %a1, %a2) : (!fx.tensor<[s0, 1], i1>, !fx.tensor<[1, 4], f16>, !fx.tensor<[], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_15 symbols
fx.graph @case_15 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], i1>
  %a1 = placeholder "a1" : !fx.tensor<[s0], i64>
  // CHECK: @aten.where.ScalarOther{{.*}} -> !fx.tensor<[s0], f32>{{$}}
  %r = call_function @aten.where.ScalarOther(%a0, %a1, 0.0) : (!fx.tensor<[s0], i1>, !fx.tensor<[s0], i64>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_16 symbols
fx.graph @case_16 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f16>
  %a1 = placeholder "a1" : !fx.tensor<[4], i1>
  // CHECK: @aten.masked_fill.Scalar{{.*}} -> !fx.tensor<[s0, 4], f16>{{$}}
  %r = call_function @aten.masked_fill.Scalar(%a0, %a1, 1.0e9) : (!fx.tensor<[s0, 4], f16>, !fx.tensor<[4], i1>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_17 symbols
fx.graph @case_17 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], i64>
  // CHECK: @aten.pow.Scalar{{.*}} -> !fx.tensor<[s0], f32>{{$}}
  %r = call_function @aten.pow.Scalar(2.0, %a0) : (!fx.tensor<[s0], i64>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_18 symbols
fx.graph @case_18 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4], i32>
  // CHECK: @aten.clamp.default{{.*}} -> !fx.tensor<[4], f32>{{$}}
  %r = call_function @aten.clamp.default(%a0, 0, 1.5) : (!fx.tensor<[4], i32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_19 symbols
fx.graph @case_19 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4], f16>
  %a1 = placeholder "a1" : !fx.tensor<[], f32>
  // CHECK: @aten.add_.Tensor{{.*}} -> !fx.tensor<[4], f16>{{$}}
  %r = call_function @aten.add_.Tensor(%a0, %a1) : (!fx.tensor<[4], f16>, !fx.tensor<[], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_20 symbols
fx.graph @case_20 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  // CHECK: @quantized_decomposed.quantize_per_tensor.default{{.*}} -> !fx.tensor<[s0, 4], i8>{{$}}
  %r = call_function @quantized_decomposed.quantize_per_tensor.default(%a0, 0.1, 0, -128, 127, i8) : (!fx.tensor<[s0, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_21 symbols
fx.graph @case_21 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], i8>
  // CHECK: @quantized_decomposed.dequantize_per_tensor.default{{.*}} -> !fx.tensor<[s0, 4], f32>{{$}}
  %r = call_function @quantized_decomposed.dequantize_per_tensor.default(%a0, 0.1, 0, -128, 127, i8) : (!fx.tensor<[s0, 4], i8>) -> !fx.any
  output()
}
