// RUN: fx-opt %s --fx-shape-prop | FileCheck %s

// Types that the shape rules give to results of unknown type.

// CHECK-LABEL: fx.graph @case_0 symbols
fx.graph @case_0 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 8], f32>
  // CHECK: @aten.layer_norm.default{{.*}} -> !fx.tensor<[s0, 8], f32>{{$}}
  %r = call_function @aten.layer_norm.default(%a0, [8]) : (!fx.tensor<[s0, 8], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_1 symbols
fx.graph @case_1 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4, 8], f32>
  // CHECK: @aten.native_layer_norm.default{{.*}} -> (!fx.tensor<[s0, 4, 8], f32>, !fx.tensor<[s0, 1, 1], f32>, !fx.tensor<[s0, 1, 1], f32>){{$}}
  %r0, %r1, %r2 = call_function @aten.native_layer_norm.default(%a0, [4, 8], None, None, 1.0e-5) : (!fx.tensor<[s0, 4, 8], f32>) -> (!fx.any, !fx.any, !fx.any)
  output()
}

// CHECK-LABEL: fx.graph @case_2 symbols
fx.graph @case_2 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4, 8], f32>
  %a1 = placeholder "a1" : !fx.tensor<[4], f32>
  %a2 = placeholder "a2" : !fx.tensor<[4], f32>
  // CHECK: @aten._native_batch_norm_legit_no_training.default{{.*}} -> (!fx.tensor<[s0, 4, 8], f32>, !fx.tensor<[0], f32>, !fx.tensor<[0], f32>){{$}}
  %r0, %r1, %r2 = call_function @aten._native_batch_norm_legit_no_training.default(%a0, None, None, %a1, %a1, 0.1, 1.0e-5) : (!fx.tensor<[s0, 4, 8], f32>, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> (!fx.any, !fx.any, !fx.any)
  output()
}

// CHECK-LABEL: fx.graph @case_3 symbols
fx.graph @case_3 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4, 8], f32>
  %a1 = placeholder "a1" : !fx.sym_int<s0>
  // CHECK: @aten.native_group_norm.default{{.*}} -> (!fx.tensor<[s0, 4, 8], f32>, !fx.tensor<[s0, 2], f32>, !fx.tensor<[s0, 2], f32>){{$}}
  %r0, %r1, %r2 = call_function @aten.native_group_norm.default(%a0, None, None, %a1, 4, 8, 2, 1.0e-5) : (!fx.tensor<[s0, 4, 8], f32>, !fx.sym_int<s0>) -> (!fx.any, !fx.any, !fx.any)
  output()
}
