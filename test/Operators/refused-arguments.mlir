// RUN: fx-opt %s --fx-shape-prop --split-input-file --verify-diagnostics

// Calls that torch rejects for any values of the tensors.
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

// Calls that are valid for some values of the symbols are accepted. A call is
// an error only if it is invalid for all values.
fx.graph @symbols symbols [s0 in [2, 64]] {
  %x = placeholder "x" : !fx.tensor<[s0, 6], f32>
  %a = call_function @aten.view.default(%x, [12]) : (!fx.tensor<[s0, 6], f32>) -> !fx.tensor<[12], f32>
  %b:2 = call_function @aten.topk.default(%x, 40, 0) : (!fx.tensor<[s0, 6], f32>) -> (!fx.tensor<[40, 6], f32>, !fx.tensor<[40, 6], i64>)
  %c = call_function @aten.select.int(%x, 0, 40) : (!fx.tensor<[s0, 6], f32>) -> !fx.tensor<[6], f32>
  // expected-error @below {{@aten.select.int: expected an index within the size 6, got -7}}
  %d = call_function @aten.select.int(%x, 1, -7) : (!fx.tensor<[s0, 6], f32>) -> !fx.tensor<[s0], f32>
  output()
}

// -----

fx.graph @lengths {
  %x = placeholder "x" : !fx.tensor<[5, 3, 9, 8], f32>
  %w = placeholder "w" : !fx.tensor<[4, 3, 3, 3], f32>
  %c = placeholder "c" : !fx.tensor<[5, 12, 12], f32>
  // expected-error @below {{@aten.adaptive_avg_pool2d.default: expected 2 numbers as output_size, got 1}}
  %a = call_function @aten.adaptive_avg_pool2d.default(%x, [1]) : (!fx.tensor<[5, 3, 9, 8], f32>) -> !fx.tensor<[5, 3, 1, 1], f32>
  // expected-error @below {{@aten.conv2d.padding: expected a stride of 1 beside padding 'same', got [2, 1]}}
  %b = call_function @aten.conv2d.padding(%x, %w, None, [2, 1], "same") : (!fx.tensor<[5, 3, 9, 8], f32>, !fx.tensor<[4, 3, 3, 3], f32>) -> !fx.tensor<[5, 4, 9, 8], f32>
  // expected-error @below {{@aten.col2im.default: expected a dilation of 1 or more, got [1, -2]}}
  %d = call_function @aten.col2im.default(%c, [5, 6], [2, 3], [1, -2], [1, 0], [2, 1]) : (!fx.tensor<[5, 12, 12], f32>) -> !fx.tensor<[5, 2, 5, 6], f32>
  // expected-error @below {{@aten.col2im.default: expected 36 windows, got 12}}
  %e = call_function @aten.col2im.default(%c, [5, 6], [2, 3], [1, 1], [1, 1], [1, 1]) : (!fx.tensor<[5, 12, 12], f32>) -> !fx.tensor<[5, 2, 5, 6], f32>
  // expected-error @below {{@aten.im2col.default: expected 2 numbers as stride, got 1}}
  %f = call_function @aten.im2col.default(%x, [2, 2], [1, 1], [0, 0], [1]) : (!fx.tensor<[5, 3, 9, 8], f32>) -> !fx.tensor<[5, 12, 56], f32>
  // expected-error @below {{@aten.chunk.default: expected 3 results, got 1}}
  %g = call_function @aten.chunk.default(%x, 2147483648, 1) outs [[#fx.operand]] : (!fx.tensor<[5, 3, 9, 8], f32>) -> !fx.tensor<[5, 3, 9, 8], f32>
  // expected-error @below {{@aten.pixel_unshuffle.default: expected a factor whose square has 63 bits, got 4611686018427387904}}
  %h = call_function @aten.pixel_unshuffle.default(%x, 4611686018427387904) : (!fx.tensor<[5, 3, 9, 8], f32>) -> !fx.tensor<[5, 12, 3, 4], f32>
  // expected-error @below {{@aten.huber_loss.default: expected a reduction from 0 to 2, got 7}}
  %i = call_function @aten.huber_loss.default(%c, %c, 7, 0.5) : (!fx.tensor<[5, 12, 12], f32>, !fx.tensor<[5, 12, 12], f32>) -> !fx.tensor<[], f32>
  output()
}

// -----

fx.graph @indices {
  %x = placeholder "x" : !fx.tensor<[4, 5], f32>
  %s = placeholder "s" : !fx.tensor<[2, 5], f32>
  %k = placeholder "k" : !fx.tensor<[2], i64>
  %j = placeholder "j" : !fx.tensor<[3, 5], i64>
  %t = placeholder "t" : !fx.tensor<[3, 4], f32>
  %q = placeholder "q" : !fx.tensor<[3, 2], f32>
  // expected-error @below {{@aten.index_add.default: expected a source of sizes [4, 2], got [2, 5]}}
  %a = call_function @aten.index_add.default(%x, -1, %k, %s) : (!fx.tensor<[4, 5], f32>, !fx.tensor<[2], i64>, !fx.tensor<[2, 5], f32>) -> !fx.tensor<[4, 5], f32>
  // expected-error @below {{@aten.index_copy_.default: expected a source of sizes [4, 2], got [2, 5]}}
  %b = call_function @aten.index_copy_.default(%x, 1, %k, %s) : (!fx.tensor<[4, 5], f32>, !fx.tensor<[2], i64>, !fx.tensor<[2, 5], f32>) -> !fx.tensor<[4, 5], f32>
  // expected-error @below {{@aten.scatter_add.default: expected an index within the sizes [2, 5], got one of [3, 5]}}
  %c = call_function @aten.scatter_add.default(%s, 1, %j, %x) : (!fx.tensor<[2, 5], f32>, !fx.tensor<[3, 5], i64>, !fx.tensor<[4, 5], f32>) -> !fx.tensor<[2, 5], f32>
  // expected-error @below {{@aten.scatter.src: expected an index within the sizes [3, 4], got one of [3, 5]}}
  %d = call_function @aten.scatter.src(%x, 0, %j, %t) : (!fx.tensor<[4, 5], f32>, !fx.tensor<[3, 5], i64>, !fx.tensor<[3, 4], f32>) -> !fx.tensor<[4, 5], f32>
  // expected-error @below {{@aten.scatter_.value: expected a dimension from -2 to 1, got 2}}
  %e = call_function @aten.scatter_.value(%x, 2, %j, 1.0) : (!fx.tensor<[4, 5], f32>, !fx.tensor<[3, 5], i64>) -> !fx.tensor<[4, 5], f32>
  // expected-error @below {{@aten.gather.default: expected an index within the sizes [2, 5], got one of [3, 5]}}
  %f = call_function @aten.gather.default(%s, 1, %j) : (!fx.tensor<[2, 5], f32>, !fx.tensor<[3, 5], i64>) -> !fx.tensor<[3, 5], f32>
  // expected-error @below {{@aten.one_hot.default: expected classes above 0, or -1, got 0}}
  %g = call_function @aten.one_hot.default(%k, 0) : (!fx.tensor<[2], i64>) -> !fx.tensor<[2, 6], i64>
  // expected-error @below {{@aten.as_strided_scatter.default: expected a source of sizes [2], got [3, 2]}}
  %h = call_function @aten.as_strided_scatter.default(%x, %q, [2], [4], 2) : (!fx.tensor<[4, 5], f32>, !fx.tensor<[3, 2], f32>) -> !fx.tensor<[4, 5], f32>
  output()
}
