// RUN: fx-opt %s -fx-cpu-start-fallbacks | FileCheck %s
// RUN: fx-opt %s -fx-cpu-start-fallbacks -convert-elementwise-to-linalg -fx-cpu-bufferize-pipeline | FileCheck %s --check-prefix=MEMREF
// RUN: fx-opt %s -fx-cpu-start-fallbacks -convert-elementwise-to-linalg -fx-cpu-bufferize-pipeline -fx-cpu-eager-to-runtime | FileCheck %s --check-prefix=CALLS

// Each operator starts as soon as its operands are computed and is awaited
// after the independent operations. An operator that may have effects is not
// started early. The result of the third operator is unused, so that operator
// and its start are removed.

// CHECK-LABEL: func.func @main
// CHECK-NEXT: fx_kernel.start_eager 0(%arg1)
// CHECK-NEXT: %[[A:.*]] = math.exp %arg0
// CHECK-NEXT: fx_kernel.start_eager 1(%[[A]], %arg2)
// CHECK-NEXT: fx_kernel.start_eager 2(%arg0)
// CHECK-NEXT: %[[N:.*]] = math.cos %arg0
// CHECK-NEXT: %[[E:.*]] = fx.eager @mylib.effect.default(%arg0)
// CHECK-NEXT: %[[M:.*]] = math.tan %[[N]]
// CHECK-NEXT: %[[S:.*]] = fx.eager @mylib.slow.default(%arg1) {fx.async, fx.pure, fx.slot = 0 : i64}
// CHECK-NEXT: %[[T:.*]] = fx.eager @mylib.slower.default(%[[A]], %arg2) {fx.async, fx.pure, fx.slot = 1 : i64}
// CHECK-NEXT: arith.addf %[[S]], %[[T]]

// The operand is not overwritten before its operator is awaited.
// MEMREF-LABEL: func.func @main
// MEMREF: fx_kernel.start_eager 0(%[[X:.*]]) : memref<4xf32
// MEMREF: fx.eager @mylib.slow.default(%[[X]]) {fx.async, fx.pure, fx.slot = 0 : i64}

// CALLS-LABEL: func.func @main
// CALLS: call @fx_rt_eager_start
// CALLS: call @fx_rt_eager_start
// CALLS-NOT: start_eager
// CALLS: call @fx_rt_eager(
// CALLS: call @fx_rt_eager_wait
// CALLS: call @fx_rt_eager_wait
// CALLS-NOT: call @fx_rt_eager
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %k: i64) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %n = math.cos %x : tensor<4xf32>
  %s = fx.eager @mylib.slow.default(%y) {fx.async, fx.pure} : (tensor<4xf32>) -> tensor<4xf32>
  %a = math.exp %x : tensor<4xf32>
  %t = fx.eager @mylib.slower.default(%a, %k) {fx.async, fx.pure} : (tensor<4xf32>, i64) -> tensor<4xf32>
  %u = fx.eager @mylib.unused.default(%x) {fx.async, fx.pure} : (tensor<4xf32>) -> tensor<4xf32>
  %r = arith.addf %s, %t : tensor<4xf32>
  %e = fx.eager @mylib.effect.default(%x) {fx.async} : (tensor<4xf32>) -> tensor<4xf32>
  %m = math.tan %n : tensor<4xf32>
  return %r, %m, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
