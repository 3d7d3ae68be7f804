// RUN: fx-opt %s --split-input-file --fx-shape-prop | FileCheck %s

// The size of a group is an argument where a type depends on it.

// CHECK-LABEL: fx.graph @same
fx.graph @same symbols [s0 in [2, 64]] {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f16>
  // CHECK: @_c10d_functional.all_reduce.default{{.*}} -> !fx.tensor<[s0, 4], f16>{{$}}
  %a = call_function @_c10d_functional.all_reduce.default(%x, "sum", "0") : (!fx.tensor<[s0, 4], f16>) -> !fx.any
  // CHECK: @_c10d_functional.wait_tensor.default{{.*}} -> !fx.tensor<[s0, 4], f16>{{$}}
  %w = call_function @_c10d_functional.wait_tensor.default(%x) : (!fx.tensor<[s0, 4], f16>) -> !fx.any
  // CHECK: @_c10d_functional.broadcast.default{{.*}} -> !fx.tensor<[s0, 4], f16>{{$}}
  %b = call_function @_c10d_functional.broadcast.default(%x, 1, "0") : (!fx.tensor<[s0, 4], f16>) -> !fx.any
  // CHECK: @_c10d_functional.all_reduce_.default{{.*}} -> !fx.tensor<[s0, 4], f16>{{$}}
  %c = call_function @_c10d_functional.all_reduce_.default(%x, "sum", "0") : (!fx.tensor<[s0, 4], f16>) -> !fx.any
  output()
}

// -----

// CHECK-LABEL: fx.graph @gather
fx.graph @gather symbols [s0 in [2, 64]] {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %n = placeholder "n" : !fx.tensor<[], i64>
  // CHECK: @_c10d_functional.all_gather_into_tensor.default(%x{{.*}} -> !fx.tensor<[4*s0, 4], f32>{{$}}
  %a = call_function @_c10d_functional.all_gather_into_tensor.default(%x, 4, "0") : (!fx.tensor<[s0, 4], f32>) -> !fx.any
  // CHECK: @_c10d_functional.all_gather_into_tensor.default(%n{{.*}} -> !fx.tensor<[2], i64>{{$}}
  %b = call_function @_c10d_functional.all_gather_into_tensor.default(%n, 2, "0") : (!fx.tensor<[], i64>) -> !fx.any
  // CHECK: @_c10d_functional.all_gather_into_tensor_coalesced.default{{.*}} -> (!fx.tensor<[2*s0, 4], f32>, !fx.tensor<[2], i64>){{$}}
  %c, %d = call_function @_c10d_functional.all_gather_into_tensor_coalesced.default([%x, %n], 2, "0") {outs = [[#fx.operand, #fx.operand]]} : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[], i64>) -> (!fx.any, !fx.any)
  output()
}

// -----

// CHECK-LABEL: fx.graph @scatter
fx.graph @scatter symbols [s0 in [2, 64]] {
  %x = placeholder "x" : !fx.tensor<[6, s0], f32>
  %y = placeholder "y" : !fx.tensor<[2*s0], f32>
  // CHECK: @_c10d_functional.reduce_scatter_tensor.default(%x{{.*}} -> !fx.tensor<[3, s0], f32>{{$}}
  %a = call_function @_c10d_functional.reduce_scatter_tensor.default(%x, "sum", 2, "0") : (!fx.tensor<[6, s0], f32>) -> !fx.any
  // CHECK: @_c10d_functional.reduce_scatter_tensor.default(%y{{.*}} -> !fx.tensor<[s0], f32>{{$}}
  %b = call_function @_c10d_functional.reduce_scatter_tensor.default(%y, "sum", 2, "0") : (!fx.tensor<[2*s0], f32>) -> !fx.any
  // CHECK: @_c10d_functional.all_to_all_single.default{{.*}} -> !fx.tensor<[7, s0], f32>{{$}}
  %c = call_function @_c10d_functional.all_to_all_single.default(%x, [3, 4], [2, 4], "0") : (!fx.tensor<[6, s0], f32>) -> !fx.any
  output()
}
