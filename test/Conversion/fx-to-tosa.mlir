// RUN: fx-opt %s --convert-fx-to-tosa | FileCheck %s --implicit-check-not=fx.
// RUN: fx-opt %s --convert-fx-to-tosa=embed-states | FileCheck %s --check-prefix=EMBED
// The output is valid for upstream's lowering:
// RUN: fx-opt %s --convert-fx-to-tosa=embed-states | mlir-opt --pass-pipeline='builtin.module(func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor))' -o /dev/null

fx.state @w : !fx.tensor<[3, 2], f32> = dense<[0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64, 0, 0, 128, 63, 0, 0, 0, 64]> : tensor<24xui8>
fx.state @b : !fx.tensor<[3], f32> = dense<[0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64]> : tensor<12xui8>

// CHECK: func.func @main(%[[X:.*]]: tensor<4x2xf32>, %[[W:.*]]: tensor<3x2xf32>, %[[B:.*]]: tensor<3xf32>)
// EMBED: func.func @main(%{{.*}}: tensor<4x2xf32>)
// EMBED-DAG: "tosa.const"() <{values = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>}>
fx.graph @main attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[3, 2], f32>
  %b = placeholder "b" parameter @b : !fx.tensor<[3], f32>
  %x = placeholder "x" : !fx.tensor<[4, 2], f32>
  // tosa.matmul takes three dimensions, tosa.add operands of equal rank.
  // CHECK: tosa.transpose %[[W]] {perms = array<i32: 1, 0>}
  // CHECK: tosa.matmul
  // CHECK: tosa.reshape %[[B]]
  // CHECK: tosa.add
  %linear = call_function @aten.linear.default(%x, %w, %b) : (!fx.tensor<[4, 2], f32>, !fx.tensor<[3, 2], f32>, !fx.tensor<[3], f32>) -> !fx.tensor<[4, 3], f32>
  // Infinity stays infinity.
  // CHECK: tosa.clamp %{{.*}}max_val = 0x7F800000 : f32
  %relu = call_function @aten.relu.default(%linear) : (!fx.tensor<[4, 3], f32>) -> !fx.tensor<[4, 3], f32>
  // CHECK: tosa.mul
  // CHECK: tosa.sub
  %sub = call_function @aten.sub.Tensor(%relu, 3, alpha = 2) : (!fx.tensor<[4, 3], f32>) -> !fx.tensor<[4, 3], f32>
  // CHECK: tosa.greater
  // CHECK: tosa.select
  %lt = call_function @aten.lt.Scalar(%sub, 0.5) : (!fx.tensor<[4, 3], f32>) -> !fx.tensor<[4, 3], i1>
  %where = call_function @aten.where.self(%lt, %sub, %relu) : (!fx.tensor<[4, 3], i1>, !fx.tensor<[4, 3], f32>, !fx.tensor<[4, 3], f32>) -> !fx.tensor<[4, 3], f32>
  // CHECK: tosa.reduce_max
  // CHECK: tosa.exp
  // CHECK: tosa.reduce_sum
  %softmax = call_function @aten.softmax.int(%where, -1) : (!fx.tensor<[4, 3], f32>) -> !fx.tensor<[4, 3], f32>
  // CHECK: tosa.reduce_sum %{{.*}} {axis = 0 : i32}
  %mean = call_function @aten.mean.dim(%softmax, [0]) : (!fx.tensor<[4, 3], f32>) -> !fx.tensor<[3], f32>
  // CHECK: tosa.concat
  %cat = call_function @aten.cat.default([%softmax, %relu], 1) : (!fx.tensor<[4, 3], f32>, !fx.tensor<[4, 3], f32>) -> !fx.tensor<[4, 6], f32>
  // A tensor of rank 0 has nothing to transpose.
  // CHECK-NOT: tosa.transpose
  %s = call_function @aten.sum.default(%x) : (!fx.tensor<[4, 2], f32>) -> !fx.tensor<[], f32>
  %st = call_function @aten.transpose.int(%s, 0, -1) : (!fx.tensor<[], f32>) -> !fx.tensor<[], f32>
  %sp = call_function @aten.permute.default(%st, []) : (!fx.tensor<[], f32>) -> !fx.tensor<[], f32>
  output(%mean, %cat, %sp) : (!fx.tensor<[3], f32>, !fx.tensor<[4, 6], f32>, !fx.tensor<[], f32>)
}
