// RUN: fx-opt %s --convert-fx-to-linalg=row-kernels --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Sorts and scans stay ops for targets that have kernels for them.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %long = placeholder "long" : !fx.tensor<[2, 32000], f32>
  // CHECK: fx_kernel.sort %{{.+}} outs({{.*}}) {descending} : tensor<?x4xf32>
  %v, %i = call_function @aten.topk.default(%x, 2) : (!fx.tensor<[s0, 4], f32>) -> (!fx.tensor<[s0, 2], f32>, !fx.tensor<[s0, 2], i64>)
  // Sums of f32 are accumulated in f64.
  // CHECK: fx_kernel.scan ins(%{{.+}} : tensor<?x4x1xf32>) start(%{{.+}} : f64)
  // CHECK: arith.extf
  // CHECK: arith.addf
  // CHECK: arith.truncf
  // CHECK: fx_kernel.yield %{{.+}}, %{{.+}} : f32, f64
  %c = call_function @aten.cumsum.default(%x, 1) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  // The indices of elements have 32 bits within the kernel.
  // CHECK: fx_kernel.scan
  // CHECK: fx_kernel.yield %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : f32, i32, f32, i32
  // CHECK: -> tensor<?x4x1xf32>, tensor<?x4x1xi64>
  %m, %k = call_function @aten.cummax.default(%x, 1) : (!fx.tensor<[s0, 4], f32>) -> (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], i64>)
  // The least keys of groups of 512 elements, of which the fifth is the limit.
  // CHECK: linalg.generic {{.*}}"reduction"
  // CHECK: fx_kernel.sort %{{.+}} outs({{.*}}) {unsigned_order} : tensor<2x62xi32>
  // CHECK: scf.for
  %u, %w = call_function @aten.topk.default(%long, 5) : (!fx.tensor<[2, 32000], f32>) -> (!fx.tensor<[2, 5], f32>, !fx.tensor<[2, 5], i64>)
  // One element of a long row is found without sorting.
  // CHECK: scf.for
  // CHECK-NOT: fx_kernel.sort
  %y, %z = call_function @aten.kthvalue.default(%long, 7) : (!fx.tensor<[2, 32000], f32>) -> (!fx.tensor<[2], f32>, !fx.tensor<[2], i64>)
  output(%v, %i, %c, %m, %k, %u, %w, %y, %z) : (!fx.tensor<[s0, 2], f32>, !fx.tensor<[s0, 2], i64>, !fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], i64>, !fx.tensor<[2, 5], f32>, !fx.tensor<[2, 5], i64>, !fx.tensor<[2], f32>, !fx.tensor<[2], i64>)
}
