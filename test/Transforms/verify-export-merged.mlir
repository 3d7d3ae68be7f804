// The location of merged nodes has the metadata of each of them.
// RUN: fx-opt %s --fx-verify-export=strict -o /dev/null
// RUN: fx-translate --mlir-to-nodes %s | FileCheck %s
// CHECK: "name":{{ *}}"y"
// CHECK: "stack_trace":{{ *}}"line 3"

#y = loc(fused<{stack_trace = "line 3", torch_fn = "relu"}>["y"])
#z = loc(fused<{stack_trace = "line 4", torch_fn = "relu"}>["z"])
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %y = call_function @aten.relu.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32> loc(fused[#y, #z])
  output(%y) : (!fx.tensor<[4], f32>)
}
