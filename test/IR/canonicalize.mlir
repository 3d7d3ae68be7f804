// RUN: fx-opt %s -canonicalize -cse | FileCheck %s

// CHECK-LABEL: fx.graph @normal_form
fx.graph @normal_form attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4, 8], f32>
  // A default argument is removed, whether it is given by position or by name.
  // CSE then merges the calls.
  // CHECK: %add = call_function @aten.add.Tensor(%x, %x) :
  // CHECK-NOT: add_1
  %add = call_function @aten.add.Tensor(%x, %x, alpha = 1) : (!fx.tensor<[4, 8], f32>, !fx.tensor<[4, 8], f32>) -> !fx.tensor<[4, 8], f32>
  %add_1 = call_function @aten.add.Tensor(self = %x, other = %x) : (!fx.tensor<[4, 8], f32>, !fx.tensor<[4, 8], f32>) -> !fx.tensor<[4, 8], f32>
  // A float in place of an int default may change the promotion.
  // CHECK: %add_2 = call_function @aten.add.Tensor(%x, %x, alpha = 1.0)
  %add_2 = call_function @aten.add.Tensor(%x, %x, alpha = 1.0) : (!fx.tensor<[4, 8], f32>, !fx.tensor<[4, 8], f32>) -> !fx.tensor<[4, 8], f32>
  // An argument after a removed default is passed by name.
  // CHECK: %slice = call_function @aten.slice.Tensor(%x, end = 2)
  %slice = call_function @aten.slice.Tensor(end = 2, self = %x, dim = 0) : (!fx.tensor<[4, 8], f32>) -> !fx.tensor<[2, 8], f32>
  // CHECK: output(%add, %add, %add_2, %slice)
  output(%add, %add_1, %add_2, %slice) : (!fx.tensor<[4, 8], f32>, !fx.tensor<[4, 8], f32>, !fx.tensor<[4, 8], f32>, !fx.tensor<[2, 8], f32>)
}
