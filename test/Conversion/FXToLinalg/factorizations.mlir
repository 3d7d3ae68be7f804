// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// In f64: steps, the search for a pivot, the swap, the elimination; a check
// that no matrix is singular; two substitutions.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4, 4], f32>
  // CHECK: arith.extf
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: math.absf {{.*}} : f64
  // CHECK: arith.select
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: arith.divf
  // CHECK: cf.assert {{.*}}a matrix that is not singular
  // CHECK: scf.for
  // CHECK: scf.for
  %y = call_function @aten.linalg_inv.default(%x) : (!fx.tensor<[s0, 4, 4], f32>) -> !fx.tensor<[s0, 4, 4], f32>
  // CHECK: math.sqrt {{.*}} : f64
  // CHECK: cf.assert {{.*}}a positive-definite matrix
  %l = call_function @aten.linalg_cholesky.default(%y) : (!fx.tensor<[s0, 4, 4], f32>) -> !fx.tensor<[s0, 4, 4], f32>
  output(%y, %l) : (!fx.tensor<[s0, 4, 4], f32>, !fx.tensor<[s0, 4, 4], f32>)
}
