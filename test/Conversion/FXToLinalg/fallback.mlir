// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s

// An operator without a lowering becomes a call of ATen, with the reason. No op
// remains that a lowering created before it failed.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>
fx.graph @main symbols [s0 in [2, 1024]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %z = placeholder "z" : !fx.tensor<[4], complex<f32>>
  %c = placeholder "c" : !fx.tensor<[s0, 4], complex<f32>>
  // A view is materialized only where the call needs its elements in order.
  %t = call_function @aten.t.default(%x) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[4, s0], f32>
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[X]]
  // CHECK: %u, %v, %w = fx.eager @aten.linalg_svd.default(%[[T]], false)
  // CHECK-SAME: fx.operand_types = [!fx.tensor<[4, s0], f32>]
  // CHECK-SAME: fx.reason = "the operator has no lowering"
  // CHECK-SAME: fx.result_types = [!fx.tensor<[4, u1], f32>, !fx.tensor<[u1], f32>, !fx.tensor<[u1, s0], f32>]
  %u, %v, %w = call_function @aten.linalg_svd.default(%t, false) : (!fx.tensor<[4, s0], f32>) -> (!fx.tensor<[4, u1], f32>, !fx.tensor<[u1], f32>, !fx.tensor<[u1, s0], f32>)
  // CHECK: fx.eager @aten.tan.default{{.*}}fx.reason = "the operator has no lowering for complex tensors"
  %n = call_function @aten.tan.default(%z) : (!fx.tensor<[4], complex<f32>>) -> !fx.tensor<[4], complex<f32>>
  // A size that is known only at run time is taken from the result.
  // CHECK: %[[NZ:.*]] = fx.eager @aten.nonzero.default({{.*}}-> tensor<?x2xi64>
  // CHECK: %[[U0:.*]] = tensor.dim %[[NZ]]
  // CHECK: tensor.empty(%[[U0]]) : tensor<?x2xf32>
  %nz = call_function @aten.nonzero.default(%c) : (!fx.tensor<[s0, 4], complex<f32>>) -> !fx.tensor<[u0, 2], i64>
  %f = call_function @aten.to.dtype(%nz, f32) : (!fx.tensor<[u0, 2], i64>) -> !fx.tensor<[u0, 2], f32>
  // CHECK-NOT: linalg.transpose
  output(%u, %v, %w, %n, %f) : (!fx.tensor<[4, u1], f32>, !fx.tensor<[u1], f32>, !fx.tensor<[u1, s0], f32>, !fx.tensor<[4], complex<f32>>, !fx.tensor<[u0, 2], f32>)
}
