// RUN: fx-opt %s --fx-shape-prop | FileCheck %s

// Types that the shape rules give to results of unknown type.

// CHECK-LABEL: fx.graph @case_0 symbols
fx.graph @case_0 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f16>
  %a1 = placeholder "a1" : !fx.tensor<[s0, 5], f32>
  // CHECK: @aten.cat.default{{.*}} -> !fx.tensor<[s0, 9], f32>{{$}}
  %r = call_function @aten.cat.default([%a0, %a1], -1) : (!fx.tensor<[s0, 4], f16>, !fx.tensor<[s0, 5], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_1 symbols
fx.graph @case_1 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[0], f32>
  %a1 = placeholder "a1" : !fx.tensor<[s0, 5], f32>
  // CHECK: @aten.cat.default{{.*}} -> !fx.tensor<[s0, 5], f32>{{$}}
  %r = call_function @aten.cat.default([%a0, %a1]) : (!fx.tensor<[0], f32>, !fx.tensor<[s0, 5], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_2 symbols
fx.graph @case_2 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  %a1 = placeholder "a1" : !fx.tensor<[s0, 4], f32>
  // CHECK: @aten.stack.default{{.*}} -> !fx.tensor<[s0, 4, 2], f32>{{$}}
  %r = call_function @aten.stack.default([%a0, %a1], -1) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_3 symbols
fx.graph @case_3 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], f32>
  // CHECK: @aten.to.dtype{{.*}} -> !fx.tensor<[s0], f16>{{$}}
  %r = call_function @aten.to.dtype(%a0, f16) : (!fx.tensor<[s0], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_4 symbols
fx.graph @case_4 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], f32>
  // CHECK: @aten._to_copy.default{{.*}} -> !fx.tensor<[s0], i64, "cuda:0">{{$}}
  %r = call_function @aten._to_copy.default(%a0, dtype = i64, device = #fx.device<"cuda", 0>) : (!fx.tensor<[s0], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_5 symbols
fx.graph @case_5 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], f32>
  %a1 = placeholder "a1" : !fx.tensor<[4], i64>
  // CHECK: @aten.type_as.default{{.*}} -> !fx.tensor<[s0], i64>{{$}}
  %r = call_function @aten.type_as.default(%a0, %a1) : (!fx.tensor<[s0], f32>, !fx.tensor<[4], i64>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_6 symbols
fx.graph @case_6 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  // CHECK: @aten.repeat.default{{.*}} -> !fx.tensor<[2, s0, 12], f32>{{$}}
  %r = call_function @aten.repeat.default(%a0, [2, 1, 3]) : (!fx.tensor<[s0, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_7 symbols
fx.graph @case_7 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  // CHECK: @aten.repeat_interleave.self_int{{.*}} -> !fx.tensor<[s0, 8], f32>{{$}}
  %r = call_function @aten.repeat_interleave.self_int(%a0, 2, 1) : (!fx.tensor<[s0, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_8 symbols
fx.graph @case_8 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  // CHECK: @aten.pad.default{{.*}} -> !fx.tensor<[s0 + -1, 7], f32>{{$}}
  %r = call_function @aten.pad.default(%a0, [1, 2, 0, -1]) : (!fx.tensor<[s0, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_9 symbols
fx.graph @case_9 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[1, 8, s0, 5], f32>
  // CHECK: @aten.pixel_shuffle.default{{.*}} -> !fx.tensor<[1, 2, 2*s0, 10], f32>{{$}}
  %r = call_function @aten.pixel_shuffle.default(%a0, 2) : (!fx.tensor<[1, 8, s0, 5], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_10 symbols
fx.graph @case_10 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], f32>
  %a1 = placeholder "a1" : !fx.tensor<[4], f32>
  // CHECK: @aten.meshgrid.indexing{{.*}} -> (!fx.tensor<[4, s0], f32>, !fx.tensor<[4, s0], f32>){{$}}
  %r0, %r1 = call_function @aten.meshgrid.indexing([%a0, %a1], indexing = "xy") outs [[#fx.operand, #fx.operand]] : (!fx.tensor<[s0], f32>, !fx.tensor<[4], f32>) -> (!fx.any, !fx.any)
  output()
}

// CHECK-LABEL: fx.graph @case_11 symbols
fx.graph @case_11 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], complex<f32>>
  // CHECK: @aten.view_as_real.default{{.*}} -> !fx.tensor<[s0, 2], f32>{{$}}
  %r = call_function @aten.view_as_real.default(%a0) : (!fx.tensor<[s0], complex<f32>>) -> !fx.any
  output()
}
