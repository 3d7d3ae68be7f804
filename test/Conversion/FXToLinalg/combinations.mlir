// RUN: fx-opt %s --split-input-file --convert-fx-to-linalg --canonicalize --cse | FileCheck %s

// Rows in lexicographic order.
// CHECK-LABEL: func.func @main
// CHECK: dense<{{\[\[}}0, 1], [0, 2], [1, 2]]>
fx.graph @main attributes {functional} {
  %v = placeholder "v" : !fx.tensor<[3], f32>
  %c = call_function @aten.combinations.default(%v) : (!fx.tensor<[3], f32>) -> !fx.tensor<[u0, 2], f32>
  output(%c) : (!fx.tensor<[u0, 2], f32>)
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: dense<{{\[\[}}0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]>
fx.graph @main attributes {functional} {
  %v = placeholder "v" : !fx.tensor<[2], f32>
  %c = call_function @aten.combinations.default(%v, 3, true) : (!fx.tensor<[2], f32>) -> !fx.tensor<[u0, 3], f32>
  output(%c) : (!fx.tensor<[u0, 3], f32>)
}

// -----

// Rows of more elements than the vector has, and of as many.
// CHECK-LABEL: func.func @main
// CHECK-DAG: tensor<1x40xi64>
// CHECK-DAG: tensor<0x41xf32>
fx.graph @main attributes {functional} {
  %v = placeholder "v" : !fx.tensor<[40], f32>
  %c = call_function @aten.combinations.default(%v, 41) : (!fx.tensor<[40], f32>) -> !fx.tensor<[0, 41], f32>
  %d = call_function @aten.combinations.default(%v, 40) : (!fx.tensor<[40], f32>) -> !fx.tensor<[1, 40], f32>
  output(%c, %d) : (!fx.tensor<[0, 41], f32>, !fx.tensor<[1, 40], f32>)
}

// -----

// One element, repeated a million times, is one row.
// CHECK-LABEL: func.func @main
// CHECK: dense<0> : tensor<1x1000000xi64>
fx.graph @main attributes {functional} {
  %v = placeholder "v" : !fx.tensor<[1], f32>
  %c = call_function @aten.combinations.default(%v, 1000000, true) : (!fx.tensor<[1], f32>) -> !fx.tensor<[1, 1000000], f32>
  output(%c) : (!fx.tensor<[1, 1000000], f32>)
}

// -----

// Too many rows for a table.
// CHECK-LABEL: func.func @main
// CHECK: fx.eager
fx.graph @main attributes {functional} {
  %v = placeholder "v" : !fx.tensor<[40], f32>
  %c = call_function @aten.combinations.default(%v, 20) : (!fx.tensor<[40], f32>) -> !fx.tensor<[137846528820, 20], f32>
  output(%c) : (!fx.tensor<[137846528820, 20], f32>)
}
