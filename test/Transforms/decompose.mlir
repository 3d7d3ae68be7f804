// RUN: fx-opt %s -fx-decompose | FileCheck %s

// CHECK-LABEL: fx.graph @einsum_bmm
fx.graph @einsum_bmm attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2, 3, 4], f32>
  %y = placeholder "y" : !fx.tensor<[2, 5, 4], f32>
  // CHECK: %permute = call_function @aten.permute.default(%y, [0, 2, 1])
  // CHECK: aten.bmm.default
  // CHECK-SAME: !fx.tensor<[2, 3, 5], f32>
  // CHECK-NOT: einsum
  %e = call_function @aten.einsum.default("bij,bkj->bik", [%x, %y]) : (!fx.tensor<[2, 3, 4], f32>, !fx.tensor<[2, 5, 4], f32>) -> !fx.tensor<[2, 3, 5], f32>
  output(%e) : (!fx.tensor<[2, 3, 5], f32>)
}

// A dimension of size 1 is broadcast: it is not part of the sum of the bmm.
// CHECK-LABEL: fx.graph @einsum_broadcast
fx.graph @einsum_broadcast attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[1, 3, 4], f32>
  %y = placeholder "y" : !fx.tensor<[2, 4, 5], f32>
  // CHECK: %squeeze = call_function @aten.squeeze.dim(%x, 0)
  // CHECK: aten.bmm.default
  // CHECK-NOT: einsum
  %e = call_function @aten.einsum.default("bij,bjk->bik", [%x, %y]) : (!fx.tensor<[1, 3, 4], f32>, !fx.tensor<[2, 4, 5], f32>) -> !fx.tensor<[2, 3, 5], f32>
  output(%e) : (!fx.tensor<[2, 3, 5], f32>)
}

// The merged size of an empty group is 0, since reshape cannot infer a size
// (-1) of a tensor without elements.
// CHECK-LABEL: fx.graph @einsum_empty
fx.graph @einsum_empty symbols [s0 in [2, 9], s1 in [2, 9]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[0, 2, 3, 4], f32>
  %y = placeholder "y" : !fx.tensor<[0, 2, 4, 5], f32>
  %z = placeholder "z" : !fx.tensor<[s0, s1, 0, 2], f32>
  // CHECK: @aten.reshape.default(%x, [0, 3, 4])
  // CHECK: @aten.reshape.default(%y, [0, 4, 5])
  %e = call_function @aten.einsum.default("abij,abjk->abik", [%x, %y]) : (!fx.tensor<[0, 2, 3, 4], f32>, !fx.tensor<[0, 2, 4, 5], f32>) -> !fx.tensor<[0, 2, 3, 5], f32>
  // CHECK: %f = call_function @aten.einsum.default("abij,abkj->abik", [%z, %z])
  %f = call_function @aten.einsum.default("abij,abkj->abik", [%z, %z]) : (!fx.tensor<[s0, s1, 0, 2], f32>, !fx.tensor<[s0, s1, 0, 2], f32>) -> !fx.tensor<[s0, s1, 0, 0], f32>
  output(%e, %f) : (!fx.tensor<[0, 2, 3, 5], f32>, !fx.tensor<[s0, s1, 0, 0], f32>)
}

// A repeated label takes the diagonal.
// CHECK-LABEL: fx.graph @einsum_diagonal
fx.graph @einsum_diagonal attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[3, 3], f32>
  // CHECK: %diagonal = call_function @aten.diagonal.default(%x)
  %e = call_function @aten.einsum.default("ii->i", [%x]) : (!fx.tensor<[3, 3], f32>) -> !fx.tensor<[3], f32>
  // An ellipsis stands for unnamed dimensions.
  // CHECK: @aten.sum.dim_IntList(%x, [1])
  %f = call_function @aten.einsum.default("...i->...", [%x]) : (!fx.tensor<[3, 3], f32>) -> !fx.tensor<[3], f32>
  // CHECK: output(%diagonal, %sum)
  output(%e, %f) : (!fx.tensor<[3], f32>, !fx.tensor<[3], f32>)
}

// CHECK-LABEL: fx.graph @conv_tbc
fx.graph @conv_tbc symbols [s0 in [2, 9]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[9, s0, 3], f32>
  %w = placeholder "w" : !fx.tensor<[3, 3, 4], f32>
  %b = placeholder "b" : !fx.tensor<[4], f32>
  // CHECK: %[[X:.*]] = call_function @aten.permute.default(%x, [1, 2, 0])
  // CHECK: %[[W:.*]] = call_function @aten.permute.default(%w, [2, 1, 0])
  // CHECK: %[[Y:.*]] = call_function @aten.conv1d.default(%[[X]], %[[W]], %b, {{.*}}[1])
  // CHECK: @aten.permute.default(%[[Y]], [2, 0, 1]) : {{.*}} -> !fx.tensor<[9, s0, 4], f32>
  %y = call_function @aten.conv_tbc.default(%x, %w, %b, 1) : (!fx.tensor<[9, s0, 3], f32>, !fx.tensor<[3, 3, 4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[9, s0, 4], f32>
  output(%y) : (!fx.tensor<[9, s0, 4], f32>)
}

// CHECK-LABEL: fx.graph @repeat_interleave
fx.graph @repeat_interleave symbols [s0 in [2, 9]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  // CHECK: %unsqueeze = call_function @aten.unsqueeze.default(%x, 2)
  // CHECK: %expand = call_function @aten.expand.default(%unsqueeze, [-1, -1, 3])
  // CHECK: = call_function @aten.reshape.default(%expand, [%sym_size, -1]) : {{.*}} -> !fx.tensor<[s0, 12], f32>
  %r = call_function @aten.repeat_interleave.self_int(%x, 3, 1) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 12], f32>
  output(%r) : (!fx.tensor<[s0, 12], f32>)
}

// CHECK-LABEL: fx.graph @moves
fx.graph @moves attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[1, 8, 2, 3], f32>
  // CHECK: @aten.unflatten.int(%x, 1, [2, 2, 2])
  // CHECK: @aten.permute.default(%{{.*}}, [0, 1, 4, 2, 5, 3])
  // CHECK: @aten.flatten.using_ints(%{{.*}}, 4, 5)
  // CHECK: @aten.flatten.using_ints(%{{.*}}, 2, 3)
  %p = call_function @aten.pixel_shuffle.default(%x, 2) : (!fx.tensor<[1, 8, 2, 3], f32>) -> !fx.tensor<[1, 2, 4, 6], f32>
  // CHECK: @aten.slice.Tensor(%{{.*}}, 3, 5)
  // CHECK: @aten.slice.Tensor(%{{.*}}, 3, 0, 5)
  // CHECK: @aten.cat.default
  %r = call_function @aten.roll.default(%p, [1], [3]) : (!fx.tensor<[1, 2, 4, 6], f32>) -> !fx.tensor<[1, 2, 4, 6], f32>
  // CHECK-NOT: aten.glu
  %g = call_function @aten.glu.default(%r, 1) : (!fx.tensor<[1, 2, 4, 6], f32>) -> !fx.tensor<[1, 1, 4, 6], f32>
  output(%g) : (!fx.tensor<[1, 1, 4, 6], f32>)
}

// An alias becomes the usual operator, which may then be decomposed.
// CHECK-LABEL: fx.graph @other_names
fx.graph @other_names attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[1, 4, 2, 3], f32>
  // CHECK: @aten.sub.Tensor(%x, %x, alpha = 2)
  %s = call_function @aten.subtract.Tensor(%x, %x, alpha = 2) : (!fx.tensor<[1, 4, 2, 3], f32>, !fx.tensor<[1, 4, 2, 3], f32>) -> !fx.tensor<[1, 4, 2, 3], f32>
  // CHECK-NOT: shuffle
  // CHECK: @aten.permute.default
  %c = call_function @aten.native_channel_shuffle.default(%s, 2) : (!fx.tensor<[1, 4, 2, 3], f32>) -> !fx.tensor<[1, 4, 2, 3], f32>
  output(%c) : (!fx.tensor<[1, 4, 2, 3], f32>)
}

// A graph that mutates may write through views, so these stay.
// CHECK-LABEL: fx.graph @not_functional
fx.graph @not_functional {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // CHECK: aten.roll.default
  %r = call_function @aten.roll.default(%x, [1], [0]) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%r) : (!fx.tensor<[4], f32>)
}

// -----

// The result's size gives the number of differences: PyTorch takes at most as
// many as there are elements.
// CHECK-LABEL: fx.graph @diff
fx.graph @diff symbols [s0 in [2, ?]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[3], f32>
  %y = placeholder "y" : !fx.tensor<[s0], f32>
  guard "s0 == 3" : eq(s0, 3)
  // CHECK-COUNT-3: call_function @aten.sub.Tensor({{.*}} -> !fx.tensor<[{{[0-2]}}], f32>
  %a = call_function @aten.diff.default(%x, 17) : (!fx.tensor<[3], f32>) -> !fx.tensor<[0], f32>
  // CHECK-COUNT-2: call_function @aten.sub.Tensor({{.*}} -> !fx.tensor<[s0 + -{{[12]}}], f32>
  // CHECK-NOT: aten.sub
  %b = call_function @aten.diff.default(%y, 17) : (!fx.tensor<[s0], f32>) -> !fx.tensor<[s0 + -2], f32>
  output(%a, %b) : (!fx.tensor<[0], f32>, !fx.tensor<[s0 + -2], f32>)
}
