// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels='matrix-unit=wgmma tiles=warpgroup=128:6' --canonicalize --cse | FileCheck %s

#row = affine_map<(m, n) -> (m, n)>
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#p = affine_map<(m, n, k) -> (m, n)>

// Tiles of 128 by 128 in a ring of six stages, with one warpgroup that copies
// and two that multiply. If the device cannot run this kernel, or an operand is
// not aligned to 16 bytes, the tensor core kernels for other chips run.
// CHECK: func.func private @fx_rt_gpu_tensor_map
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.warpgroup
// CHECK: %[[MULTIPROCESSORS:.*]] = call @fx_rt_gpu_multiprocessors(%c90
// CHECK: arith.remui %{{.*}}, %c16_i64
// CHECK: arith.cmpi sgt, %[[MULTIPROCESSORS]]
// CHECK: scf.if
// CHECK: func.call @fx_rt_gpu_tensor_map(%c0_i64, %c1_i64, %{{.*}}, %c128_i64, %c2_i64, %c96_i64, %c256_i64, %c1_i64, %c1_i64, %c192_i64, %c0_i64, %c0_i64)
// CHECK: %[[MAP:.*]] = llvm.inttoptr {{.*}} : i64 to !llvm.ptr
// CHECK: %[[GRID:.*]] = arith.minsi
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %[[GRID]], {{.*}}) threads({{.*}}) in (%{{.*}} = %c384, {{.*}}) dynamic_shared_memory_size %{{.*}} {
// CHECK-COUNT-12: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: gpu.barrier
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: scf.for
// CHECK: scf.for {{.*}} = %c0 to %c2 step %c1
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c32768_i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP]], %{{.*}}, box[%{{.*}}, %{{.*}}]
// CHECK: nvvm.cp.async.bulk.tensor
// CHECK: } else {
// CHECK: nvvm.setmaxregister increase 232
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-NEXT: nvvm.wgmma.mma_async {{.*}} D[<f32>, <zero>]
// CHECK-COUNT-3: nvvm.wgmma.mma_async {{.*}} D[<f32>, <one>]
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}}<m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: arith.truncf
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<32768xbf16{{.*}}, vector<8xbf16>
// CHECK: gpu.terminator
// CHECK-NEXT: } {fx.alignment = 16 : i64, fx.chip = "sm_90a", fx.work =
// CHECK: } else {
// CHECK: nvvm.mma.sync
func.func private @kernel_0(%x: tensor<256x96xbf16>, %y: tensor<128x96xbf16>, %out: tensor<256x128xbf16>) -> tensor<256x128xbf16> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #p], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<256x96xbf16>, tensor<128x96xbf16>) outs(%f : tensor<256x128xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<256x128xf32>
  %h = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<256x128xf32>) outs(%out : tensor<256x128xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<256x128xbf16>
  return %h : tensor<256x128xbf16>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#p = affine_map<(m, n, k) -> (m, n)>

// Rows of 68 elements are no multiple of 16 bytes.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.tensorcore
func.func private @kernel_0(%x: tensor<256x68xf16>, %y: tensor<68x128xf16>, %out: tensor<256x128xf32>) -> tensor<256x128xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<256x128xf32>) -> tensor<256x128xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<256x68xf16>, tensor<68x128xf16>) outs(%f : tensor<256x128xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<256x128xf32>
  return %r : tensor<256x128xf32>
}

// -----

#x = affine_map<(n, h, w, f, r, s, c) -> (n, h * 2 + r, w + s * 3, c)>
#y = affine_map<(n, h, w, f, r, s, c) -> (r, s, c, f)>
#p = affine_map<(n, h, w, f, r, s, c) -> (n, h, w, f)>

// A convolution of channels-last images. The device copies the pixels that a
// tap reads. Tap 0 is at lines 0 to 16 and columns 0 to 9. Each of the nine taps
// has two pieces of K; the second one has 8 channels. Taps of the weight are a
// dimension of their own, so that rows of the next tap are not read.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.problem = #fx_kernel.problem<m = 180, n = 128, k = 648>
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.warpgroup
// CHECK: call @fx_rt_gpu_image_map(%c0_i64, %c1_i64, %{{.*}}, %c128_i64, %c4_i64, %c72_i64, %c16_i64, %c19_i64, %c2_i64, %c144_i64, %c2304_i64, %c43776_i64, %c0_i64, %c0_i64, %c-6_i64, %c-2_i64, %c1_i64, %c2_i64)
// CHECK: call @fx_rt_gpu_tensor_map(%c1_i64, %c1_i64, %{{.*}}, %c64_i64, %c3_i64, %c128_i64, %c72_i64, %c9_i64, %c1_i64, %c256_i64, %c18432_i64, %c0_i64)
// CHECK: scf.for {{.*}} = %c0 to %c18 step %c1
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%[[C:.*]], %{{.*}}, %{{.*}}, %{{.*}}] im2col[%{{.*}}, %{{.*}}] {mode = #nvvm.tma_load_mode<im2col>}
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%{{.*}}, %[[C]], %{{.*}}] :
// CHECK: nvvm.wgmma.mma_async {{.*}}A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>]
func.func private @kernel_0(%x: tensor<2x19x16x72xbf16>, %y: tensor<3x3x72x128xbf16>, %out: tensor<2x9x10x128xf32>) -> tensor<2x9x10x128xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<2x9x10x128xf32>) -> tensor<2x9x10x128xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %y : tensor<2x19x16x72xbf16>, tensor<3x3x72x128xbf16>) outs(%f : tensor<2x9x10x128xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x9x10x128xf32>
  return %r : tensor<2x9x10x128xf32>
}

// -----

#x = affine_map<(n, h, w, f, r, s, c) -> (n, h * 9 + r, w + s, c)>
#y = affine_map<(n, h, w, f, r, s, c) -> (r, s, c, f)>
#p = affine_map<(n, h, w, f, r, s, c) -> (n, h, w, f)>

// A tensor map has steps of at most 8.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.tensorcore
// CHECK-NOT: gpu_image_map
func.func private @kernel_0(%x: tensor<4x30x16x64xbf16>, %y: tensor<3x3x64x128xbf16>, %out: tensor<4x4x14x128xf32>) -> tensor<4x4x14x128xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<4x4x14x128xf32>) -> tensor<4x4x14x128xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %y : tensor<4x30x16x64xbf16>, tensor<3x3x64x128xbf16>) outs(%f : tensor<4x4x14x128xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x4x14x128xf32>
  return %r : tensor<4x4x14x128xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (n, k)>
#p = affine_map<(m, n, k) -> (m, n)>

// Unsigned by signed bytes, with sums of i32. Boxes of 128 bytes are 128 terms,
// and a product has 32 of them.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.warpgroup
// CHECK: func.call @fx_rt_gpu_tensor_map(%c0_i64, %c2_i64, %{{.*}}, %c128_i64, %c2_i64, %c208_i64, %c256_i64, %c1_i64, %c1_i64, %c208_i64, %c0_i64, %c0_i64)
// CHECK: scf.for {{.*}} = %c0 to %c2 step %c1
// CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}}<m = 64, n = 128, k = 32>, D[<s32>, {{.*}}], A[<u8>, <one>, <row>], B[<s8>, <one>, <col>]
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK: llvm.store {{.*}} : vector<2xi32>, !llvm.ptr<3>
// CHECK: vector.store {{.*}} : memref<32768xi32{{.*}}, vector<8xi32>
// CHECK: nvvm.mma.sync {{.*}} multiplicandAPtxType = #nvvm.mma_type<u8>
func.func private @kernel_0(%x: tensor<256x208xi8>, %y: tensor<128x208xi8>, %out: tensor<256x128xi32>) -> tensor<256x128xi32> attributes {fx.kernel} {
  %zero = arith.constant 0 : i32
  %f = linalg.fill ins(%zero : i32) outs(%out : tensor<256x128xi32>) -> tensor<256x128xi32>
  %r = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<256x208xi8>, tensor<128x208xi8>) outs(%f : tensor<256x128xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<256x128xi32>
  return %r : tensor<256x128xi32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#p = affine_map<(m, n, k) -> (m, n)>

// wgmma reads bytes along K only.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.tensorcore
func.func private @kernel_0(%x: tensor<256x208xi8>, %y: tensor<208x128xi8>, %out: tensor<256x128xi32>) -> tensor<256x128xi32> attributes {fx.kernel} {
  %zero = arith.constant 0 : i32
  %f = linalg.fill ins(%zero : i32) outs(%out : tensor<256x128xi32>) -> tensor<256x128xi32>
  %r = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<256x208xi8>, tensor<208x128xi8>) outs(%f : tensor<256x128xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<256x128xi32>
  return %r : tensor<256x128xi32>
}
