// RUN: fx-opt %s --fx-cpu-pass-addresses --split-input-file | FileCheck %s

// Kernels take addresses, and the sizes, strides and offsets that the types do
// not contain. A static offset is added where the kernel is called, also behind
// a cast. The views in between are removed.

// CHECK-LABEL: func.func @caller
// CHECK-SAME: (%[[A:.*]]: memref<?xi8>, %[[D:.*]]: memref<?x4xf32, strided<[?, 1], offset: ?>>)
func.func @caller(%arena: memref<?xi8>,
                  %d: memref<?x4xf32, strided<[?, 1], offset: ?>>) {
  %c64 = arith.constant 64 : index
  // CHECK-DAG: %[[SHIFT:.*]] = arith.index_cast %c64 : index to i64
  // CHECK-DAG: %[[BASE:.*]] = llvm.extractvalue %{{.*}}[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  // CHECK-DAG: %[[VIEW:.*]] = llvm.getelementptr %[[BASE]][%[[SHIFT]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %v = memref.view %arena[%c64][] : memref<?xi8> to memref<8x4xf32>
  %s = memref.subview %v[2, 0] [3, 4] [1, 1]
    : memref<8x4xf32> to memref<3x4xf32, strided<[4, 1], offset: 8>>
  %c = memref.cast %s : memref<3x4xf32, strided<[4, 1], offset: 8>>
    to memref<3x4xf32, strided<[4, 1], offset: ?>>
  // CHECK: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i64)
  // CHECK: %[[X:.*]] = llvm.getelementptr %{{.*}}[%[[EIGHT]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: %[[OFFSET:.*]] = llvm.extractvalue %{{.*}}[2]
  // CHECK: %[[Y:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: %[[SIZE:.*]] = llvm.extractvalue %{{.*}}[3, 0]
  // CHECK: %[[STRIDE:.*]] = llvm.extractvalue %{{.*}}[4, 0]
  // CHECK-NOT: memref.
  // CHECK: call @kernel_0(%[[X]], %[[Y]], %[[SIZE]], %[[STRIDE]]) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
  call @kernel_0(%c, %d) : (memref<3x4xf32, strided<[4, 1], offset: ?>>,
                            memref<?x4xf32, strided<[?, 1], offset: ?>>) -> ()
  return
}

// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: (%[[X:.*]]: !llvm.ptr, %[[Y:.*]]: !llvm.ptr, %[[SIZE:.*]]: i64, %[[STRIDE:.*]]: i64)
// CHECK: llvm.insertvalue %[[X]], %{{.*}}[0]
// CHECK: llvm.insertvalue %[[X]], %{{.*}}[1]
// CHECK: builtin.unrealized_conversion_cast %{{.*}} to memref<3x4xf32, strided<[4, 1], offset: ?>>
// CHECK: llvm.insertvalue %[[SIZE]], %{{.*}}[3, 0]
// CHECK: llvm.insertvalue %[[STRIDE]], %{{.*}}[4, 0]
// CHECK: memref.store
func.func private @kernel_0(%x: memref<3x4xf32, strided<[4, 1], offset: ?>>,
                            %y: memref<?x4xf32, strided<[?, 1], offset: ?>>)
    attributes {fx.kernel} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0, %c0] : memref<3x4xf32, strided<[4, 1], offset: ?>>
  memref.store %v, %y[%c0, %c0] : memref<?x4xf32, strided<[?, 1], offset: ?>>
  return
}

// -----

// @main reads the addresses of arguments where kernels take addresses, and
// memref descriptors for all other uses. Kernels may be in another module.
// Other functions do not change.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[ARGS:.*]]: !llvm.ptr) -> memref<4xf32>
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[ARGS]][1]
// CHECK: %[[DESCRIPTOR:.*]] = llvm.load %[[AT]]
// CHECK: llvm.getelementptr %[[DESCRIPTOR]][0, 1]
// CHECK: llvm.getelementptr %[[DESCRIPTOR]][0, 3, 0]
// CHECK: %[[Y:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?xf32>
// CHECK: call @other(%[[Y]]) : (memref<?xf32>) -> ()
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[ARGS]][0]
// CHECK: %[[DESCRIPTOR:.*]] = llvm.load %[[AT]]
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[DESCRIPTOR]][0, 1]
// CHECK: %[[X:.*]] = llvm.load %[[FIELD]]
// CHECK: call @kernel_1(%[[X]]) : (!llvm.ptr) -> ()
func.func @main(%x: memref<8x4xf32> {fx.name = "x"}, %y: memref<?xf32>)
    -> memref<4xf32> attributes {llvm.emit_c_interface} {
  call @other(%y) : (memref<?xf32>) -> ()
  call @kernel_1(%x) : (memref<8x4xf32>) -> ()
  %r = memref.alloc() : memref<4xf32>
  return %r : memref<4xf32>
}
func.func private @other(memref<?xf32>)
// CHECK: func.func private @kernel_1(!llvm.ptr) attributes {fx.export}
func.func private @kernel_1(memref<8x4xf32>) attributes {fx.export}
