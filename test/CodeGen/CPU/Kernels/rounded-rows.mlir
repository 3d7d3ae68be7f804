// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16 vnni=true})' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16 vnni=true bf16=true})' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16})' | FileCheck %s --check-prefix=FLOAT

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>

// Rows of f32 that may be rounded to 8 bits: all rows become bytes, with a
// scale and a sum for each block of 32 terms, before the loop over panels. The
// last tile may be past the end, so that there is room for seven rows behind the
// bytes. The weights of a part of a panel become unsigned bytes.
// CHECK: func.func private @kernel_0
// CHECK: memref.alloc() {{.*}}: memref<27072xi8>
// CHECK: memref.alloc() {{.*}}: memref<846xf32>
// CHECK: memref.alloc() {{.*}}: memref<846xi32>
// CHECK: scf.forall
// CHECK: arith.trunci {{.*}} : vector<32xi32> to vector<32xi8>
// CHECK-NOT: arith.trunci
// CHECK: scf.forall
// CHECK: arith.xori {{.*}} : vector<64xi8>
// CHECK-COUNT-128: "llvm.x86.avx512.vpdpbusd.512"
// CHECK-NOT: vpdpbusd
// CHECK-COUNT-16: vector.fma
// CHECK-COUNT-3: memref.dealloc
// FLOAT-NOT: roundeven
// FLOAT: vector.fma
func.func @main(%a: tensor<40x576xf32>, %p: tensor<500x576xi8> {fx.state = @p}) -> tensor<40x500xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x500xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x500xf32>) -> tensor<40x500xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %p : tensor<40x576xf32>, tensor<500x576xi8>) outs(%f : tensor<40x500xf32>) {
  ^bb0(%i: f32, %j: i8, %o: f32):
    %0 = arith.sitofp %j : i8 to f32
    %1 = arith.mulf %i, %0 {fx_kernel.bf16, fx_kernel.int8} : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<40x500xf32>
  return %r : tensor<40x500xf32>
}
