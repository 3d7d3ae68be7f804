// RUN: fx-opt %s --fx-cpu-assert-to-runtime | FileCheck %s

// CHECK: llvm.mlir.global internal constant @[[TEXT:.*]]("index out of range\00")
// CHECK-LABEL: func.func @f
// CHECK-NOT: cf.assert
// CHECK: scf.if
// CHECK: %[[A:.*]] = llvm.mlir.addressof @[[TEXT]]
// CHECK: func.call @fx_rt_assert_fail(%[[A]])
func.func @f(%ok: i1) {
  cf.assert %ok, "index out of range"
  return
}
