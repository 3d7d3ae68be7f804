// RUN: fx-opt %s -convert-fx-to-linalg=rotates-halves=true | FileCheck %s
// RUN: fx-opt %s -convert-fx-to-linalg | FileCheck %s --check-prefix=PLAIN

// The rotation of a rotary embedding reads one of its halves, whose order of
// dimensions is another one, for each element.
// CHECK-LABEL: func.func @rotation
// CHECK: %[[U:.*]] = tensor.extract_slice {{.*}}[0, 0, 0, 4] [1, 5, 3, 4]
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<1x3x5x8xbf16>)
// CHECK: %[[HEAD:.*]] = linalg.index 1
// CHECK: %[[TOKEN:.*]] = linalg.index 2
// CHECK: %[[AT:.*]] = linalg.index 3
// CHECK: %[[FIRST:.*]] = arith.minsi %[[AT]], %{{.*}} : index
// CHECK: %[[X:.*]] = tensor.extract %[[U]][%{{.*}}, %[[TOKEN]], %[[HEAD]], %[[FIRST]]]
// CHECK: %[[Y:.*]] = tensor.extract
// CHECK: %[[IS:.*]] = arith.cmpi slt, %[[AT]], %{{.*}} : index
// CHECK: %[[N:.*]] = arith.negf %[[X]] : bf16
// CHECK: arith.select %[[IS]], %[[N]], %[[Y]] : bf16
// CHECK-NOT: tensor.insert_slice
// CHECK: return
// PLAIN-LABEL: func.func @rotation
// PLAIN-COUNT-2: tensor.insert_slice
fx.graph @rotation attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[1, 5, 3, 8], bf16>
  %t = call_function @aten.transpose.int(%x, 1, 2) : (!fx.tensor<[1, 5, 3, 8], bf16>) -> !fx.tensor<[1, 3, 5, 8], bf16>
  %v = call_function @aten.slice.Tensor(%t, 3, 0, 4) : (!fx.tensor<[1, 3, 5, 8], bf16>) -> !fx.tensor<[1, 3, 5, 4], bf16>
  %u = call_function @aten.slice.Tensor(%t, 3, 4, 8) : (!fx.tensor<[1, 3, 5, 8], bf16>) -> !fx.tensor<[1, 3, 5, 4], bf16>
  %n = call_function @aten.neg.default(%u) : (!fx.tensor<[1, 3, 5, 4], bf16>) -> !fx.tensor<[1, 3, 5, 4], bf16>
  %y = call_function @aten.cat.default([%n, %v], -1) : (!fx.tensor<[1, 3, 5, 4], bf16>, !fx.tensor<[1, 3, 5, 4], bf16>) -> !fx.tensor<[1, 3, 5, 8], bf16>
  output(%y) : (!fx.tensor<[1, 3, 5, 8], bf16>)
}

// Another dimension, integers, and halves of different sizes.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-6: tensor.insert_slice
fx.graph @others attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4, 4], f32>
  %i = placeholder "i" : !fx.tensor<[4, 4], i64>
  %z = placeholder "z" : !fx.tensor<[4, 3], f32>
  %n = call_function @aten.neg.default(%x) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %m = call_function @aten.neg.default(%i) : (!fx.tensor<[4, 4], i64>) -> !fx.tensor<[4, 4], i64>
  %a = call_function @aten.cat.default([%n, %x], 0) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 4], f32>) -> !fx.tensor<[8, 4], f32>
  %b = call_function @aten.cat.default([%m, %i], -1) : (!fx.tensor<[4, 4], i64>, !fx.tensor<[4, 4], i64>) -> !fx.tensor<[4, 8], i64>
  %c = call_function @aten.cat.default([%n, %z], -1) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4, 3], f32>) -> !fx.tensor<[4, 7], f32>
  output(%a, %b, %c) : (!fx.tensor<[8, 4], f32>, !fx.tensor<[4, 8], i64>, !fx.tensor<[4, 7], f32>)
}
