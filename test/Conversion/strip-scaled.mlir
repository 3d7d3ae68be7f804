// The mark of a matmul of eight-bit floats, for our own kernels, is removed, too.
// RUN: fx-opt %s --convert-fx-to-linalg | FileCheck %s --check-prefix=MARKED
// RUN: fx-opt %s --convert-fx-to-linalg --fx-strip-attributes | FileCheck %s --implicit-check-not=fx
// RUN: fx-opt %s --convert-fx-to-linalg --fx-strip-attributes | mlir-opt -o /dev/null

// MARKED: fx_kernel.fast_sums, fx_kernel.float8
// CHECK: func.func @main(%{{.*}}: tensor<16x32xf8E4M3FN>
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[16, 32], f8E4M3FN>
  %w = placeholder "w" : !fx.tensor<[48, 32], f8E4M3FN>
  %s = placeholder "s" : !fx.tensor<[], f32>
  %t = call_function @aten.t.default(%w) : (!fx.tensor<[48, 32], f8E4M3FN>) -> !fx.tensor<[32, 48], f8E4M3FN>
  %y = call_function @aten._scaled_mm.default(%x, %t, %s, %s, out_dtype = f32, use_fast_accum = true) : (!fx.tensor<[16, 32], f8E4M3FN>, !fx.tensor<[32, 48], f8E4M3FN>, !fx.tensor<[], f32>, !fx.tensor<[], f32>) -> !fx.tensor<[16, 48], f32>
  output(%y) : (!fx.tensor<[16, 48], f32>)
}
