// Drawings of graphs with shapes, module paths and data of a report.
// RUN: split-file %s %t
// RUN: fx-translate --mlir-to-dot %t/m.mlir --report %t/r.json | FileCheck %s --check-prefix=DOT
// RUN: fx-translate --mlir-to-model-explorer %t/m.mlir --report %t/r.json | FileCheck %s --check-prefix=ME
// RUN: fx-translate --mlir-to-model-explorer %t/m.mlir | %python -m json.tool > /dev/null
// RUN: fx-translate --mlir-to-dot %t/m.mlir | FileCheck %s --check-prefix=PLAIN

// RUN: fx-translate --mlir-to-mermaid %t/m.mlir --report %t/r.json | FileCheck %s --check-prefix=MERMAID --match-full-lines --strict-whitespace

// RUN: fx-translate --mlir-to-dot %t/nested.mlir | FileCheck %s --check-prefix=NESTED-DOT
// RUN: fx-translate --mlir-to-model-explorer %t/nested.mlir | FileCheck %s --check-prefix=NESTED-ME

// A target without a dot, at a fused location whose module has commas in its
// key and its type.
// NESTED-DOT: label = "y\ntorch.ops.plain", tooltip = "layers.2"
// NESTED-ME: "label": "plain", "namespace": "layers/2"

// DOT: digraph main {
// DOT: n0 [shape = ellipse, fillcolor = "#eeeeee", label = "w\nf32[8]"];
// DOT: n1 [shape = invhouse, fillcolor = "#d5f0d5", label = "x\nb8[s0, 8]"];
// DOT: n2 [shape = box, fillcolor = "#f9d5d5", label = "sort\ntorch.ops.aten.sort.default\n(f32[8], i64[8])\nfallback: no \"lowering\" # <b> & `\n1.500 ms", tooltip = "layer.1"];
// DOT: n0 -> n2;
// DOT: n3 {{.*}}label = "values\n_operator.getitem\nf32[8]"
// DOT: n2 -> n3;
// DOT: house{{.*}}label = "output"
// PLAIN-NOT: fallback

//      MERMAID:flowchart TD
// MERMAID-NEXT:  n0(["w<br>f32[8]"]):::ceeeeee
// MERMAID-NEXT:  n1[/"x<br>b8[s0, 8]"\]:::cd5f0d5
// MERMAID-NEXT:  n2["sort<br>torch.ops.aten.sort.default<br>(f32[8], i64[8])<br>fallback: no #quot;lowering#quot; #35; #lt;b#gt; #amp; #96;<br>1.500 ms"]:::cf9d5d5
// MERMAID-NEXT:  n3["values<br>_operator.getitem<br>f32[8]"]:::cdce9f9
//      MERMAID:  n5[\"output"/]:::cd5f0d5
// MERMAID-NEXT:  n0 --> n2
// MERMAID-NEXT:  n2 --> n3
// MERMAID-NEXT:  n2 --> n4
// MERMAID-NEXT:  n3 --> n5
// MERMAID-NEXT:  classDef cd5f0d5 fill:#d5f0d5,stroke:#666666,color:#000000
// MERMAID-NEXT:  classDef cdce9f9 fill:#dce9f9,stroke:#666666,color:#000000
// MERMAID-NEXT:  classDef ceeeeee fill:#eeeeee,stroke:#666666,color:#000000
// MERMAID-NEXT:  classDef cf9d5d5 fill:#f9d5d5,stroke:#666666,color:#000000

// ME: {"label": "net", "graphs": [{"id": "main", "nodes": [
// ME-SAME: {"id": "2", "label": "sort", "namespace": "layer/1", "attrs": [{"key": "name", "value": "sort"}, {"key": "target", "value": "torch.ops.aten.sort.default"}, {"key": "arguments", "value": "w, 0"}, {"key": "runs", "value": "fallback"}, {"key": "reason", "value": "no \"lowering\" # <b> & `"}, {"key": "milliseconds", "value": "1.500000"}], "incomingEdges": [{"sourceNodeId": "0", "sourceNodeOutputId": "0", "targetNodeInputId": "0"}], "outputsMetadata": [{"id": "0", "attrs": [{"key": "tensor_shape", "value": "(f32[8], i64[8])"}]}]}

//--- m.mlir
module attributes {fx.model = "net"} {
  fx.state @w : !fx.tensor<[8], f32>
  fx.graph @main symbols [s0 in [2, ?]] {
    %w = placeholder "w" parameter @w : !fx.tensor<[8], f32>
    %x = placeholder "x" : !fx.tensor<[s0, 8], i1>
    %values, %indices = call_function @aten.sort.default(%w, 0) : (!fx.tensor<[8], f32>) -> (!fx.tensor<[8], f32>, !fx.tensor<[8], i64>) loc(fused<{name = "sort", nn_module_stack = "L__self__,,Net;L__self___layer_1,layer.1,Sort"}>["values,indices"])
    output(%values) : (!fx.tensor<[8], f32>)
  }
}
//--- nested.mlir
fx.graph @main {
  %x = placeholder "x" : !fx.any
  %y = call_function @plain(%x) : (!fx.any) -> !fx.any loc(fused[fused<{nn_module_stack = "L__self__,,Net;L['self'].layers['a,b'],layers.2,Box[int, str]"}>["y"], "z"])
  output(%y) : (!fx.any)
}
//--- r.json
{"operators": [{"node": "sort", "native": false, "reason": "no \"lowering\" # <b> & `", "seconds": 0.0015}]}
