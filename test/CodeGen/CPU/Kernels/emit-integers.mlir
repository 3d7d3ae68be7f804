// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16 vnni=true})' | FileCheck %s --check-prefixes=CHECK,VNNI
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=8 vnni=true})' | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=8})' | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=4 neon=true vnni=true})' | FileCheck %s --check-prefixes=CHECK,NEON
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=4 neon=true vnni=true mixed-dot=true})' | FileCheck %s --check-prefixes=CHECK,MIXED

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>

// Panels with four terms of each column, computed before the run.
// CHECK-LABEL: func.func @prepare
// VNNI: -> tensor<2x4x32x4xi8>
// NARROW: -> tensor<3x4x16x4xi8>
// CHECK-LABEL: func.func @main
// CHECK: fx_kernel.invoke @[[KERNEL:kernel_[0-9]+]]
// CHECK: func.func private @[[KERNEL]]
// VNNI: vector.load {{.*}} vector<64xi8>
// VNNI: vector.load {{.*}} vector<4xi8>
// VNNI: vector.bitcast {{.*}} : vector<4xi8> to vector<1xi32>
// VNNI: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"{{.*}} : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
// NARROW: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"{{.*}} : (vector<8xi32>, vector<32xi8>, vector<32xi8>) -> vector<8xi32>
// PLAIN-NOT: vpdpbusd
// PLAIN: arith.shrsi {{.*}} : vector<8xi32>
// PLAIN: arith.muli {{.*}} : vector<8xi32>
// Four steps' bytes of a row are loaded at once, and 128 is subtracted from them. Each step takes a
// lane. The last row of sums multiplies by -128, and is subtracted.
// NEON-DAG: arith.constant dense<-2139062144> : vector<4xi32>
// NEON: vector.load {{.*}} vector<16xi8>
// NEON: arith.xori {{.*}} : vector<4xi32>
// NEON: vector.shuffle {{.*}} [0, 0, 0, 0] : vector<4xi32>
// NEON: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"{{.*}} : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
// NEON: vector.shuffle {{.*}} [3, 3, 3, 3] : vector<4xi32>
// NEON: arith.subi {{.*}} : vector<4xi32>
// MIXED-NOT: arith.xori
// MIXED: llvm.call_intrinsic "llvm.aarch64.neon.usdot.v4i32.v16i8"
// MIXED-NOT: arith.subi {{.*}} : vector<4xi32>
func.func @main(%q: tensor<12x16xi8>, %p: tensor<40x16xi8> {fx.state = @p}) -> tensor<12x40xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<12x40xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<12x40xi32>) -> tensor<12x40xi32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %p : tensor<12x16xi8>, tensor<40x16xi8>) outs(%f : tensor<12x40xi32>) {
  ^bb0(%i: i8, %j: i8, %o: i32):
    %0 = arith.extui %i : i8 to i32
    %1 = arith.extsi %j : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<12x40xi32>
  return %r : tensor<12x40xi32>
}
