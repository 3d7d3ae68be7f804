// The tiles that the option asks for, and the tiles that the kernel gets.
// RUN: fx-opt %s --fx-gpu-emit-kernels=matrix-unit=wgmma | FileCheck %s --check-prefix=OWN
// RUN: fx-opt %s --fx-gpu-emit-kernels='matrix-unit=wgmma tiles=warpgroup=192:4,matmul=64:64:16:4:4' | FileCheck %s --check-prefix=WIDE
// RUN: fx-opt %s --fx-gpu-emit-kernels='matrix-unit=wgmma tiles=warpgroup=128:4:2' | FileCheck %s --check-prefix=PARTS
// RUN: fx-opt %s --fx-gpu-emit-kernels='matrix-unit=wgmma tiles=warpgroup=128:4:1:1' | FileCheck %s --check-prefix=TURNS
// RUN: fx-opt %s --fx-gpu-emit-kernels='matrix-unit=wgmma tiles=warpgroup=128:4:1:2:2' | FileCheck %s --check-prefix=CLUSTER
// RUN: fx-opt %s --fx-gpu-emit-kernels='matrix-unit=wgmma tiles=warpgroup=128:4:2:2:2' | FileCheck %s --check-prefix=EXCHANGE
// RUN: fx-opt %s --fx-gpu-emit-kernels='matrix-unit=wgmma tiles=warpgroup=0:0,tensorcore=64:64:64:2:2:3' | FileCheck %s --check-prefix=MMA
// RUN: fx-opt %s --fx-gpu-emit-kernels='matrix-unit=none tiles=matmul=32:64:32:2:4' | FileCheck %s --check-prefix=FMA
// More shared memory than a block may have, a width that no tensor map box has,
// more parts than K has pieces, and sums for which one warpgroup has too few
// registers.
// RUN: fx-opt %s --fx-gpu-emit-kernels='matrix-unit=wgmma tiles=warpgroup=256:8' | FileCheck %s --check-prefix=MMA-OWN
// RUN: fx-opt %s --fx-gpu-emit-kernels='matrix-unit=wgmma tiles=warpgroup=96:4' | FileCheck %s --check-prefix=MMA-OWN
// RUN: fx-opt %s --fx-gpu-emit-kernels='matrix-unit=wgmma tiles=warpgroup=128:4:3' | FileCheck %s --check-prefix=MMA-OWN
// RUN: fx-opt %s --fx-gpu-emit-kernels='matrix-unit=wgmma tiles=warpgroup=256:3:1:1' | FileCheck %s --check-prefix=MMA-OWN
// RUN: not fx-opt %s --fx-gpu-emit-kernels=tiles=warpgroups=1:2 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not fx-opt %s --fx-gpu-emit-kernels=tiles=warpgroup=128 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not fx-opt %s --fx-gpu-emit-kernels=tiles=matmul=1:2:3:4:x 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not fx-opt %s --fx-gpu-emit-kernels=tiles=attention=1:2:3:1:5 2>&1 | FileCheck %s --check-prefix=KEYS

// OWN: fx_kernel.problem = #fx_kernel.problem<m = 256, n = 256, k = 96>
// OWN-SAME: fx_kernel.schedule = #fx_kernel.warpgroup<columns = 64, stages = 8>
// WIDE: fx_kernel.schedule = #fx_kernel.warpgroup<columns = 192, stages = 4>
// WIDE: nvvm.wgmma.mma_async {{.*}} n = 192
// PARTS: func.func private @kernel_0({{.*}}, %{{.*}}: memref<131072xf32
// PARTS-SAME: fx_kernel.schedule = #fx_kernel.warpgroup<columns = 128, stages = 4, parts = 2>
// PARTS: fx.chip = "sm_90a"
// PARTS: gpu.launch
// PARTS: vector.load {{.*}} : memref<131072xf32{{.*}}, vector<8xf32>
// PARTS: vector.load {{.*}} : memref<131072xf32{{.*}}, vector<8xf32>
// PARTS: arith.addf {{.*}} : vector<8xf32>
// TURNS: fx_kernel.schedule = #fx_kernel.warpgroup<columns = 128, stages = 4, warpgroups = 1>
// TURNS-COUNT-16: nvvm.wgmma.mma_async {{.*}} n = 128
// TURNS-NOT: nvvm.wgmma.mma_async
// Two blocks share the columns: each copies 64 of the 128, and both read its
// copy. A stage is empty when the consumers of both blocks have arrived.
// CLUSTER: fx_kernel.schedule = #fx_kernel.warpgroup<columns = 128, stages = 4, cluster = 2>
// CLUSTER: nvvm.cluster.arrive
// CLUSTER-NEXT: nvvm.cluster.wait
// CLUSTER: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}] : !llvm.ptr<7>, !llvm.ptr
// CLUSTER: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}] multicast_mask = %c3_i16
// CLUSTER-COUNT-2: nvvm.mbarrier.arrive {{.*}}cluster{{.*}} : !llvm.ptr<7>
// CLUSTER: nvvm.cluster.arrive
// CLUSTER: fx.cluster = 2 : i32
// Two blocks compute parts of K of one tile: 64 sums of a thread are sent to the
// other block. There is no workspace and no second launch.
// EXCHANGE: func.func private @kernel_0({{.*}}%arg2: memref<256x256xbf16, strided<[256, 1], offset: ?>>) attributes
// EXCHANGE-SAME: #fx_kernel.warpgroup<columns = 128, stages = 4, parts = 2, cluster = 2>
// EXCHANGE-NOT: multicast_mask
// EXCHANGE: acquire.cluster
// EXCHANGE: nvvm.mapa
// EXCHANGE-COUNT-16: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<7>
// EXCHANGE: nvvm.mbarrier.arrive {{.*}}cluster{{.*}} : !llvm.ptr<7>
// EXCHANGE-NOT: vector<4xf32>, !llvm.ptr<7>
// MMA: fx_kernel.schedule = #fx_kernel.tensorcore<m = 64, n = 64, k = 64, warps_m = 2, warps_n = 2, stages = 3>
// MMA-OWN: fx_kernel.schedule = #fx_kernel.tensorcore<m = 64, n = 64, k = 32, warps_m = 2, warps_n = 2, stages = 4>
// FMA: fx_kernel.schedule = #fx_kernel.matmul<m = 32, n = 64, k = 32, thread_m = 2, thread_n = 4>
// NAME: error: tiles: expected warpgroup, tensorcore, matrixcore, matmul or attention, got 'warpgroups'
// COUNT: error: tiles: warpgroup: expected 2 to 5 numbers up to 4096 with colons, got '128'
// NUMBER: error: tiles: matmul: expected 5 numbers up to 4096 with colons, got '1:2:3:4:x'
// KEYS: error: tiles: attention: expected 1 to 4 numbers up to 4096 with colons, got '1:2:3:1:5'

#row = affine_map<(m, n) -> (m, n)>
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#p = affine_map<(m, n, k) -> (m, n)>

func.func private @kernel_0(%x: tensor<256x96xbf16>, %y: tensor<256x96xbf16>, %out: tensor<256x256xbf16>) -> tensor<256x256xbf16> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #p], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<256x96xbf16>, tensor<256x96xbf16>) outs(%f : tensor<256x256xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<256x256xf32>
  %h = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<256x256xf32>) outs(%out : tensor<256x256xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<256x256xbf16>
  return %h : tensor<256x256xbf16>
}
