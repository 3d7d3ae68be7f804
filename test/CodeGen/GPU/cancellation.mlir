// REQUIRES: fx-compile
// RUN: fx-compile --target=cuda --no-fallback %s --emit=ptx -o - | FileCheck %s

// e^x - 1 needs more digits of e^x than its bf16 result has: the exponential is
// not the instruction for 2^x.
// CHECK: .entry kernel_0
// CHECK-NOT: ex2.approx
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[64], bf16>
  %wide = call_function @aten._to_copy.default(%x, dtype = f32) : (!fx.tensor<[64], bf16>) -> !fx.tensor<[64], f32>
  %exp = call_function @aten.exp.default(%wide) : (!fx.tensor<[64], f32>) -> !fx.tensor<[64], f32>
  %less = call_function @aten.sub.Tensor(%exp, 1) : (!fx.tensor<[64], f32>) -> !fx.tensor<[64], f32>
  %y = call_function @aten._to_copy.default(%less, dtype = bf16) : (!fx.tensor<[64], f32>) -> !fx.tensor<[64], bf16>
  output(%y) : (!fx.tensor<[64], bf16>)
}
