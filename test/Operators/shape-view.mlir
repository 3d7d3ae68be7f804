// RUN: fx-opt %s --fx-shape-prop | FileCheck %s

// Types that the shape rules give to results of unknown type.

// CHECK-LABEL: fx.graph @case_0 symbols
fx.graph @case_0 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 16], f32>
  // CHECK: @aten.view.default{{.*}} -> !fx.tensor<[s0, 2, 8], f32>{{$}}
  %r = call_function @aten.view.default(%a0, [-1, 2, 8]) : (!fx.tensor<[s0, 16], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_1 symbols
fx.graph @case_1 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, s1, 12], f32>
  %a1 = placeholder "a1" : !fx.sym_int<s0*s1>
  // CHECK: @aten.view.default{{.*}} -> !fx.tensor<[s0*s1, 12], f32>{{$}}
  %r = call_function @aten.view.default(%a0, [%a1, -1]) : (!fx.tensor<[s0, s1, 12], f32>, !fx.sym_int<s0*s1>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_2 symbols
fx.graph @case_2 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0 + 1, 4], f32>
  // CHECK: @aten.reshape.default{{.*}} -> !fx.tensor<[4*s0 + 4], f32>{{$}}
  %r = call_function @aten.reshape.default(%a0, [-1]) : (!fx.tensor<[s0 + 1, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_3 symbols
fx.graph @case_3 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4*s0 + 4], f32>
  // CHECK: @aten.reshape.default{{.*}} -> !fx.tensor<[s0 + 1, 4], f32>{{$}}
  %r = call_function @aten.reshape.default(%a0, [-1, 4]) : (!fx.tensor<[4*s0 + 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_4 symbols
fx.graph @case_4 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4, 5], f32>
  // CHECK: @aten.flatten.using_ints{{.*}} -> !fx.tensor<[s0, 20], f32>{{$}}
  %r = call_function @aten.flatten.using_ints(%a0, 1) : (!fx.tensor<[s0, 4, 5], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_5 symbols
fx.graph @case_5 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[], f32>
  // CHECK: @aten.flatten.using_ints{{.*}} -> !fx.tensor<[1], f32>{{$}}
  %r = call_function @aten.flatten.using_ints(%a0) : (!fx.tensor<[], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_6 symbols
fx.graph @case_6 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 12], f32>
  // CHECK: @aten.unflatten.int{{.*}} -> !fx.tensor<[s0, 2, 6], f32>{{$}}
  %r = call_function @aten.unflatten.int(%a0, 1, [2, -1]) : (!fx.tensor<[s0, 12], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_7 symbols
fx.graph @case_7 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4, 5], f32>
  // CHECK: @aten.permute.default{{.*}} -> !fx.tensor<[5, s0, 4], f32>{{$}}
  %r = call_function @aten.permute.default(%a0, [2, 0, -2]) : (!fx.tensor<[s0, 4, 5], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_8 symbols
fx.graph @case_8 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4, 5], f32>
  // CHECK: @aten.transpose.int{{.*}} -> !fx.tensor<[s0, 5, 4], f32>{{$}}
  %r = call_function @aten.transpose.int(%a0, -1, -2) : (!fx.tensor<[s0, 4, 5], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_9 symbols
fx.graph @case_9 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  // CHECK: @aten.t.default{{.*}} -> !fx.tensor<[4, s0], f32>{{$}}
  %r = call_function @aten.t.default(%a0) : (!fx.tensor<[s0, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_10 symbols
fx.graph @case_10 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], f32>
  // CHECK: @aten.unsqueeze.default{{.*}} -> !fx.tensor<[s0, 1], f32>{{$}}
  %r = call_function @aten.unsqueeze.default(%a0, -1) : (!fx.tensor<[s0], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_11 symbols
fx.graph @case_11 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[1, 4, 1], f32>
  // CHECK: @aten.squeeze.dims{{.*}} -> !fx.tensor<[4, 1], f32>{{$}}
  %r = call_function @aten.squeeze.dims(%a0, [0, 1]) : (!fx.tensor<[1, 4, 1], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_12 symbols
fx.graph @case_12 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[1, s0, 1], f32>
  // CHECK: @aten.squeeze.default{{.*}} -> !fx.tensor<[s0], f32>{{$}}
  %r = call_function @aten.squeeze.default(%a0) : (!fx.tensor<[1, s0, 1], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_13 symbols
fx.graph @case_13 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4, 1], f32>
  %a1 = placeholder "a1" : !fx.sym_int<s0>
  // CHECK: @aten.expand.default{{.*}} -> !fx.tensor<[s0, 4, 6], f32>{{$}}
  %r = call_function @aten.expand.default(%a0, [%a1, -1, 6]) : (!fx.tensor<[4, 1], f32>, !fx.sym_int<s0>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_14 symbols
fx.graph @case_14 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, s1], f32>
  // CHECK: @aten.slice.Tensor{{.*}} -> !fx.tensor<[s0, s1 + -2], f32>{{$}}
  %r = call_function @aten.slice.Tensor(%a0, 1, 2, 9223372036854775807) : (!fx.tensor<[s0, s1], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_15 symbols
fx.graph @case_15 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0], f32>
  // CHECK: @aten.slice.Tensor{{.*}} -> !fx.tensor<[s0 + -1], f32>{{$}}
  %r = call_function @aten.slice.Tensor(%a0, 0, 0, -1) : (!fx.tensor<[s0], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_16 symbols
fx.graph @case_16 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[8], f32>
  // CHECK: @aten.slice.Tensor{{.*}} -> !fx.tensor<[2], f32>{{$}}
  %r = call_function @aten.slice.Tensor(%a0, 0, -3, 100, 2) : (!fx.tensor<[8], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_17 symbols
fx.graph @case_17 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[8], f32>
  %a1 = placeholder "a1" : !fx.sym_int<s0>
  // CHECK: @aten.slice.Tensor{{.*}} -> !fx.tensor<[min(s0, 8)], f32>{{$}}
  %r = call_function @aten.slice.Tensor(%a0, 0, 0, %a1) : (!fx.tensor<[8], f32>, !fx.sym_int<s0>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_18 symbols
fx.graph @case_18 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[8], f32>
  // CHECK: @aten.slice.Tensor{{.*}} -> !fx.tensor<[0], f32>{{$}}
  %r = call_function @aten.slice.Tensor(%a0, 0, 6, 2) : (!fx.tensor<[8], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_19 symbols
fx.graph @case_19 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  // CHECK: @aten.select.int{{.*}} -> !fx.tensor<[s0], f32>{{$}}
  %r = call_function @aten.select.int(%a0, 1, -1) : (!fx.tensor<[s0, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_20 symbols
fx.graph @case_20 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[10, s0], f32>
  // CHECK: @aten.split.Tensor{{.*}} -> (!fx.tensor<[4, s0], f32>, !fx.tensor<[4, s0], f32>, !fx.tensor<[2, s0], f32>){{$}}
  %r0, %r1, %r2 = call_function @aten.split.Tensor(%a0, 4) outs [[#fx.operand, #fx.operand, #fx.operand]] : (!fx.tensor<[10, s0], f32>) -> (!fx.any, !fx.any, !fx.any)
  output()
}

// CHECK-LABEL: fx.graph @case_21 symbols
fx.graph @case_21 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[3, s0], f32>
  %a1 = placeholder "a1" : !fx.sym_int<s0 + -1>
  // CHECK: @aten.split_with_sizes.default{{.*}} -> (!fx.tensor<[3, 1], f32>, !fx.tensor<[3, s0 + -1], f32>){{$}}
  %r0, %r1 = call_function @aten.split_with_sizes.default(%a0, [1, %a1], -1) outs [[#fx.operand, #fx.operand]] : (!fx.tensor<[3, s0], f32>, !fx.sym_int<s0 + -1>) -> (!fx.any, !fx.any)
  output()
}

// CHECK-LABEL: fx.graph @case_22 symbols
fx.graph @case_22 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 7], f32>
  // CHECK: @aten.chunk.default{{.*}} -> (!fx.tensor<[s0, 3], f32>, !fx.tensor<[s0, 3], f32>, !fx.tensor<[s0, 1], f32>){{$}}
  %r0, %r1, %r2 = call_function @aten.chunk.default(%a0, 3, -1) outs [[#fx.operand, #fx.operand, #fx.operand]] : (!fx.tensor<[s0, 7], f32>) -> (!fx.any, !fx.any, !fx.any)
  output()
}

// CHECK-LABEL: fx.graph @case_23 symbols
fx.graph @case_23 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[2, s0], f32>
  // CHECK: @aten.unbind.int{{.*}} -> (!fx.tensor<[s0], f32>, !fx.tensor<[s0], f32>){{$}}
  %r0, %r1 = call_function @aten.unbind.int(%a0) outs [[#fx.operand, #fx.operand]] : (!fx.tensor<[2, s0], f32>) -> (!fx.any, !fx.any)
  output()
}

// CHECK-LABEL: fx.graph @case_24 symbols
fx.graph @case_24 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[10, s0], f32>
  // CHECK: @aten.unfold.default{{.*}} -> !fx.tensor<[4, s0, 3], f32>{{$}}
  %r = call_function @aten.unfold.default(%a0, 0, 3, 2) : (!fx.tensor<[10, s0], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_25 symbols
fx.graph @case_25 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4, 5], f32>
  // CHECK: @aten.movedim.int{{.*}} -> !fx.tensor<[4, 5, s0], f32>{{$}}
  %r = call_function @aten.movedim.int(%a0, 0, -1) : (!fx.tensor<[s0, 4, 5], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_26 symbols
fx.graph @case_26 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[4, 4], f32>
  // CHECK: @aten.diagonal.default{{.*}} -> !fx.tensor<[3], f32>{{$}}
  %r = call_function @aten.diagonal.default(%a0, 1) : (!fx.tensor<[4, 4], f32>) -> !fx.any
  output()
}

// The number of pieces of a symbolic size is the number of results.
// CHECK-LABEL: fx.graph @symbolic_pieces
fx.graph @symbolic_pieces symbols [s0 in [2, 64]] {
  %x = placeholder "x" : !fx.tensor<[2*s0], f32>
  %n = placeholder "n" : !fx.sym_int<s0>
  // CHECK: @aten.split.Tensor{{.*}} -> (!fx.tensor<[s0], f32>, !fx.tensor<[s0], f32>){{$}}
  %a, %b = call_function @aten.split.Tensor(%x, %n) outs [[#fx.operand, #fx.operand]] : (!fx.tensor<[2*s0], f32>, !fx.sym_int<s0>) -> (!fx.any, !fx.any)
  // CHECK: @aten.chunk.default{{.*}} -> (!fx.tensor<[s0], f32>, !fx.tensor<[s0], f32>){{$}}
  %c, %d = call_function @aten.chunk.default(%x, 2) outs [[#fx.operand, #fx.operand]] : (!fx.tensor<[2*s0], f32>) -> (!fx.any, !fx.any)
  output()
}
