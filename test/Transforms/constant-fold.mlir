// REQUIRES: libtorch
// RUN: fx-opt %s -fx-constant-fold | FileCheck %s
// RUN: fx-opt %s -fx-constant-fold=max-bytes=7 | FileCheck %s --check-prefix=LIMIT
// RUN: fx-opt %s -fx-constant-fold -fx-constant-fold -verify-roundtrip | FileCheck %s

// LIMIT-NOT: folded
// LIMIT: @aten.exp.default
// LIMIT-NOT: folded

// [0, 1] and [1, 2]. w and its tied copy do not change.
// CHECK-DAG: fx.state @w : {{.*}} = dense<[0, 0, 0, 0, 0, 0, 128, 63]>
// CHECK-DAG: fx.state @tied : {{.*}} = dense<[0, 0, 0, 0, 0, 0, 128, 63]>
// CHECK-DAG: fx.state @folded_sum : !fx.tensor<[2], f32> = dense<[0, 0, 128, 63, 0, 0, 0, 64]> : tensor<8xui8>
// CHECK-DAG: fx.state @folded_e : !fx.tensor<[2], f32> =
fx.state @w : !fx.tensor<[2], f32> = dense<[0, 0, 0, 0, 0, 0, 128, 63]> : tensor<8xui8>
fx.state @tied : !fx.tensor<[2], f32> = dense<[0, 0, 0, 0, 0, 0, 128, 63]> : tensor<8xui8>
fx.state @k : !fx.tensor<[2], f32> = dense<1> : tensor<8xui8>
// CHECK-LABEL: fx.graph @main
fx.graph @main attributes {functional} {
  // CHECK: %k = placeholder
  // CHECK-NEXT: %folded_sum = placeholder "folded_sum" tensor_constant @folded_sum
  // CHECK-NEXT: %folded_e = placeholder "folded_e" tensor_constant @folded_e
  // CHECK-NEXT: %x = placeholder
  %w = placeholder "w" parameter @w : !fx.tensor<[2], f32>
  %tied = placeholder "tied" parameter @tied : !fx.tensor<[2], f32>
  %k = placeholder "k" buffer @k : !fx.tensor<[2], f32>
  %x = placeholder "x" : !fx.tensor<[2], f32>
  // A sum of a constant and a state folds. A factory alone does not fold, nor
  // does a view.
  %ones = call_function @aten.ones.default([2]) : () -> !fx.tensor<[2], f32>
  %sum = call_function @aten.add.Tensor(%w, %ones) : (!fx.tensor<[2], f32>, !fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  // CHECK-NEXT: %v = call_function @aten.view.default(%folded_sum, [1, 2])
  %v = call_function @aten.view.default(%sum, [1, 2]) : (!fx.tensor<[2], f32>) -> !fx.tensor<[1, 2], f32>
  // CHECK-NEXT: %vt = call_function @aten.view.default(%tied, [1, 2])
  %vt = call_function @aten.view.default(%tied, [1, 2]) : (!fx.tensor<[2], f32>) -> !fx.tensor<[1, 2], f32>
  // A constant that is used only by another constant is not kept.
  %n = call_function @aten.neg.default(%tied) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  %e = call_function @aten.exp.default(%n) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  // CHECK-NEXT: %y = call_function @aten.mul.Tensor(%x, %folded_e)
  %y = call_function @aten.mul.Tensor(%x, %e) : (!fx.tensor<[2], f32>, !fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  // Random operators, and operators on a buffer that is written, do not fold.
  // CHECK-NEXT: %r = call_function @aten.rand_like.default
  // CHECK-NEXT: %kk = call_function @aten.add.Tensor(%k, 1)
  %r = call_function @aten.rand_like.default(%w) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  %kk = call_function @aten.add.Tensor(%k, 1) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%kk, %v, %vt, %y, %r) signature [#fx.output_spec<buffer_mutation, "k">, #fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>] : (!fx.tensor<[2], f32>, !fx.tensor<[1, 2], f32>, !fx.tensor<[1, 2], f32>, !fx.tensor<[2], f32>, !fx.tensor<[2], f32>)
}
