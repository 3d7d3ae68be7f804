// RUN: fx-opt %s --fx-shape-prop | FileCheck %s

// Types that the shape rules give to results of unknown type.

// CHECK-LABEL: fx.graph @case_0 symbols
fx.graph @case_0 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  %a1 = placeholder "a1" : !fx.tensor<[4, 8], f32>
  // CHECK: @aten.mm.default{{.*}} -> !fx.tensor<[s0, 8], f32>{{$}}
  %r = call_function @aten.mm.default(%a0, %a1) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[4, 8], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_1 symbols
fx.graph @case_1 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 3, 4], f32>
  %a1 = placeholder "a1" : !fx.tensor<[s0, 4, 8], f32>
  // CHECK: @aten.bmm.default{{.*}} -> !fx.tensor<[s0, 3, 8], f32>{{$}}
  %r = call_function @aten.bmm.default(%a0, %a1) : (!fx.tensor<[s0, 3, 4], f32>, !fx.tensor<[s0, 4, 8], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_2 symbols
fx.graph @case_2 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[8], f32>
  %a1 = placeholder "a1" : !fx.tensor<[s0, 4], f32>
  %a2 = placeholder "a2" : !fx.tensor<[4, 8], f32>
  // CHECK: @aten.addmm.default{{.*}} -> !fx.tensor<[s0, 8], f32>{{$}}
  %r = call_function @aten.addmm.default(%a0, %a1, %a2) : (!fx.tensor<[8], f32>, !fx.tensor<[s0, 4], f32>, !fx.tensor<[4, 8], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_3 symbols
fx.graph @case_3 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 1, 3, 4], f32>
  %a1 = placeholder "a1" : !fx.tensor<[5, 4, 8], f32>
  // CHECK: @aten.matmul.default{{.*}} -> !fx.tensor<[s0, 5, 3, 8], f32>{{$}}
  %r = call_function @aten.matmul.default(%a0, %a1) : (!fx.tensor<[s0, 1, 3, 4], f32>, !fx.tensor<[5, 4, 8], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_4 symbols
fx.graph @case_4 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4], f32>
  %a1 = placeholder "a1" : !fx.tensor<[5, 4, 8], f32>
  // CHECK: @aten.matmul.default{{.*}} -> !fx.tensor<[5, 8], f32>{{$}}
  %r = call_function @aten.matmul.default(%a0, %a1) : (!fx.tensor<[4], f32>, !fx.tensor<[5, 4, 8], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_5 symbols
fx.graph @case_5 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4], f32>
  %a1 = placeholder "a1" : !fx.tensor<[4], f32>
  // CHECK: @aten.matmul.default{{.*}} -> !fx.tensor<[], f32>{{$}}
  %r = call_function @aten.matmul.default(%a0, %a1) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_6 symbols
fx.graph @case_6 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 7, 4], f32>
  %a1 = placeholder "a1" : !fx.tensor<[8, 4], f32>
  // CHECK: @aten.linear.default{{.*}} -> !fx.tensor<[s0, 7, 8], f32>{{$}}
  %r = call_function @aten.linear.default(%a0, %a1) : (!fx.tensor<[s0, 7, 4], f32>, !fx.tensor<[8, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_7 symbols
fx.graph @case_7 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 2, s1, 8], f32>
  %a1 = placeholder "a1" : !fx.tensor<[s0, 2, s2, 8], f32>
  %a2 = placeholder "a2" : !fx.tensor<[s0, 2, s2, 16], f32>
  // CHECK: @aten.scaled_dot_product_attention.default{{.*}} -> !fx.tensor<[s0, 2, s1, 16], f32>{{$}}
  %r = call_function @aten.scaled_dot_product_attention.default(%a0, %a1, %a2) : (!fx.tensor<[s0, 2, s1, 8], f32>, !fx.tensor<[s0, 2, s2, 8], f32>, !fx.tensor<[s0, 2, s2, 16], f32>) -> !fx.any
  output()
}

// The keys have one dimension more than the query.
// CHECK-LABEL: fx.graph @ranks_broadcast
fx.graph @ranks_broadcast {
  %q = placeholder "q" : !fx.tensor<[4, 3, 8], f32>
  %k = placeholder "k" : !fx.tensor<[2, 4, 6, 8], f32>
  %v = placeholder "v" : !fx.tensor<[1, 6, 5], f32>
  // CHECK: @aten.scaled_dot_product_attention.default{{.*}} -> !fx.tensor<[2, 4, 3, 5], f32>{{$}}
  %r = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v) : (!fx.tensor<[4, 3, 8], f32>, !fx.tensor<[2, 4, 6, 8], f32>, !fx.tensor<[1, 6, 5], f32>) -> !fx.any
  output()
}

// Keys have fewer heads than queries.
// CHECK-LABEL: fx.graph @grouped
fx.graph @grouped {
  %q = placeholder "q" : !fx.tensor<[2, 8, 3, 4], f32>
  %k = placeholder "k" : !fx.tensor<[2, 2, 6, 4], f32>
  // CHECK: @aten.scaled_dot_product_attention.default{{.*}} -> !fx.tensor<[2, 8, 3, 4], f32>{{$}}
  %r = call_function @aten.scaled_dot_product_attention.default(%q, %k, %k, enable_gqa = true) : (!fx.tensor<[2, 8, 3, 4], f32>, !fx.tensor<[2, 2, 6, 4], f32>, !fx.tensor<[2, 2, 6, 4], f32>) -> !fx.any
  output()
}
