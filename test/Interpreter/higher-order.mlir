// Higher-order operators on sub-graphs.
// RUN: rm -rf %t && %npy write %t/in 'array([1, 2, 3], "f4")' 'arange(6, dtype="f4").reshape(2, 3)'
// RUN: fx-run %s --interpret --inputs %t/in --outputs %t/out
// RUN: %npy show %t/out | FileCheck %s

!v = !fx.tensor<[3], f32>
!m = !fx.tensor<[2, 3], f32>

fx.graph private @double {
  %x = placeholder "x" : !v
  %y = call_function @aten.mul.Tensor(%x, 2) : (!v) -> !v
  output(%y) : (!v)
}
fx.graph private @add {
  %x = placeholder "x" : !v
  %y = placeholder "y" : !v
  %z = call_function @aten.add.Tensor(%x, %y) : (!v, !v) -> !v
  output(%z) : (!v)
}
fx.graph private @step {
  %carry = placeholder "carry" : !v
  %x = placeholder "x" : !v
  %z = call_function @aten.add.Tensor(%carry, %x) : (!v, !v) -> !v
  output(%z, %z) : (!v, !v)
}
fx.graph private @small {
  %i = placeholder "i" : !fx.sym_int
  %x = placeholder "x" : !v
  %lt = call_function @_operator.lt(%i, 3) : (!fx.sym_int) -> !fx.sym_bool
  output(%lt) : (!fx.sym_bool)
}
fx.graph private @next {
  %i = placeholder "i" : !fx.sym_int
  %x = placeholder "x" : !v
  %j = call_function @_operator.add(%i, 1) : (!fx.sym_int) -> !fx.sym_int
  %y = call_function @aten.mul.Tensor(%x, 2) : (!v) -> !v
  output(%j, %y) : (!fx.sym_int, !v)
}

fx.graph @main {
  %x = placeholder "x" : !v
  %xs = placeholder "xs" : !m
  %double = get_attr @double : !fx.graph_ref
  %add = get_attr @add : !fx.graph_ref
  %step = get_attr @step : !fx.graph_ref
  %small = get_attr @small : !fx.graph_ref
  %next = get_attr @next : !fx.graph_ref
  // CHECK: out_0: float32[3] [2.0, 4.0, 6.0]
  %invoke = higher_order @invoke_subgraph(%double, "id", %x) : (!fx.graph_ref, !v) -> !v
  // CHECK-NEXT: out_1: float32[3] [2.0, 4.0, 6.0]
  %grad = higher_order @wrap_with_set_grad_enabled(false, %double, %x) : (!fx.graph_ref, !v) -> !v
  // CHECK-NEXT: out_2: float32[3] [2.0, 4.0, 6.0]
  %hints = higher_order @hints_wrapper(%double, [%x], {}, {"key" = 1}) : (!fx.graph_ref, !v) -> !v
  // CHECK-NEXT: out_3: float32[2, 3] {{\[\[}}1.0, 3.0, 5.0], [4.0, 6.0, 8.0]]
  %map = higher_order @map_impl(%add, [%xs], [%x]) : (!fx.graph_ref, !m, !v) -> !m
  // CHECK-NEXT: out_4: float32[3] [4.0, 7.0, 10.0]
  // CHECK-NEXT: out_5: float32[2, 3] {{\[\[}}1.0, 3.0, 5.0], [4.0, 7.0, 10.0]]
  %carry, %ys = higher_order @scan(%step, [%x], [%xs], []) : (!fx.graph_ref, !v, !m) -> (!v, !m)
  // CHECK-NEXT: out_6: float32[2, 3] {{\[\[}}0.0, 1.0, 2.0], [3.0, 5.0, 7.0]]
  %assoc = higher_order @associative_scan(%add, [%xs], []) : (!fx.graph_ref, !m) -> !m
  // CHECK-NEXT: out_7: int64[] 3
  // CHECK-NEXT: out_8: float32[3] [8.0, 16.0, 24.0]
  %i, %y = higher_order @while_loop(%small, %next, [0, %x], []) : (!fx.graph_ref, !fx.graph_ref, !v) -> (!fx.sym_int, !v)
  // The operator writes to a copy: %x itself does not change.
  // CHECK-NEXT: out_9: float32[3] [2.0, 3.0, 4.0]
  // CHECK-NEXT: out_10: float32[3] [2.0, 3.0, 4.0]
  %r, %w = higher_order @auto_functionalized(#fx.operator<"aten.add_.Tensor">, self = %x, other = 1) : (!v) -> (!v, !v)
  // A view of a base is written: the whole base is returned.
  // CHECK-NEXT: out_11: float32[3] [1.0, 0.0, 0.0]
  %r2, %base = higher_order @auto_functionalized_v2(#fx.operator<"aten.zero_.default">, _self_base_index = 0, _self_slice_dim = 0, _self_slice_start = 1, _self_slice_end = 3, _all_bases = [%x]) : (!v) -> (!v, !v)
  // The elements of a base may share memory, and a base may have an offset.
  // CHECK-NEXT: out_12: float32[3] [0.0, 0.0, 0.0]
  %first = call_function @aten.slice.Tensor(%x, 0, 0, 1) : (!v) -> !fx.tensor<[1], f32>
  %repeated = call_function @aten.expand.default(%first, [3]) : (!fx.tensor<[1], f32>) -> !v
  %r3, %shared = higher_order @auto_functionalized_v2(#fx.operator<"aten.zero_.default">, _self_base_index = 0, _self_slice_dim = 0, _self_slice_start = 1, _self_slice_end = 2, _all_bases = [%repeated]) : (!v) -> (!v, !v)
  // CHECK-NEXT: out_13: float32[3] [3.0, 0.0, 0.0]
  %row = call_function @aten.select.int(%xs, 0, 1) : (!m) -> !v
  %r4, %rest = higher_order @auto_functionalized_v2(#fx.operator<"aten.zero_.default">, _self_base_index = 0, _self_size = [2], _self_stride = [1], _self_storage_offset = 4, _all_bases = [%row]) : (!v) -> (!v, !v)
  // CHECK-NEXT: out_14: float32[3] [1.0, 2.0, 3.0]
  %token = call_function @aten.empty.memory_format([0]) : () -> !fx.tensor<[0], f32>
  %t, %effect = higher_order @with_effects(%token, #fx.operator<"aten.abs.default">, %x) : (!fx.tensor<[0], f32>, !v) -> (!fx.tensor<[0], f32>, !v)
  // CHECK-NEXT: out_15: float64[3] [2.0, 4.0, 6.0]
  %out = higher_order @out_dtype(#fx.operator<"aten.mul.Tensor">, f64, %x, 2) : (!v) -> !fx.tensor<[3], f64>
  output(%invoke, %grad, %hints, %map, %carry, %ys, %assoc, %i, %y, %r, %w, %base, %shared, %rest, %effect, %out) : (!v, !v, !v, !m, !v, !m, !m, !fx.sym_int, !v, !v, !v, !v, !v, !v, !v, !fx.tensor<[3], f64>)
}
