// RUN: fx-opt %s -split-input-file --fx-cpu-separate-empty-tensors | FileCheck %s
// RUN: fx-opt %s -split-input-file --fx-cpu-bufferize-pipeline | FileCheck %s --check-prefix=BUFFERS

// CHECK-LABEL: func.func @main
// CHECK: %[[E0:.*]] = tensor.empty() : tensor<4x3xf32>
// CHECK: linalg.exp {{.*}} outs(%[[E0]] :
// CHECK: %[[START:.*]] = bufferization.alloc_tensor() : tensor<4x3xf32>
// CHECK: scf.for {{.*}} = %[[START]])
// CHECK: %[[E1:.*]] = tensor.empty() : tensor<4x3xf32>
// CHECK: linalg.log {{.*}} outs(%[[E1]] :

// BUFFERS-LABEL: func.func @main
// BUFFERS-SAME: %[[X:[^:]*]]: memref<4x3xf32>{{[^%]*}}%[[SUMS:[^:]*]]: memref<4x3xf32>
// BUFFERS: scf.for
// BUFFERS: memref.subview %[[SUMS]]
// BUFFERS-NOT: memref.copy
func.func @main(%x: tensor<4x3xf32> {fx.name = "x"}, %y: tensor<4x3xf32> {fx.name = "y"})
    -> (tensor<4x3xf32> {fx.mutates_input = 1 : i64}, tensor<4x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %empty = tensor.empty() : tensor<4x3xf32>
  %row = tensor.empty() : tensor<1x3xf32>
  %e = linalg.exp ins(%x : tensor<4x3xf32>) outs(%empty : tensor<4x3xf32>) -> tensor<4x3xf32>
  %sums = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %empty) -> tensor<4x3xf32> {
    %j = arith.subi %c4, %i : index
    %from = arith.subi %j, %c1 : index
    %slice = tensor.extract_slice %e[%from, 0] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<1x3xf32>
    %s = linalg.sqrt ins(%slice : tensor<1x3xf32>) outs(%row : tensor<1x3xf32>) -> tensor<1x3xf32>
    %next = tensor.insert_slice %s into %acc[%i, 0] [1, 3] [1, 1] : tensor<1x3xf32> into tensor<4x3xf32>
    scf.yield %next : tensor<4x3xf32>
  }
  %l = linalg.log ins(%e : tensor<4x3xf32>) outs(%empty : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %sums, %l : tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

// A view without elements, of a dynamic size.
// CHECK-LABEL: func.func @views
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[N:.*]] = tensor.dim %arg0, %c3
// CHECK: tensor.empty(%[[ZERO]], {{.*}}) : tensor<?x?xf32>
// CHECK-NOT: collapse_shape
func.func @views(%x: tensor<0x?x2x?xf32>) -> tensor<?x?xf32> {
  %y = tensor.collapse_shape %x [[0, 1], [2, 3]] : tensor<0x?x2x?xf32> into tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
