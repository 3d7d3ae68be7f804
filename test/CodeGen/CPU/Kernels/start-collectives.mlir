// RUN: fx-opt %s -fx-cpu-start-fallbacks | FileCheck %s
// RUN: fx-opt %s -fx-cpu-start-fallbacks -convert-elementwise-to-linalg -fx-cpu-bufferize-pipeline -fx-cpu-eager-to-runtime | FileCheck %s --check-prefix=CALLS

// Collectives start as soon as their operands are computed, in their order. The
// waits come after the independent operations.

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[A:.*]] = math.exp %arg0
// CHECK-NEXT: %[[P:.*]] = fx.eager @_c10d_functional.all_reduce.default(%[[A]], "sum", "0")
// CHECK-NEXT: %[[B:.*]] = math.sin %arg1
// CHECK-NEXT: %[[Q:.*]] = fx.eager @_c10d_functional.broadcast.default(%[[B]], 0, "tp")
// CHECK-NEXT: %[[M:.*]] = math.tan %arg0
// CHECK-NEXT: %[[V:.*]] = fx.eager @_c10d_functional.wait_tensor.default(%[[P]])
// CHECK-NEXT: %[[W:.*]] = fx.eager @_c10d_functional.wait_tensor.default(%[[Q]])
// CHECK-NEXT: arith.addf %[[V]], %[[W]]

// CALLS-DAG: {\22target\22:\22_c10d_functional.all_reduce.default\22,\22args\22:[{\22tensor\22:0},{\22str\22:\22sum\22},{\22str\22:\220\22}],\22kwnames\22:[],\22outs\22:[{\22work\22:\22float32\22,\22sizes\22:[4]}],
// CALLS-DAG: {\22target\22:\22_c10d_functional.wait_tensor.default\22,\22args\22:[{\22work\22:0}],\22kwnames\22:[],\22outs\22:[{\22tensor\22:\22float32\22,\22rank\22:1}],
// CALLS-LABEL: func.func @main
// CALLS-COUNT-4: call @fx_rt_eager(
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %m = math.tan %x : tensor<4xf32>
  %a = math.exp %x : tensor<4xf32>
  %p = fx.eager @_c10d_functional.all_reduce.default(%a, "sum", "0") {fx.collective, fx.operand_types = [!fx.tensor<[4], f32>], fx.result_types = [!fx.tensor<[4], f32>]} : (tensor<4xf32>) -> i64
  %v = fx.eager @_c10d_functional.wait_tensor.default(%p) {fx.pure, fx.result_types = [!fx.tensor<[4], f32>]} : (i64) -> tensor<4xf32>
  %b = math.sin %y : tensor<4xf32>
  %q = fx.eager @_c10d_functional.broadcast.default(%b, 0, "tp") {fx.collective, fx.result_types = [!fx.tensor<[4], f32>]} : (tensor<4xf32>) -> i64
  %w = fx.eager @_c10d_functional.wait_tensor.default(%q) {fx.pure, fx.result_types = [!fx.tensor<[4], f32>]} : (i64) -> tensor<4xf32>
  %r = arith.addf %v, %w : tensor<4xf32>
  return %r, %m : tensor<4xf32>, tensor<4xf32>
}
