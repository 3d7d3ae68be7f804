// RUN: fx-opt %s --fx-shape-prop | FileCheck %s

// Types that the shape rules give to results of unknown type.

// CHECK-LABEL: fx.graph @case_0 symbols
fx.graph @case_0 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 2*s1], f32>
  // CHECK: @aten.sym_size.int{{.*}} -> !fx.sym_int<2*s1>{{$}}
  %r = call_function @aten.sym_size.int(%a0, -1) : (!fx.tensor<[s0, 2*s1], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_1 symbols
fx.graph @case_1 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.tensor<[s0, 4], f32>
  // CHECK: @aten.sym_numel.default{{.*}} -> !fx.sym_int<4*s0>{{$}}
  %r = call_function @aten.sym_numel.default(%a0) : (!fx.tensor<[s0, 4], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_2 symbols
fx.graph @case_2 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.sym_int<s0>
  %a1 = placeholder "a1" : !fx.sym_int<s1>
  // CHECK: @_operator.mul{{.*}} -> !fx.sym_int<s0*s1>{{$}}
  %r = call_function @_operator.mul(%a0, %a1) : (!fx.sym_int<s0>, !fx.sym_int<s1>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_3 symbols
fx.graph @case_3 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.sym_int<s0>
  // CHECK: @_operator.add{{.*}} -> !fx.sym_int<s0 + 2>{{$}}
  %r = call_function @_operator.add(%a0, 2) : (!fx.sym_int<s0>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_4 symbols
fx.graph @case_4 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.sym_int<s0>
  %a1 = placeholder "a1" : !fx.sym_int<s0>
  // CHECK: @_operator.sub{{.*}} -> !fx.sym_int<0>{{$}}
  %r = call_function @_operator.sub(%a0, %a1) : (!fx.sym_int<s0>, !fx.sym_int<s0>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_5 symbols
fx.graph @case_5 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.sym_int<2*s0>
  // CHECK: @_operator.floordiv{{.*}} -> !fx.sym_int<s0>{{$}}
  %r = call_function @_operator.floordiv(%a0, 2) : (!fx.sym_int<2*s0>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_6 symbols
fx.graph @case_6 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.sym_int<s0>
  // CHECK: @_operator.truediv{{.*}} -> !fx.sym_float{{$}}
  %r = call_function @_operator.truediv(%a0, 2) : (!fx.sym_int<s0>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_7 symbols
fx.graph @case_7 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.sym_int<s0>
  // CHECK: @_operator.ge{{.*}} -> !fx.sym_bool<ge(s0, 2)>{{$}}
  %r = call_function @_operator.ge(%a0, 2) : (!fx.sym_int<s0>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @case_8 symbols
fx.graph @case_8 symbols [s0 in [2, 64], s1 in [2, 64], s2 in [2, 64]] {
  %a0 = placeholder "a0" : !fx.sym_int<s0>
  // CHECK: @torch.sym_max{{.*}} -> !fx.sym_int<max(s0, 2)>{{$}}
  %r = call_function @torch.sym_max(%a0, 2) : (!fx.sym_int<s0>) -> !fx.any
  output()
}
