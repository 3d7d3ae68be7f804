// RUN: fx-opt %s --convert-fx-to-linalg=whole-heads=256 --fx-gpu-round-attention --fx-align-shapes --canonicalize --cse --fx-copy-masks | FileCheck %s
// RUN: fx-opt %s --convert-fx-to-linalg=whole-heads=256 --fx-gpu-round-attention --fx-align-shapes --canonicalize --cse --fx-copy-masks=min-rows=25 | FileCheck %s --check-prefix=MANY

// Two layers share a mask that bounds the keys by the lengths of sequences:
// each gets its own, with the numbers of the positions.
// Attention with fewer rows than asked for is left alone.
// MANY-LABEL: func.func @bounded
// MANY-COUNT-1: linalg.generic {{.*}} outs(%{{.+}} : tensor<2x256xi1>)
// MANY-NOT: outs(%{{.+}} : tensor<2x256xi1>)
// MANY: return
// CHECK-LABEL: func.func @bounded
// CHECK-COUNT-2: linalg.generic {{.*}} outs(%{{.+}} : tensor<256xi64>)
// CHECK-NOT: outs(%{{.+}} : tensor<256xi64>)
// CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<2x256xi1>)
// CHECK: %[[FIRST:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<2x256xi1>)
// CHECK-NOT: outs(%{{.+}} : tensor<2x256xi1>)
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %[[FIRST]] :
// CHECK-NOT: %[[FIRST]]
// CHECK: return
fx.graph @bounded attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[2, 4, 3, 64], bf16>
  %k = placeholder "k" : !fx.tensor<[2, 4, 256, 64], bf16>
  %v = placeholder "v" : !fx.tensor<[2, 4, 256, 64], bf16>
  %lengths = placeholder "lengths" : !fx.tensor<[2, 1, 1, 1], i64>
  %at = call_function @aten.arange.default(256) : () -> !fx.tensor<[256], i64>
  %mask = call_function @aten.lt.Tensor(%at, %lengths) : (!fx.tensor<[256], i64>, !fx.tensor<[2, 1, 1, 1], i64>) -> !fx.tensor<[2, 1, 1, 256], i1>
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v, %mask) : (!fx.tensor<[2, 4, 3, 64], bf16>, !fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[2, 1, 1, 256], i1>) -> !fx.tensor<[2, 4, 3, 64], bf16>
  %z = call_function @aten.scaled_dot_product_attention.default(%y, %k, %v, %mask) : (!fx.tensor<[2, 4, 3, 64], bf16>, !fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[2, 1, 1, 256], i1>) -> !fx.tensor<[2, 4, 3, 64], bf16>
  output(%z) : (!fx.tensor<[2, 4, 3, 64], bf16>)
}

// A key is seen if it has another number, or if it is below the length: this
// bounds nothing.
// CHECK-LABEL: func.func @unbounded
// CHECK-COUNT-3: linalg.generic {{.*}} outs(%{{.+}} : tensor<2x256xi1>)
// CHECK-NOT: outs(%{{.+}} : tensor<2x256xi1>)
// CHECK: return
fx.graph @unbounded attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[2, 4, 3, 64], bf16>
  %k = placeholder "k" : !fx.tensor<[2, 4, 256, 64], bf16>
  %v = placeholder "v" : !fx.tensor<[2, 4, 256, 64], bf16>
  %lengths = placeholder "lengths" : !fx.tensor<[2, 1, 1, 1], i64>
  %at = call_function @aten.arange.default(256) : () -> !fx.tensor<[256], i64>
  %ne = call_function @aten.ne.Tensor(%at, %lengths) : (!fx.tensor<[256], i64>, !fx.tensor<[2, 1, 1, 1], i64>) -> !fx.tensor<[2, 1, 1, 256], i1>
  %lt = call_function @aten.lt.Tensor(%at, %lengths) : (!fx.tensor<[256], i64>, !fx.tensor<[2, 1, 1, 1], i64>) -> !fx.tensor<[2, 1, 1, 256], i1>
  %mask = call_function @aten.logical_or.default(%ne, %lt) : (!fx.tensor<[2, 1, 1, 256], i1>, !fx.tensor<[2, 1, 1, 256], i1>) -> !fx.tensor<[2, 1, 1, 256], i1>
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v, %mask) : (!fx.tensor<[2, 4, 3, 64], bf16>, !fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[2, 1, 1, 256], i1>) -> !fx.tensor<[2, 4, 3, 64], bf16>
  %z = call_function @aten.scaled_dot_product_attention.default(%y, %k, %v, %mask) : (!fx.tensor<[2, 4, 3, 64], bf16>, !fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[2, 1, 1, 256], i1>) -> !fx.tensor<[2, 4, 3, 64], bf16>
  output(%z) : (!fx.tensor<[2, 4, 3, 64], bf16>)
}

// The mask is an input: nothing is known of it.
// CHECK-LABEL: func.func @given
// CHECK-NOT: outs(%{{.+}} : tensor<2x256xi1>)
// CHECK: return
fx.graph @given attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[2, 4, 3, 64], bf16>
  %k = placeholder "k" : !fx.tensor<[2, 4, 256, 64], bf16>
  %v = placeholder "v" : !fx.tensor<[2, 4, 256, 64], bf16>
  %mask = placeholder "mask" : !fx.tensor<[2, 1, 1, 256], i1>
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v, %mask) : (!fx.tensor<[2, 4, 3, 64], bf16>, !fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[2, 1, 1, 256], i1>) -> !fx.tensor<[2, 4, 3, 64], bf16>
  output(%y) : (!fx.tensor<[2, 4, 3, 64], bf16>)
}

// A sliding window. The numbers of rows and keys are one tensor in the program,
// and one for each use in the masks.
// CHECK-LABEL: func.func @window
// CHECK-COUNT-4: linalg.index 0
// CHECK-NOT: linalg.index
// CHECK: return
// MANY-LABEL: func.func @window
// MANY-COUNT-4: linalg.index 0
// MANY-NOT: linalg.index
// MANY: return
fx.graph @window attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[2, 4, 256, 64], bf16>
  %k = placeholder "k" : !fx.tensor<[2, 4, 256, 64], bf16>
  %v = placeholder "v" : !fx.tensor<[2, 4, 256, 64], bf16>
  %at = call_function @aten.arange.default(256) : () -> !fx.tensor<[256], i64>
  %row = call_function @aten.unsqueeze.default(%at, 1) : (!fx.tensor<[256], i64>) -> !fx.tensor<[256, 1], i64>
  %seen = call_function @aten.le.Tensor(%at, %row) : (!fx.tensor<[256], i64>, !fx.tensor<[256, 1], i64>) -> !fx.tensor<[256, 256], i1>
  %first = call_function @aten.sub.Tensor(%row, 32) : (!fx.tensor<[256, 1], i64>) -> !fx.tensor<[256, 1], i64>
  %near = call_function @aten.gt.Tensor(%at, %first) : (!fx.tensor<[256], i64>, !fx.tensor<[256, 1], i64>) -> !fx.tensor<[256, 256], i1>
  %mask = call_function @aten.logical_and.default(%seen, %near) : (!fx.tensor<[256, 256], i1>, !fx.tensor<[256, 256], i1>) -> !fx.tensor<[256, 256], i1>
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v, %mask) : (!fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[256, 256], i1>) -> !fx.tensor<[2, 4, 256, 64], bf16>
  output(%y) : (!fx.tensor<[2, 4, 256, 64], bf16>)
}

// The mask and the numbers have other users, which keep theirs.
// CHECK-LABEL: func.func @outside
// CHECK-COUNT-5: linalg.index 0
// CHECK-NOT: linalg.index
// CHECK: return
fx.graph @outside attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[2, 4, 256, 64], bf16>
  %k = placeholder "k" : !fx.tensor<[2, 4, 256, 64], bf16>
  %v = placeholder "v" : !fx.tensor<[2, 4, 256, 64], bf16>
  %at = call_function @aten.arange.default(256) : () -> !fx.tensor<[256], i64>
  %row = call_function @aten.unsqueeze.default(%at, 1) : (!fx.tensor<[256], i64>) -> !fx.tensor<[256, 1], i64>
  %mask = call_function @aten.le.Tensor(%at, %row) : (!fx.tensor<[256], i64>, !fx.tensor<[256, 1], i64>) -> !fx.tensor<[256, 256], i1>
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v, %mask) : (!fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[256, 256], i1>) -> !fx.tensor<[2, 4, 256, 64], bf16>
  %twice = call_function @aten.mul.Tensor(%at, 2) : (!fx.tensor<[256], i64>) -> !fx.tensor<[256], i64>
  output(%y, %mask, %twice) : (!fx.tensor<[2, 4, 256, 64], bf16>, !fx.tensor<[256, 256], i1>, !fx.tensor<[256], i64>)
}
