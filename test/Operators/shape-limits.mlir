// RUN: fx-opt %s --fx-shape-prop | FileCheck %s

// Sizes beyond the address space neither overflow nor loop forever.
// CHECK-LABEL: fx.graph @huge
fx.graph @huge {
  %x = placeholder "x" : !fx.tensor<[9223372036854775807], f32>
  // CHECK: %a = {{.*}} -> !fx.any
  %a = call_function @aten.split.Tensor(%x, 1) : (!fx.tensor<[9223372036854775807], f32>) -> !fx.any
  // CHECK: %b = {{.*}} -> !fx.any
  %b = call_function @aten.unbind.int(%x) : (!fx.tensor<[9223372036854775807], f32>) -> !fx.any
  // CHECK: %c = {{.*}} -> !fx.any
  %c = call_function @aten.cat.default([%x, %x]) : (!fx.tensor<[9223372036854775807], f32>, !fx.tensor<[9223372036854775807], f32>) -> !fx.any
  // CHECK: %d = {{.*}} -> !fx.any
  %d = call_function @aten.repeat.default(%x, [9223372036854775807]) : (!fx.tensor<[9223372036854775807], f32>) -> !fx.any
  // CHECK: %f = {{.*}} -> !fx.any
  %f = call_function @aten.arange.start_step(0.0, 1.0e300, 1.0e-300) : () -> !fx.any
  // CHECK: %g = {{.*}} -> !fx.any
  %g = call_function @aten.chunk.default(%x, 9223372036854775807) : (!fx.tensor<[9223372036854775807], f32>) -> !fx.any
  output()
}
