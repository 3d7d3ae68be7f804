// RUN: fx-opt %s -fx-rewrite='patterns=%S/Inputs/rules.mlir remarks' 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks

// REMARKS: remark: rule 'square' matched 1 time
// REMARKS: remark: rule 'small' matched 2 times
// REMARKS: remark: rule 'second' matched 1 time

// CHECK-LABEL: fx.graph @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4, 4], f32>
  %z = placeholder "z" : !fx.tensor<[s0, s0], f32>
  // The replacement's second node takes the place of the last matched node.
  // Types are inferred.
  // CHECK: %[[A:.*]] = call_function @aten.mul.Tensor(%x, 2.5) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  // CHECK-NEXT: %[[Y:.*]] = call_function @aten.square.default(%[[A]]) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %a = call_function @aten.mul.Tensor(%x, 2.5) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %b = call_function @aten.mul.Tensor(%x, 2.5) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %y = call_function @aten.mul.Tensor(%a, %b) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  // No match: another number; another use; a tensor instead of a number.
  // CHECK: %y1 = call_function @aten.mul.Tensor(%a1, %b1)
  %a1 = call_function @aten.mul.Tensor(%x, 2.5) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %b1 = call_function @aten.mul.Tensor(%x, 3.5) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %y1 = call_function @aten.mul.Tensor(%a1, %b1) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  // CHECK: %y2 = call_function @aten.mul.Tensor(%a2, %b2)
  %a2 = call_function @aten.mul.Tensor(%x, 2.5) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %b2 = call_function @aten.mul.Tensor(%x, 2.5) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %y2 = call_function @aten.mul.Tensor(%a2, %b2) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  // CHECK: %y3 = call_function @aten.mul.Tensor(%a3, %b3)
  %a3 = call_function @aten.mul.Tensor(%x, %x) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %b3 = call_function @aten.mul.Tensor(%x, %x) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %y3 = call_function @aten.mul.Tensor(%a3, %b3) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  // A match in the result of another match; a size that may be large; a tensor
  // that is not square.
  // CHECK: %[[C:.*]] = call_function @aten.cos.default(%[[Y]])
  // CHECK: %[[D:.*]] = call_function @aten.cos.default(%[[C]])
  // CHECK: %s2 = call_function @aten.sin.default(%z)
  // CHECK: %s3 = call_function @aten.sin.default(%v)
  %s0 = call_function @aten.sin.default(%y) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %s1 = call_function @aten.sin.default(%s0) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %s2 = call_function @aten.sin.default(%z) : (!fx.tensor<[s0, s0], f32>) -> !fx.tensor<[s0, s0], f32>
  %v = call_function @aten.view.default(%x, [2, 8]) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[2, 8], f32>
  %s3 = call_function @aten.sin.default(%v) : (!fx.tensor<[2, 8], f32>) -> !fx.tensor<[2, 8], f32>
  // CHECK: output(%y1, %y2, %b2, %y3, %[[D]], %s2, %s3)
  output(%y1, %y2, %b2, %y3, %s1, %s2, %s3) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>, !fx.tensor<[s0, s0], f32>, !fx.tensor<[2, 8], f32>)
}

// In a graph that mutates, x may change between the nodes of a match. A match
// of one node is safe.
// CHECK-LABEL: fx.graph @mutates
fx.graph @mutates {
  %x = placeholder "x" : !fx.tensor<[9, 9], f32>
  // CHECK: %y = call_function @aten.mul.Tensor(%a, %b)
  %a = call_function @aten.mul.Tensor(%x, 2.5) : (!fx.tensor<[9, 9], f32>) -> !fx.tensor<[9, 9], f32>
  %x1 = call_function @aten.exp_.default(%x) : (!fx.tensor<[9, 9], f32>) -> !fx.tensor<[9, 9], f32>
  %b = call_function @aten.mul.Tensor(%x, 2.5) : (!fx.tensor<[9, 9], f32>) -> !fx.tensor<[9, 9], f32>
  %y = call_function @aten.mul.Tensor(%a, %b) : (!fx.tensor<[9, 9], f32>, !fx.tensor<[9, 9], f32>) -> !fx.tensor<[9, 9], f32>
  output(%y) : (!fx.tensor<[9, 9], f32>)
}

// A number cannot replace a tensor.
// CHECK-LABEL: fx.graph @immediate
fx.graph @immediate attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[5], f32>
  %y = placeholder "y" : !fx.tensor<[5], f32>
  // CHECK: %b = call_function @aten.sub.Tensor(%y, 2.5)
  // CHECK-NEXT: output(%b)
  %a = call_function @aten.sub.Tensor(%x, %y) : (!fx.tensor<[5], f32>, !fx.tensor<[5], f32>) -> !fx.tensor<[5], f32>
  %b = call_function @aten.sub.Tensor(%a, 2.5) : (!fx.tensor<[5], f32>) -> !fx.tensor<[5], f32>
  output(%b) : (!fx.tensor<[5], f32>)
}
