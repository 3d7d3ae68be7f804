// RUN: fx-opt %s -fx-shape-prop | FileCheck %s
// RUN: fx-opt %s -fx-shape-prop=sizes=s0=3,s1=5 | FileCheck %s --check-prefix=SIZES

// A loop that grows its value by cat, unrolled by tracing: each iteration
// appends the rows of %y, or doubles the value. Only the types of the inputs
// are known.

// CHECK: %a = call_function @aten.cat.default([%x, %y]) : {{.*}} -> !fx.tensor<[s0 + s1, 4], f32>
// CHECK: %b = call_function @aten.cat.default([%a, %y]) : {{.*}} -> !fx.tensor<[2*s1 + s0, 4], f32>
// CHECK: %c = call_function @aten.cat.default([%b, %y]) : {{.*}} -> !fx.tensor<[3*s1 + s0, 4], f32>
// CHECK: %d = call_function @aten.cat.default([%c, %c]) : {{.*}} -> !fx.tensor<[2*s0 + 6*s1, 4], f32>
// CHECK: %e = call_function @aten.cat.default([%d, %d], 1) : {{.*}} -> !fx.tensor<[2*s0 + 6*s1, 8], f32>
// CHECK: %n = call_function @aten.sym_size.int(%e, 0) : {{.*}} -> !fx.sym_int<2*s0 + 6*s1>
// SIZES: %c = call_function @aten.cat.default([%b, %y]) : {{.*}} -> !fx.tensor<[18, 4], f32>
// SIZES: %e = call_function @aten.cat.default([%d, %d], 1) : {{.*}} -> !fx.tensor<[36, 8], f32>
fx.graph @main symbols [s0 in [2, 64], s1 in [2, 64]] {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %y = placeholder "y" : !fx.tensor<[s1, 4], f32>
  %a = call_function @aten.cat.default([%x, %y]) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s1, 4], f32>) -> !fx.any
  %b = call_function @aten.cat.default([%a, %y]) : (!fx.any, !fx.tensor<[s1, 4], f32>) -> !fx.any
  %c = call_function @aten.cat.default([%b, %y]) : (!fx.any, !fx.tensor<[s1, 4], f32>) -> !fx.any
  %d = call_function @aten.cat.default([%c, %c]) : (!fx.any, !fx.any) -> !fx.any
  %e = call_function @aten.cat.default([%d, %d], 1) : (!fx.any, !fx.any) -> !fx.any
  %n = call_function @aten.sym_size.int(%e, 0) : (!fx.any) -> !fx.any
  output(%e, %n) : (!fx.any, !fx.any)
}
