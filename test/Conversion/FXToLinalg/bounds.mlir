// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse --split-input-file | FileCheck %s

// Positions that only the run knows are interpreted as PyTorch does, and
// nothing outside of a tensor is read or written.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?x2xf32>
// CHECK-NOT: fx.eager
fx.graph @main symbols [s0 in [2, 64], s1 in [2, 64], u0 in [?, ?]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 2], f32>
  %y = placeholder "y" : !fx.tensor<[s1, 2], f32>
  %z = placeholder "z" : !fx.tensor<[2], f32>
  %k = placeholder "k" : !fx.tensor<[], i64>
  %u = call_function @aten.item.default(%k) : (!fx.tensor<[], i64>) -> !fx.sym_int<u0>
  // From the end if negative, then clamped.
  // CHECK: %[[WRAPPED:.*]] = arith.select
  // CHECK: %[[LOW:.*]] = arith.maxsi {{.*}}%[[WRAPPED]]
  // CHECK: %[[START:.*]] = arith.minsi {{.*}}%[[LOW]]
  // CHECK: cf.assert %{{.*}}, "{{[^ ]*}}: aten.slice_scatter.default: the source is longer than the slice (
  // CHECK: tensor.insert_slice %{{.*}} into %[[X]][%[[START]], 0]
  %a = call_function @aten.slice_scatter.default(%x, %y, 0, %u) : (!fx.tensor<[s0, 2], f32>, !fx.tensor<[s1, 2], f32>, !fx.sym_int<u0>) -> !fx.tensor<[s0, 2], f32>
  // CHECK: cf.assert %{{.*}}, "{{[^ ]*}}: aten.select_scatter.default: the index is out of range (
  // CHECK: tensor.insert_slice
  %b = call_function @aten.select_scatter.default(%x, %z, 0, 5) : (!fx.tensor<[s0, 2], f32>, !fx.tensor<[2], f32>) -> !fx.tensor<[s0, 2], f32>
  // CHECK: cf.assert %{{.*}}, "{{[^ ]*}}: aten.narrow.default: the range is not within the dimension (
  // CHECK: tensor.extract_slice %[[X]][3, 0] [4, 2] [1, 1]
  %c = call_function @aten.narrow.default(%x, 0, 3, 4) : (!fx.tensor<[s0, 2], f32>) -> !fx.tensor<[4, 2], f32>
  output(%a, %b, %c) : (!fx.tensor<[s0, 2], f32>, !fx.tensor<[s0, 2], f32>, !fx.tensor<[4, 2], f32>)
}

// -----

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64], s1 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %k = placeholder "k" : !fx.tensor<[s0], i64>
  %l = placeholder "l" : !fx.tensor<[2], i64>
  %s = placeholder "s" : !fx.tensor<[s1], f32>
  %t = placeholder "t" : !fx.tensor<[3], f32>
  %m = placeholder "m" : !fx.tensor<[4], i1>
  %e = placeholder "e" : !fx.tensor<[0], f32>
  // CHECK: cf.assert %{{.*}}, "{{[^ ]*}}: aten.put: the source and the index differ in their numbers of elements (
  %p = call_function @aten.put.default(%x, %k, %s) : (!fx.tensor<[4], f32>, !fx.tensor<[s0], i64>, !fx.tensor<[s1], f32>) -> !fx.tensor<[4], f32>
  // CHECK: fx.eager @aten.put.default{{.*}}fx.reason = "the source and the index differ in their numbers of elements"
  %q = call_function @aten.put.default(%x, %l, %t) : (!fx.tensor<[4], f32>, !fx.tensor<[2], i64>, !fx.tensor<[3], f32>) -> !fx.tensor<[4], f32>
  // An empty source is right for a mask without a true element only.
  // CHECK: cf.assert %{{.*}}, "{{[^ ]*}}: aten.masked_scatter: the source has fewer elements than the mask (
  %r = call_function @aten.masked_scatter.default(%x, %m, %e) : (!fx.tensor<[4], f32>, !fx.tensor<[4], i1>, !fx.tensor<[0], f32>) -> !fx.tensor<[4], f32>
  output(%p, %q, %r) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
}

// -----

// A size that no integer holds.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0], f32>
  // CHECK: fx.eager @aten.constant_pad_nd.default{{.*}}fx.reason = "a size overflows"
  %y = call_function @aten.constant_pad_nd.default(%x, [9223372036854775807, 9223372036854775807]) : (!fx.tensor<[s0], f32>) -> !fx.tensor<[s0], f32>
  output(%y) : (!fx.tensor<[s0], f32>)
}
