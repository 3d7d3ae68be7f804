// One query for each of 8 heads, which share the keys and values of 2 heads:
// blocks of one warp compute 8 parts of 512 keys, and store m and l, and y, of
// their 4 rows. The second launch combines them, with a thread for each element.
// RUN: fx-compile --target=cuda:sm_80 %s --emit=gpu | FileCheck %s
// RUN: fx-compile --target=cuda:sm_80 %s --emit=gpu --gpu-tiles=attention=3 | FileCheck %s --check-prefix=THREE
// RUN: fx-compile --target=cuda:sm_80 %s --emit=gpu --gpu-tiles=attention=1 | FileCheck %s --check-prefix=ONE

// CHECK: %[[BLOCKS:.*]] = arith.constant 16 : index
// CHECK: gpu.launch_func @kernels::@kernel_0 blocks in (%[[BLOCKS]], %c1{{.*}}) threads in (%c32
// CHECK: gpu.launch_func @kernels::@kernel_0_1 blocks in (%[[BLOCKS]],
// CHECK: gpu.launch_func @kernels::@kernel_0_2 blocks in (%c4, %c1{{.*}}) threads in (%c128
// CHECK: gpu.func @kernel_0(
// CHECK: scf.for
// CHECK: nvvm.mma.sync
// CHECK: scf.yield
// CHECK-NOT: nvvm.mma.sync
// CHECK-NOT: arith.divf
// CHECK: vector.store {{.*}} {alignment = 8 : i64} : memref<128xf32
// CHECK: vector.store {{.*}} {alignment = 8 : i64} : memref<4096xf32
// CHECK: gpu.func @kernel_0_1(
// CHECK: gpu.func @kernel_0_2(
// CHECK-NOT: gpu.barrier
// CHECK: vector.load {{.*}} memref<128xf32
// CHECK-COUNT-7: arith.maximumf
// CHECK: memref.load {{.*}} memref<4096xf32
// CHECK: arith.divf
// CHECK: memref.store {{.*}} memref<512xbf16
// CHECK-NOT: gpu.func

// THREE: %[[BLOCKS:.*]] = arith.constant 6 : index
// THREE: gpu.launch_func @kernels::@kernel_0 blocks in (%[[BLOCKS]],
// ONE: gpu.launch_func @kernels::@kernel_0 blocks in (%c2,
// ONE-NOT: @kernel_0_2
fx.graph @main attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[1, 8, 1, 64], bf16>
  %k = placeholder "k" : !fx.tensor<[1, 2, 512, 64], bf16>
  %v = placeholder "v" : !fx.tensor<[1, 2, 512, 64], bf16>
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v, None, 0.0, false, enable_gqa = true) : (!fx.tensor<[1, 8, 1, 64], bf16>, !fx.tensor<[1, 2, 512, 64], bf16>, !fx.tensor<[1, 2, 512, 64], bf16>) -> !fx.tensor<[1, 8, 1, 64], bf16>
  output(%y) : (!fx.tensor<[1, 8, 1, 64], bf16>)
}
