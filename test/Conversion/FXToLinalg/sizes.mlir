// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize | FileCheck %s --implicit-check-not=fx.eager

// Sizes that Python divides are divided in floating point.
// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0], f32>
  %n = call_function @aten.sym_size.int(%x, 0) : (!fx.tensor<[s0], f32>) -> !fx.sym_int<s0>
  %q = call_function @_operator.truediv(%n, 3) : (!fx.sym_int<s0>) -> !fx.sym_float<int_truediv(s0, 3)>
  %k = call_function @math.ceil(%q) : (!fx.sym_float<int_truediv(s0, 3)>) -> !fx.sym_int<ceil(int_truediv(s0, 3))>
  // CHECK: %[[SIZE:.*]] = arith.sitofp %{{.*}} : i64 to f64
  // CHECK: %[[THIRD:.*]] = arith.divf %[[SIZE]], %{{.*}} : f64
  // CHECK: %[[CEIL:.*]] = math.ceil %[[THIRD]] : f64
  // CHECK: %[[COUNT:.*]] = arith.fptosi %[[CEIL]] : f64 to i64
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[COUNT]] : i64 to index
  // CHECK: tensor.empty(%[[INDEX]]) : tensor<?xf32>
  %y = call_function @aten.zeros.default([%k]) : (!fx.sym_int<ceil(int_truediv(s0, 3))>) -> !fx.tensor<[ceil(int_truediv(s0, 3))], f32>
  output(%y) : (!fx.tensor<[ceil(int_truediv(s0, 3))], f32>)
}
