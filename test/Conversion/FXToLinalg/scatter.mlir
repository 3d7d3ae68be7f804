// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Writes of single elements.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %k = placeholder "k" : !fx.tensor<[s0, 3], i64>
  %s = placeholder "s" : !fx.tensor<[s0, 3], f32>
  %m = placeholder "m" : !fx.tensor<[s0, 4], i1>
  %h = placeholder "h" : !fx.tensor<[], f32>
  // Elements that receive a value start from 0. The mean divides by the count.
  // CHECK: cf.assert %{{.*}}, "{{[^ ]*}}: aten.scatter_reduce.two: an index is out of range (
  // CHECK: scf.for
  // CHECK: tensor.insert
  // CHECK: scf.for
  // CHECK: arith.addf
  // CHECK: scf.for
  // CHECK: arith.divf
  %r = call_function @aten.scatter_reduce.two(%x, 1, %k, %s, "mean", include_self = false) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 3], i64>, !fx.tensor<[s0, 3], f32>) -> !fx.tensor<[s0, 4], f32>
  // The index into the source is the number of true elements so far.
  // CHECK: cf.assert %{{.*}}, "{{[^ ]*}}: aten.masked_scatter: the source has fewer elements than the mask (
  // CHECK: scf.for
  // CHECK: tensor.extract
  %q = call_function @aten.masked_scatter.default(%x, %m, %x) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], i1>, !fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  // CHECK: arith.select
  %f = call_function @aten.index_put.default(%x, [%m], %h) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], i1>, !fx.tensor<[], f32>) -> !fx.tensor<[s0, 4], f32>
  output(%r, %q, %f) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>)
}
