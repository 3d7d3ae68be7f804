// RUN: fx-opt %s -fx-merge-linears | FileCheck %s

fx.state @wq : !fx.tensor<[8, 4], bf16>
fx.state @wk : !fx.tensor<[4, 4], bf16>
fx.state @wv : !fx.tensor<[4, 4], bf16>
fx.state @bq : !fx.tensor<[8], bf16>
fx.state @bk : !fx.tensor<[4], bf16>
fx.state @bv : !fx.tensor<[4], bf16>

// The results are slices of one call.
// CHECK-LABEL: fx.graph @attention
// CHECK: %[[W:.*]] = call_function @aten.cat.default([%wq, %wk, %wv]) : {{.*}} -> !fx.tensor<[16, 4], bf16>
// CHECK: %[[B:.*]] = call_function @aten.cat.default([%bq, %bk, %bv]) : {{.*}} -> !fx.tensor<[16], bf16>
// CHECK: %[[Y:.*]] = call_function @aten.linear.default(%x, %[[W]], %[[B]]) : {{.*}} -> !fx.tensor<[2, 3, 16], bf16>
// CHECK: %[[Q:.*]] = call_function @aten.slice.Tensor(%[[Y]], -1, 0, 8)
// CHECK: %[[K:.*]] = call_function @aten.slice.Tensor(%[[Y]], -1, 8, 12)
// CHECK: %[[V:.*]] = call_function @aten.slice.Tensor(%[[Y]], -1, 12, 16)
// CHECK-NOT: linear.default
// CHECK: @aten.view.default(%[[Q]], [2, 3, 2, 4])
// CHECK: @aten.view.default(%[[K]], [2, 3, 1, 4])
// CHECK: output([%qs, %ks, %[[V]], %[[V]]])
fx.graph @attention attributes {functional} {
  %wq = placeholder "wq" parameter @wq : !fx.tensor<[8, 4], bf16>
  %wk = placeholder "wk" parameter @wk : !fx.tensor<[4, 4], bf16>
  %wv = placeholder "wv" parameter @wv : !fx.tensor<[4, 4], bf16>
  %bq = placeholder "bq" parameter @bq : !fx.tensor<[8], bf16>
  %bk = placeholder "bk" parameter @bk : !fx.tensor<[4], bf16>
  %bv = placeholder "bv" parameter @bv : !fx.tensor<[4], bf16>
  %x = placeholder "x" : !fx.tensor<[2, 3, 4], bf16>
  %q = call_function @aten.linear.default(%x, %wq, %bq) : (!fx.tensor<[2, 3, 4], bf16>, !fx.tensor<[8, 4], bf16>, !fx.tensor<[8], bf16>) -> !fx.tensor<[2, 3, 8], bf16>
  %k = call_function @aten.linear.default(%x, %wk, %bk) : (!fx.tensor<[2, 3, 4], bf16>, !fx.tensor<[4, 4], bf16>, !fx.tensor<[4], bf16>) -> !fx.tensor<[2, 3, 4], bf16>
  %v = call_function @aten.linear.default(%x, %wv, %bv) : (!fx.tensor<[2, 3, 4], bf16>, !fx.tensor<[4, 4], bf16>, !fx.tensor<[4], bf16>) -> !fx.tensor<[2, 3, 4], bf16>
  %qs = call_function @aten.view.default(%q, [2, 3, 2, 4]) : (!fx.tensor<[2, 3, 8], bf16>) -> !fx.tensor<[2, 3, 2, 4], bf16>
  %ks = call_function @aten.view.default(%k, [2, 3, 1, 4]) : (!fx.tensor<[2, 3, 4], bf16>) -> !fx.tensor<[2, 3, 1, 4], bf16>
  output([%qs, %ks, %v, %v]) : (!fx.tensor<[2, 3, 2, 4], bf16>, !fx.tensor<[2, 3, 1, 4], bf16>, !fx.tensor<[2, 3, 4], bf16>, !fx.tensor<[2, 3, 4], bf16>)
}

// The activation becomes a part of the first matmul, the third has a bias, and
// the weight of the fourth has another user: nothing is left to merge.
// CHECK-LABEL: fx.graph @others
// CHECK-NOT: aten.cat
// CHECK-COUNT-4: aten.linear.default
fx.graph @others attributes {functional} {
  %wq = placeholder "wq" parameter @wq : !fx.tensor<[8, 4], bf16>
  %wk = placeholder "wk" parameter @wk : !fx.tensor<[4, 4], bf16>
  %wv = placeholder "wv" parameter @wv : !fx.tensor<[4, 4], bf16>
  %bk = placeholder "bk" parameter @bk : !fx.tensor<[4], bf16>
  %bv = placeholder "bv" parameter @bv : !fx.tensor<[4], bf16>
  %x = placeholder "x" : !fx.tensor<[2, 4], bf16>
  %z = placeholder "z" : !fx.tensor<[2, 4], bf16>
  %gate = call_function @aten.linear.default(%x, %wq) : (!fx.tensor<[2, 4], bf16>, !fx.tensor<[8, 4], bf16>) -> !fx.tensor<[2, 8], bf16>
  %silu = call_function @aten.silu.default(%gate) : (!fx.tensor<[2, 8], bf16>) -> !fx.tensor<[2, 8], bf16>
  %k = call_function @aten.linear.default(%x, %wk, %bk) : (!fx.tensor<[2, 4], bf16>, !fx.tensor<[4, 4], bf16>, !fx.tensor<[4], bf16>) -> !fx.tensor<[2, 4], bf16>
  %v = call_function @aten.linear.default(%x, %wv) : (!fx.tensor<[2, 4], bf16>, !fx.tensor<[4, 4], bf16>) -> !fx.tensor<[2, 4], bf16>
  %u = call_function @aten.linear.default(%z, %wv, %bv) : (!fx.tensor<[2, 4], bf16>, !fx.tensor<[4, 4], bf16>, !fx.tensor<[4], bf16>) -> !fx.tensor<[2, 4], bf16>
  output([%silu, %k, %k, %v, %v, %u, %u]) : (!fx.tensor<[2, 8], bf16>, !fx.tensor<[2, 4], bf16>, !fx.tensor<[2, 4], bf16>, !fx.tensor<[2, 4], bf16>, !fx.tensor<[2, 4], bf16>, !fx.tensor<[2, 4], bf16>, !fx.tensor<[2, 4], bf16>)
}
