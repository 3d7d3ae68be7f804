// RUN: fx-opt %s --split-input-file --verify-diagnostics --verify-roundtrip -o /dev/null
// RUN: fx-opt %s --split-input-file --one-shot-bufferize=bufferize-function-boundaries | FileCheck %s

// A slice by columns is not row-major: it is copied before the call.
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.+]] = memref.subview
// CHECK: %[[C:.+]] = memref.alloc() {{.*}} : memref<4x8xf32>
// CHECK: memref.copy %[[S]], %[[C]]
// CHECK: call @kernel_0(
func.func private @kernel_0(memref<4x8xf32, strided<[8, 1], offset: ?>>, memref<4x8xi8, strided<[8, 1], offset: ?>>)
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x8xi1> {
  %s = tensor.extract_slice %x[0, 8] [4, 8] [1, 1] : tensor<4x16xf32> to tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xi1>
  %r = fx_kernel.invoke @kernel_0 ins(%s : tensor<4x8xf32>) outs(%e : tensor<4x8xi1>) -> tensor<4x8xi1>
  return %r : tensor<4x8xi1>
}
