// RUN: fx-opt %s --fx-cpu-lower-math --split-input-file | FileCheck %s

// Functions without an LLVM intrinsic are called for each element.
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

// Operations that have an LLVM intrinsic for vectors keep their vector types.
// CHECK-LABEL: func.func @sin
// CHECK: math.sin %{{.*}} : vector<8xf64>
func.func @sin(%x: vector<8xf64>) -> vector<8xf64> {
  %y = math.sin %x : vector<8xf64>
  return %y : vector<8xf64>
}

// -----

// Subnormals are scaled by 2^23 before the polynomial, which treats them as the
// smallest normal number. 23 log(2) is subtracted after the polynomial.
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

// log of f64 is left to libm.
// CHECK-LABEL: func.func @log_f64
// CHECK-NEXT: math.log %{{.*}} : f64
func.func @log_f64(%x: f64) -> f64 {
  %y = math.log %x : f64
  return %y : f64
}

// -----

// erf is one quotient of two polynomials; the argument and the result are
// clamped.
// CHECK-LABEL: func.func @erf
// CHECK-COUNT-2: arith.select
// CHECK-COUNT-10: math.fma
// CHECK: arith.divf
// CHECK-COUNT-2: arith.select
// CHECK-NOT: arith.select
// CHECK-NOT: math.erf
func.func @erf(%x: vector<16xf32>) -> vector<16xf32> {
  %r = math.erf %x : vector<16xf32>
  return %r : vector<16xf32>
}

// Functions that polynomials approximate within a few units in the last place.
// CHECK-LABEL: func.func @approximated
func.func @approximated(%x: vector<16xf32>) -> vector<16xf32> {
  // CHECK-NOT: math.{{exp|expm1|log|log2|log1p|tanh|erf}}
  %0 = math.exp %x : vector<16xf32>
  %1 = math.expm1 %0 : vector<16xf32>
  %2 = math.log %1 : vector<16xf32>
  %3 = math.log2 %2 : vector<16xf32>
  %4 = math.log1p %3 : vector<16xf32>
  %5 = math.tanh %4 : vector<16xf32>
  %6 = math.erf %5 : vector<16xf32>
  return %6 : vector<16xf32>
}

// Functions whose f32 polynomials would be inaccurate near zeros and poles are
// computed in f64. Scalars, and types wider than f32, are left to libm.
// CHECK-LABEL: func.func @exact
func.func @exact(%x: vector<16xf32>, %y: vector<8xf64>, %z: f32) -> (vector<16xf32>, vector<8xf64>, f32) {
  // CHECK: arith.extf %{{.*}} : vector<16xf32> to vector<16xf64>
  // CHECK-NOT: math.{{atan|cbrt|powf|erfc}}
  // CHECK: arith.truncf
  %0 = math.atan %x : vector<16xf32>
  %1 = math.cbrt %0 : vector<16xf32>
  %2 = math.powf %1, %x : vector<16xf32>
  %5 = math.erfc %2 : vector<16xf32>
  // CHECK: math.sin %{{.+}} : vector<8xf64>
  %3 = math.sin %y : vector<8xf64>
  // CHECK: math.sin %{{.+}} : f32
  %4 = math.sin %z : f32
  return %5, %3, %4 : vector<16xf32>, vector<8xf64>, f32
}

// Upstream expands these as exp(x) - 1 and log(1 + x), which lose the digits of
// f64 near 0.
// CHECK-LABEL: func.func @near_zero
func.func @near_zero(%x: vector<2xf64>, %y: f64) -> (vector<2xf64>, f64) {
  // CHECK-COUNT-2: call @log1p(%{{.+}}) : (f64) -> f64
  %0 = math.log1p %x : vector<2xf64>
  // CHECK: call @expm1(%{{.+}}) : (f64) -> f64
  %1 = math.expm1 %y : f64
  return %0, %1 : vector<2xf64>, f64
}

// LLVM cannot select comparisons of bf16 vectors and removes their extensions
// to f32, so the extensions are written as shifts.
// CHECK-LABEL: func.func @compared
func.func @compared(%x: vector<16xbf16>, %y: vector<16xbf16>) -> vector<16xi1> {
  // CHECK-COUNT-2: arith.shli %{{.+}} : vector<16xi32>
  // CHECK: arith.cmpf une, %{{.+}} : vector<16xf32>
  %0 = arith.cmpf une, %x, %y : vector<16xbf16>
  return %0 : vector<16xi1>
}

// If any angle is 2^51 or more, libm computes the vector. f16 has no such
// angles.
// CHECK-LABEL: func.func @angles
func.func @angles(%x: vector<16xf32>, %y: vector<2x8xbf16>, %z: vector<16xf16>) -> (vector<16xf32>, vector<2x8xbf16>, vector<16xf16>) {
  // CHECK: %[[SINE:.*]] = arith.truncf %{{.*}} : vector<16xf64> to vector<16xf32>
  // CHECK: %[[SIZE:.*]] = math.absf %arg0
  // CHECK: %[[LARGEST:.*]] = arith.constant dense<2.25179981E+15> : vector<16xf32>
  // CHECK: %[[LARGE:.*]] = arith.cmpf oge, %[[SIZE]], %[[LARGEST]]
  // CHECK: %[[INF:.*]] = arith.constant dense<0x7F800000> : vector<16xf32>
  // CHECK: %[[FINITE:.*]] = arith.cmpf olt, %[[SIZE]], %[[INF]]
  // CHECK: %[[BOTH:.*]] = arith.andi %[[LARGE]], %[[FINITE]]
  // CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[BOTH]]
  // CHECK: scf.if %[[ANY]] -> (vector<16xf32>) {
  // CHECK-NEXT: %[[LIBM:.*]] = math.sin %arg0 : vector<16xf32>
  // CHECK-NEXT: scf.yield %[[LIBM]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %[[SINE]]
  %0 = math.sin %x : vector<16xf32>
  // CHECK: vector.shape_cast %{{.*}} : vector<2x8xi1> to vector<16xi1>
  // CHECK: scf.if
  %1 = math.cos %y : vector<2x8xbf16>
  // CHECK-NOT: scf.if
  %2 = math.tan %z : vector<16xf16>
  return %0, %1, %2 : vector<16xf32>, vector<2x8xbf16>, vector<16xf16>
}

// -----

// A power of two is a polynomial of float32, scaled in two steps.
// CHECK-LABEL: func.func @exp2
// CHECK-NOT: math.exp2
// CHECK-NOT: f64
// CHECK: math.roundeven %{{.*}} : vector<8xf32>
// CHECK-COUNT-6: math.fma %{{.*}} : vector<8xf32>
// CHECK: arith.fptosi %{{.*}} : vector<8xf32> to vector<8xi32>
// CHECK-COUNT-2: arith.mulf %{{.*}} : vector<8xf32>
// CHECK-NOT: f64
func.func @exp2(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp2 %x : vector<8xf32>
  return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @exp2_double
// CHECK: math.exp2 %{{.*}} : f64
func.func @exp2_double(%x: f64) -> f64 {
  %y = math.exp2 %x : f64
  return %y : f64
}
