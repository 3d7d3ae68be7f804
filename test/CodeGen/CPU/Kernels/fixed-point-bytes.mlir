// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16 vnni=true})' | FileCheck %s --check-prefixes=CHECK,DOT
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16})' | FileCheck %s --check-prefixes=CHECK,NODOT
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=4 neon=true vnni=true})' | FileCheck %s --check-prefix=NEON

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>

// One row of f32 and weights of bytes. With vpdpbusd, four terms of a column
// are contiguous, and the row becomes integers. Its dot products have two
// parts: those of the high bytes, and the others.

// NEON: func.func private @kernel{{.*}}x576x8xi8
// DOT: func.func private @kernel{{.*}}16x144x32x4xi8
// DOT: memref.alloc() {{.*}}: memref<1728xi8>
// DOT: memref.alloc() {{.*}}: memref<18xf32>
// DOT: memref.alloc() {{.*}}: memref<36xi32>
// DOT: scf.forall
// DOT: scf.if
// DOT-COUNT-48: "llvm.x86.avx512.vpdpbusd.512"
// DOT: %[[LOW:.+]] = arith.sitofp {{.*}}xi32>
// DOT: %[[HIGH:.+]] = arith.sitofp {{.*}}xi32>
// DOT: vector.fma %[[HIGH]], %{{.+}}, %[[LOW]]
// DOT: } else {
// DOT-COUNT-2: arith.shrsi
// NODOT: func.func private @kernel{{.*}}16x576x32xi8
// NODOT-NOT: roundeven
// NODOT: arith.sitofp {{.*}} : vector<16xi8> to vector<16xf32>
// CHECK: vector.fma
func.func @main(%a: tensor<1x576xf32>, %p: tensor<500x576xi8> {fx.state = @p}) -> tensor<1x500xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x500xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x500xf32>) -> tensor<1x500xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %p : tensor<1x576xf32>, tensor<500x576xi8>) outs(%f : tensor<1x500xf32>) {
  ^bb0(%i: f32, %j: i8, %o: f32):
    %0 = arith.sitofp %j : i8 to f32
    %1 = arith.mulf %i, %0 : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x500xf32>
  return %r : tensor<1x500xf32>
}
