// Random draws fill their outputs in place, in order, and become calls of the
// run-time.
// RUN: fx-opt %s --fx-cpu-bufferize --canonicalize --cse | FileCheck %s
// RUN: fx-opt %s --fx-cpu-bufferize --canonicalize --cse --fx-cpu-random-to-runtime | FileCheck %s --check-prefix=CALL

// CHECK-LABEL: func.func @f
// CHECK: %[[A:.*]] = memref.alloc() {{.*}}: memref<4x2xf32>
// CHECK: fx_kernel.random "normal" of f32(%{{.*}}, %{{.*}} : f64) outs(%[[A]] : memref<4x2xf32>)
// CHECK: %[[B:.*]] = memref.alloc() {{.*}}: memref<4x2xf32>
// CHECK: fx_kernel.random "normal" of f32(%{{.*}}, %{{.*}} : f64) outs(%[[B]] : memref<4x2xf32>)
// CHECK: return %[[A]], %[[B]]

// CALL-LABEL: func.func @f(%arg0: f64
// CALL: %[[BITS:.*]] = llvm.bitcast %arg0 : f64 to i64
// CALL: call @fx_rt_random(%{{.*}}, %[[BITS]], %{{.*}}) : (i64, i64, i64, i64, i64, i64, !llvm.ptr) -> ()
// CALL: call @fx_rt_random
func.func @f(%p: f64) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %e = tensor.empty() : tensor<4x2xf32>
  %a = fx_kernel.random "normal" of f32 (%p, %p : f64) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %e2 = tensor.empty() : tensor<4x2xf32>
  %b = fx_kernel.random "normal" of f32 (%p, %p : f64) outs(%e2 : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %a, %b : tensor<4x2xf32>, tensor<4x2xf32>
}
