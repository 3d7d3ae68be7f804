// RUN: fx-opt %s --convert-fx-to-linalg="whole-float-heads=256 rounds-floats=true" | FileCheck %s
// RUN: fx-opt %s --convert-fx-to-linalg="whole-float-heads=8 rounds-floats=true" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --convert-fx-to-linalg="whole-float-heads=256" | FileCheck %s --check-prefix=NONE

// Before operands are rounded to bf16, attention is marked to keep operands of
// f32, if the target has a kernel for it, which rounds them itself.
// NONE-NOT: fx.keep_f32

fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[1, 4, s0, 16], f32>
  %k = placeholder "k" : !fx.tensor<[1, 4, 96, 16], f32>
  %p = placeholder "p" : !fx.tensor<[1, 4, 60, 16], f32>
  // CHECK-LABEL: func.func @main
  // CHECK-COUNT-2: fx.attention = 0 : i64, fx.keep_f32
  %cache = call_function @aten.scaled_dot_product_attention.default(%q, %k, %k) : (!fx.tensor<[1, 4, s0, 16], f32>, !fx.tensor<[1, 4, 96, 16], f32>, !fx.tensor<[1, 4, 96, 16], f32>) -> !fx.tensor<[1, 4, s0, 16], f32>
  // CHECK-COUNT-2: fx.attention = 1 : i64, fx.keep_f32
  %others = call_function @aten.scaled_dot_product_attention.default(%p, %k, %k) : (!fx.tensor<[1, 4, 60, 16], f32>, !fx.tensor<[1, 4, 96, 16], f32>, !fx.tensor<[1, 4, 96, 16], f32>) -> !fx.tensor<[1, 4, 60, 16], f32>
  output(%cache, %others) : (!fx.tensor<[1, 4, s0, 16], f32>, !fx.tensor<[1, 4, 60, 16], f32>)
}
