// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=8})' | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16 vnni=true})' | FileCheck %s --check-prefixes=CHECK,DOT
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=4})' | FileCheck %s --check-prefix=NARROW

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>
#cube = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// One row of f32 and weights of four bits in groups of 32: the row becomes
// integers, before the loop over panels.
// CHECK: func.func private @kernel
// CHECK: memref.alloc() {{.*}}: memref<1728xi8>
// CHECK: memref.alloc() {{.*}}: memref<18xf32>
// CHECK: memref.alloc() {{.*}}: memref<18xi32>
// CHECK: %[[LARGEST:.+]] = scf.for
// CHECK: vector.reduction <maxui>
// CHECK: math.roundeven
// CHECK-COUNT-3: arith.trunci {{.*}} : vector<32xi32> to vector<32xi8>
// CHECK: %[[FINITE:.+]] = arith.cmpi ult, %[[LARGEST]]
// CHECK: scf.forall
// CHECK: scf.if %[[FINITE]]
// PAIRS-COUNT-48: "llvm.x86.avx2.pmadd.ub.sw"
// PAIRS-COUNT-6: "llvm.x86.avx2.pmadd.wd"
// DOT-COUNT-48: "llvm.x86.avx512.vpdpbusd.512"
// CHECK: arith.sitofp {{.*}}xi32>
// CHECK: vector.fma
// CHECK: } else {
// CHECK: vector.fma
// CHECK: memref.dealloc

// NARROW-NOT: roundeven
// NARROW: vector.fma
func.func @main(%a: tensor<1x576xf32>, %p: tensor<500x576xi8> {fx.state = @p}, %t: tensor<500x18xf32> {fx.state = @t}) -> tensor<1x500xf32> {
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4 : i8
  %e1 = tensor.empty() : tensor<500x576xi8>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<500x576xi8>) outs(%e1 : tensor<500x576xi8>) {
  ^bb0(%i: i8, %o: i8):
    %0 = arith.shli %i, %four : i8
    %1 = arith.shrsi %0, %four : i8
    linalg.yield %1 : i8
  } -> tensor<500x576xi8>
  %n3 = tensor.expand_shape %n [[0], [1, 2]] output_shape [500, 18, 32] : tensor<500x576xi8> into tensor<500x18x32xi8>
  %e2 = tensor.empty() : tensor<500x18x32xf32>
  %w3 = linalg.generic {indexing_maps = [#cube, #y, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%n3, %t : tensor<500x18x32xi8>, tensor<500x18xf32>) outs(%e2 : tensor<500x18x32xf32>) {
  ^bb0(%i: i8, %f: f32, %o: f32):
    %0 = arith.sitofp %i : i8 to f32
    %1 = arith.mulf %0, %f : f32
    linalg.yield %1 : f32
  } -> tensor<500x18x32xf32>
  %w = tensor.collapse_shape %w3 [[0], [1, 2]] : tensor<500x18x32xf32> into tensor<500x576xf32>
  %e3 = tensor.empty() : tensor<1x500xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x500xf32>) -> tensor<1x500xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %w : tensor<1x576xf32>, tensor<500x576xf32>) outs(%f3 : tensor<1x500xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x500xf32>
  return %r : tensor<1x500xf32>
}
