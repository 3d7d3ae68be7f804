// A splat state is written with all of its bytes.
// RUN: fx-translate --mlir-to-pt2 %s -o %t.pt2
// RUN: fx-translate --pt2-to-mlir %t.pt2 | FileCheck %s
// CHECK: fx.state @w : !fx.tensor<[4], f32> = #fx.external<{{.*}}size = 16, crc32 = 1612278905>
fx.state @w : !fx.tensor<[4], f32> = dense<7> : tensor<16xui8>
fx.graph @main {
  %w = placeholder "w" buffer @w : !fx.tensor<[4], f32>
  %y = call_function @aten.abs.default(%w) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%y) : (!fx.tensor<[4], f32>)
}
