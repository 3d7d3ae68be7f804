// RUN: fx-opt %s --fx-cpu-eager-to-runtime | FileCheck %s
// RUN: fx-opt %s --fx-cpu-lower-pipeline | FileCheck %s --check-prefix=LLVM

// CHECK: func.func private @fx_rt_eager(!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr)
// CHECK: llvm.mlir.global internal constant @fx_text_{{.*}}("{\22random\22:true,\22target\22:\22aten.foo.default\22,\22args\22:[{\22tensor\22:0},[1,{\22float\22:\22{{.*}}\22}],{\22scalar\22:0},null],\22kwnames\22:[\22out\22],\22outs\22:[{\22tensor\22:\22uint8\22,\22rank\22:1},{\22scalar\22:\22int\22}]
// CHECK-LABEL: func.func @main
// CHECK-NOT: fx.eager
// CHECK: call @fx_rt_eager

// LLVM-LABEL: llvm.func internal @main
// LLVM: llvm.call @fx_rt_eager
// LLVM-NOT: unrealized_conversion_cast
func.func @main(%x: memref<?x4xf32>, %n: i64) -> (memref<?xi8>, i64) {
  %r, %k = fx.eager @aten.foo.default(%x, [1, 0.5], %n, out = None)
    {fx.result_types = [!fx.tensor<[s0], ui8>, !fx.sym_int<s0>]}
    : (memref<?x4xf32>, i64) -> (memref<?xi8>, i64)
  return %r, %k : memref<?xi8>, i64
}
