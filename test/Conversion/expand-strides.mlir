// An insert_slice with steps becomes a select: IREE ignores the steps of such
// slices.
// RUN: fx-opt %s --fx-strip-attributes | FileCheck %s --implicit-check-not=tensor.insert_slice
// RUN: fx-opt %s --fx-strip-attributes | mlir-opt -o /dev/null

// CHECK-LABEL: @steps
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} outs(%arg1 : tensor<4x9xf32>)
// CHECK: ^bb0(%[[OLD:.*]]: f32):
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[FROM:.*]] = arith.subi %{{.*}}, %c1
// CHECK: %[[AT:.*]] = arith.divsi %[[FROM]], %c2
// CHECK: %[[REST:.*]] = arith.remsi %[[FROM]], %c2
// CHECK: arith.cmpi sge, %[[FROM]], %c0
// CHECK: arith.cmpi eq, %[[REST]], %c0
// CHECK: arith.cmpi slt, %[[AT]], %c3
// CHECK: %[[NEW:.*]] = tensor.extract %arg0[%[[ROW]], %{{.*}}] : tensor<4x3xf32>
// CHECK: %[[V:.*]] = arith.select %{{.*}}, %[[NEW]], %[[OLD]] : f32
// CHECK: linalg.yield %[[V]]
func.func @steps(%x: tensor<4x3xf32>, %to: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %y = tensor.insert_slice %x into %to[0, 1] [4, 3] [1, 2] : tensor<4x3xf32> into tensor<4x9xf32>
  return %y : tensor<4x9xf32>
}
