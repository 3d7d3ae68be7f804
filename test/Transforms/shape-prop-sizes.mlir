// RUN: fx-opt %s -fx-shape-prop='sizes=s0=6' -canonicalize | FileCheck %s

// The graph is specialized to one size: the range and the guard are removed,
// values computed from the size become numbers, and symbolic sizes are in
// canonical form.
// CHECK: fx.graph @main symbols [s1 in [2, 64]] attributes {functional} {
// CHECK-NEXT: %x = placeholder "x" : !fx.tensor<[6, s1], f32>
// CHECK-NEXT: %v = call_function @aten.view.default(%x, [3, -1]) : (!fx.tensor<[6, s1], f32>) -> !fx.tensor<[3, 2*s1], f32>
// CHECK-NEXT: output(%v) : (!fx.tensor<[3, 2*s1], f32>)
fx.graph @main symbols [s0 in [2, 64], s1 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, s1], f32>
  guard "x.size(0) > 3" : gt(s0, 3)
  %n = call_function @aten.sym_size.int(%x, 0) : (!fx.tensor<[s0, s1], f32>) -> !fx.sym_int<s0>
  %h = call_function @_operator.floordiv(%n, 2) : (!fx.sym_int<s0>) -> !fx.sym_int<floordiv(s0, 2)>
  %v = call_function @aten.view.default(%x, [%h, -1]) : (!fx.tensor<[s0, s1], f32>, !fx.sym_int<floordiv(s0, 2)>) -> !fx.any
  output(%v) : (!fx.any)
}
