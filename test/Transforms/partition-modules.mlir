// RUN: fx-opt %s -fx-partition='by=annotation modules=enc.fc,dec dry-run' -o /dev/null | FileCheck %s

// A module path selects all modules below it, but no module whose name only
// starts with the same letters.
// CHECK: @main by annotation: 2 blocks of 3 nodes, 1 nodes left
// CHECK-NEXT: block submod_0: enc.fc, 2 nodes
// CHECK-NEXT: block submod_1: dec, 1 nodes
// CHECK-NEXT: left other: aten.exp.default, not annotated
#fc = loc(fused<{nn_module_stack = "a,,M;b,enc,M;c,enc.fc,Linear"}>["a"])
#below = loc(fused<{nn_module_stack = "a,,M;b,enc,M;c,enc.fc,M;d,enc.fc.act,ReLU"}>["b"])
#other = loc(fused<{nn_module_stack = "a,,M;b,enc,M;c,enc.fc2,M"}>["other"])
#dec = loc(fused<{nn_module_stack = "a,,M;b,dec,M"}>["d"])
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %a = call_function @aten.exp.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32> loc(#fc)
  %b = call_function @aten.relu.default(%a) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32> loc(#below)
  %other = call_function @aten.exp.default(%b) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32> loc(#other)
  %d = call_function @aten.sin.default(%other) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32> loc(#dec)
  output(%d) : (!fx.tensor<[4], f32>)
}
