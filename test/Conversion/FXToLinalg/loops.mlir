// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s

!v = !fx.tensor<[s0], f32>
!i = !fx.tensor<[], i64>

fx.graph private @less attributes {functional} {
  %i = placeholder "i" : !i
  %x = placeholder "x" : !v
  %w = placeholder "w" : !v
  %lt = call_function @aten.lt.Scalar(%i, 5) : (!i) -> !fx.tensor<[], i1>
  output(%lt) : (!fx.tensor<[], i1>)
}
fx.graph private @iteration attributes {functional} {
  %i = placeholder "i" : !i
  %x = placeholder "x" : !v
  %w = placeholder "w" : !v
  %j = call_function @aten.add.Tensor(%i, 1) : (!i) -> !i
  %y = call_function @aten.mul.Tensor(%x, %w) : (!v, !v) -> !v
  output(%j, %y) : (!i, !v)
}
// CHECK-LABEL: func.func @while
// CHECK: %[[R:.*]]:2 = scf.while (%[[I:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}}) : (tensor<i64>, tensor<?xf32>)
// CHECK: arith.cmpi slt
// CHECK: scf.condition(%{{.*}}) %[[I]], %[[X]]
// CHECK: } do {
// CHECK: arith.mulf
// CHECK: scf.yield
// CHECK: return %[[R]]#0, %[[R]]#1
fx.graph @while symbols [s0 in [2, 16]] attributes {functional} {
  %i = placeholder "i" : !i
  %x = placeholder "x" : !v
  %w = placeholder "w" : !v
  %less = get_attr @less : !fx.graph_ref
  %iteration = get_attr @iteration : !fx.graph_ref
  %j, %y = higher_order @while_loop(%less, %iteration, [%i, %x], [%w]) : (!fx.graph_ref, !fx.graph_ref, !i, !v, !v) -> (!i, !v)
  output(%j, %y) : (!i, !v)
}

// Numbers are carried as scalars.
fx.graph private @below attributes {functional} {
  %k = placeholder "k" : !fx.sym_int<u0>
  %n = placeholder "n" : !fx.sym_int<s0>
  %lt = call_function @_operator.lt(%k, %n) : (!fx.sym_int<u0>, !fx.sym_int<s0>) -> !fx.sym_bool<lt(u0, s0)>
  output(%lt) : (!fx.sym_bool<lt(u0, s0)>)
}
fx.graph private @next attributes {functional} {
  %k = placeholder "k" : !fx.sym_int<u0>
  %n = placeholder "n" : !fx.sym_int<s0>
  %m = call_function @_operator.add(%k, 2) : (!fx.sym_int<u0>) -> !fx.sym_int<u0 + 2>
  output(%m) : (!fx.sym_int<u0 + 2>)
}
// CHECK-LABEL: func.func @count
// CHECK: scf.while (%[[K:.*]] = %c0_i64) : (i64) -> i64
// CHECK: arith.cmpi slt
// CHECK: scf.yield %{{.*}} : i64
fx.graph @count symbols [s0 in [2, 16]] attributes {functional} {
  %n = placeholder "n" : !fx.sym_int<s0>
  %below = get_attr @below : !fx.graph_ref
  %next = get_attr @next : !fx.graph_ref
  %k = higher_order @while_loop(%below, %next, [0], [%n]) : (!fx.graph_ref, !fx.graph_ref, !fx.sym_int<s0>) -> !fx.sym_int<u1>
  output(%k) : (!fx.sym_int<u1>)
}

fx.graph private @row attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[3], f32>
  %w = placeholder "w" : !fx.tensor<[3], f32>
  %y = call_function @aten.mul.Tensor(%x, %w) : (!fx.tensor<[3], f32>, !fx.tensor<[3], f32>) -> !fx.tensor<[3], f32>
  output(%y) : (!fx.tensor<[3], f32>)
}
// CHECK-LABEL: func.func @map
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: %[[INIT:.*]] = tensor.empty(%[[N]]) : tensor<?x3xf32>
// CHECK: scf.for %[[AT:.*]] = %c0 to %[[N]] step %c1 iter_args(%[[ROWS:.*]] = %[[INIT]])
// CHECK: tensor.extract_slice %{{.*}}[%[[AT]], 0]
// CHECK: tensor.insert_slice %{{.*}} into %[[ROWS]][%[[AT]], 0] [1, 3] [1, 1]
fx.graph @map symbols [s0 in [2, 16]] attributes {functional} {
  %xs = placeholder "xs" : !fx.tensor<[s0, 3], f32>
  %w = placeholder "w" : !fx.tensor<[3], f32>
  %row = get_attr @row : !fx.graph_ref
  %m = higher_order @map_impl(%row, [%xs], [%w]) : (!fx.graph_ref, !fx.tensor<[s0, 3], f32>, !fx.tensor<[3], f32>) -> !fx.tensor<[s0, 3], f32>
  output(%m) : (!fx.tensor<[s0, 3], f32>)
}

fx.graph private @step attributes {functional} {
  %c = placeholder "c" : !fx.tensor<[3], f32>
  %x = placeholder "x" : !fx.tensor<[3], f32>
  %s = call_function @aten.add.Tensor(%c, %x) : (!fx.tensor<[3], f32>, !fx.tensor<[3], f32>) -> !fx.tensor<[3], f32>
  %y = call_function @aten.sum.default(%s) : (!fx.tensor<[3], f32>) -> !fx.tensor<[], f32>
  output(%s, %y) : (!fx.tensor<[3], f32>, !fx.tensor<[], f32>)
}
// CHECK-LABEL: func.func @scan
// CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}, %[[ROWS:.*]] = %{{.*}}) -> (tensor<3xf32>, tensor<5xf32>)
// CHECK: tensor.insert_slice %{{.*}} into %[[ROWS]]
fx.graph @scan attributes {functional} {
  %c = placeholder "c" : !fx.tensor<[3], f32>
  %xs = placeholder "xs" : !fx.tensor<[5, 3], f32>
  %step = get_attr @step : !fx.graph_ref
  %d, %ys = higher_order @scan(%step, [%c], [%xs], []) : (!fx.graph_ref, !fx.tensor<[3], f32>, !fx.tensor<[5, 3], f32>) -> (!fx.tensor<[3], f32>, !fx.tensor<[5], f32>)
  output(%d, %ys) : (!fx.tensor<[3], f32>, !fx.tensor<[5], f32>)
}

// The first row of the result is the first row of the input.
// CHECK-LABEL: func.func @associative
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [1, 3] [1, 1]
// CHECK: scf.for %{{.*}} = %c1 to %c5
fx.graph @associative attributes {functional} {
  %xs = placeholder "xs" : !fx.tensor<[5, 3], f32>
  %row = get_attr @row : !fx.graph_ref
  %ys = higher_order @associative_scan(%row, [%xs], []) : (!fx.graph_ref, !fx.tensor<[5, 3], f32>) -> !fx.tensor<[5, 3], f32>
  output(%ys) : (!fx.tensor<[5, 3], f32>)
}
