// RUN: fx-opt %s --fx-cpu-expand-dynamic-shapes | FileCheck %s
// RUN: fx-opt %s --fx-cpu-expand-dynamic-shapes --expand-strided-metadata -o /dev/null

// CHECK-LABEL: func.func @two
// CHECK-SAME: %[[X:.*]]: memref<?x8xf32>, %[[B:.*]]: index, %[[S:.*]]: index
func.func @two(%x: memref<?x8xf32>, %b: index, %s: index) -> memref<?x?x8xf32> {
  // CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[X]]
  // CHECK: %[[T:.*]] = arith.muli %[[STRIDES]]#0, %[[S]]
  // CHECK: memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[B]], %[[S]], 8], strides: [%[[T]], 8, 1]
  %e = memref.expand_shape %x [[0, 1], [2]] output_shape [%b, %s, 8] : memref<?x8xf32> into memref<?x?x8xf32>
  return %e : memref<?x?x8xf32>
}

// Upstream lowers the shapes below, so the pass leaves them.
// CHECK-LABEL: func.func @one
func.func @one(%x: memref<?x8xf32>, %b: index) -> memref<?x4x8xf32> {
  // CHECK: memref.expand_shape
  %e = memref.expand_shape %x [[0, 1], [2]] output_shape [%b, 4, 8] : memref<?x8xf32> into memref<?x4x8xf32>
  return %e : memref<?x4x8xf32>
}
