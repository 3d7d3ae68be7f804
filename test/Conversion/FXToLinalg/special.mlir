// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Special functions are computed in f64.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  // lgamma: ten steps of the recurrence, the asymptotic series, and the
  // reflection.
  // CHECK-COUNT-10: arith.cmpf olt
  // CHECK: math.log {{.*}} : f64
  // CHECK: math.sin {{.*}} : f64
  // CHECK: arith.truncf {{.*}} : f64 to f32
  %g = call_function @aten.lgamma.default(%x) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  // The two series of a Bessel function, and the select between them.
  // CHECK: math.exp {{.*}} : f64
  // CHECK: math.sqrt {{.*}} : f64
  // CHECK: arith.select
  %i = call_function @aten.i0.default(%x) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  // A series below 1, and the exponentials of the trapezoidal rule above.
  // CHECK: math.log {{.*}} : f64
  // CHECK-COUNT-45: math.exp {{.*}} : f64
  %k = call_function @aten.special_modified_bessel_k0.default(%x) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  output(%g, %i, %k) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>)
}
