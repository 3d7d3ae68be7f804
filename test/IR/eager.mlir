// RUN: fx-opt %s --verify-roundtrip | FileCheck %s
// RUN: fx-opt %s --canonicalize | FileCheck %s --check-prefix=DCE

// A pure operator may be removed, other operators may not.

// CHECK-LABEL: func.func @sort
// DCE-LABEL: func.func @sort
func.func @sort(%x: tensor<?x4xf32>) -> tensor<?x4xi64> {
  // CHECK: %{{.*}}, %{{.*}} = fx.eager @aten.sort.default(%{{.*}}, 1) {fx.pure, fx.reason = "no lowering"}
  // DCE: fx.eager @aten.sort.default
  %v, %i = fx.eager @aten.sort.default(%x, 1) {fx.reason = "no lowering", fx.pure}
    : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xi64>)
  // DCE-NOT: @aten.exp.default
  %e = fx.eager @aten.exp.default(%x) {fx.pure} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // DCE: fx.eager @aten.rand_like.default
  %r = fx.eager @aten.rand_like.default(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %i : tensor<?x4xi64>
}

// CHECK-LABEL: func.func @proxy
// CHECK: fx.eager @my.op.default(%{{.*}}, [1, %{{.*}}]) {fx.proxy = {integers = [1, #fx.operand], may_alias, node = 2 : i64}}
// CHECK: fx.eager @my.op.default(%{{.*}}, [1, 1]) {fx.proxy = {integers = [1, 1], node = 0 : i64, outputs = array<i64: 0>}}
func.func @proxy(%x: tensor<4xf32>, %n: i64) {
  %a = fx.eager @my.op.default(%x, [1, %n])
    {fx.proxy = {integers = [1, #fx.operand], may_alias, node = 2 : i64}} : (tensor<4xf32>, i64) -> tensor<4xf32>
  %b = fx.eager @my.op.default(%x, [1, 1])
    {fx.proxy = {integers = [1, 1], node = 0 : i64, outputs = array<i64: 0>}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
