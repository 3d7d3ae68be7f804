// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Less common functions of one and two numbers.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %y = placeholder "y" : !fx.tensor<[s0, 4], f32>
  %i = placeholder "i" : !fx.tensor<[s0, 4], i64>
  %j = placeholder "j" : !fx.tensor<[s0, 4], i64>
  // The result is infinite if either operand is, and nothing overflows.
  // CHECK: math.sqrt
  %h = call_function @aten.hypot.default(%x, %y) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  // Euclid's algorithm, a loop in the body.
  // CHECK: scf.for
  // CHECK: arith.remsi
  %g = call_function @aten.gcd.default(%i, %j) : (!fx.tensor<[s0, 4], i64>, !fx.tensor<[s0, 4], i64>) -> !fx.tensor<[s0, 4], i64>
  // The bits plus or minus one.
  // CHECK: arith.bitcast
  // CHECK: arith.addi
  %n = call_function @aten.nextafter.default(%x, %y) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  // The power is computed in f64, the dtype of the result.
  // CHECK: math.powf {{.*}} : f64
  %p = call_function @aten.float_power.Tensor_Scalar(%x, 2.5) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f64>
  // CHECK: arith.cmpf uno
  %z = call_function @aten.nan_to_num.default(%x) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  output(%h, %g, %n, %p, %z) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], i64>, !fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f64>, !fx.tensor<[s0, 4], f32>)
}
