// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse --split-input-file | FileCheck %s

// The elements at 1 + 2 * i + 5 * j of the flattened operand.

// CHECK-LABEL: func.func @main
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4, 4], f32>
  // CHECK: %[[FLAT:.*]] = tensor.collapse_shape {{.*}} : tensor<4x4xf32> into tensor<16xf32>
  // CHECK: linalg.generic
  // CHECK: tensor.extract %[[FLAT]]
  // CHECK-NOT: fx.eager
  %y = call_function @aten.as_strided.default(%x, [3, 2], [2, 5], 1) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[3, 2], f32>
  output(%y) : (!fx.tensor<[3, 2], f32>)
}

// -----

// ATen computes a view that exceeds the operand's memory.

// CHECK-LABEL: func.func @main
fx.graph @main attributes {functional} {
  %z = placeholder "z" : !fx.tensor<[4], f32>
  // CHECK: fx.eager @aten.as_strided.default{{.*}}the view leaves the operand's memory
  %v = call_function @aten.as_strided.default(%z, [3], [2], 0) : (!fx.tensor<[4], f32>) -> !fx.tensor<[3], f32>
  output(%v) : (!fx.tensor<[3], f32>)
}

// -----

// PyTorch has no negative offsets or strides.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64], s1 in [2, 64], s2 in [?, 7]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %y = placeholder "y" : !fx.tensor<[s0], f32>
  %n = placeholder "n" : !fx.sym_int<s2>
  // CHECK: fx.eager @aten.as_strided.default{{.*}}a stride is negative
  %a = call_function @aten.as_strided.default(%x, [2], [-2], 1) : (!fx.tensor<[4], f32>) -> !fx.tensor<[2], f32>
  // CHECK: fx.eager @aten.as_strided.default{{.*}}the view leaves the operand's memory
  %b = call_function @aten.as_strided.default(%y, [3], [2], -1) : (!fx.tensor<[s0], f32>) -> !fx.tensor<[3], f32>
  // CHECK: %[[LOW:.*]] = arith.cmpi sge, %{{.*}}, %c0
  // CHECK: %[[HIGH:.*]] = arith.cmpi slt
  // CHECK: %[[INSIDE:.*]] = arith.andi %[[LOW]], %[[HIGH]]
  // CHECK: cf.assert %[[INSIDE]], "{{[^ ]*}}: aten.as_strided.default: the view leaves the operand's memory (
  %c = call_function @aten.as_strided.default(%y, [3], [2], %n) : (!fx.tensor<[s0], f32>, !fx.sym_int<s2>) -> !fx.tensor<[3], f32>
  output(%a, %b, %c) : (!fx.tensor<[2], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>)
}
