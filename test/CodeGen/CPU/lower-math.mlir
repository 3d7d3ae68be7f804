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

// What would be wrong near its zeros stays, and what is not f32.
// CHECK-LABEL: func.func @kept
// CHECK: math.sin
// CHECK: math.erf {{.*}} : f64
func.func @kept(%x: f32, %y: f64) -> (f32, f64) {
  %r = math.sin %x : f32
  %s = math.erf %y : f64
  return %r, %s : f32, f64
}
