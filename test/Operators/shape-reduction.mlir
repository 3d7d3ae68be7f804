// RUN: fx-opt %s --fx-shape-prop | FileCheck %s

// Types that the shape rules give to results of unknown type.

// CHECK-LABEL: fx.graph @case_0 symbols
fx.graph @case_0 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], i32>
  // CHECK: @aten.sum.dim_IntList{{.*}} -> !fx.tensor<[s0, 1], i64>{{$}}
  %r = call_function @aten.sum.dim_IntList(%a0, [-1], true) : (!fx.tensor<[s0, 4], i32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_1 symbols
fx.graph @case_1 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], bf16>
  // CHECK: @aten.sum.default{{.*}} -> !fx.tensor<[], bf16>{{$}}
  %r = call_function @aten.sum.default(%a0) : (!fx.tensor<[s0, 4], bf16>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_2 symbols
fx.graph @case_2 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  // CHECK: @aten.sum.dim_IntList{{.*}} -> !fx.tensor<[], f64>{{$}}
  %r = call_function @aten.sum.dim_IntList(%a0, None, dtype = f64) : (!fx.tensor<[s0, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_3 symbols
fx.graph @case_3 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4, s1], f32>
  // CHECK: @aten.mean.dim{{.*}} -> !fx.tensor<[s0], f32>{{$}}
  %r = call_function @aten.mean.dim(%a0, [1, 2]) : (!fx.tensor<[s0, 4, s1], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_4 symbols
fx.graph @case_4 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  // CHECK: @aten.any.dim{{.*}} -> !fx.tensor<[s0, 1], i1>{{$}}
  %r = call_function @aten.any.dim(%a0, -1, true) : (!fx.tensor<[s0, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_5 symbols
fx.graph @case_5 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  // CHECK: @aten.max.dim{{.*}} -> (!fx.tensor<[4], f32>, !fx.tensor<[4], i64>){{$}}
  %r0, %r1 = call_function @aten.max.dim(%a0, 0) : (!fx.tensor<[s0, 4], f32>) -> (!fx.any, !fx.any)
  output()
}

// CHECK-LABEL: fx.graph @case_6 symbols
fx.graph @case_6 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  // CHECK: @aten.argmax.default{{.*}} -> !fx.tensor<[s0], i64>{{$}}
  %r = call_function @aten.argmax.default(%a0, -1) : (!fx.tensor<[s0, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_7 symbols
fx.graph @case_7 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  // CHECK: @aten.linalg_vector_norm.default{{.*}} -> !fx.tensor<[s0, 1], f32>{{$}}
  %r = call_function @aten.linalg_vector_norm.default(%a0, 2, [-1], true) : (!fx.tensor<[s0, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_8 symbols
fx.graph @case_8 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  // CHECK: @aten.var_mean.correction{{.*}} -> (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>){{$}}
  %r0, %r1 = call_function @aten.var_mean.correction(%a0, [0]) : (!fx.tensor<[s0, 4], f32>) -> (!fx.any, !fx.any)
  output()
}

// CHECK-LABEL: fx.graph @case_9 symbols
fx.graph @case_9 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], i1>
  // CHECK: @aten.cumsum.default{{.*}} -> !fx.tensor<[s0], i64>{{$}}
  %r = call_function @aten.cumsum.default(%a0, -1) : (!fx.tensor<[s0], i1>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_10 symbols
fx.graph @case_10 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], bf16>
  // CHECK: @aten._softmax.default{{.*}} -> !fx.tensor<[s0, 4], bf16>{{$}}
  %r = call_function @aten._softmax.default(%a0, -1, false) : (!fx.tensor<[s0, 4], bf16>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_11 symbols
fx.graph @case_11 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], bf16>
  // CHECK: @aten.softmax.int{{.*}} -> !fx.tensor<[s0, 4], f32>{{$}}
  %r = call_function @aten.softmax.int(%a0, -1, f32) : (!fx.tensor<[s0, 4], bf16>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_12 symbols
fx.graph @case_12 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  // CHECK: @aten.topk.default{{.*}} -> (!fx.tensor<[s0, 2], f32>, !fx.tensor<[s0, 2], i64>){{$}}
  %r0, %r1 = call_function @aten.topk.default(%a0, 2) : (!fx.tensor<[s0, 4], f32>) -> (!fx.any, !fx.any)
  output()
}

// CHECK-LABEL: fx.graph @case_13 symbols
fx.graph @case_13 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4, s1], f32>
  // CHECK: @aten.amax.default{{.*}} -> !fx.tensor<[s1], f32>{{$}}
  %r = call_function @aten.amax.default(%a0, [0, 1]) : (!fx.tensor<[s0, 4, s1], f32>) -> !fx.any
  output()
}
