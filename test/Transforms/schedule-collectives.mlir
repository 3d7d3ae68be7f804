// RUN: fx-opt %s --fx-schedule | FileCheck %s

// Collectives start as early as they can, in their order, and the waits come
// late. Random numbers may be between them.
// CHECK-LABEL: fx.graph @main
// CHECK: %a = call_function @aten.sin.default
// CHECK-NEXT: %p = call_function @_c10d_functional.all_reduce.default(%a, "sum", "0")
// CHECK-NEXT: %c = call_function @aten.exp.default(%x)
// CHECK-NEXT: %q = call_function @_c10d_functional.broadcast.default(%c, 0, "tp")
// CHECK-NEXT: %d = call_function @aten.bernoulli.default(%x)
// CHECK-NEXT: %b = call_function @aten.cos.default(%x)
// CHECK-NEXT: %v = call_function @_c10d_functional.wait_tensor.default(%p)
// CHECK-NEXT: %w = call_function @_c10d_functional.wait_tensor.default(%q)
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %d = call_function @aten.bernoulli.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %b = call_function @aten.cos.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %a = call_function @aten.sin.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %p = call_function @_c10d_functional.all_reduce.default(%a, "sum", "0") : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %v = call_function @_c10d_functional.wait_tensor.default(%p) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %c = call_function @aten.exp.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %q = call_function @_c10d_functional.broadcast.default(%c, 0, "tp") : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %w = call_function @_c10d_functional.wait_tensor.default(%q) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%b, %v, %w, %d) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
}
