// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Elements are marked and counted, and their indices are collected. The count
// is the value of the result's symbol, which later operators use.

// CHECK-LABEL: func.func @main
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[3, 4], f32>
  %m = placeholder "m" : !fx.tensor<[3, 4], i1>
  %r = placeholder "r" : !fx.tensor<[3], i64>
  // CHECK: arith.cmpf une
  // CHECK: %[[COUNT:.*]] = tensor.extract %{{.*}}[] : tensor<i64>
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[COUNT]]
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %c0) -> (tensor<?xi64>, index)
  // CHECK: tensor.insert
  // CHECK: tensor.empty(%[[INDEX]]) : tensor<?x2xi64>
  %nz = call_function @aten.nonzero.default(%x) : (!fx.tensor<[3, 4], f32>) -> !fx.tensor<[u0, 2], i64>
  // CHECK: scf.for
  // CHECK: tensor.insert
  // CHECK: tensor<?xf32>
  %s = call_function @aten.masked_select.default(%x, %m) : (!fx.tensor<[3, 4], f32>, !fx.tensor<[3, 4], i1>) -> !fx.tensor<[u1], f32>
  // CHECK: cf.assert {{.*}}repeats cannot be negative
  // CHECK: scf.for
  // CHECK: scf.for
  %i = call_function @aten.repeat_interleave.self_Tensor(%x, %r, 0) : (!fx.tensor<[3, 4], f32>, !fx.tensor<[3], i64>) -> !fx.tensor<[u2, 4], f32>
  // CHECK: cf.assert {{.*}}no negative elements
  %b = call_function @aten.bincount.default(%r) : (!fx.tensor<[3], i64>) -> !fx.tensor<[u3], i64>
  output(%nz, %s, %i, %b) : (!fx.tensor<[u0, 2], i64>, !fx.tensor<[u1], f32>, !fx.tensor<[u2, 4], f32>, !fx.tensor<[u3], i64>)
}
