// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --split-input-file | FileCheck %s

// Sizes that Python divides are divided in floating point.
// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0], f32>
  %n = call_function @aten.sym_size.int(%x, 0) : (!fx.tensor<[s0], f32>) -> !fx.sym_int<s0>
  %q = call_function @_operator.truediv(%n, 3) : (!fx.sym_int<s0>) -> !fx.sym_float<int_truediv(s0, 3)>
  %k = call_function @math.ceil(%q) : (!fx.sym_float<int_truediv(s0, 3)>) -> !fx.sym_int<ceil(int_truediv(s0, 3))>
  // CHECK-NOT: fx.eager
  // CHECK: %[[SIZE:.*]] = arith.sitofp %{{.*}} : i64 to f64
  // CHECK: %[[THIRD:.*]] = arith.divf %[[SIZE]], %{{.*}} : f64
  // CHECK: %[[CEIL:.*]] = math.ceil %[[THIRD]] : f64
  // CHECK: %[[COUNT:.*]] = arith.fptosi %[[CEIL]] : f64 to i64
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[COUNT]] : i64 to index
  // CHECK: tensor.empty(%[[INDEX]]) : tensor<?xf32>
  %y = call_function @aten.zeros.default([%k]) : (!fx.sym_int<ceil(int_truediv(s0, 3))>) -> !fx.tensor<[ceil(int_truediv(s0, 3))], f32>
  output(%y) : (!fx.tensor<[ceil(int_truediv(s0, 3))], f32>)
}

// -----

// Shifts by a count that only the run knows are Python's.
// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64], s1 in [2, 100]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, s1], f32>
  %n = call_function @aten.sym_size.int(%x, 0) : (!fx.tensor<[s0, s1], f32>) -> !fx.sym_int<s0>
  %m = call_function @aten.sym_size.int(%x, 1) : (!fx.tensor<[s0, s1], f32>) -> !fx.sym_int<s1>
  // CHECK-DAG: fx.eager @_operator.rshift
  %r = call_function @_operator.rshift(%n, %m) : (!fx.sym_int<s0>, !fx.sym_int<s1>) -> !fx.sym_int<rshift(s0, s1)>
  // CHECK-DAG: arith.shli
  %k = call_function @_operator.lshift(%n, 2) : (!fx.sym_int<s0>) -> !fx.sym_int<lshift(s0, 2)>
  output(%r, %k) : (!fx.sym_int<rshift(s0, s1)>, !fx.sym_int<lshift(s0, 2)>)
}
