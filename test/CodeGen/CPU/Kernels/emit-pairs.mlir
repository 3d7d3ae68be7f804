// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16 bf16=true})' | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16})' | FileCheck %s --check-prefixes=CHECK,PLAIN

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>

// Panels with two terms of each column; without vdpbf16ps, with one.
// CHECK-LABEL: func.func @prepare
// PAIRS: -> tensor<2x8x32x2xbf16>
// PLAIN: -> tensor<2x16x32xbf16>
// CHECK-LABEL: func.func @main
// PAIRS: fx_kernel.invoke @[[KERNEL:kernel_[0-9]+]]
// PAIRS: func.func private @[[KERNEL]]
// PAIRS: vector.load {{.*}} vector<32xbf16>
// PAIRS: vector.load {{.*}} vector<2xbf16>
// PAIRS: vector.bitcast {{.*}} : vector<2xbf16> to vector<1xi32>
// PAIRS: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"{{.*}} : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
// PLAIN-NOT: dpbf16ps
// PLAIN: vector.fma
func.func @main(%x: tensor<12x16xbf16>, %w: tensor<40x16xbf16> {fx.state = @w}) -> tensor<12x40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<12x40xf32>) -> tensor<12x40xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<12x16xbf16>, tensor<40x16xbf16>) outs(%f : tensor<12x40xf32>) {
  ^bb0(%i: bf16, %j: bf16, %o: f32):
    %0 = arith.extf %i : bf16 to f32
    %1 = arith.extf %j : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<12x40xf32>
  return %r : tensor<12x40xf32>
}

// -----

// An odd number of terms is multiplied in f32.
#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @odd
// CHECK-NOT: dpbf16ps
func.func @odd(%x: tensor<12x15xbf16>, %w: tensor<40x15xbf16> {fx.state = @w}, %f: tensor<12x40xf32>) -> tensor<12x40xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<12x15xbf16>, tensor<40x15xbf16>) outs(%f : tensor<12x40xf32>) {
  ^bb0(%i: bf16, %j: bf16, %o: f32):
    %0 = arith.extf %i : bf16 to f32
    %1 = arith.extf %j : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<12x40xf32>
  return %r : tensor<12x40xf32>
}
