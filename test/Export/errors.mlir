// Programs that no archive can hold are errors that name the node, and no file
// is left.
// RUN: split-file %s %t
// RUN: not fx-translate --mlir-to-pt2 %t/method.mlir -o %t/o.pt2 2>&1 | FileCheck %s --check-prefix=METHOD
// RUN: not fx-translate --mlir-to-pt2 %t/any.mlir -o %t/o.pt2 2>&1 | FileCheck %s --check-prefix=ANY
// RUN: not fx-translate --mlir-to-pt2 %t/names.mlir -o %t/o.pt2 2>&1 | FileCheck %s --check-prefix=NAMES
// RUN: not fx-translate --mlir-to-pt2 %t/mixed.mlir -o %t/o.pt2 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: not fx-translate --mlir-to-pt2 %t/main.mlir -o %t/o.pt2 2>&1 | FileCheck %s --check-prefix=MAIN
// RUN: not fx-translate --mlir-to-pt2 %t/bytes.mlir -o %t/o.pt2 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not fx-translate --mlir-to-pt2 %t/good.mlir %t/good.mlir -o %t/o.pt2 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not fx-translate --mlir-to-pt2 %t/syntax.mlir -o %t/o.pt2 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not fx-translate --mlir-to-pt2 --mlir-to-dot %t/good.mlir 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not fx-translate --mlir-to-dot --report %t/syntax.mlir %t/good.mlir 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not fx-translate --mlir-to-pt2 %t/cycle.mlir -o %t/o.pt2 2>&1 | FileCheck %s --check-prefix=CYCLE
// RUN: not fx-translate --mlir-to-python %t/cycle.mlir 2>&1 | FileCheck %s --check-prefix=CYCLE
// RUN: not fx-translate --mlir-to-pt2 %t/path.mlir -o %t/o.pt2 2>&1 | FileCheck %s --check-prefix=PATH
// RUN: not ls %t/o.pt2

// METHOD: error: node 'relu': an archive has no 'fx.call_method' nodes
// ANY: error: input 'x': a value of type '!fx.any' cannot be written to an archive
// NAMES: error: node 'op': the operator 'my.op.default' has no known schema; expected the names of its 1 positional arguments in 'fx.arg_names'
// MIXED: error: node 'op': torch's serializer has no kind of argument for [1, "a"]
// MAIN: error: expected a graph '@main' in the module
// BYTES: error: {{.*}}bytes.mlir:1:1: {{.*}}absent.bin:w: No such file or directory
// TWICE: error: two models are called 'model': expected different names in their 'fx.model'
// SYNTAX: error: {{.*}}syntax.mlir:2:1: 
// SEVERAL: error: expected one translation from mlir, got several
// PATH: error: {{.*}}record name 'data/weights/../x_weights_config.json' is not a relative path below the archive's root
// CYCLE: error: {{.*}}cycle.mlir:{{.*}}the graph 'body' contains itself
// REPORT: error: {{.*}}syntax.mlir: {{.*}}

//--- method.mlir
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %relu = call_method @relu(%x) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%relu) : (!fx.tensor<[2], f32>)
}
//--- any.mlir
fx.graph @main {
  %x = placeholder "x" : !fx.any
  output(%x) : (!fx.any)
}
//--- names.mlir
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %op = call_function @my.op.default(%x) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%op) : (!fx.tensor<[2], f32>)
}
//--- mixed.mlir
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %op = call_function @my.op.default([1, "a"]) {fx.arg_names = ["l"]} : () -> !fx.tensor<[2], f32>
  output(%op) : (!fx.tensor<[2], f32>)
}
//--- cycle.mlir
fx.graph private @body {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %body = get_attr @body : !fx.graph_ref
  %r = higher_order @wrap(%body, %x) : (!fx.graph_ref, !fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%r) : (!fx.tensor<[2], f32>)
}
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %body = get_attr @body : !fx.graph_ref
  %r = higher_order @wrap(%body, %x) : (!fx.graph_ref, !fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%r) : (!fx.tensor<[2], f32>)
}
//--- path.mlir
module attributes {fx.model = "../x"} {
  fx.graph @main {
    %x = placeholder "x" : !fx.tensor<[2], f32>
    output(%x) : (!fx.tensor<[2], f32>)
  }
}
//--- main.mlir
fx.graph @other {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  output(%x) : (!fx.tensor<[2], f32>)
}
//--- bytes.mlir
fx.state @w : !fx.tensor<[2], f32> = #fx.external<"absent.bin", offset = 0, size = 8, crc32 = 1>
fx.graph @main {
  %w = placeholder "w" parameter @w : !fx.tensor<[2], f32>
  output(%w) : (!fx.tensor<[2], f32>)
}
//--- good.mlir
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  output(%x) : (!fx.tensor<[2], f32>)
}
//--- syntax.mlir
fx.graph
