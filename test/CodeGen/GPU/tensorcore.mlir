// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels --canonicalize --cse | FileCheck %s
// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels=matrix-unit=none --canonicalize --cse | FileCheck %s --check-prefix=OLD

#row = affine_map<(m, n) -> (m, n)>
#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#w = affine_map<(m, n, k) -> (n, k)>
#p = affine_map<(m, n, k) -> (m, n)>

// The right operand is stored as [N, K], like torch.nn.Linear's weight. Four
// warps compute tiles of 64 by 64 in pieces of 32; four pieces are in shared
// memory. If both operands begin at multiples of 16 bytes, the copies are
// asynchronous; else single elements are copied. Bounds that always hold are
// not checked. If all buffers are aligned, a thread stores eight elements at
// once.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.tensorcore
// CHECK: arith.remui %{{.*}}, %c16_i64
// CHECK: scf.if
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c4, {{.*}}) threads({{.*}}) in (%{{.*}} = %c128
// CHECK-SAME: workgroup(%{{.*}} : memref<32768xi8, #gpu.address_space<workgroup>>)
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache =  cg : !llvm.ptr<3>, !llvm.ptr<1>
// CHECK-COUNT-3: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 2
// CHECK-NEXT: gpu.barrier
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-4: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>
// CHECK-COUNT-8: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>
// CHECK: gpu.barrier
// CHECK: llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>
// CHECK: gpu.barrier
// CHECK: arith.truncf
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<16384xbf16{{.*}}, vector<8xbf16>
// CHECK: {fx.alignment = 16 : i64, fx.work =
// CHECK: } else {
// CHECK: gpu.launch
// CHECK-NOT: cp.async.shared
// CHECK: llvm.store {{.*}} : bf16
// CHECK: nvvm.mma.sync
// CHECK: memref.store {{.*}} : memref<16384xbf16
// OLD-LABEL: func.func private @kernel_0
// OLD-SAME: fx_kernel.schedule = #fx_kernel.matmul
// OLD: arith.extf
// OLD: math.fma
func.func private @kernel_0(%x: tensor<128x96xbf16>, %y: tensor<128x96xbf16>, %out: tensor<128x128xbf16>) -> tensor<128x128xbf16> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #p], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<128x96xbf16>, tensor<128x96xbf16>) outs(%f : tensor<128x128xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<128x128xf32>
  %h = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<128x128xf32>) outs(%out : tensor<128x128xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<128x128xbf16>
  return %h : tensor<128x128xbf16>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#p = affine_map<(m, n, k) -> (m, n)>

// f16, with a right operand stored as [K, N], whose fragments are transposed.
// Few rows get lower tiles. Elements outside of the operands are not read. K is
// dynamic: strides must be multiples of 8 elements.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.tensorcore
// CHECK: arith.remui %{{.*}}, %c16_i64
// CHECK: arith.remui %{{.*}}, %c8_i64
// CHECK: gpu.launch blocks
// CHECK-SAME: threads({{.*}}) in (%{{.*}} = %c128
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache =  cg, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>
// CHECK: nvvm.mma.sync A[{{.*}}vector<2xf16>
func.func private @kernel_0(%x: tensor<12x?xf16>, %y: tensor<?x48xf16>, %out: tensor<12x48xf32>) -> tensor<12x48xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<12x48xf32>) -> tensor<12x48xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<12x?xf16>, tensor<?x48xf16>) outs(%f : tensor<12x48xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<12x48xf32>
  return %r : tensor<12x48xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#p = affine_map<(m, n, k) -> (m, n)>

// 8-bit integers that are converted to f32 are not rounded to a tensor core
// dtype.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.matmul
// CHECK: arith.sitofp
func.func private @kernel_0(%x: tensor<64x48xf32>, %y: tensor<48x64xi8>, %out: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<64x48xf32>, tensor<48x64xi8>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: i8, %o: f32):
    %1 = arith.sitofp %b : i8 to f32
    %2 = arith.mulf %a, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#p = affine_map<(m, n, k) -> (m, n)>

// Bytes are not transposed as they are copied: the right operand is stored as
// [K, N], and copied by elements.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.tensorcore<m = 64, n = 64, k = 64
// CHECK: nvvm.cp.async.shared.global
// CHECK: llvm.store {{.*}} : i8, !llvm.ptr<3>
// CHECK: nvvm.mma.sync {{.*}} multiplicandAPtxType = #nvvm.mma_type<u8>, multiplicandBPtxType = #nvvm.mma_type<s8>, shape = #nvvm.shape<m = 16, n = 8, k = 32>
// CHECK: llvm.store {{.*}} : vector<2xi32>, !llvm.ptr<3>
func.func private @kernel_0(%x: tensor<64x48xi8>, %y: tensor<48x64xi8>, %out: tensor<64x64xi32>) -> tensor<64x64xi32> attributes {fx.kernel} {
  %zero = arith.constant 0 : i32
  %f = linalg.fill ins(%zero : i32) outs(%out : tensor<64x64xi32>) -> tensor<64x64xi32>
  %r = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<64x48xi8>, tensor<48x64xi8>) outs(%f : tensor<64x64xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<64x64xi32>
  return %r : tensor<64x64xi32>
}
