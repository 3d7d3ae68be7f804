// Nodes are colored by the ratio of their time to the time of the slowest node,
// as fx-cost estimates it. Nodes without a time keep their color.
// RUN: fx-opt %s -fx-cost='format=json output=%t.json' -o %t.mlir
// RUN: fx-translate --mlir-to-dot %t.mlir --report %t.json | FileCheck %s
// RUN: fx-translate --mlir-to-dot %t.mlir | FileCheck %s --check-prefix=PLAIN
// RUN: %python -c "import json, sys; d = json.load(open(sys.argv[1])); del d['nodes'][0]['name']; json.dump(d, open(sys.argv[2], 'w'))" %t.json %t.bad.json
// RUN: not fx-translate --mlir-to-dot %t.mlir --report %t.bad.json 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: expected a 'name' of each of the 'nodes'
// CHECK: fillcolor = "#f08c32", label = "mm\ntorch.ops.aten.mm.default
// CHECK: fillcolor = "#[[COLOR:e[0-9a-f]+]]", label = "relu
// CHECK: fillcolor = "#dce9f9", label = "odd
// PLAIN: fillcolor = "#dce9f9", label = "mm
// PLAIN: fillcolor = "#dce9f9", label = "relu
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[256, 256], f32>
  %mm = call_function @aten.mm.default(%x, %x) : (!fx.tensor<[256, 256], f32>, !fx.tensor<[256, 256], f32>) -> !fx.tensor<[256, 256], f32>
  %relu = call_function @aten.relu.default(%mm) : (!fx.tensor<[256, 256], f32>) -> !fx.tensor<[256, 256], f32>
  %odd = call_function @mylib.odd.default(%relu) : (!fx.tensor<[256, 256], f32>) -> !fx.tensor<[256, 256], f32>
  output(%odd) : (!fx.tensor<[256, 256], f32>)
}
