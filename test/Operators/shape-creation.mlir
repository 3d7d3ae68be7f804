// RUN: fx-opt %s --fx-shape-prop | FileCheck %s

// Types that the shape rules give to results of unknown type.

// CHECK-LABEL: fx.graph @case_0 symbols
fx.graph @case_0 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.sym_int<s0>
  // CHECK: @aten.arange.default{{.*}} -> !fx.tensor<[s0], i64>{{$}}
  %r = call_function @aten.arange.default(%a0) : (!fx.sym_int<s0>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_1 symbols
fx.graph @case_1 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.sym_int<2*s0 + 1>
  // CHECK: @aten.arange.start_step{{.*}} -> !fx.tensor<[s0], i64>{{$}}
  %r = call_function @aten.arange.start_step(1, %a0, 2) : (!fx.sym_int<2*s0 + 1>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_2 symbols
fx.graph @case_2 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  // CHECK: @aten.arange.start_step{{.*}} -> !fx.tensor<[4], f32>{{$}}
  %r = call_function @aten.arange.start_step(0, 1.0, 0.3) : () -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_3 symbols
fx.graph @case_3 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  // CHECK: @aten.arange.start{{.*}} -> !fx.tensor<[8], f32>{{$}}
  %r = call_function @aten.arange.start(0, 8, dtype = f32) : () -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_4 symbols
fx.graph @case_4 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.sym_int<s0>
  // CHECK: @aten.zeros.default{{.*}} -> !fx.tensor<[s0, 4], i1>{{$}}
  %r = call_function @aten.zeros.default([%a0, 4], dtype = i1) : (!fx.sym_int<s0>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_5 symbols
fx.graph @case_5 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  // CHECK: @aten.full.default{{.*}} -> !fx.tensor<[2], i64>{{$}}
  %r = call_function @aten.full.default([2], 1) : () -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_6 symbols
fx.graph @case_6 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  // CHECK: @aten.full.default{{.*}} -> !fx.tensor<[], i1>{{$}}
  %r = call_function @aten.full.default([], true) : () -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_7 symbols
fx.graph @case_7 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], i64>
  // CHECK: @aten.full_like.default{{.*}} -> !fx.tensor<[s0], i64>{{$}}
  %r = call_function @aten.full_like.default(%a0, 1.5) : (!fx.tensor<[s0], i64>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_8 symbols
fx.graph @case_8 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], f32>
  // CHECK: @aten.new_ones.default{{.*}} -> !fx.tensor<[3], i64>{{$}}
  %r = call_function @aten.new_ones.default(%a0, [3], dtype = i64) : (!fx.tensor<[s0], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_9 symbols
fx.graph @case_9 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  // CHECK: @aten.scalar_tensor.default{{.*}} -> !fx.tensor<[], i64>{{$}}
  %r = call_function @aten.scalar_tensor.default(1, dtype = i64) : () -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_10 symbols
fx.graph @case_10 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  // CHECK: @aten.eye.default{{.*}} -> !fx.tensor<[3, 3], f32>{{$}}
  %r = call_function @aten.eye.default(3) : () -> !fx.any
  output()
}
