// RUN: fx-opt %s --fx-shape-prop | FileCheck %s

// Types that the shape rules give to results of unknown type.

// CHECK-LABEL: fx.graph @case_0 symbols
fx.graph @case_0 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[100, 8], f16>
  %a1 = placeholder "a1" : !fx.tensor<[s0, s1], i64>
  // CHECK: @aten.embedding.default{{.*}} -> !fx.tensor<[s0, s1, 8], f16>{{$}}
  %r = call_function @aten.embedding.default(%a0, %a1) : (!fx.tensor<[100, 8], f16>, !fx.tensor<[s0, s1], i64>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_1 symbols
fx.graph @case_1 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4, 8], f32>
  %a1 = placeholder "a1" : !fx.tensor<[s1], i64>
  // CHECK: @aten.index.Tensor{{.*}} -> !fx.tensor<[s1, 4, 8], f32>{{$}}
  %r = call_function @aten.index.Tensor(%a0, [%a1]) : (!fx.tensor<[s0, 4, 8], f32>, !fx.tensor<[s1], i64>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_2 symbols
fx.graph @case_2 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4, 8], f32>
  %a1 = placeholder "a1" : !fx.tensor<[s1, 1], i64>
  %a2 = placeholder "a2" : !fx.tensor<[3], i64>
  // CHECK: @aten.index.Tensor{{.*}} -> !fx.tensor<[s0, s1, 3], f32>{{$}}
  %r = call_function @aten.index.Tensor(%a0, [None, %a1, %a2]) : (!fx.tensor<[s0, 4, 8], f32>, !fx.tensor<[s1, 1], i64>, !fx.tensor<[3], i64>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_3 symbols
fx.graph @case_3 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4, 8], f32>
  %a1 = placeholder "a1" : !fx.tensor<[s1], i64>
  %a2 = placeholder "a2" : !fx.tensor<[], i64>
  // CHECK: @aten.index.Tensor{{.*}} -> !fx.tensor<[s1, 4], f32>{{$}}
  %r = call_function @aten.index.Tensor(%a0, [%a1, None, %a2]) : (!fx.tensor<[s0, 4, 8], f32>, !fx.tensor<[s1], i64>, !fx.tensor<[], i64>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_4 symbols
fx.graph @case_4 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  %a1 = placeholder "a1" : !fx.tensor<[s0, 2], i64>
  // CHECK: @aten.gather.default{{.*}} -> !fx.tensor<[s0, 2], f32>{{$}}
  %r = call_function @aten.gather.default(%a0, 1, %a1) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 2], i64>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_5 symbols
fx.graph @case_5 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  %a1 = placeholder "a1" : !fx.tensor<[s1], i64>
  // CHECK: @aten.index_select.default{{.*}} -> !fx.tensor<[s0, s1], f32>{{$}}
  %r = call_function @aten.index_select.default(%a0, 1, %a1) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s1], i64>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_6 symbols
fx.graph @case_6 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  %a1 = placeholder "a1" : !fx.tensor<[s0, 2], i64>
  // CHECK: @aten.scatter.value{{.*}} -> !fx.tensor<[s0, 4], f32>{{$}}
  %r = call_function @aten.scatter.value(%a0, 1, %a1, 0) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 2], i64>) -> !fx.any
  output()
}
