// RUN: fx-opt %s --fx-shape-prop | FileCheck %s

// Types that the shape rules give to results of unknown type.

// CHECK-LABEL: fx.graph @case_0 symbols
fx.graph @case_0 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 3, 224, s1], f32>
  %a1 = placeholder "a1" : !fx.tensor<[64, 3, 3, 3], f32>
  // CHECK: @aten.conv2d.default{{.*}} -> !fx.tensor<[s0, 64, 112, floordiv(s1 + -1, 2) + 1], f32>{{$}}
  %r = call_function @aten.conv2d.default(%a0, %a1, None, [2, 2], [1, 1]) : (!fx.tensor<[s0, 3, 224, s1], f32>, !fx.tensor<[64, 3, 3, 3], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_1 symbols
fx.graph @case_1 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 3, s1], f32>
  %a1 = placeholder "a1" : !fx.tensor<[6, 3, 3], f32>
  // CHECK: @aten.conv1d.padding{{.*}} -> !fx.tensor<[s0, 6, s1], f32>{{$}}
  %r = call_function @aten.conv1d.padding(%a0, %a1, None, 1, "same") : (!fx.tensor<[s0, 3, s1], f32>, !fx.tensor<[6, 3, 3], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_2 symbols
fx.graph @case_2 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4, 10], f32>
  %a1 = placeholder "a1" : !fx.tensor<[6, 2, 3], f32>
  // CHECK: @aten.convolution.default{{.*}} -> !fx.tensor<[s0, 6, 6], f32>{{$}}
  %r = call_function @aten.convolution.default(%a0, %a1, None, [1], [0], [2], false, [0], 2) : (!fx.tensor<[s0, 4, 10], f32>, !fx.tensor<[6, 2, 3], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_3 symbols
fx.graph @case_3 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4, 10, 10], f32>
  %a1 = placeholder "a1" : !fx.tensor<[4, 6, 3, 3], f32>
  // CHECK: @aten.convolution.default{{.*}} -> !fx.tensor<[s0, 6, 20, 20], f32>{{$}}
  %r = call_function @aten.convolution.default(%a0, %a1, None, [2, 2], [1, 1], [1, 1], true, [1, 1], 1) : (!fx.tensor<[s0, 4, 10, 10], f32>, !fx.tensor<[4, 6, 3, 3], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_4 symbols
fx.graph @case_4 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4, 10, s0], f32>
  %a1 = placeholder "a1" : !fx.tensor<[4, 6, 2, 2], f32>
  // CHECK: @aten.conv_transpose2d.input{{.*}} -> !fx.tensor<[6, 20, 2*s0], f32>{{$}}
  %r = call_function @aten.conv_transpose2d.input(%a0, %a1, None, [2, 2]) : (!fx.tensor<[4, 10, s0], f32>, !fx.tensor<[4, 6, 2, 2], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_5 symbols
fx.graph @case_5 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 64, 112, 112], f32>
  // CHECK: @aten.max_pool2d.default{{.*}} -> !fx.tensor<[s0, 64, 56, 56], f32>{{$}}
  %r = call_function @aten.max_pool2d.default(%a0, [3, 3], [2, 2], [1, 1]) : (!fx.tensor<[s0, 64, 112, 112], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_6 symbols
fx.graph @case_6 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 64, 7, 7], f32>
  // CHECK: @aten.max_pool2d_with_indices.default{{.*}} -> (!fx.tensor<[s0, 64, 3, 3], f32>, !fx.tensor<[s0, 64, 3, 3], i64>){{$}}
  %r0, %r1 = call_function @aten.max_pool2d_with_indices.default(%a0, [2, 2]) : (!fx.tensor<[s0, 64, 7, 7], f32>) -> (!fx.any, !fx.any)
  output()
}

// CHECK-LABEL: fx.graph @case_7 symbols
fx.graph @case_7 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 64, 7, 7], f32>
  // CHECK: @aten.avg_pool2d.default{{.*}} -> !fx.tensor<[s0, 64, 4, 4], f32>{{$}}
  %r = call_function @aten.avg_pool2d.default(%a0, [2, 2], [2, 2], [0, 0], true) : (!fx.tensor<[s0, 64, 7, 7], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_8 symbols
fx.graph @case_8 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[1, 1, 4], f32>
  // CHECK: @aten.max_pool1d.default{{.*}} -> !fx.tensor<[1, 1, 2], f32>{{$}}
  %r = call_function @aten.max_pool1d.default(%a0, [3], [3], [1], [1], true) : (!fx.tensor<[1, 1, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_9 symbols
fx.graph @case_9 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 64, 7, s1], f32>
  // CHECK: @aten.adaptive_avg_pool2d.default{{.*}} -> !fx.tensor<[s0, 64, 1, 1], f32>{{$}}
  %r = call_function @aten.adaptive_avg_pool2d.default(%a0, [1, 1]) : (!fx.tensor<[s0, 64, 7, s1], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_10 symbols
fx.graph @case_10 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[1, 3, s0, 10], f32>
  // CHECK: @aten.upsample_bilinear2d.vec{{.*}} -> !fx.tensor<[1, 3, 2*s0, 15], f32>{{$}}
  %r = call_function @aten.upsample_bilinear2d.vec(%a0, None, false, [2.0, 1.5]) : (!fx.tensor<[1, 3, s0, 10], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_11 symbols
fx.graph @case_11 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[1, 3, 4, 4], f32>
  %a1 = placeholder "a1" : !fx.sym_int<s0>
  // CHECK: @aten.upsample_nearest2d.vec{{.*}} -> !fx.tensor<[1, 3, s0, 7], f32>{{$}}
  %r = call_function @aten.upsample_nearest2d.vec(%a0, [%a1, 7], None) : (!fx.tensor<[1, 3, 4, 4], f32>, !fx.sym_int<s0>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_12 symbols
fx.graph @case_12 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[1, 2, 8, 8], f32>
  // CHECK: @aten.im2col.default{{.*}} -> !fx.tensor<[1, 18, 64], f32>{{$}}
  %r = call_function @aten.im2col.default(%a0, [3, 3], [1, 1], [1, 1], [1, 1]) : (!fx.tensor<[1, 2, 8, 8], f32>) -> !fx.any
  output()
}
