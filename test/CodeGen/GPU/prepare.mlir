// Values that depend on states alone are computed by the CPU when the model is
// compiled. The model has one kernel, which reads the result.
// CPU: the model has one kernel, which reads the result.
// RUN: fx-compile --target=cuda %s --emit=gpu | FileCheck %s
// RUN: rm -rf %t && mkdir %t && fx-compile --target=cuda %s -o %t/m.so --report %t/m.json
// RUN: FileCheck %s --check-prefix=REPORT --input-file %t/m.json

// CHECK: func.func @main
// CHECK-SAME: memref<2x2xf32> {fx.prepared = 0 : i64}
// CHECK-NOT: func.func @prepare
// CHECK: gpu.launch_func @kernels::@kernel_{{[0-9]}}
// CHECK-NOT: gpu.launch_func
// REPORT: "weight_bytes": 16

fx.state @w : !fx.tensor<[2, 2], f32> = dense<[0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64]> : tensor<16xui8>
fx.graph @main attributes {functional} {
  %w = fx.placeholder "w" buffer @w : !fx.tensor<[2, 2], f32>
  %x = fx.placeholder "x" : !fx.tensor<[3, 2], f32>
  %p = fx.call_function @aten.mm.default(%w, %w) : (!fx.tensor<[2, 2], f32>, !fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  %y = fx.call_function @aten.mm.default(%x, %p) : (!fx.tensor<[3, 2], f32>, !fx.tensor<[2, 2], f32>) -> !fx.tensor<[3, 2], f32>
  fx.output(%y) : (!fx.tensor<[3, 2], f32>)
}
