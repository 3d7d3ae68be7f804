// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s

// x * clamp(x + 3, 0, 6) / 6 in this order: like in PyTorch, the product may
// overflow.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[SIX:.*]] = arith.constant 6.0{{.*}} : f32
// CHECK: ^bb0(%[[X:[a-z_0-9]+]]: f32
// CHECK: %[[SHIFTED:.*]] = arith.addf %[[X]]
// CHECK: %[[LOW:.*]] = arith.maximumf %[[SHIFTED]]
// CHECK: %[[RAMP:.*]] = arith.minimumf %[[LOW]], %[[SIX]]
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[X]], %[[RAMP]]
// CHECK: arith.divf %[[PRODUCT]], %[[SIX]]
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %y = call_function @aten.hardswish.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%y) signature [#fx.output_spec<user_output>] : (!fx.tensor<[4], f32>)
}
