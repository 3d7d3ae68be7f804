// RUN: fx-opt %s --fx-cpu-kernels=lanes=8 | FileCheck %s

// Four lanes sort four rows. The items are transposed when they are written and
// read. A block of eight is sorted in registers; then halves are merged.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.sort
// CHECK: scf.forall (%{{.+}}) in (2)
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<64xf64>
// CHECK: scf.for
// CHECK-COUNT-4: arith.shli
// CHECK: vector.shuffle
// CHECK: scf.for
// CHECK-COUNT-8: vector.load
// CHECK-COUNT-19: arith.cmpf ogt
// CHECK-COUNT-8: vector.store
// CHECK: scf.for
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-4: arith.cmpf ogt
// CHECK-COUNT-4: vector.store
// The values are read at the indices.
// CHECK: vector.extract
// CHECK: memref.load
// CHECK: memref.store
func.func @main(%x: tensor<7x16xf32>) -> (tensor<7x16xf32>, tensor<7x16xi64>) {
  %e = tensor.empty() : tensor<7x16xf32>
  %f = tensor.empty() : tensor<7x16xi64>
  %v, %i = fx_kernel.sort %x outs(%e, %f : tensor<7x16xf32>, tensor<7x16xi64>) : tensor<7x16xf32>
  return %v, %i : tensor<7x16xf32>, tensor<7x16xi64>
}
