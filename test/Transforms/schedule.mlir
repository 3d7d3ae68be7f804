// RUN: fx-opt %s -fx-schedule=remarks -split-input-file 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// RUN: fx-opt %s -fx-schedule='remarks sizes=s0=10' -split-input-file 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not fx-opt %s -fx-schedule=sizes=s0 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: expected sizes as 'symbol=integer', got 's0'

// Instead of two vectors of 4000 bytes at a time, one vector and the sum of the
// other are live. The view keeps its vector alive.
// REMARKS: remark: peak of 8004 bytes before, 4008 after
// CHECK-LABEL: fx.graph @main
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[1000], f32>
  // CHECK: %a = call_function @aten.exp
  // CHECK-NEXT: %v = call_function @aten.view
  // CHECK-NEXT: %c = call_function @aten.sum.default(%v)
  // CHECK-NEXT: %b = call_function @aten.sin
  // CHECK-NEXT: %d = call_function @aten.sum.default(%b)
  %a = call_function @aten.exp.default(%x) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[1000], f32>
  %b = call_function @aten.sin.default(%x) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[1000], f32>
  %v = call_function @aten.view.default(%a, [10, 100]) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[10, 100], f32>
  %c = call_function @aten.sum.default(%v) : (!fx.tensor<[10, 100], f32>) -> !fx.tensor<[], f32>
  %d = call_function @aten.sum.default(%b) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[], f32>
  output(%c, %d) : (!fx.tensor<[], f32>, !fx.tensor<[], f32>)
}

// -----

// Random numbers are drawn in order. Symbolic sizes need numbers from the
// `sizes` option.
// REMARKS: remark: left as it is: the bytes of a value are not known
// SIZES: remark: peak of 8004 bytes before, 4008 after
// SIZES: remark: peak of 84 bytes before, 48 after
// SIZES-LABEL: fx.graph @random
// SIZES: %a = call_function @aten.rand_like
// SIZES-NEXT: %c = call_function @aten.sum
// SIZES-NEXT: %b = call_function @aten.randn_like
// SIZES-NEXT: %d = call_function @aten.sum
// CHECK-LABEL: fx.graph @random
// CHECK: %a = call_function @aten.rand_like
// CHECK-NEXT: %b = call_function @aten.randn_like
fx.graph @random symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0], f32>
  %a = call_function @aten.rand_like.default(%x) : (!fx.tensor<[s0], f32>) -> !fx.tensor<[s0], f32>
  %b = call_function @aten.randn_like.default(%x) : (!fx.tensor<[s0], f32>) -> !fx.tensor<[s0], f32>
  %c = call_function @aten.sum.default(%a) : (!fx.tensor<[s0], f32>) -> !fx.tensor<[], f32>
  %d = call_function @aten.sum.default(%b) : (!fx.tensor<[s0], f32>) -> !fx.tensor<[], f32>
  output(%c, %d) : (!fx.tensor<[], f32>, !fx.tensor<[], f32>)
}
