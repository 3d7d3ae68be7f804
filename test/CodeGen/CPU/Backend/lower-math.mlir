// RUN: fx-opt %s --fx-cpu-lower-math --split-input-file | FileCheck %s

// What LLVM has no intrinsic for is called for each element.
// CHECK-LABEL: func.func @asinh
// CHECK-COUNT-4: math.asinh %{{.*}} : f64
// CHECK-NOT: math.asinh
// CHECK: vector.insert {{.*}} [1, 1] : f64 into vector<2x2xf64>
func.func @asinh(%x: vector<2x2xf64>) -> vector<2x2xf64> {
  %y = math.asinh %x : vector<2x2xf64>
  return %y : vector<2x2xf64>
}

// -----

// CHECK-LABEL: func.func @erf
// CHECK-COUNT-2: math.erf %{{.*}} : f64
// CHECK-NOT: math.erf
func.func @erf(%x: vector<2xf64>) -> vector<2xf64> {
  %y = math.erf %x : vector<2xf64>
  return %y : vector<2xf64>
}

// -----

// Vectors that have an intrinsic stay whole.
// CHECK-LABEL: func.func @sin
// CHECK: math.sin %{{.*}} : vector<8xf64>
func.func @sin(%x: vector<8xf64>) -> vector<8xf64> {
  %y = math.sin %x : vector<8xf64>
  return %y : vector<8xf64>
}

// -----

// Subnormals are scaled by 2^23 before the polynomial, which takes them for the
// smallest normal number, and 23 log(2) is subtracted after it.
// CHECK-LABEL: func.func @log
// CHECK-SAME: (%[[X:.*]]: vector<8xf32>
// CHECK-DAG: %[[MIN:.*]] = arith.constant dense<1.17549435E-38> : vector<8xf32>
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<0x4B000000> : vector<8xf32>
// CHECK-DAG: %[[SHIFT:.*]] = arith.constant dense<15.9423847> : vector<8xf32>
// CHECK: %[[SMALL:.*]] = arith.cmpf olt, %[[X]], %[[MIN]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[X]], %[[SCALE]]
// CHECK: arith.select %[[SMALL]], %[[SCALED]], %[[X]]
// CHECK-NOT: math.log
// CHECK: %[[SHIFTED:.*]] = arith.subf %{{.*}}, %[[SHIFT]]
// CHECK: arith.select %[[SMALL]], %[[SHIFTED]]
func.func @log(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.log %x : vector<8xf32>
  return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @log2
// CHECK: arith.constant 2.300000e+01 : f32
// CHECK-NOT: math.log2
func.func @log2(%x: f32) -> f32 {
  %y = math.log2 %x : f32
  return %y : f32
}

// -----

// f64 is libm's.
// CHECK-LABEL: func.func @log_f64
// CHECK-NEXT: math.log %{{.*}} : f64
func.func @log_f64(%x: f64) -> f64 {
  %y = math.log %x : f64
  return %y : f64
}
