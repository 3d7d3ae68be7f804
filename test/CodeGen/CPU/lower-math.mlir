// RUN: fx-opt %s --fx-cpu-lower-math | FileCheck %s

// erf is one quotient of polynomials, clamped before and after.
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

// What polynomials give within a few units in the last place.
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

// Those that would be wrong near zeros and poles stay with libm, and so does
// what is wider than f32.
// CHECK-LABEL: func.func @exact
func.func @exact(%x: vector<16xf32>, %y: f64) -> (vector<16xf32>, f64) {
  // CHECK: math.sin
  %0 = math.sin %x : vector<16xf32>
  // CHECK: math.cos
  %1 = math.cos %0 : vector<16xf32>
  // CHECK: math.atan
  %2 = math.atan %1 : vector<16xf32>
  // CHECK: math.cbrt
  %3 = math.cbrt %2 : vector<16xf32>
  // CHECK: math.exp %{{.+}} : f64
  %4 = math.exp %y : f64
  return %3, %4 : vector<16xf32>, f64
}
