// RUN: not fx-opt %s -fx-shape-prop='sizes=s0=9000000000000000000' -mlir-print-ir-after-failure 2>&1 | FileCheck %s

// A graph that cannot be specialized keeps its ranges, guards and types.
// CHECK: error: a size overflows, or divides by zero
// CHECK: IR Dump After ShapePropPass Failed
// CHECK: fx.graph @main symbols [s0 in [2, 9223372036854775807], s1 in [2, 64]]
// CHECK: !fx.tensor<[s0, s1], f32>
// CHECK: guard "s0 > 2"
fx.graph @main symbols [s0 in [2, 9223372036854775807], s1 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, s1], f32>
  guard "s0 > 2" : gt(s0, 2)
  %y = call_function @aten.cat.default([%x, %x]) : (!fx.tensor<[s0, s1], f32>, !fx.tensor<[s0, s1], f32>) -> !fx.tensor<[2*s0, s1], f32>
  output(%y) : (!fx.tensor<[2*s0, s1], f32>)
}
