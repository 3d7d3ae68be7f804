// RUN: fx-opt %s --fx-shape-prop --split-input-file --verify-diagnostics

// What torch refuses, whatever the values of the tensors are.
fx.graph @views {
  %x = placeholder "x" : !fx.tensor<[2, 6], f32>
  // expected-error @below {{@aten.view.default: expected sizes of 12 elements, got [5]}}
  %a = call_function @aten.view.default(%x, [5]) : (!fx.tensor<[2, 6], f32>) -> !fx.tensor<[2, 6], f32>
  // expected-error @below {{@aten.view.default: expected one -1 at most, got [-1, -1]}}
  %b = call_function @aten.view.default(%x, [-1, -1]) : (!fx.tensor<[2, 6], f32>) -> !fx.tensor<[2, 6], f32>
  // expected-error @below {{@aten.view.default: expected no size below -1, got [-2, -6]}}
  %c = call_function @aten.view.default(%x, [-2, -6]) : (!fx.tensor<[2, 6], f32>) -> !fx.tensor<[2, 6], f32>
  // expected-error @below {{@aten.view.default: expected sizes of 12 elements, got [4611686018427387904, 4]}}
  %d = call_function @aten.view.default(%x, [4611686018427387904, 4]) : (!fx.tensor<[2, 6], f32>) -> !fx.tensor<[2, 6], f32>
  // expected-error @below {{@aten.view.default: expected sizes of 12 elements, got [-1, 5]}}
  %e = call_function @aten.view.default(%x, [-1, 5]) : (!fx.tensor<[2, 6], f32>) -> !fx.tensor<[2, 6], f32>
  // expected-error @below {{@aten.permute.default: expected 2 dimensions, got 1}}
  %f = call_function @aten.permute.default(%x, [0]) : (!fx.tensor<[2, 6], f32>) -> !fx.tensor<[2, 6], f32>
  // expected-error @below {{@aten.transpose.int: expected a dimension from -2 to 1, got 2}}
  %g = call_function @aten.transpose.int(%x, 0, 2) : (!fx.tensor<[2, 6], f32>) -> !fx.tensor<[6, 2], f32>
  // expected-error @below {{@aten.expand.default: expected sizes that [2, 6] expands to, got [3, 6]}}
  %h = call_function @aten.expand.default(%x, [3, 6]) : (!fx.tensor<[2, 6], f32>) -> !fx.tensor<[3, 6], f32>
  // expected-error @below {{@aten.slice.Tensor: expected a step above 0, got 0}}
  %i = call_function @aten.slice.Tensor(%x, 0, 0, 2, 0) : (!fx.tensor<[2, 6], f32>) -> !fx.tensor<[2, 6], f32>
  // expected-error @below {{@aten.narrow.default: expected a range within the size 6, got start 4 and length 3}}
  %j = call_function @aten.narrow.default(%x, 1, 4, 3) : (!fx.tensor<[2, 6], f32>) -> !fx.tensor<[2, 3], f32>
  // expected-error @below {{@aten.select.int: expected an index within the size 6, got 6}}
  %k = call_function @aten.select.int(%x, 1, 6) : (!fx.tensor<[2, 6], f32>) -> !fx.tensor<[2], f32>
  // expected-error @below {{@aten.split_with_sizes.default: expected split sizes whose sum is 6, got [2, 3]}}
  %l:2 = call_function @aten.split_with_sizes.default(%x, [2, 3], 1) outs [[#fx.operand, #fx.operand]] : (!fx.tensor<[2, 6], f32>) -> (!fx.tensor<[2, 2], f32>, !fx.tensor<[2, 3], f32>)
  output()
}

// -----

fx.graph @others {
  %x = placeholder "x" : !fx.tensor<[2, 6], f32>
  %y = placeholder "y" : !fx.tensor<[6, 2], f32>
  // expected-error @below {{@aten.topk.default: expected k from 0 to 6, got 7}}
  %a:2 = call_function @aten.topk.default(%x, 7) : (!fx.tensor<[2, 6], f32>) -> (!fx.tensor<[2, 7], f32>, !fx.tensor<[2, 7], i64>)
  // expected-error @below {{@aten.topk.default: expected k from 0 to 6, got -1}}
  %b:2 = call_function @aten.topk.default(%x, -1) : (!fx.tensor<[2, 6], f32>) -> (!fx.tensor<[2, 6], f32>, !fx.tensor<[2, 6], i64>)
  // expected-error @below {{@aten.full.default: expected a size of 0 or more, got -3}}
  %c = call_function @aten.full.default([2, -3], 1.0) : () -> !fx.tensor<[2, 3], f32>
  // expected-error @below {{@aten.full.default: expected fewer than 2^63 elements, got [4611686018427387904, 4]}}
  %d = call_function @aten.full.default([4611686018427387904, 4], 1.0) : () -> !fx.tensor<[2, 3], f32>
  // expected-error @below {{@aten.full.default: result 0: expected '!fx.tensor<[1099511627776], f32>', got '!fx.tensor<[2], f32>'}}
  %e = call_function @aten.full.default([1099511627776], 1.0) : () -> !fx.tensor<[2], f32>
  // expected-error @below {{@aten.sum.dim_IntList: expected each dimension once, got 1 again}}
  %f = call_function @aten.sum.dim_IntList(%x, [1, -1]) : (!fx.tensor<[2, 6], f32>) -> !fx.tensor<[2], f32>
  // expected-error @below {{@aten.cat.default: expected equal sizes but in dimension 0, got [2, 6] and [6, 2]}}
  %g = call_function @aten.cat.default([%x, %y]) : (!fx.tensor<[2, 6], f32>, !fx.tensor<[6, 2], f32>) -> !fx.tensor<[8, 6], f32>
  // expected-error @below {{@aten.mm.default: expected matrices that multiply, got [2, 6] and [2, 6]}}
  %h = call_function @aten.mm.default(%x, %x) : (!fx.tensor<[2, 6], f32>, !fx.tensor<[2, 6], f32>) -> !fx.tensor<[2, 6], f32>
  // expected-error @below {{@aten.add.Tensor: expected sizes that broadcast, got [2, 6] and [6, 2]}}
  %i = call_function @aten.add.Tensor(%x, %y) : (!fx.tensor<[2, 6], f32>, !fx.tensor<[6, 2], f32>) -> !fx.tensor<[2, 6], f32>
  // expected-error @below {{@aten.diff.default: expected a tensor of rank 1 or more and n of 0 or more, got rank 2 and -9223372036854775807}}
  %j = call_function @aten.diff.default(%x, -9223372036854775807) : (!fx.tensor<[2, 6], f32>) -> !fx.any
  output()
}

// -----

// What a symbol may be is taken: only what is different for all of its values
// is refused.
fx.graph @symbols symbols [s0 in [2, 64]] {
  %x = placeholder "x" : !fx.tensor<[s0, 6], f32>
  %a = call_function @aten.view.default(%x, [12]) : (!fx.tensor<[s0, 6], f32>) -> !fx.tensor<[12], f32>
  %b:2 = call_function @aten.topk.default(%x, 40, 0) : (!fx.tensor<[s0, 6], f32>) -> (!fx.tensor<[40, 6], f32>, !fx.tensor<[40, 6], i64>)
  %c = call_function @aten.select.int(%x, 0, 40) : (!fx.tensor<[s0, 6], f32>) -> !fx.tensor<[6], f32>
  // expected-error @below {{@aten.select.int: expected an index within the size 6, got -7}}
  %d = call_function @aten.select.int(%x, 1, -7) : (!fx.tensor<[s0, 6], f32>) -> !fx.tensor<[s0], f32>
  output()
}
