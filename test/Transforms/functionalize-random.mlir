// An operator that fills a tensor with random numbers keeps the tensor's
// strides: numbers are drawn in memory order. The functional forms of two
// operators have other names.
// RUN: fx-opt %s --fx-functionalize | FileCheck %s

!t = !fx.tensor<[2, 3], f32, #fx.meta<strides = [1, 2]>>
// CHECK-LABEL: fx.graph @main attributes {functional}
// CHECK: call_function @aten.normal_functional.default(%x, 1.0, 2.0) : {{.*}} -> !fx.tensor<[2, 3], f32, #fx.meta<strides = [1, 2]>>
// CHECK: call_function @aten.bernoulli.p(%{{.*}}, 0.5) : {{.*}} -> !fx.tensor<[2, 3], f32, #fx.meta<strides = [1, 2]>>
// CHECK: call_function @aten.uniform.default(%{{.*}}) : {{.*}} -> !fx.tensor<[2, 3], f32, #fx.meta<strides = [1, 2]>>
// CHECK: call_function @aten.add.Tensor(%{{.*}}, 1) : {{.*}} -> !fx.tensor<[2, 3], f32>
fx.graph @main {
  %x = placeholder "x" : !t
  %a = call_function @aten.normal_.default(%x, 1.0, 2.0) : (!t) -> !t
  %b = call_function @aten.bernoulli_.float(%x, 0.5) : (!t) -> !t
  %c = call_function @aten.uniform_.default(%x) : (!t) -> !t
  %d = call_function @aten.add_.Tensor(%x, 1) : (!t) -> !t
  output(%d) : (!t)
}
