// The output for other compilers has no attribute, type or op of the fx
// dialect.
// RUN: fx-opt %s --convert-fx-to-linalg --fx-strip-attributes | FileCheck %s --implicit-check-not=fx.
// RUN: fx-opt %s --convert-fx-to-linalg --fx-strip-attributes=embed-states | FileCheck %s --check-prefix=EMBED --implicit-check-not=fx.
// The distribution's mlir-opt does not know the fx dialect:
// RUN: fx-opt %s --convert-fx-to-linalg --fx-strip-attributes=embed-states | mlir-opt -o /dev/null

fx.state @w : !fx.tensor<[2, 2], f32, #fx.meta<strides = [1, 2]>> = dense<[0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64]> : tensor<16xui8>
fx.state @mask : !fx.tensor<[2], i1> = dense<[1, 0]> : tensor<2xui8>
fx.state @seen : !fx.tensor<[], i64> = dense<0> : tensor<8xui8>

// CHECK: func.func @main(%{{.*}}: tensor<?x2xf32>, %{{.*}}: tensor<2x2xf32>, %{{.*}}: tensor<2xi1>, %{{.*}}: tensor<i64>) -> (tensor<i64>, tensor<?x2xf32>)
// EMBED: func.func @main(%{{.*}}: tensor<?x2xf32>, %{{.*}}: tensor<i64>) -> (tensor<i64>, tensor<?x2xf32>)
// EMBED-DAG: arith.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// EMBED-DAG: arith.constant dense<[true, false]> : tensor<2xi1>
fx.graph @main symbols [s0 in [2, 8]] attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2, 2], f32, #fx.meta<strides = [1, 2]>>
  %mask = placeholder "mask" tensor_constant @mask : !fx.tensor<[2], i1>
  %seen = placeholder "seen" buffer @seen : !fx.tensor<[], i64>
  %x = placeholder "x" : !fx.tensor<[s0, 2], f32>
  %mm = call_function @aten.mm.default(%x, %w) : (!fx.tensor<[s0, 2], f32>, !fx.tensor<[2, 2], f32, #fx.meta<strides = [1, 2]>>) -> !fx.tensor<[s0, 2], f32>
  %y = call_function @aten.where.self(%mask, %mm, %x) : (!fx.tensor<[2], i1>, !fx.tensor<[s0, 2], f32>, !fx.tensor<[s0, 2], f32>) -> !fx.tensor<[s0, 2], f32>
  %next = call_function @aten.add.Tensor(%seen, 1) : (!fx.tensor<[], i64>) -> !fx.tensor<[], i64>
  output(%next, %y) signature [#fx.output_spec<buffer_mutation, "seen">, #fx.output_spec<user_output>] : (!fx.tensor<[], i64>, !fx.tensor<[s0, 2], f32>)
}
