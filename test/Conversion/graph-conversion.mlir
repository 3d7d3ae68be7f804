// RUN: split-file %s %t
// RUN: fx-opt %t/good.mlir --convert-fx-to-tosa | FileCheck %s --check-prefixes=CHECK,TOSA
// RUN: fx-opt %t/good.mlir --convert-fx-to-torch --allow-unregistered-dialect | FileCheck %s --check-prefixes=CHECK,TORCH
// RUN: fx-opt %t/good.mlir --convert-fx-to-linalg | FileCheck %s --check-prefix=LINALG
// RUN: fx-opt %t/good.mlir --convert-fx-to-tosa=embed-states | FileCheck %s --check-prefix=EMBED
// RUN: not fx-opt %t/mutates.mlir --convert-fx-to-tosa 2>&1 | FileCheck %s --check-prefix=MUTATES
// RUN: not fx-opt %t/mutates.mlir --convert-fx-to-torch --allow-unregistered-dialect 2>&1 | FileCheck %s --check-prefix=MUTATES
// RUN: not fx-opt %t/unknown.mlir --convert-fx-to-tosa --mlir-print-ir-after-failure 2>&1 | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=func.func
// RUN: not fx-opt %t/unknown.mlir --convert-fx-to-torch --allow-unregistered-dialect --mlir-print-ir-after-failure 2>&1 | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=func.func

// Properties that the conversions share. The user's inputs come first, then the
// states that are used, in the order of the graph. Graphs, states and
// attributes of the program are removed.
// CHECK-NOT: fx.
// TOSA: func.func @main(%[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<2x3xf32>, %[[W:.*]]: tensor<2x3xf32>, %[[COUNT:.*]]: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// TORCH: func.func @main(%[[X:.*]]: !torch.vtensor<[2,3],f32>, %[[Y:.*]]: !torch.vtensor<[2,3],f32>, %[[W:.*]]: !torch.vtensor<[2,3],f32>, %[[COUNT:.*]]: !torch.vtensor<[2,3],f32>) -> (!torch.vtensor<[2,3],f32>, !torch.vtensor<[2,3],f32>)
// CHECK-NOT: fx.
// CHECK: return
// CHECK-NOT: fx.

// LINALG: func.func @main(%{{.*}}: tensor<2x3xf32> {{.*}}fx.name = "x"{{.*}}, %{{.*}}: tensor<2x3xf32> {{.*}}fx.name = "y"{{.*}}, %{{.*}}: tensor<2x3xf32> {{.*}}fx.name = "w"{{.*}}, %{{.*}}: tensor<2x3xf32> {{.*}}fx.mutable{{.*}}fx.name = "count"

// A state that the graph writes stays an argument.
// EMBED: func.func @main(%{{.*}}: tensor<2x3xf32>, %{{.*}}: tensor<2x3xf32>, %{{.*}}: tensor<2x3xf32>) ->
// EMBED: tosa.const

// MUTATES: error: {{.*}}mutates; run fx-functionalize first

// A graph that cannot be converted leaves no function behind.
// UNKNOWN: error: {{.*}}has no form in
// UNKNOWN: IR Dump After
// UNKNOWN: fx.graph @main

//--- good.mlir
module attributes {fx.torch_version = "2.13.0"} {
  fx.state @w : !fx.tensor<[2, 3], f32> = dense<1> : tensor<24xi8>
  fx.state @unused : !fx.tensor<[2, 3], f32>
  fx.state @count : !fx.tensor<[2, 3], f32> = dense<1> : tensor<24xi8>
  fx.graph @main attributes {functional} {
    %w = placeholder "w" parameter @w : !fx.tensor<[2, 3], f32>
    %unused = placeholder "unused" parameter @unused : !fx.tensor<[2, 3], f32>
    %count = placeholder "count" buffer @count : !fx.tensor<[2, 3], f32>
    %x = placeholder "x" : !fx.tensor<[2, 3], f32>
    %y = placeholder "y" : !fx.tensor<[2, 3], f32>
    %a = call_function @aten.add.Tensor(%x, %w) : (!fx.tensor<[2, 3], f32>, !fx.tensor<[2, 3], f32>) -> !fx.tensor<[2, 3], f32>
    %b = call_function @aten.add.Tensor(%count, %y) : (!fx.tensor<[2, 3], f32>, !fx.tensor<[2, 3], f32>) -> !fx.tensor<[2, 3], f32>
    output(%b, %a) signature [#fx.output_spec<buffer_mutation, "count">, #fx.output_spec<user_output>] : (!fx.tensor<[2, 3], f32>, !fx.tensor<[2, 3], f32>)
  }
}

//--- mutates.mlir
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2, 3], f32>
  %a = call_function @aten.relu_.default(%x) : (!fx.tensor<[2, 3], f32>) -> !fx.tensor<[2, 3], f32>
  output(%a) : (!fx.tensor<[2, 3], f32>)
}

//--- unknown.mlir
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2, 3], f32>
  %a = call_function @mylib.op.default(%x) : (!fx.tensor<[2, 3], f32>) -> !fx.tensor<[2, 3], f32>
  output(%a) : (!fx.tensor<[2, 3], f32>)
}
