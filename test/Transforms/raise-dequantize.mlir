// RUN: fx-opt %s -fx-raise-dequantize -canonicalize | FileCheck %s
// RUN: fx-opt %s -fx-raise-dequantize=reads-states=false -canonicalize | FileCheck %s --check-prefix=UNREAD
// RUN: fx-opt %s -fx-raise-dequantize=gpu -canonicalize | FileCheck %s --check-prefix=GPU
// RUN: fx-opt %s -fx-raise-dequantize=bf16=false -canonicalize | FileCheck %s --check-prefix=WIDE

fx.state @bytes : !fx.tensor<[512, 512], i8>
fx.state @unsigned : !fx.tensor<[512, 512], ui8>
fx.state @packed : !fx.tensor<[512, 256], ui8>
fx.state @words : !fx.tensor<[64, 512], i32>
fx.state @cuda_bytes : !fx.tensor<[512, 512], i8, "cuda:0">
fx.state @cuda_groups : !fx.tensor<[512, 8, 1], f32, "cuda:0">
fx.state @rows : !fx.tensor<[512], f32>
fx.state @groups : !fx.tensor<[512, 8], f32>
fx.state @zeros : !fx.tensor<[512, 8], ui8>
fx.state @terms : !fx.tensor<[8, 512], f32>
fx.state @shifts : !fx.tensor<[8], i32> = dense<[0,0,0,0, 4,0,0,0, 8,0,0,0, 12,0,0,0, 16,0,0,0, 20,0,0,0, 24,0,0,0, 28,0,0,0]> : tensor<32xui8>

// A scale for each row. int8 has no zero point.
// CHECK-LABEL: fx.graph @main
// CHECK: %[[W:.*]] = call_function @quantized_decomposed.dequantize_per_channel.default(%q, %s, None, 0, -128, 127, i8, out_dtype = f32)
// CHECK: aten.linear.default(%x, %[[W]])
// UNREAD: dequantize_per_channel.default(%q, %s, None, 0, -128, 127, i8, out_dtype = f32)
fx.graph @main attributes {functional} {
  %q = placeholder "q" buffer @bytes : !fx.tensor<[512, 512], i8>
  %s = placeholder "s" buffer @rows : !fx.tensor<[512], f32>
  %x = placeholder "x" : !fx.tensor<[s0, 512], f32>
  %f = call_function @aten.to.dtype(%q, f32) : (!fx.tensor<[512, 512], i8>) -> !fx.tensor<[512, 512], f32>
  %c = call_function @aten.unsqueeze.default(%s, 1) : (!fx.tensor<[512], f32>) -> !fx.tensor<[512, 1], f32>
  %w = call_function @aten.mul.Tensor(%f, %c) : (!fx.tensor<[512, 512], f32>, !fx.tensor<[512, 1], f32>) -> !fx.tensor<[512, 512], f32>
  %y = call_function @aten.linear.default(%x, %w) : (!fx.tensor<[s0, 512], f32>, !fx.tensor<[512, 512], f32>) -> !fx.tensor<[s0, 512], f32>
  output(%y) : (!fx.tensor<[s0, 512], f32>)
}

// Numbers of four bits in pairs, zero points of groups, and the weight of a
// matmul. On CPUs, the sums of the groups are multiplied by the zero points.
// CHECK-LABEL: fx.graph @packed_groups
// CHECK: aten.sub.Scalar({{.*}}, 8)
// CHECK: %[[W:.*]] = call_function @quantized_decomposed.dequantize_per_channel_group.default({{.*}}, %s, None, -8, 7, i8, 64, f32) {fx.bits = 4 : i64}
// CHECK: aten.linear.default(%x, %[[W]])
// CHECK: aten.sum.dim_IntList(
// CHECK: %[[Z:.*]] = call_function @aten.sub.Scalar({{.*}}, 8) : (!fx.tensor<[512, 8], f32>)
// CHECK: aten.mul.Tensor(%[[Z]], %s)
// CHECK: aten.add.Tensor
// CHECK-NOT: aten.matmul
// GPU-LABEL: fx.graph @packed_groups
// GPU: %[[Z:.*]] = call_function @aten.sub.Scalar({{.*}}, 8) : (!fx.tensor<[512, 8], i32>)
// GPU: dequantize_per_channel_group.default({{.*}}, %s, %[[Z]], -8, 7, i8, 64, f32) {fx.bits = 4 : i64}
fx.graph @packed_groups attributes {functional} {
  %p = placeholder "p" buffer @packed : !fx.tensor<[512, 256], ui8>
  %s = placeholder "s" buffer @groups : !fx.tensor<[512, 8], f32>
  %z = placeholder "z" buffer @zeros : !fx.tensor<[512, 8], ui8>
  %x = placeholder "x" : !fx.tensor<[4, 512], f32>
  %low = call_function @aten.bitwise_and.Scalar(%p, 15) : (!fx.tensor<[512, 256], ui8>) -> !fx.tensor<[512, 256], ui8>
  %high = call_function @aten.bitwise_right_shift.Tensor_Scalar(%p, 4) : (!fx.tensor<[512, 256], ui8>) -> !fx.tensor<[512, 256], ui8>
  %pairs = call_function @aten.stack.default([%low, %high], -1) : (!fx.tensor<[512, 256], ui8>, !fx.tensor<[512, 256], ui8>) -> !fx.tensor<[512, 256, 2], ui8>
  %q = call_function @aten.view.default(%pairs, [512, 8, 64]) : (!fx.tensor<[512, 256, 2], ui8>) -> !fx.tensor<[512, 8, 64], ui8>
  %f = call_function @aten.to.dtype(%q, f32) : (!fx.tensor<[512, 8, 64], ui8>) -> !fx.tensor<[512, 8, 64], f32>
  %zf = call_function @aten.to.dtype(%z, f32) : (!fx.tensor<[512, 8], ui8>) -> !fx.tensor<[512, 8], f32>
  %zc = call_function @aten.unsqueeze.default(%zf, 2) : (!fx.tensor<[512, 8], f32>) -> !fx.tensor<[512, 8, 1], f32>
  %d = call_function @aten.sub.Tensor(%f, %zc) : (!fx.tensor<[512, 8, 64], f32>, !fx.tensor<[512, 8, 1], f32>) -> !fx.tensor<[512, 8, 64], f32>
  %sc = call_function @aten.unsqueeze.default(%s, 2) : (!fx.tensor<[512, 8], f32>) -> !fx.tensor<[512, 8, 1], f32>
  %g = call_function @aten.mul.Tensor(%d, %sc) : (!fx.tensor<[512, 8, 64], f32>, !fx.tensor<[512, 8, 1], f32>) -> !fx.tensor<[512, 8, 64], f32>
  %w = call_function @aten.view.default(%g, [512, 512]) : (!fx.tensor<[512, 8, 64], f32>) -> !fx.tensor<[512, 512], f32>
  %t = call_function @aten.t.default(%w) : (!fx.tensor<[512, 512], f32>) -> !fx.tensor<[512, 512], f32, #fx.meta<strides = [1, 512]>>
  %y = call_function @aten.matmul.default(%x, %t) : (!fx.tensor<[4, 512], f32>, !fx.tensor<[512, 512], f32, #fx.meta<strides = [1, 512]>>) -> !fx.tensor<[4, 512], f32>
  output(%y) : (!fx.tensor<[4, 512], f32>)
}

// Words along the terms, scales of groups of terms [groups, columns], and an
// offset: the sums of the groups are multiplied by it.
// CHECK-LABEL: fx.graph @words_and_offset
// CHECK: %[[S:.*]] = call_function @aten.permute.default(%s, [1, 0])
// CHECK: %[[W:.*]] = call_function @quantized_decomposed.dequantize_per_channel_group.default({{.*}}, %[[S]], None, -8, 7, i8, 64, f32) {fx.bits = 4 : i64}
// CHECK: %[[Y:.*]] = call_function @aten.linear.default(%x, %[[W]])
// CHECK: %[[SUMS:.*]] = call_function @aten.sum.dim_IntList({{.*}}, [2])
// CHECK: %[[PART:.*]] = call_function @aten.linear.default(%[[SUMS]],
// CHECK: aten.add.Tensor(%[[Y]], %[[PART]])
fx.graph @words_and_offset attributes {functional} {
  %p = placeholder "p" buffer @words : !fx.tensor<[64, 512], i32>
  %s = placeholder "s" buffer @terms : !fx.tensor<[8, 512], f32>
  %shifts = placeholder "shifts" buffer @shifts : !fx.tensor<[8], i32>
  %x = placeholder "x" : !fx.tensor<[4, 512], f32>
  %e = call_function @aten.unsqueeze.default(%p, 1) : (!fx.tensor<[64, 512], i32>) -> !fx.tensor<[64, 1, 512], i32>
  %sh = call_function @aten.view.default(%shifts, [8, 1]) : (!fx.tensor<[8], i32>) -> !fx.tensor<[8, 1], i32>
  %r = call_function @aten.bitwise_right_shift.Tensor(%e, %sh) : (!fx.tensor<[64, 1, 512], i32>, !fx.tensor<[8, 1], i32>) -> !fx.tensor<[64, 8, 512], i32>
  %m = call_function @aten.bitwise_and.Scalar(%r, 15) : (!fx.tensor<[64, 8, 512], i32>) -> !fx.tensor<[64, 8, 512], i32>
  %q = call_function @aten.view.default(%m, [8, 64, 512]) : (!fx.tensor<[64, 8, 512], i32>) -> !fx.tensor<[8, 64, 512], i32>
  %sc = call_function @aten.unsqueeze.default(%s, 1) : (!fx.tensor<[8, 512], f32>) -> !fx.tensor<[8, 1, 512], f32>
  %g = call_function @aten.mul.Tensor(%q, %sc) : (!fx.tensor<[8, 64, 512], i32>, !fx.tensor<[8, 1, 512], f32>) -> !fx.tensor<[8, 64, 512], f32>
  %b = call_function @aten.add.Tensor(%g, %sc) : (!fx.tensor<[8, 64, 512], f32>, !fx.tensor<[8, 1, 512], f32>) -> !fx.tensor<[8, 64, 512], f32>
  %w = call_function @aten.view.default(%b, [512, 512]) : (!fx.tensor<[8, 64, 512], f32>) -> !fx.tensor<[512, 512], f32>
  %y = call_function @aten.mm.default(%x, %w) : (!fx.tensor<[4, 512], f32>, !fx.tensor<[512, 512], f32>) -> !fx.tensor<[4, 512], f32>
  output(%y) : (!fx.tensor<[4, 512], f32>)
}

// bf16: four rows compute in f32, and more rows stay.
// CHECK-LABEL: fx.graph @halves
// CHECK: %[[W:.*]] = call_function @quantized_decomposed.dequantize_per_tensor.default(%q, 0.5, 0, -128, 127, i8, out_dtype = f32)
// CHECK: %[[X:.*]] = call_function @aten.to.dtype(%flat, f32)
// CHECK: aten.linear.default(%[[X]], %[[W]]) : {{.*}} -> !fx.tensor<[4, 512], f32>
// CHECK: aten.linear.default(%more, %w)
// WIDE-LABEL: fx.graph @halves
// WIDE-COUNT-2: aten.linear.default({{.*}} -> !fx.tensor<[{{.*}}, 512], f32>
// GPU-LABEL: fx.graph @halves
// GPU: %[[W:.*]] = call_function @quantized_decomposed.dequantize_per_tensor.default(
// GPU: %[[H:.*]] = call_function @aten.to.dtype(%[[W]], bf16)
// GPU: aten.linear.default(%flat, %[[H]])
// GPU: aten.linear.default(%more, %w)
fx.graph @halves attributes {functional} {
  %q = placeholder "q" buffer @bytes : !fx.tensor<[512, 512], i8>
  %few = placeholder "few" : !fx.tensor<[2, 2, 512], bf16>
  %more = placeholder "more" : !fx.tensor<[s0, 512], bf16>
  %f = call_function @aten.to.dtype(%q, bf16) : (!fx.tensor<[512, 512], i8>) -> !fx.tensor<[512, 512], bf16>
  %w = call_function @aten.mul.Tensor(%f, 0.5) : (!fx.tensor<[512, 512], bf16>) -> !fx.tensor<[512, 512], bf16>
  %flat = call_function @aten.view.default(%few, [4, 512]) : (!fx.tensor<[2, 2, 512], bf16>) -> !fx.tensor<[4, 512], bf16>
  %y = call_function @aten.linear.default(%flat, %w) : (!fx.tensor<[4, 512], bf16>, !fx.tensor<[512, 512], bf16>) -> !fx.tensor<[4, 512], bf16>
  %z = call_function @aten.linear.default(%more, %w) : (!fx.tensor<[s0, 512], bf16>, !fx.tensor<[512, 512], bf16>) -> !fx.tensor<[s0, 512], bf16>
  output(%y, %z) : (!fx.tensor<[4, 512], bf16>, !fx.tensor<[s0, 512], bf16>)
}

// What is no dequantized weight: a difference that wraps around, a scale that
// differs from term to term, scales of groups of 8, numbers of nine bits, a
// product that was rounded to bf16, and a small weight.
// CHECK-LABEL: fx.graph @others
// CHECK-NOT: dequantize_per
fx.graph @others attributes {functional} {
  %q = placeholder "q" buffer @unsigned : !fx.tensor<[512, 512], ui8>
  %words = placeholder "words" buffer @words : !fx.tensor<[64, 512], i32>
  %s = placeholder "s" buffer @rows : !fx.tensor<[512], f32>
  %x = placeholder "x" : !fx.tensor<[4, 512], f32>
  %m = call_function @aten.bitwise_and.Scalar(%words, 511) : (!fx.tensor<[64, 512], i32>) -> !fx.tensor<[64, 512], i32>
  %e = call_function @aten.unsqueeze.default(%m, 1) : (!fx.tensor<[64, 512], i32>) -> !fx.tensor<[64, 1, 512], i32>
  %r = call_function @aten.expand.default(%e, [64, 8, 512]) : (!fx.tensor<[64, 1, 512], i32>) -> !fx.tensor<[64, 8, 512], i32>
  %nine = call_function @aten.reshape.default(%r, [512, 512]) : (!fx.tensor<[64, 8, 512], i32>) -> !fx.tensor<[512, 512], i32>
  %w0 = call_function @aten.mul.Tensor(%nine, 0.5) : (!fx.tensor<[512, 512], i32>) -> !fx.tensor<[512, 512], f32>
  %w1 = call_function @aten.mul.Tensor(%q, %s) : (!fx.tensor<[512, 512], ui8>, !fx.tensor<[512], f32>) -> !fx.tensor<[512, 512], f32>
  %h = call_function @aten.to.dtype(%q, bf16) : (!fx.tensor<[512, 512], ui8>) -> !fx.tensor<[512, 512], bf16>
  %p = call_function @aten.mul.Tensor(%h, 0.1) : (!fx.tensor<[512, 512], bf16>) -> !fx.tensor<[512, 512], bf16>
  %w2 = call_function @aten.to.dtype(%p, f32) : (!fx.tensor<[512, 512], bf16>) -> !fx.tensor<[512, 512], f32>
  %c = call_function @aten.slice.Tensor(%q, 0, 0, 511) : (!fx.tensor<[512, 512], ui8>) -> !fx.tensor<[511, 512], ui8>
  %w3 = call_function @aten.mul.Tensor(%c, 0.5) : (!fx.tensor<[511, 512], ui8>) -> !fx.tensor<[511, 512], f32>
  %v = call_function @aten.view.default(%q, [512, 64, 8]) : (!fx.tensor<[512, 512], ui8>) -> !fx.tensor<[512, 64, 8], ui8>
  %g = call_function @aten.view.default(%words, [512, 64, 1]) : (!fx.tensor<[64, 512], i32>) -> !fx.tensor<[512, 64, 1], i32>
  %gf = call_function @aten.to.dtype(%g, f32) : (!fx.tensor<[512, 64, 1], i32>) -> !fx.tensor<[512, 64, 1], f32>
  %vg = call_function @aten.mul.Tensor(%v, %gf) : (!fx.tensor<[512, 64, 8], ui8>, !fx.tensor<[512, 64, 1], f32>) -> !fx.tensor<[512, 64, 8], f32>
  %w4 = call_function @aten.view.default(%vg, [512, 512]) : (!fx.tensor<[512, 64, 8], f32>) -> !fx.tensor<[512, 512], f32>
  %y0 = call_function @aten.linear.default(%x, %w0) : (!fx.tensor<[4, 512], f32>, !fx.tensor<[512, 512], f32>) -> !fx.tensor<[4, 512], f32>
  %y1 = call_function @aten.linear.default(%x, %w1) : (!fx.tensor<[4, 512], f32>, !fx.tensor<[512, 512], f32>) -> !fx.tensor<[4, 512], f32>
  %y2 = call_function @aten.linear.default(%x, %w2) : (!fx.tensor<[4, 512], f32>, !fx.tensor<[512, 512], f32>) -> !fx.tensor<[4, 512], f32>
  %y3 = call_function @aten.linear.default(%x, %w3) : (!fx.tensor<[4, 512], f32>, !fx.tensor<[511, 512], f32>) -> !fx.tensor<[4, 511], f32>
  %y4 = call_function @aten.linear.default(%x, %w4) : (!fx.tensor<[4, 512], f32>, !fx.tensor<[512, 512], f32>) -> !fx.tensor<[4, 512], f32>
  output(%y0, %y1, %y2, %y3, %y4) : (!fx.tensor<[4, 512], f32>, !fx.tensor<[4, 512], f32>, !fx.tensor<[4, 512], f32>, !fx.tensor<[4, 511], f32>, !fx.tensor<[4, 512], f32>)
}

// A difference of unsigned numbers wraps around: it is no zero point. Nothing is
// known about the integers then, so they are not moved to the range of int8.
// CHECK-LABEL: fx.graph @wraps
// CHECK-NOT: dequantize_per
fx.graph @wraps attributes {functional} {
  %q = placeholder "q" buffer @unsigned : !fx.tensor<[512, 512], ui8>
  %z = placeholder "z" buffer @zeros : !fx.tensor<[512, 8], ui8>
  %x = placeholder "x" : !fx.tensor<[4, 512], f32>
  %v = call_function @aten.view.default(%q, [512, 8, 64]) : (!fx.tensor<[512, 512], ui8>) -> !fx.tensor<[512, 8, 64], ui8>
  %z1 = call_function @aten.unsqueeze.default(%z, 2) : (!fx.tensor<[512, 8], ui8>) -> !fx.tensor<[512, 8, 1], ui8>
  %d = call_function @aten.sub.Tensor(%v, %z1) : (!fx.tensor<[512, 8, 64], ui8>, !fx.tensor<[512, 8, 1], ui8>) -> !fx.tensor<[512, 8, 64], ui8>
  %m = call_function @aten.mul.Tensor(%d, 0.5) : (!fx.tensor<[512, 8, 64], ui8>) -> !fx.tensor<[512, 8, 64], f32>
  %w = call_function @aten.view.default(%m, [512, 512]) : (!fx.tensor<[512, 8, 64], f32>) -> !fx.tensor<[512, 512], f32>
  %y = call_function @aten.linear.default(%x, %w) : (!fx.tensor<[4, 512], f32>, !fx.tensor<[512, 512], f32>) -> !fx.tensor<[4, 512], f32>
  output(%y) : (!fx.tensor<[4, 512], f32>)
}

// A zero point that fits no integer. The scales are on the device of the weight.
// CHECK-LABEL: fx.graph @huge
// GPU-LABEL: fx.graph @huge
// GPU-NOT: i32
// GPU: aten.new_full.default(
// GPU-SAME: f32, "cuda:0">
fx.graph @huge attributes {functional} {
  %q = placeholder "q" buffer @cuda_bytes : !fx.tensor<[512, 512], i8, "cuda:0">
  %s = placeholder "s" buffer @cuda_groups : !fx.tensor<[512, 8, 1], f32, "cuda:0">
  %x = placeholder "x" : !fx.tensor<[4, 512], f32, "cuda:0">
  %f = call_function @aten.to.dtype(%q, f32) : (!fx.tensor<[512, 512], i8, "cuda:0">) -> !fx.tensor<[512, 512], f32, "cuda:0">
  %z = call_function @aten.sub.Tensor(%f, 1.0e+20) : (!fx.tensor<[512, 512], f32, "cuda:0">) -> !fx.tensor<[512, 512], f32, "cuda:0">
  %v = call_function @aten.view.default(%z, [512, 8, 64]) : (!fx.tensor<[512, 512], f32, "cuda:0">) -> !fx.tensor<[512, 8, 64], f32, "cuda:0">
  %g = call_function @aten.mul.Tensor(%v, %s) : (!fx.tensor<[512, 8, 64], f32, "cuda:0">, !fx.tensor<[512, 8, 1], f32, "cuda:0">) -> !fx.tensor<[512, 8, 64], f32, "cuda:0">
  %w = call_function @aten.view.default(%g, [512, 512]) : (!fx.tensor<[512, 8, 64], f32, "cuda:0">) -> !fx.tensor<[512, 512], f32, "cuda:0">
  %y = call_function @aten.linear.default(%x, %w) : (!fx.tensor<[4, 512], f32, "cuda:0">, !fx.tensor<[512, 512], f32, "cuda:0">) -> !fx.tensor<[4, 512], f32, "cuda:0">
  output(%y) : (!fx.tensor<[4, 512], f32, "cuda:0">)
}
