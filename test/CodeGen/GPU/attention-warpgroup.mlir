// Attention by wgmma: a warpgroup that copies and two that multiply, with
// pieces of 64 keys. The host checks the device and the alignment of queries,
// keys and values, and makes their tensor maps. A block has rows of one head.
// RUN: fx-compile --target=cuda %s --emit=gpu --gpu-tiles=attention=1:2:64:1 | FileCheck %s
// RUN: fx-compile --target=cuda %s --emit=gpu --gpu-tiles=attention=1:3:96 | FileCheck %s --check-prefix=THREE
// RUN: fx-compile --target=cuda %s --emit=gpu --gpu-tiles=attention=1 | FileCheck %s --check-prefix=MMA
// RUN: fx-compile --target=cuda:sm_80 %s --emit=gpu --gpu-tiles=attention=1:2:64 | FileCheck %s --check-prefix=MMA
// Sums that do not fit the registers, keys that are no multiple of 16, and one
// warpgroup.
// RUN: fx-compile --target=cuda %s --emit=gpu --gpu-tiles=attention=1:3:256 | FileCheck %s --check-prefix=MMA
// RUN: fx-compile --target=cuda %s --emit=gpu --gpu-tiles=attention=1:2:40 | FileCheck %s --check-prefix=MMA
// RUN: fx-compile --target=cuda %s --emit=gpu --gpu-tiles=attention=1:1:64 | FileCheck %s --check-prefix=MMA

// CHECK: call @fx_rt_gpu_multiprocessors(%c90_i64)
// CHECK: arith.remui %{{.*}}, %c16_i64
// CHECK: scf.if
// CHECK: call @fx_rt_gpu_tensor_map(%c0_i64, %c1_i64, %{{.*}}, %c128_i64, %c4_i64, %c64_i64, %c256_i64, %c2_i64, %c2_i64, %c128_i64, %c65536_i64, %c32768_i64)
// CHECK: call @fx_rt_gpu_tensor_map(%c1_i64, %c1_i64, %{{.*}}, %c64_i64, %c3_i64, %c64_i64, %c256_i64, %c2_i64, %c1_i64, %c128_i64, %c32768_i64, %c0_i64)
// CHECK: call @fx_rt_gpu_tensor_map(%c2_i64, %c1_i64, %{{.*}}, %c64_i64, %c3_i64
// CHECK: gpu.launch_func @kernels::@kernel_0_sm_90a blocks in (%c8, {{.*}}) threads in (%c384
// CHECK: } else {
// CHECK: gpu.launch_func @kernels::@kernel_0 blocks

// CHECK: gpu.func @kernel_0_sm_90a(
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c16384_i32
// CHECK: nvvm.cp.async.bulk.tensor
// The keys of a piece are copied before the values of the piece before.
// CHECK: scf.for
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c8192_i32
// CHECK: nvvm.cp.async.bulk.tensor{{.*}}, %[[KEYS:.*]], %{{.*}}, box
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c8192_i32
// CHECK: nvvm.cp.async.bulk.tensor
// CHECK: nvvm.setmaxregister increase 232
// CHECK: nvvm.wgmma.mma_async {{.*}} D[<f32>, <zero>]
// CHECK-COUNT-3: nvvm.wgmma.mma_async {{.*}} D[<f32>, <one>]
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// The loop over pieces with masks: the scores of a piece and the products of
// the piece before, the softmax, and then the wait for the products.
// CHECK: scf.for
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}}<m = 64, n = 64, k = 16>
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-4: llvm.inline_asm {{.*}}wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}"{{.*}},r,r,r,r,l,n,n,n,n"
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"
// CHECK: "wgmma.wait_group.sync.aligned 1;"
// CHECK: nvvm.mbarrier.arrive
// CHECK: arith.select
// CHECK: arith.maximumf
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK: nvvm.mbarrier.arrive
// CHECK: arith.mulf
// CHECK: llvm.fptrunc
// CHECK: scf.yield
// The loop without masks.
// CHECK: scf.for
// CHECK: "wgmma.wait_group.sync.aligned 1;"
// CHECK-NOT: arith.select
// CHECK: arith.maximumf
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK: scf.yield
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK: arith.divf
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
// CHECK: gpu.func @kernel_0(
// CHECK-NOT: wgmma

// THREE: gpu.launch_func @kernels::@kernel_0_sm_90a blocks in (%c8, {{.*}}) threads in (%c512
// THREE: nvvm.setmaxregister decrease 32
// THREE: nvvm.setmaxregister increase 160
// THREE: nvvm.wgmma.mma_async {{.*}}<m = 64, n = 96, k = 16>
// THREE-NOT: barrier.cta

// MMA-NOT: wgmma
fx.graph @main attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[2, 2, 256, 64], bf16>
  %k = placeholder "k" : !fx.tensor<[2, 1, 256, 64], bf16>
  %v = placeholder "v" : !fx.tensor<[2, 1, 256, 64], bf16>
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v, None, 0.0, true, enable_gqa = true) : (!fx.tensor<[2, 2, 256, 64], bf16>, !fx.tensor<[2, 1, 256, 64], bf16>, !fx.tensor<[2, 1, 256, 64], bf16>) -> !fx.tensor<[2, 2, 256, 64], bf16>
  output(%y) : (!fx.tensor<[2, 2, 256, 64], bf16>)
}
