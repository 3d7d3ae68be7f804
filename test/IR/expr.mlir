// RUN: fx-opt %s | FileCheck %s

// Expressions are canonicalized when they are built, so that equal types are
// the same type.
fx.graph @exprs {
  // Sums and products are sorted and their equal terms are merged.
  // CHECK: "e0" : !fx.sym_int<2*s17 + 1>
  %e0 = placeholder "e0" : !fx.sym_int<1 + 2*s17>
  // CHECK: "e1" : !fx.sym_int<2*s17 + 1>
  %e1 = placeholder "e1" : !fx.sym_int<s17 + 1 + s17>
  // CHECK: "e2" : !fx.sym_int<2*s17 + 1>
  %e2 = placeholder "e2" : !fx.sym_int<s17*2 + 1 + 0*s3>

  // An integer factor is distributed over a sum; a symbol is not.
  // CHECK: "e3" : !fx.sym_int<2*s0 + 2*s1>
  %e3 = placeholder "e3" : !fx.sym_int<2*(s1 + s0)>
  // CHECK: "e4" : !fx.sym_int<(s0 + s1)*s0>
  %e4 = placeholder "e4" : !fx.sym_int<(s1 + s0)*s0>

  // Calls of integer constants fold, with Python's rounding.
  // CHECK: "e5" : !fx.sym_int<-2>
  %e5 = placeholder "e5" : !fx.sym_int<floordiv(-3, 2)>
  // CHECK: "e6" : !fx.sym_int<2>
  %e6 = placeholder "e6" : !fx.sym_int<mod(-1, 3)>
  // CHECK: "e7" : !fx.sym_int<4>
  %e7 = placeholder "e7" : !fx.sym_int<max(3, 4, 1)>
  // CHECK: "e8" : !fx.sym_int<1>
  %e8 = placeholder "e8" : !fx.sym_int<eq(s0, s0)>
  // CHECK: "e9" : !fx.sym_int<1024>
  %e9 = placeholder "e9" : !fx.sym_int<pow(2, 10)>

  // Exact divisions fold. The operands of max are a set.
  // CHECK: "e10" : !fx.sym_int<s0>
  %e10 = placeholder "e10" : !fx.sym_int<floordiv(4*s0, 4)>
  // CHECK: "e11" : !fx.sym_int<max(s0, s1)>
  %e11 = placeholder "e11" : !fx.sym_int<max(s1, s0, s1)>
  // CHECK: "e12" : !fx.sym_int<2*s0 + 1>
  %e12 = placeholder "e12" : !fx.sym_int<floordiv(4*s0 + 2, 2)>

  // Expressions without a simpler form stay as they are.
  // CHECK: "e13" : !fx.sym_int<to_float(s0)*0.5>
  %e13 = placeholder "e13" : !fx.sym_int<0.5*to_float(s0)>
  // CHECK: "e14" : !fx.sym_int<pow(s0, 2)>
  %e14 = placeholder "e14" : !fx.sym_int<pow(s0, 2)>
  // CHECK: "e15" : !fx.sym_int<-1*s0>
  %e15 = placeholder "e15" : !fx.sym_int<-1*s0>
  output()
}
