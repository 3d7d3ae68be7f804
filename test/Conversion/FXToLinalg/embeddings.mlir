// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// CHECK-LABEL: func.func @main
fx.graph @main attributes {functional} {
  %w = placeholder "w" : !fx.tensor<[10, 5], f32>
  %i = placeholder "i" : !fx.tensor<[7], i64>
  %o = placeholder "o" : !fx.tensor<[2], i64>
  // A loop over the bags, one over a bag's rows, one over a row.
  // CHECK: cf.assert {{.*}}an index is out of range
  // CHECK: cf.assert {{.*}}expected offsets that start at 0
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: arith.addf
  // The mean divides by the number of rows, at least 1.
  // CHECK: arith.maximumf
  // CHECK: arith.divf
  %r:4 = call_function @aten.embedding_bag.padding_idx(%w, %i, %o, false, 1, false, None, false, None) : (!fx.tensor<[10, 5], f32>, !fx.tensor<[7], i64>, !fx.tensor<[2], i64>) -> (!fx.tensor<[2, 5], f32>, !fx.tensor<[7], i64>, !fx.tensor<[2], i64>, !fx.tensor<[2], i64>)
  output(%r#0) : (!fx.tensor<[2, 5], f32>)
}
