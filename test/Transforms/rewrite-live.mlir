// RUN: fx-opt %s -fx-rewrite='patterns=%S/../../rules/relu-to-gelu.mlir remarks' 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks

// REMARKS: remark: rule 'relu' matched 2 times
// REMARKS: remark: rule 'relu_in_place' matched 2 times

// Modules and methods match by the operators of their bodies. A body that
// writes a value with another use, or an input, becomes its operator and is not
// rewritten. Bodies of several nodes, and calls without a body, stay.
// CHECK-NOT: fx.graph private @main.act
// CHECK: fx.graph private @main.two
// CHECK: aten.relu_.default
// CHECK-LABEL: fx.graph @main {
// CHECK-NEXT: %x = placeholder
// CHECK-NEXT: %[[A:.*]] = call_function @aten.gelu.default(%x)
// CHECK-NEXT: %[[B:.*]] = call_function @aten.gelu.default(%[[A]])
// CHECK-NEXT: %[[C:.*]] = call_function @aten.gelu.default(%[[B]])
// CHECK-NEXT: %{{.*}}, %[[D:.*]] = call_module @two(%[[C]])
// CHECK-NEXT: %[[E:.*]] = call_function @aten.relu_.default(%x)
// CHECK-NEXT: %[[F:.*]] = call_module @other(%[[D]])
// CHECK-NEXT: %[[G:.*]] = call_module @any()
// CHECK-NEXT: %[[H:.*]] = call_function @aten.gelu.default(%[[G]])
// CHECK-NEXT: output(%[[F]], %[[E]], %[[H]])
fx.graph private @main.act {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %y = call_function @aten.relu.default(%x) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%y) : (!fx.tensor<[2], f32>)
}
fx.graph private @main.inplace {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %y = call_function @aten.relu_.default(%x) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%y) : (!fx.tensor<[2], f32>)
}
fx.graph private @main.two {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %y = call_function @aten.neg.default(%x) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  %z = call_function @aten.relu_.default(%y) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%y, %z) : (!fx.tensor<[2], f32>, !fx.tensor<[2], f32>)
}
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %a = call_module @act(%x) {fx.body = @main.act} : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  %b = call_module @inplace(%a) {fx.body = @main.inplace} : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  %c = call_method @relu_(%b) {fx.body = @main.inplace} : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  %d0, %d = call_module @two(%c) outs [#fx.operand, #fx.operand] {fx.body = @main.two} : (!fx.tensor<[2], f32>) -> (!fx.tensor<[2], f32>, !fx.tensor<[2], f32>)
  %e = call_module @inplace(%x) {fx.body = @main.inplace} : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  %f = call_module @other(%d) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  %g = call_module @any() : () -> !fx.any
  %h = call_module @act(%g) {fx.body = @main.act} : (!fx.any) -> !fx.tensor<[2], f32>
  output(%f, %e, %h) : (!fx.tensor<[2], f32>, !fx.tensor<[2], f32>, !fx.tensor<[2], f32>)
}
