// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Operators that create tensors.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0], i64>
  %a = placeholder "a" : !fx.tensor<[], f64>
  // The start is a tensor. The values are computed from both ends.
  // CHECK: tensor.extract
  // CHECK: arith.cmpi slt
  // CHECK: arith.select
  %l = call_function @aten.linspace.Tensor_Scalar(%a, 3, 7, dtype = f32) : (!fx.tensor<[], f64>) -> !fx.tensor<[7], f32>
  // CHECK: cf.assert %{{.*}}, "{{[^ ]*}}: aten.one_hot: a class is out of range (
  // CHECK: arith.cmpi eq
  %o = call_function @aten.one_hot.default(%x, 5) : (!fx.tensor<[s0], i64>) -> !fx.tensor<[s0, 5], i64>
  output(%l, %o) : (!fx.tensor<[7], f32>, !fx.tensor<[s0, 5], i64>)
}
