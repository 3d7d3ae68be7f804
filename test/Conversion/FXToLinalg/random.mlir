// Random operators become draws in the order of the nodes. No draw is merged or
// dropped.
// RUN: fx-opt %s --convert-fx-to-linalg --cse --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @draws(%arg0: tensor<?x3xf32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0.0{{.*}} : f64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1.0{{.*}} : f64
// CHECK-DAG: %[[HALF:.*]] = arith.constant 5.0{{.*}}e-01 : f64
// CHECK: fx_kernel.random "uniform" of f32(%[[C0]], %[[C1]] : f64) outs(%{{.*}} : tensor<?x3xf32>) -> tensor<?x3xf32>
// An unused draw still consumes its random numbers.
// CHECK: fx_kernel.random "uniform" of f32(%[[C0]], %[[C1]] : f64) outs(%{{.*}} : tensor<?x3xf32>) -> tensor<?x3xf32>
// CHECK: fx_kernel.random "uniform" of f32(%[[C0]], %[[C1]] : f64) outs(%{{.*}} : tensor<?x3xf32>) -> tensor<?x3xf32>
// CHECK: fx_kernel.random "bernoulli" of i1(%[[HALF]], %[[C0]] : f64) outs(%{{.*}} : tensor<?x3xi1>) -> tensor<?x3xi1>
fx.graph @draws symbols [s0 in [2, 8]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 3], f32>
  %a = call_function @aten.rand_like.default(%x) : (!fx.tensor<[s0, 3], f32>) -> !fx.tensor<[s0, 3], f32>
  %b = call_function @aten.rand_like.default(%x) : (!fx.tensor<[s0, 3], f32>) -> !fx.tensor<[s0, 3], f32>
  %c = call_function @aten.rand_like.default(%x) : (!fx.tensor<[s0, 3], f32>) -> !fx.tensor<[s0, 3], f32>
  %d = call_function @aten.dropout.default(%x, 0.5, true) : (!fx.tensor<[s0, 3], f32>) -> !fx.tensor<[s0, 3], f32>
  %e = call_function @aten.dropout.default(%x, 0.5, false) : (!fx.tensor<[s0, 3], f32>) -> !fx.tensor<[s0, 3], f32>
  output(%a, %c, %d, %e) : (!fx.tensor<[s0, 3], f32>, !fx.tensor<[s0, 3], f32>, !fx.tensor<[s0, 3], f32>, !fx.tensor<[s0, 3], f32>)
}

// Numbers are drawn in memory order, which the strides give.
// CHECK-LABEL: func.func @strided
// CHECK: fx_kernel.random "strided_normal" of f32({{.*}}) outs(%{{.*}} : tensor<4x3x2xf32>)
// CHECK: fx_kernel.random "uniform" of f32({{.*}}) outs(%{{.*}} : tensor<?x3xf32>)
// CHECK: fx_kernel.random "integers" of ui8(%{{.*}}, %{{.*}} : i64) outs(%{{.*}} : tensor<5xi8>)
// CHECK: fx_kernel.random "permutation" of i64(%{{.*}}, %{{.*}} : i64) outs(%{{.*}} : tensor<?xi64>)
fx.graph @strided symbols [s0 in [2, 8]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2, 3, 4], f32, #fx.meta<strides = [1, 2, 6]>>
  %y = placeholder "y" : !fx.tensor<[3, s0], f32, #fx.meta<strides = [1, 3]>>
  %a = call_function @aten.randn_like.default(%x) : (!fx.tensor<[2, 3, 4], f32, #fx.meta<strides = [1, 2, 6]>>) -> !fx.tensor<[2, 3, 4], f32, #fx.meta<strides = [1, 2, 6]>>
  %b = call_function @aten.rand_like.default(%y) : (!fx.tensor<[3, s0], f32, #fx.meta<strides = [1, 3]>>) -> !fx.tensor<[3, s0], f32, #fx.meta<strides = [1, 3]>>
  %c = call_function @aten.randint.low(3, 9, [5], dtype = ui8) : () -> !fx.tensor<[5], ui8>
  %n = call_function @aten.sym_size.int(%y, 1) : (!fx.tensor<[3, s0], f32, #fx.meta<strides = [1, 3]>>) -> !fx.sym_int<s0>
  %d = call_function @aten.randperm.default(%n) : (!fx.sym_int<s0>) -> !fx.tensor<[s0], i64>
  output(%a, %b, %c, %d) : (!fx.tensor<[2, 3, 4], f32, #fx.meta<strides = [1, 2, 6]>>, !fx.tensor<[3, s0], f32, #fx.meta<strides = [1, 3]>>, !fx.tensor<[5], ui8>, !fx.tensor<[s0], i64>)
}

// ATen draws where the values decide how many numbers are drawn.
// CHECK-LABEL: func.func @values_decide
// CHECK: fx.eager @aten.poisson.default
// CHECK-NOT: fx.pure
fx.graph @values_decide attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %a = call_function @aten.poisson.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%a) : (!fx.tensor<[4], f32>)
}
