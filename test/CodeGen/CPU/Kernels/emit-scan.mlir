// RUN: fx-opt %s --fx-cpu-kernels=lanes=8 --split-input-file | FileCheck %s

// The last dimension is contiguous: vectors of it are accumulated, and the sums
// of a strip of columns are in memory.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.scan
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<512xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.load
// CHECK: vector.load
// CHECK: arith.addf %{{.+}}, %{{.+}} : vector<8xf32>
// CHECK: vector.store
// CHECK: vector.store
func.func @main(%x: tensor<1x30x1024xf32>) -> tensor<1x30x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x30x1024xf32>
  %y = fx_kernel.scan ins(%x : tensor<1x30x1024xf32>) start(%zero : f32) outs(%e : tensor<1x30x1024xf32>) {
  ^bb0(%i: index, %a: f32, %sum: f32):
    %next = arith.addf %sum, %a : f32
    fx_kernel.yield %next, %next : f32, f32
  } -> tensor<1x30x1024xf32>
  return %y : tensor<1x30x1024xf32>
}

// -----

// The scanned dimension is contiguous: a lane has a row, and squares are
// transposed. The last two columns are accumulated one at a time.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.scan
// CHECK: scf.forall (%{{.+}}) in (3)
// CHECK: scf.for {{.*}} -> (vector<8xf32>)
// CHECK-COUNT-8: vector.load
// CHECK: vector.shuffle
// CHECK-COUNT-8: arith.addf %{{.+}}, %{{.+}} : vector<8xf32>
// CHECK: vector.shuffle
// CHECK-COUNT-8: vector.store
// CHECK: scf.for
// CHECK-COUNT-8: memref.load
// CHECK: vector.from_elements
// CHECK: arith.addf %{{.+}}, %{{.+}} : vector<8xf32>
// CHECK-COUNT-8: memref.store
func.func @main(%x: tensor<20x34x1xf32>) -> tensor<20x34x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x34x1xf32>
  %y = fx_kernel.scan ins(%x : tensor<20x34x1xf32>) start(%zero : f32) outs(%e : tensor<20x34x1xf32>) {
  ^bb0(%i: index, %a: f32, %sum: f32):
    %next = arith.addf %sum, %a : f32
    fx_kernel.yield %next, %next : f32, f32
  } -> tensor<20x34x1xf32>
  return %y : tensor<20x34x1xf32>
}
