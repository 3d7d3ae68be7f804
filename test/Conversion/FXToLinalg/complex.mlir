// Within a graph a complex tensor is a pair of real tensors. Its parts are
// interleaved only for the graph's outputs and for operators that fall back to
// ATen.
// RUN: fx-opt %s -convert-fx-to-linalg -canonicalize -cse | FileCheck %s

!r = !fx.tensor<[4], f32>
!z = !fx.tensor<[4], complex<f32>>
!p = !fx.tensor<[4, 2], f32>

// CHECK-LABEL: func.func @rotate
// CHECK-NOT: complex
// CHECK: return
fx.graph @rotate attributes {functional} {
  %x = placeholder "x" : !p
  %t = placeholder "t" : !r
  %z = call_function @aten.view_as_complex.default(%x) : (!p) -> !z
  %w = call_function @aten.polar.default(%t, %t) : (!r, !r) -> !z
  %y = call_function @aten.mul.Tensor(%z, %w) : (!z, !z) -> !z
  %v = call_function @aten.view_as_real.default(%y) : (!z) -> !p
  output(%v) : (!p)
}

// CHECK-LABEL: func.func @eager
// CHECK-DAG: complex.re
// CHECK-DAG: complex.im
// CHECK: complex.create
// CHECK: fx.eager @aten.tan.default
// CHECK-SAME: fx.reason = "the operator has no lowering for complex tensors"
fx.graph @eager attributes {functional} {
  %z = placeholder "z" : !z
  %n = call_function @aten.neg.default(%z) : (!z) -> !z
  %e = call_function @aten.tan.default(%n) : (!z) -> !z
  output(%e) : (!z)
}
