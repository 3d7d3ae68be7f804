// RUN: fx-opt %s -canonicalize -split-input-file | FileCheck %s

// No-op views and chains of them.
// CHECK-LABEL: fx.graph @views
fx.graph @views symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 1, 8], f32>
  // CHECK: %r = call_function @aten.relu.default(%x)
  %r = call_function @aten.relu.default(%x) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[s0, 1, 8], f32>
  %v = call_function @aten.view.default(%r, [-1, 1, 8]) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[s0, 1, 8], f32>
  %e = call_function @aten.expand.default(%v, [-1, -1, 8]) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[s0, 1, 8], f32>
  %s = call_function @aten.slice.Tensor(%e, 0, 0, 9223372036854775807) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[s0, 1, 8], f32>
  %d = call_function @aten.detach.default(%s) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[s0, 1, 8], f32>
  %p = call_function @aten.permute.default(%d, [0, -2, 2]) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[s0, 1, 8], f32>
  // CHECK-NEXT: %abs = call_function @aten.abs.default(%r)
  %abs = call_function @aten.abs.default(%p) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[s0, 1, 8], f32>
  %t1 = call_function @aten.transpose.int(%abs, 0, 2) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[8, 1, s0], f32>
  %t2 = call_function @aten.transpose.int(%t1, -1, 0) : (!fx.tensor<[8, 1, s0], f32>) -> !fx.tensor<[s0, 1, 8], f32>
  // CHECK-NEXT: %sin = call_function @aten.sin.default(%abs)
  %sin = call_function @aten.sin.default(%t2) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[s0, 1, 8], f32>
  %p1 = call_function @aten.permute.default(%sin, [1, 2, 0]) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[1, 8, s0], f32>
  // CHECK-NEXT: %p2 = call_function @aten.permute.default(%sin, [2, 1, 0])
  %p2 = call_function @aten.transpose.int(%p1, 0, 1) : (!fx.tensor<[1, 8, s0], f32>) -> !fx.tensor<[8, 1, s0], f32>
  %sq = call_function @aten.squeeze.dim(%sin, 1) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[s0, 8], f32>
  %un = call_function @aten.unsqueeze.default(%sq, -2) : (!fx.tensor<[s0, 8], f32>) -> !fx.tensor<[s0, 1, 8], f32>
  // CHECK-NEXT: %cos = call_function @aten.cos.default(%sin)
  %cos = call_function @aten.cos.default(%un) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[s0, 1, 8], f32>
  %v1 = call_function @aten.view.default(%cos, [-1, 4, 2]) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[s0, 4, 2], f32>
  // CHECK-NEXT: %v2 = call_function @aten.view.default(%cos, [-1])
  %v2 = call_function @aten.view.default(%v1, [-1]) : (!fx.tensor<[s0, 4, 2], f32>) -> !fx.tensor<[8*s0], f32>
  %f = call_function @aten.flatten.using_ints(%cos) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[8*s0], f32>
  // CHECK-NEXT: %v3 = call_function @aten.reshape.default(%cos, [-1, 2])
  %v3 = call_function @aten.view.default(%f, [-1, 2]) : (!fx.tensor<[8*s0], f32>) -> !fx.tensor<[4*s0, 2], f32>
  %e1 = call_function @aten.expand.default(%cos, [-1, 3, 8]) : (!fx.tensor<[s0, 1, 8], f32>) -> !fx.tensor<[s0, 3, 8], f32>
  // A -1 refers to the size of the first expand.
  // CHECK: call_function @aten.expand.default(%e1, [5, -1, -1, -1])
  %e2 = call_function @aten.expand.default(%e1, [5, -1, -1, -1]) : (!fx.tensor<[s0, 3, 8], f32>) -> !fx.tensor<[5, s0, 3, 8], f32>
  output(%p2, %v2, %v3, %e2) : (!fx.tensor<[8, 1, s0], f32>, !fx.tensor<[8*s0], f32>, !fx.tensor<[4*s0, 2], f32>, !fx.tensor<[5, s0, 3, 8], f32>)
}

// -----

// CHECK-LABEL: fx.graph @keep_views
fx.graph @keep_views attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4, 4], f32>
  %g = placeholder "g" : !fx.tensor<[4, 4], f32, #fx.meta<requires_grad>>
  // A transpose is not the identity although the types agree.
  // CHECK: %t = call_function @aten.t.default(%x)
  %t = call_function @aten.t.default(%x) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  // detach stops the gradient.
  // CHECK: @aten.detach.default
  %d = call_function @aten.detach.default(%g) : (!fx.tensor<[4, 4], f32, #fx.meta<requires_grad>>) -> !fx.tensor<[4, 4], f32>
  // An output must not become an input.
  // CHECK: %a = call_function @aten.alias.default(%x)
  %a = call_function @aten.alias.default(%x) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %s = call_function @aten.sin.default(%x) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  // An output must not share memory with another one.
  // CHECK: %c = call_function @aten.clone.default(%s)
  %c = call_function @aten.clone.default(%s) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  // The strides differ; the view needs the contiguous copy.
  // CHECK: %m = call_function @aten.contiguous.default(%t2)
  // CHECK: %n = call_function @aten.contiguous.default(%s)
  %t2 = call_function @aten.t.default(%s) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32, #fx.meta<strides = [1, 4]>>
  %m = call_function @aten.contiguous.default(%t2) : (!fx.tensor<[4, 4], f32, #fx.meta<strides = [1, 4]>>) -> !fx.tensor<[4, 4], f32>
  %cos = call_function @aten.cos.default(%m) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %n = call_function @aten.contiguous.default(%s) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %v = call_function @aten.view.default(%n, [16]) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[16], f32>
  output(%t, %d, %a, %s, %c, %cos, %v) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>, !fx.tensor<[16], f32>)
}

// -----

// Copies, dropouts, casts, joins.
// CHECK-LABEL: fx.graph @copies
fx.graph @copies attributes {functional} {
  // CHECK: %h = placeholder "h"
  // CHECK-NEXT: %x = placeholder "x"
  // CHECK-NEXT: %z = placeholder "z"
  %h = placeholder "h" : !fx.tensor<[4], f16>
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %z = placeholder "z" : !fx.tensor<[0], f32>
  %c = call_function @aten.clone.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %d = call_function @aten.dropout.default(%c, 0.5, false) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %d0 = call_function @aten.dropout.default(%d, 0.0, true) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %n, %mask = call_function @aten.native_dropout.default(%d0, 0.5, false) : (!fx.tensor<[4], f32>) -> (!fx.tensor<[4], f32>, !fx.tensor<[4], i1>)
  %r = call_function @aten.repeat.default(%n, [1]) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %p = call_function @aten.constant_pad_nd.default(%r, [0, 0]) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %k = call_function @aten.cat.default([%p]) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %to = call_function @aten.to.dtype(%k, f32) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK-NEXT: %sin = call_function @aten.sin.default(%x)
  %sin = call_function @aten.sin.default(%to) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %up = call_function @aten._to_copy.default(%h, dtype = f32) : (!fx.tensor<[4], f16>) -> !fx.tensor<[4], f32>
  %back = call_function @aten._to_copy.default(%up, dtype = f16) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f16>
  // CHECK-NEXT: %cos = call_function @aten.cos.default(%h)
  %cos = call_function @aten.cos.default(%back) : (!fx.tensor<[4], f16>) -> !fx.tensor<[4], f16>
  // CHECK-NEXT: %up2 = call_function @aten._to_copy.default(%h, dtype = f64)
  %up2 = call_function @aten._to_copy.default(%up, dtype = f64) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f64>
  %k1 = call_function @aten.cat.default([%sin, %x], -1) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[8], f32>
  // CHECK-NEXT: %k2 = call_function @aten.cat.default([%sin, %x, %x])
  %k2 = call_function @aten.cat.default([%k1, %z, %x], 0) : (!fx.tensor<[8], f32>, !fx.tensor<[0], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[12], f32>
  // CHECK-NEXT: output
  output(%cos, %up2, %k2) : (!fx.tensor<[4], f16>, !fx.tensor<[4], f64>, !fx.tensor<[12], f32>)
}

// -----

// Casts that lose precision, active dropouts, and pads that shift stay.
// CHECK-LABEL: fx.graph @keep_copies
fx.graph @keep_copies attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // CHECK: %down = call_function @aten._to_copy.default(%x
  // CHECK-NEXT: %up = call_function @aten._to_copy.default(%down
  %down = call_function @aten._to_copy.default(%x, dtype = f16) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f16>
  %up = call_function @aten._to_copy.default(%down, dtype = f32) : (!fx.tensor<[4], f16>) -> !fx.tensor<[4], f32>
  // Converting an out-of-range float to an integer is undefined, so the two
  // casts are not merged.
  // CHECK-NEXT: %wide = call_function @aten._to_copy.default(%x
  // CHECK-NEXT: %int = call_function @aten._to_copy.default(%wide
  %wide = call_function @aten._to_copy.default(%x, dtype = f64) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f64>
  %int = call_function @aten._to_copy.default(%wide, dtype = i32) : (!fx.tensor<[4], f64>) -> !fx.tensor<[4], i32>
  // CHECK-NEXT: %d = call_function @aten.dropout.default(%x, 0.5
  %d = call_function @aten.dropout.default(%x, 0.5, true) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK-NEXT: %p = call_function @aten.constant_pad_nd.default(%d
  %p = call_function @aten.constant_pad_nd.default(%d, [1, -1]) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK-NEXT: %s = call_function @aten.sin.default(%p)
  %s = call_function @aten.sin.default(%p) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%up, %int, %s) : (!fx.tensor<[4], f32>, !fx.tensor<[4], i32>, !fx.tensor<[4], f32>)
}

// -----

// CHECK-LABEL: fx.graph @arithmetic
fx.graph @arithmetic attributes {functional} {
  // CHECK: %b = placeholder "b"
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %i = placeholder "i" : !fx.tensor<[4], i64>
  %b = placeholder "b" : !fx.tensor<[4], i1>
  %0 = call_function @aten.mul.Tensor(%x, 1) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %1 = call_function @aten.div.Tensor(%0, 1.0) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %2 = call_function @aten.sub.Tensor(%1, 0) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %3 = call_function @aten.add.Tensor(%2, -0.0) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %4 = call_function @aten.pow.Tensor_Scalar(%3, 1) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %one = call_function @aten.ones.default([4]) : () -> !fx.tensor<[4], f32>
  %5 = call_function @aten.mul.Tensor(%one, %4) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %6 = call_function @aten.neg.default(%5) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %7 = call_function @aten.neg.default(%6) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %8 = call_function @aten.maximum.default(%7, %7) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %9 = call_function @aten.where.self(%b, %8, %8) : (!fx.tensor<[4], i1>, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %true = call_function @aten.full.default([], true, dtype = i1) : () -> !fx.tensor<[], i1>
  %10 = call_function @aten.where.self(%true, %9, %6) : (!fx.tensor<[], i1>, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK-NEXT: %relu = call_function @aten.relu.default(%x)
  %relu = call_function @aten.relu.default(%10) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %11 = call_function @aten.relu.default(%relu) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK-NEXT: %floor = call_function @aten.floor.default(%relu)
  %floor = call_function @aten.floor.default(%11) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %12 = call_function @aten.trunc.default(%floor) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK-NEXT: %sin = call_function @aten.sin.default(%floor)
  %sin = call_function @aten.sin.default(%12) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %13 = call_function @aten.add.Tensor(%i, 0) : (!fx.tensor<[4], i64>) -> !fx.tensor<[4], i64>
  %14 = call_function @aten.bitwise_and.Scalar(%13, -1) : (!fx.tensor<[4], i64>) -> !fx.tensor<[4], i64>
  %15 = call_function @aten.bitwise_or.Tensor(%14, %14) : (!fx.tensor<[4], i64>, !fx.tensor<[4], i64>) -> !fx.tensor<[4], i64>
  %16 = call_function @aten.ceil.default(%15) : (!fx.tensor<[4], i64>) -> !fx.tensor<[4], i64>
  // CHECK-NEXT: %sq = call_function @aten.mul.Tensor(%i, %i)
  %sq = call_function @aten.mul.Tensor(%16, %16) : (!fx.tensor<[4], i64>, !fx.tensor<[4], i64>) -> !fx.tensor<[4], i64>
  // CHECK-NEXT: output
  output(%sin, %sq) : (!fx.tensor<[4], f32>, !fx.tensor<[4], i64>)
}

// -----

// CHECK-LABEL: fx.graph @keep_arithmetic
fx.graph @keep_arithmetic attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %i = placeholder "i" : !fx.tensor<[4], i64>
  // Adding 0 stays, since -0.0 + 0.0 is 0.0.
  // CHECK: %0 = call_function @aten.add.Tensor(%x, 0)
  // CHECK-NEXT: %1 = call_function @aten.sub.Tensor(%0, -0.0
  %0 = call_function @aten.add.Tensor(%x, 0) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %1 = call_function @aten.sub.Tensor(%0, -0.0) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // As an integer -0.0 is 0, so the addition stays.
  // CHECK: %2 = call_function @aten.add.Tensor(%1, %iz)
  %iz = call_function @aten.full.default([4], -0.0, dtype = i64) : () -> !fx.tensor<[4], i64>
  %2 = call_function @aten.add.Tensor(%1, %iz) : (!fx.tensor<[4], f32>, !fx.tensor<[4], i64>) -> !fx.tensor<[4], f32>
  // Ops that promote, broadcast or round.
  // CHECK-NEXT: %3 = call_function @aten.mul.Tensor(%i, 1.0
  // CHECK-NEXT: %ones = call_function @aten.ones.default([2, 4])
  // CHECK-NEXT: %4 = call_function @aten.mul.Tensor(%2, %ones)
  // CHECK-NEXT: %5 = call_function @aten.div.Tensor_mode(%4, 1, rounding_mode = "floor")
  %3 = call_function @aten.mul.Tensor(%i, 1.0) : (!fx.tensor<[4], i64>) -> !fx.tensor<[4], f32>
  %ones = call_function @aten.ones.default([2, 4]) : () -> !fx.tensor<[2, 4], f32>
  %4 = call_function @aten.mul.Tensor(%2, %ones) : (!fx.tensor<[4], f32>, !fx.tensor<[2, 4], f32>) -> !fx.tensor<[2, 4], f32>
  %5 = call_function @aten.div.Tensor_mode(%4, 1, rounding_mode = "floor") : (!fx.tensor<[2, 4], f32>) -> !fx.tensor<[2, 4], f32>
  %6 = call_function @aten.sin.default(%5) : (!fx.tensor<[2, 4], f32>) -> !fx.tensor<[2, 4], f32>
  output(%3, %6) : (!fx.tensor<[4], f32>, !fx.tensor<[2, 4], f32>)
}

// -----

// Symbolic sizes.
// CHECK-LABEL: fx.graph @sizes
fx.graph @sizes symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 8], f32>
  // CHECK: %n = call_function @aten.sym_size.int(%x, 0)
  %n = call_function @aten.sym_size.int(%x, 0) : (!fx.tensor<[s0, 8], f32>) -> !fx.sym_int<s0>
  %m = call_function @_operator.mul(%n, 2) : (!fx.sym_int<s0>) -> !fx.sym_int<2*s0>
  %h = call_function @_operator.floordiv(%m, 2) : (!fx.sym_int<2*s0>) -> !fx.sym_int<s0>
  %w = call_function @aten.sym_size.int(%x, 1) : (!fx.tensor<[s0, 8], f32>) -> !fx.sym_int<8>
  // CHECK-NEXT: %z = call_function @aten.zeros.default([%n, 8])
  %z = call_function @aten.zeros.default([%h, %w]) : (!fx.sym_int<s0>, !fx.sym_int<8>) -> !fx.tensor<[s0, 8], f32>
  // CHECK-NEXT: call_function @my.f.default([{"k" = 8}], %z, {"l" = [8, %n]})
  %f = call_function @my.f.default([{"k" = %w}], %z, {"l" = [%w, %n]}) : (!fx.sym_int<8>, !fx.tensor<[s0, 8], f32>, !fx.sym_int<8>, !fx.sym_int<s0>) -> !fx.any
  // CHECK-NEXT: output
  output(%z, %f) : (!fx.tensor<[s0, 8], f32>, !fx.any)
}

// -----

// A copy stays if it or its source may be written.
// CHECK-LABEL: fx.graph @not_functional
fx.graph @not_functional {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // CHECK: @aten.clone.default
  %c = call_function @aten.clone.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %s = call_function @aten.sin_.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %d = call_function @aten.cos.default(%c) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%d) : (!fx.tensor<[4], f32>)
}

// -----

// The neutral element may be the first operand, and may have rank 0.
// CHECK-LABEL: @neutral_first
fx.graph @neutral_first attributes {functional} {
  // CHECK: %x = placeholder
  %x = placeholder "x" : !fx.tensor<[4], i1>
  %ones = call_function @aten.new_ones.default(%x, [], dtype = i1) : (!fx.tensor<[4], i1>) -> !fx.tensor<[], i1>
  %and = call_function @aten.__and__.Tensor(%ones, %x) : (!fx.tensor<[], i1>, !fx.tensor<[4], i1>) -> !fx.tensor<[4], i1>
  %zeros = call_function @aten.zeros.default([4], dtype = i1) : () -> !fx.tensor<[4], i1>
  %or = call_function @aten.__or__.Tensor(%zeros, %and) : (!fx.tensor<[4], i1>, !fx.tensor<[4], i1>) -> !fx.tensor<[4], i1>
  // CHECK-NEXT: %falses
  // CHECK-NEXT: %wide = call_function @aten.bitwise_xor.Tensor(%falses, %x)
  %falses = call_function @aten.zeros.default([3, 4], dtype = i1) : () -> !fx.tensor<[3, 4], i1>
  %wide = call_function @aten.bitwise_xor.Tensor(%falses, %or) : (!fx.tensor<[3, 4], i1>, !fx.tensor<[4], i1>) -> !fx.tensor<[3, 4], i1>
  output(%wide) : (!fx.tensor<[3, 4], i1>)
}
