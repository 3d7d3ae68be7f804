// Pass statistics are printed, also if MLIR is a release build, which does not
// count.
// RUN: fx-opt %s --fx-functionalize --fx-fold-conv-bn --mlir-pass-statistics 2>&1 >/dev/null | FileCheck %s
// RUN: fx-opt %s --fx-functionalize --fx-fold-conv-bn 2>&1 >/dev/null | count 0

// CHECK: Pass statistics report
// CHECK-NOT: fx-fold-conv-bn
// CHECK: {{^}}fx-functionalize{{$}}
// CHECK-NEXT: (S) 2 mutations - Mutations replaced
// CHECK-NOT: {{.}}

fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %y = call_function @aten.relu_.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %z = call_function @aten.relu_.default(%y) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%z) : (!fx.tensor<[4], f32>)
}
