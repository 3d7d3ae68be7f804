// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// A loop over slices that carries the previous slice of the result.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  // Values and their indices.
  // CHECK: scf.for {{.*}} -> (tensor<?x4xf32>, tensor<?x4xi64>, tensor<4xf32>, tensor<4xi64>)
  // CHECK: tensor.extract_slice
  // CHECK: arith.cmpf oge
  // CHECK-COUNT-2: tensor.insert_slice
  %m, %k = call_function @aten.cummax.default(%x, 0) : (!fx.tensor<[s0, 4], f32>) -> (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], i64>)
  // CHECK: scf.for
  // CHECK: math.exp
  // CHECK: math.log1p
  %l = call_function @aten.logcumsumexp.default(%x, 1) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  // The areas first, then their sums.
  // CHECK: linalg.generic
  // CHECK: scf.for
  // CHECK: arith.addf
  %t = call_function @aten.cumulative_trapezoid.dx(%x, dx = 0.5, dim = 1) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 3], f32>
  output(%m, %k, %l, %t) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], i64>, !fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 3], f32>)
}
