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

// Subnormals are scaled by 2^24, and 24 is subtracted from their exponents.
// CHECK-LABEL: func.func @log
// CHECK-SAME: (%[[X:.*]]: vector<8xf32>
// CHECK-DAG: %[[MIN:.*]] = arith.constant dense<1.17549435E-38> : vector<8xf32>
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<0x4B800000> : vector<8xf32>
// CHECK-DAG: %[[SHIFT:.*]] = arith.constant dense<2.400000e+01> : vector<8xf32>
// CHECK: %[[SMALL:.*]] = arith.cmpf olt, %[[X]], %[[MIN]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[X]], %[[SCALE]]
// CHECK: arith.select %[[SMALL]], %[[SCALED]], %[[X]]
// CHECK-NOT: math.log
// CHECK: arith.select %[[SMALL]], %[[SHIFT]]
func.func @log(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.log %x : vector<8xf32>
  return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @log2
// CHECK: arith.constant 2.400000e+01 : f32
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

// Where 1 is added, as in GELU, erf is one quotient of two polynomials; the
// argument and the result are clamped.
// CHECK-LABEL: func.func @gelu
// CHECK-COUNT-2: arith.select
// CHECK-COUNT-10: math.fma
// CHECK: arith.divf
// CHECK-COUNT-2: arith.select
// CHECK-NOT: arith.select
// CHECK-NOT: math.erf
func.func @gelu(%x: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %r = math.erf %x : vector<16xf32>
  %s = arith.addf %r, %one : vector<16xf32>
  return %s : vector<16xf32>
}

// Elsewhere it has the accuracy of the other functions.
// CHECK-LABEL: func.func @erf
// CHECK-NOT: arith.divf
// CHECK-COUNT-10: math.fma
// CHECK: math.copysign
// CHECK: arith.select
// CHECK-NOT: math.erf
func.func @erf(%x: vector<16xf32>) -> vector<16xf32> {
  %r = math.erf %x : vector<16xf32>
  return %r : vector<16xf32>
}

// Functions of f32, also of scalars, are computed in f32 without libm and
// without f64. Their code for vectors and scalars is the same.
// CHECK-LABEL: func.func @approximated
func.func @approximated(%x: vector<16xf32>, %z: f32) -> (vector<16xf32>, f32) {
  // CHECK-NOT: f64
  // CHECK-NOT: math.{{exp|expm1|log|log2|log10|log1p|tan|tanh|erf|erfc|asin|acos|atan|atan2|sinh|cosh|asinh|acosh|atanh|powf}}{{ }}
  %0 = math.exp %x : vector<16xf32>
  %1 = math.expm1 %0 : vector<16xf32>
  %2 = math.log %1 : vector<16xf32>
  %3 = math.log2 %2 : vector<16xf32>
  %4 = math.log1p %3 : vector<16xf32>
  %5 = math.tanh %4 : vector<16xf32>
  %6 = math.erf %5 : vector<16xf32>
  %7 = math.erfc %6 : vector<16xf32>
  %8 = math.asin %7 : vector<16xf32>
  %9 = math.acos %8 : vector<16xf32>
  %10 = math.atan %9 : vector<16xf32>
  %11 = math.atan2 %10, %x : vector<16xf32>
  %12 = math.sinh %11 : vector<16xf32>
  %13 = math.cosh %12 : vector<16xf32>
  %14 = math.asinh %13 : vector<16xf32>
  %15 = math.acosh %14 : vector<16xf32>
  %16 = math.atanh %15 : vector<16xf32>
  %17 = math.log10 %16 : vector<16xf32>
  %18 = math.powf %17, %x : vector<16xf32>
  %19 = math.powf %z, %z : f32
  // CHECK: return
  return %18, %19 : vector<16xf32>, f32
}

// -----

// The cube root is computed in f64. Types wider than f32 are left to libm.
// CHECK-LABEL: func.func @exact
func.func @exact(%x: vector<16xf32>, %y: vector<8xf64>) -> (vector<16xf32>, vector<8xf64>) {
  // CHECK: arith.extf %{{.*}} : vector<16xf32> to vector<16xf64>
  // CHECK-NOT: math.cbrt
  // CHECK: arith.truncf
  %0 = math.cbrt %x : vector<16xf32>
  // CHECK: math.sin %{{.+}} : vector<8xf64>
  %1 = math.sin %y : vector<8xf64>
  return %0, %1 : vector<16xf32>, vector<8xf64>
}

// -----

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

// If any angle is larger than 1600, all are reduced in f64; if one is larger
// than 2^44, by the digits of 2/pi.
// CHECK-LABEL: func.func @angles
// CHECK-SAME: %[[X:.*]]: vector<16xf32>
func.func @angles(%x: vector<16xf32>, %y: vector<2x8xbf16>, %z: f32) -> (vector<16xf32>, vector<2x8xbf16>, f32) {
  // CHECK: %[[LARGEST:.*]] = arith.constant dense<1.600000e+03> : vector<16xf32>
  // CHECK-NOT: math.sin
  // CHECK: %[[SIZE:.*]] = math.absf %[[X]]
  // CHECK: %[[LARGE:.*]] = arith.cmpf olt, %[[LARGEST]], %[[SIZE]]
  // CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[LARGE]]
  // CHECK: scf.if %[[ANY]] -> (vector<16xf32>, vector<16xf32>, vector<16xi32>) {
  // CHECK: arith.extf %[[SIZE]] : vector<16xf32> to vector<16xf64>
  // CHECK: %[[HUGE:.*]] = arith.cmpf olt, %{{.*}}, %[[SIZE]]
  // CHECK: %[[ANY_HUGE:.*]] = vector.reduction <or>, %[[HUGE]]
  // CHECK: scf.if %[[ANY_HUGE]] -> (vector<16xf64>, vector<16xf64>) {
  // CHECK: } else {
  // CHECK: } else {
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NOT: f64
  %0 = math.sin %x : vector<16xf32>
  // CHECK: vector.shape_cast %{{.*}} : vector<2x8xi1> to vector<16xi1>
  // CHECK: scf.if
  %1 = math.cos %y : vector<2x8xbf16>
  // CHECK: scf.if %{{.*}} -> (f32, f32, i32) {
  %2 = math.tan %z : f32
  return %0, %1, %2 : vector<16xf32>, vector<2x8xbf16>, f32
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

// -----

// A maximum with a constant is one instruction of x86, which returns its second
// operand if one is NaN. Otherwise the first operand is tested for NaN, too.
// CHECK-LABEL: func.func @extrema
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>, %[[Y:.*]]: vector<16xf32>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.0
// CHECK: %[[LESS:.*]] = arith.cmpf ogt, %[[ZERO]], %[[X]]
// CHECK: %[[RELU:.*]] = arith.select %[[LESS]], %[[ZERO]], %[[X]]
// CHECK: %[[ORDER:.*]] = arith.cmpf olt, %[[RELU]], %[[Y]]
// CHECK: %[[MIN:.*]] = arith.select %[[ORDER]], %[[RELU]], %[[Y]]
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[RELU]], %[[RELU]]
// CHECK: arith.select %[[NAN]], %[[RELU]], %[[MIN]]
func.func @extrema(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %relu = arith.maximumf %x, %zero : vector<16xf32>
  %min = arith.minimumf %relu, %y : vector<16xf32>
  return %min : vector<16xf32>
}

// -----

// A constant that is NaN is the result.
// CHECK-LABEL: func.func @maximum_with_nan
// CHECK: arith.cmpf uno
func.func @maximum_with_nan(%x: f32) -> f32 {
  %nan = arith.constant 0x7FC00000 : f32
  %m = arith.maximumf %x, %nan : f32
  return %m : f32
}

// -----

// A remainder is exact in f64 if all quotients are below 2^29. libm computes
// the others.
// CHECK-LABEL: func.func @remainder
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>, %[[Y:.*]]: vector<16xf32>)
// CHECK: %[[ALL:.*]] = vector.reduction <and>, %{{.*}} : vector<16xi1> into i1
// CHECK: scf.if %[[ALL]]
// CHECK: arith.divf %{{.*}} : vector<16xf64>
// CHECK: math.trunc
// CHECK: math.copysign %{{.*}}, %[[X]]
// CHECK: } else {
// CHECK: arith.remf %[[X]], %[[Y]] : vector<16xf32>
func.func @remainder(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %r = arith.remf %x, %y : vector<16xf32>
  return %r : vector<16xf32>
}

// -----

// LLVM would round each element of bf16 alone.
// CHECK-LABEL: func.func @round
// CHECK: %[[WIDE:.*]] = arith.extf
// CHECK: %[[FENCE:.*]] = llvm.call_intrinsic "llvm.arithmetic.fence"(%[[WIDE]])
// CHECK: math.roundeven %[[FENCE]]
func.func @round(%x: vector<16xbf16>) -> vector<16xbf16> {
  %w = arith.extf %x : vector<16xbf16> to vector<16xf32>
  %r = math.roundeven %w : vector<16xf32>
  %y = arith.truncf %r : vector<16xf32> to vector<16xbf16>
  return %y : vector<16xbf16>
}
