// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 16]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 8], f32>
  %h = placeholder "h" : !fx.tensor<[s0, 8], bf16>
  // Two reductions and one op over the elements. The kept dimension appears
  // only in the indexing map.
  // CHECK: arith.addf
  // CHECK: arith.divf
  // CHECK: arith.subf
  // CHECK: arith.mulf
  // CHECK-NOT: tensor.expand_shape
  // CHECK: math.sqrt
  %n = call_function @aten.layer_norm.default(%x, [8]) : (!fx.tensor<[s0, 8], f32>) -> !fx.tensor<[s0, 8], f32>
  // CHECK: arith.maximumf
  // CHECK: math.exp
  // CHECK: arith.divf
  %s = call_function @aten.softmax.int(%n, -1) : (!fx.tensor<[s0, 8], f32>) -> !fx.tensor<[s0, 8], f32>
  // 16-bit floats are summed in f32.
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  // CHECK: arith.addf %{{.*}} : f32
  // CHECK: arith.truncf
  %b = call_function @aten.sum.dim_IntList(%h, [1]) : (!fx.tensor<[s0, 8], bf16>) -> !fx.tensor<[s0], bf16>
  // The value, then the first index at which it occurs.
  // CHECK: arith.maximumf
  // CHECK: arith.cmpf oeq
  // CHECK: linalg.index 1
  // CHECK: arith.minsi
  // CHECK: -> tensor<?xi64>
  %v, %i = call_function @aten.max.dim(%s, 1) : (!fx.tensor<[s0, 8], f32>) -> (!fx.tensor<[s0], f32>, !fx.tensor<[s0], i64>)
  // CHECK: scf.for
  %c = call_function @aten.cumsum.default(%s, 0) : (!fx.tensor<[s0, 8], f32>) -> !fx.tensor<[s0, 8], f32>
  output(%b, %v, %i, %c) : (!fx.tensor<[s0], bf16>, !fx.tensor<[s0], f32>, !fx.tensor<[s0], i64>, !fx.tensor<[s0, 8], f32>)
}
