// RUN: fx-opt %s --fx-gpu-emit-kernels=matrix-unit=none --canonicalize --cse | FileCheck %s
// RUN: fx-opt %s --fx-gpu-emit-kernels --canonicalize --cse | FileCheck %s --check-prefix=TF32

// Without tensor cores: a matmul with tiles of 64 by 64 and pieces of 16. Both operands are in shared
// memory, and each thread computes 4 by 4 results. The operand that is copied
// along K has 16 bytes of padding between its rows. 100 columns do not fill the
// second tile.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.matmul
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c4, {{.*}}) threads({{.*}}) in (%{{.*}} = %c256
// CHECK-SAME: workgroup(%{{.*}} : memref<16x68xf32, #gpu.address_space<workgroup>>, %{{.*}} : memref<16x64xf32, #gpu.address_space<workgroup>>)
// CHECK: :16 = scf.for {{.*}} to %c48 step %c16
// CHECK: gpu.barrier
// CHECK: vector.load {{.*}} {alignment = 16 : i64}
// CHECK-COUNT-16: math.fma
// CHECK: gpu.barrier
// CHECK-COUNT-16: memref.store {{.*}} : memref<12800xf32
// CHECK-NOT: memref.store

// On tensor cores: the left operand is along K and loaded as matrices, the right
// one by elements. Each element is split, and each 16 by 8 results are three
// products and an addition in f32. Results that are NaN are computed again.
// TF32-LABEL: func.func private @kernel_0
// TF32-SAME: fx_kernel.schedule = #fx_kernel.tensorcore
// TF32: %[[MORE:.*]] = arith.constant 1.00048828 : f32
// TF32: gpu.launch blocks({{.*}}) in (%{{.*}} = %c4, {{.*}}) threads({{.*}}) in (%{{.*}} = %c128
// TF32: scf.for
// TF32: nvvm.cp.async.wait.group 1
// TF32: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>
// TF32: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// TF32: arith.andi %{{.*}}, %c-8192_i32
// TF32: arith.subf
// TF32: arith.mulf %{{.*}}, %[[MORE]] : f32
// TF32-COUNT-24: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>
// TF32: arith.addf
// TF32: arith.cmpf uno
// TF32: math.fma
func.func private @kernel_0(%x: tensor<128x48xf32>, %w: tensor<48x100xf32>, %out: tensor<128x100xf32>) -> tensor<128x100xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<128x100xf32>) -> tensor<128x100xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<128x48xf32>, tensor<48x100xf32>) outs(%f : tensor<128x100xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<128x100xf32>
  return %r : tensor<128x100xf32>
}
