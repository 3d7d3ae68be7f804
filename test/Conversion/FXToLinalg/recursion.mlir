// A graph that calls itself is an error. No pass recurses forever.
// RUN: fx-opt %s --fx-inline-wrappers --fx-functionalize --canonicalize --cse -o /dev/null
// RUN: not fx-opt %s --fx-inline-wrappers --convert-fx-to-linalg 2>&1 | FileCheck %s
// CHECK: error: expected sub-graphs without recursion, got @body, which calls itself

fx.graph private @body attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %other = get_attr @other : !fx.graph_ref
  %r = higher_order @wrap(%other, %x) : (!fx.graph_ref, !fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%r) : (!fx.tensor<[2], f32>)
}
fx.graph private @other attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %body = get_attr @body : !fx.graph_ref
  %r = higher_order @wrap(%body, %x) : (!fx.graph_ref, !fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%r) : (!fx.tensor<[2], f32>)
}
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %body = get_attr @body : !fx.graph_ref
  %r = higher_order @wrap(%body, %x) : (!fx.graph_ref, !fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%r) : (!fx.tensor<[2], f32>)
}
