// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16 vnni=true bf16=true})' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16 vnni=true})' | FileCheck %s --check-prefix=FLOAT

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>

// Many rows of f32 and weights of bytes that may be rounded: the rows become
// pairs of bf16 before the loop over panels, and parts of a panel within it.
// CHECK: func.func private @kernel
// CHECK: memref.alloc() {{.*}}: memref<14112xf32>
// CHECK: scf.forall
// CHECK-COUNT-2: arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK: scf.forall
// CHECK: arith.sitofp {{.*}} : vector<16xi32> to vector<16xbf16>
// CHECK: vector.interleave
// CHECK: "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK: memref.dealloc
// FLOAT-NOT: bf16>
// FLOAT: vector.fma
func.func @main(%a: tensor<40x576xf32>, %p: tensor<500x576xi8> {fx.state = @p}) -> tensor<40x500xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x500xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x500xf32>) -> tensor<40x500xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %p : tensor<40x576xf32>, tensor<500x576xi8>) outs(%f : tensor<40x500xf32>) {
  ^bb0(%i: f32, %j: i8, %o: f32):
    %0 = arith.sitofp %j : i8 to f32
    %1 = arith.mulf %i, %0 {fx_kernel.bf16} : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<40x500xf32>
  return %r : tensor<40x500xf32>
}
