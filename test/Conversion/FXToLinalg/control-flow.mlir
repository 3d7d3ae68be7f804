// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s

fx.graph private @true_graph_0 {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %s = call_function @aten.sin.default(%x) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  output(%s) : (!fx.tensor<[s0, 4], f32>)
}
fx.graph private @false_graph_0 {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %c = call_function @aten.cos.default(%x) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  output(%c) : (!fx.tensor<[s0, 4], f32>)
}
fx.graph private @body {
  %a = placeholder "a" : !fx.tensor<[s0, 4], f32>
  %n = call_function @aten.neg.default(%a) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  output(%n) : (!fx.tensor<[s0, 4], f32>)
}
// A graph that only ATen can run stays a graph, for the fallback.
// CHECK: fx.graph private @loop
// CHECK-NOT: fx.graph
fx.graph private @loop {
  %a = placeholder "a" : !fx.tensor<[4], f32>
  output(%a) : (!fx.tensor<[4], f32>)
}

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>
fx.graph @main symbols [s0 in [2, 16]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %p = placeholder "p" : !fx.tensor<[], i1>
  %l = placeholder "l" : !fx.tensor<[4], f32>
  %n = placeholder "n" : !fx.sym_int<s0>
  %true_graph_0 = get_attr @true_graph_0 : !fx.graph_ref
  %false_graph_0 = get_attr @false_graph_0 : !fx.graph_ref
  // CHECK: %[[GT:.*]] = arith.cmpi sgt
  // CHECK: %[[C:.*]] = tensor.extract %{{.*}}[] : tensor<i1>
  // CHECK: %[[IF:.*]] = scf.if %[[C]] -> (tensor<?x4xf32>)
  // CHECK: math.sin
  // CHECK: else
  // CHECK: math.cos
  %cond = cond(%p, %true_graph_0, %false_graph_0, [%x]) : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.graph_ref, !fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  %body = get_attr @body : !fx.graph_ref
  // CHECK: linalg.generic {{.*}} ins(%[[IF]]
  // CHECK: arith.negf
  %w = higher_order @wrap_with_set_grad_enabled(false, %body, %cond) : (!fx.graph_ref, !fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  // A predicate on a size is computed from the shape, at the entry.
  // CHECK: scf.if %[[GT]]
  %gt = call_function @_operator.gt(%n, 5) : (!fx.sym_int<s0>) -> !fx.sym_bool<gt(s0, 5)>
  %cond2 = cond(%gt, %true_graph_0, %false_graph_0, [%w]) : (!fx.sym_bool<gt(s0, 5)>, !fx.graph_ref, !fx.graph_ref, !fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  %loop = get_attr @loop : !fx.graph_ref
  // CHECK: fx.eager @local_map_hop(@loop, [%{{.*}}])
  %wl = higher_order @local_map_hop(%loop, [%l]) : (!fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK: cf.assert %{{.*}}, "{{.*}}too small
  %u = call_function @aten.item.default(%p) : (!fx.tensor<[], i1>) -> !fx.sym_bool
  call_function @aten._assert_scalar.default(%u, "too small") : (!fx.sym_bool) -> ()
  output(%cond2, %wl) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[4], f32>)
}
