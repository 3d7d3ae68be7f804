// RUN: not fx-opt %s --fx-functionalize --convert-fx-to-linalg 2>&1 | FileCheck %s
// RUN: not fx-opt %s --fx-functionalize --convert-fx-to-torch --allow-unregistered-dialect 2>&1 | FileCheck %s --check-prefix=GRAPH
// RUN: not fx-opt %s --convert-fx-to-linalg 2>&1 | FileCheck %s --check-prefix=FIRST

// The error of a conversion says why fx-functionalize left the graph.
// CHECK: error: {{.*}} mutates its argument, and fx-functionalize left the graph as it is: b: the effects of 'mylib.foo.default' are not known
// GRAPH: error: {{.*}} mutates, and fx-functionalize left the graph as it is: b: the effects of 'mylib.foo.default' are not known
// FIRST: error: {{.*}} mutates its argument; run fx-functionalize first
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %a = call_function @aten.add_.Tensor(%x, 1) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %b = call_function @mylib.foo.default(%a) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%b) : (!fx.tensor<[4], f32>)
}
