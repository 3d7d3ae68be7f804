// RUN: fx-opt %s -fx-schedule='async=fallbacks,mylib.slow.default remarks' 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// RUN: not fx-opt %s -fx-schedule=async=mylib.fast.default 2>&1 | FileCheck %s --check-prefix=ERROR

// Operands of asynchronous nodes come first, and the users of their results
// last. Independent nodes stay in between, in their order. Random draws stay in
// their order, which here is behind the users of %u.
// ERROR: error: expected a target that is called, got 'mylib.fast.default'
// REMARKS: remark: stays in its place: it has effects, or the graph is not functional
// REMARKS-NOT: remark: stays
// CHECK-LABEL: fx.graph @main
// CHECK: %a = call_function @aten.exp
// CHECK-NEXT: %s = call_function @mylib.slow.default(%a) {fx.async}
// CHECK-NEXT: %b = call_function @aten.sin
// CHECK-NEXT: %e = call_function @aten.linalg_eigvalsh.default(%b) {fx.async}
// CHECK-NEXT: %n = call_function @aten.cos.default(%x)
// CHECK-NEXT: %o = call_function @aten.tan.default(%n)
// CHECK-NEXT: %u = call_function @aten.neg.default(%s)
// CHECK-NEXT: %r = call_function @aten.poisson.default(%u)
// CHECK-NOT: fx.async
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4, 4], f32>
  %n = call_function @aten.cos.default(%x) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %a = call_function @aten.exp.default(%x) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %s = call_function @mylib.slow.default(%a) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %u = call_function @aten.neg.default(%s) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %r = call_function @aten.poisson.default(%u) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %b = call_function @aten.sin.default(%x) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %e = call_function @aten.linalg_eigvalsh.default(%b) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4], f32>
  %o = call_function @aten.tan.default(%n) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %f = call_function @aten.add.Tensor(%r, %e) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4, 4], f32>
  output(%f, %o) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>)
}
