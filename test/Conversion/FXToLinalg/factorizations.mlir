// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// A linear solve in f64: a loop over the steps, the search for a pivot, the
// swap of rows, the elimination; a check that no matrix is singular; two
// substitutions.

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

// A negative info code is an error, too.
// CHECK-LABEL: func.func @codes
fx.graph @codes attributes {functional} {
  %info = placeholder "info" : !fx.tensor<[2], i32>
  // CHECK: arith.ori
  // CHECK: %[[OK:.*]] = arith.cmpi eq
  // CHECK: cf.assert %[[OK]], {{.*}}linalg.inv has a result for
  call_function @aten._linalg_check_errors.default(%info, "linalg.inv", is_matrix = false) : (!fx.tensor<[2], i32>) -> ()
  output(%info) : (!fx.tensor<[2], i32>)
}
