// RUN: fx-opt %s --convert-fx-to-linalg=whole-heads=16 | FileCheck %s
// RUN: fx-opt %s --convert-fx-to-linalg=whole-heads=15 | FileCheck %s --check-prefix=BLOCKS

// An attention is not split into blocks of queries if the target has a fused
// kernel for it, which stores no scores: bf16, and heads of at most whole-heads
// elements.
// CHECK-LABEL: func.func @main
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x8x1024x1024xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x8x256x256xf32>)
// BLOCKS-NOT: tensor<1x8x1024x1024xf32>
fx.graph @main attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[1, 8, 1024, 16], bf16>
  %w = placeholder "w" : !fx.tensor<[1, 8, 1024, 16], f32>
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %q, %q, None, 0.0, true) : (!fx.tensor<[1, 8, 1024, 16], bf16>, !fx.tensor<[1, 8, 1024, 16], bf16>, !fx.tensor<[1, 8, 1024, 16], bf16>) -> !fx.tensor<[1, 8, 1024, 16], bf16>
  %z = call_function @aten.scaled_dot_product_attention.default(%w, %w, %w, None, 0.0, true) : (!fx.tensor<[1, 8, 1024, 16], f32>, !fx.tensor<[1, 8, 1024, 16], f32>, !fx.tensor<[1, 8, 1024, 16], f32>) -> !fx.tensor<[1, 8, 1024, 16], f32>
  output(%y, %z) : (!fx.tensor<[1, 8, 1024, 16], bf16>, !fx.tensor<[1, 8, 1024, 16], f32>)
}
