// Code for AArch64: matmuls multiply by one lane of a vector, and dot products
// of bytes are instructions.
// REQUIRES: fx-compile
// RUN: fx-compile %s --mtriple=aarch64-linux-gnu --emit=asm -o - | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: fx-compile %s --mtriple=aarch64-linux-gnu -mcpu=neoverse-n1 --emit=asm -o - | FileCheck %s --check-prefixes=CHECK,DOT
// RUN: fx-compile %s --mtriple=aarch64-linux-gnu -mcpu=neoverse-n1+i8mm --emit=asm -o - | FileCheck %s --check-prefixes=CHECK,MIXED
// RUN: fx-compile %s --mtriple=aarch64-linux-gnu --emit=llvm -o - | FileCheck %s --check-prefix=LLVM

// The inner loop multiplies four rows' elements by a vector each, with no other
// broadcast, and the sums stay in registers.
// CHECK-LABEL: kernel_0_parallel0_range:
// CHECK: fmla v[[SUM:[0-9]+]].4s, v{{[0-9]+}}.4s, v{{[0-9]+}}.s[1]
// CHECK: fmla v{{[0-9]+}}.4s, v{{[0-9]+}}.4s, v{{[0-9]+}}.s[3]
// CHECK-NOT: ld1r
// CHECK: b.{{[a-z]+}}
// CHECK-LABEL: kernel_1_parallel0_range:
// PLAIN-NOT: dot v
// DOT: sdot v{{[0-9]+}}.4s, v{{[0-9]+}}.16b, v{{[0-9]+}}.4b[1]
// MIXED: sudot v{{[0-9]+}}.4s, v{{[0-9]+}}.16b, v{{[0-9]+}}.4b[1]
// No names of x86.
// LLVM: target triple = "aarch64-unknown-linux-gnu"
// LLVM-NOT: x86

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>

func.func @main(%x: tensor<16x64xf32>, %w: tensor<32x64xf32> {fx.state = @w},
                %q: tensor<16x64xi8>, %p: tensor<32x64xi8> {fx.state = @p}) -> (tensor<16x32xf32>, tensor<16x32xi32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<16x64xf32>, tensor<32x64xf32>) outs(%f : tensor<16x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x32xf32>
  %none = arith.constant 0 : i32
  %ei = tensor.empty() : tensor<16x32xi32>
  %fi = linalg.fill ins(%none : i32) outs(%ei : tensor<16x32xi32>) -> tensor<16x32xi32>
  %s = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %p : tensor<16x64xi8>, tensor<32x64xi8>) outs(%fi : tensor<16x32xi32>) {
  ^bb0(%i: i8, %j: i8, %o: i32):
    %0 = arith.extui %i : i8 to i32
    %1 = arith.extsi %j : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<16x32xi32>
  return %r, %s : tensor<16x32xf32>, tensor<16x32xi32>
}
