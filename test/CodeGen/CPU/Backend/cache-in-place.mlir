// RUN: fx-opt %s --fx-cpu-bufferize-pipeline | FileCheck %s

// A step that writes one row of a cache writes that row in place. There is no
// other copy before or after the write.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[ROW:[a-z0-9]+]]: memref<1x8xf32>
// CHECK-SAME: %[[CACHE:[a-z0-9]+]]: memref<64x8xf32>
// CHECK: %[[AT:.*]] = memref.subview %[[CACHE]]
// CHECK-NEXT: memref.copy %[[ROW]], %[[AT]]
// CHECK-NOT: memref.copy
// CHECK: return
func.func @main(%row: tensor<1x8xf32>, %i: i64, %cache: tensor<64x8xf32> {fx.state = @c, fx.mutable})
    -> (tensor<64x8xf32> {fx.mutates = @c}) {
  %k = arith.index_cast %i : i64 to index
  %new = tensor.insert_slice %row into %cache[%k, 0] [1, 8] [1, 1]
    : tensor<1x8xf32> into tensor<64x8xf32>
  return %new : tensor<64x8xf32>
}
