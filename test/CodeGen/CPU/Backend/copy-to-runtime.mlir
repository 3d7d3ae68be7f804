// RUN: fx-opt %s --fx-cpu-copy-to-runtime | FileCheck %s
// RUN: fx-opt %s --fx-cpu-lower-pipeline | FileCheck %s --check-prefix=LLVM

// Equal tables share one global. Each dimension has its size, the stride of the
// target and the stride of the source.
// CHECK-DAG: llvm.mlir.global internal constant @[[TWO:fx_copy_[0-9]+]](dense<[2, 1024, 512, 3, 160, 128]> : tensor<6xi64>)
// CHECK-DAG: llvm.mlir.global internal constant @[[ROWS:fx_copy_[0-9]+]](dense<[32, 128, 64]> : tensor<3xi64>)
// CHECK-NOT: llvm.mlir.global

// LLVM-NOT: memrefCopy
// LLVM-NOT: unrealized_conversion_cast
// LLVM: llvm.call @fx_rt_copy_runs

// CHECK-LABEL: func.func @rows
func.func @rows(%a: memref<8x4x16xf32>, %b: memref<8x4x32xf32>) {
  %s = memref.subview %b[0, 0, 16] [8, 4, 16] [1, 1, 1] : memref<8x4x32xf32> to memref<8x4x16xf32, strided<[128, 32, 1], offset: 16>>
  // CHECK: %[[SIXTEEN:.*]] = llvm.mlir.constant(16 : i64)
  // CHECK: %[[TO:.*]] = llvm.getelementptr %{{.*}}[%[[SIXTEEN]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: %[[FROM:.*]] = llvm.extractvalue
  // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(64 : i64)
  // CHECK: %[[RANK:.*]] = llvm.mlir.constant(1 : i64)
  // CHECK: %[[TABLE:.*]] = llvm.mlir.addressof @[[ROWS]]
  // CHECK: call @fx_rt_copy_runs(%[[TO]], %[[FROM]], %[[BYTES]], %[[RANK]], %[[TABLE]]) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr) -> ()
  memref.copy %a, %s : memref<8x4x16xf32> to memref<8x4x16xf32, strided<[128, 32, 1], offset: 16>>
  // CHECK: llvm.mlir.addressof @[[ROWS]]
  memref.copy %a, %s : memref<8x4x16xf32> to memref<8x4x16xf32, strided<[128, 32, 1], offset: 16>>
  return
}

// CHECK-LABEL: func.func @two
// CHECK: %[[RANK:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: %[[TABLE:.*]] = llvm.mlir.addressof @[[TWO]]
// CHECK: call @fx_rt_copy_runs(%{{.*}}, %{{.*}}, %{{.*}}, %[[RANK]], %[[TABLE]])
func.func @two(%a: memref<2x3x1x16xf64, strided<[64, 16, 5, 1], offset: ?>>, %b: memref<2x3x1x16xf64, strided<[128, 20, 7, 1]>>) {
  memref.copy %a, %b : memref<2x3x1x16xf64, strided<[64, 16, 5, 1], offset: ?>> to memref<2x3x1x16xf64, strided<[128, 20, 7, 1]>>
  return
}

// CHECK-LABEL: func.func @together
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(128 : i64)
// CHECK: "llvm.intr.memmove"(%{{.*}}, %{{.*}}, %[[BYTES]])
// CHECK-NOT: memref.copy
func.func @together(%a: memref<4x8xf32>, %b: memref<4x8xf32, strided<[8, 1], offset: ?>>, %e: memref<0x8xf32>, %f: memref<0x8xf32>) {
  memref.copy %a, %b : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  memref.copy %e, %f : memref<0x8xf32> to memref<0x8xf32>
  return
}

// Copies of dynamic sizes are left to upstream's lowering.
// CHECK-LABEL: func.func @dynamic
// CHECK: memref.copy
func.func @dynamic(%a: memref<?xf32>, %b: memref<?xf32>) {
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  return
}
