// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels=matrix-unit=mfma --canonicalize --cse | FileCheck %s
// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels='matrix-unit=mfma tiles=matrixcore=64:128:32:2:2:2' | FileCheck %s --check-prefix=PARTS
// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels='matrix-unit=mfma tiles=matrixcore=64:128:24:2:2' | FileCheck %s --check-prefix=BAD
// Pieces of K that are longer than a part should be.
// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels='matrix-unit=mfma tiles=matrixcore=16:16:512:1:1' -o /dev/null
// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels='matrix-unit=mma tiles=tensorcore=16:16:512:1:1:2' -o /dev/null

#row = affine_map<(m, n) -> (m, n)>
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#p = affine_map<(m, n, k) -> (m, n)>

// The right operand is stored as [N, K], like torch.nn.Linear's weight. Four
// waves of 64 threads compute tiles of 64 by 64, each 32 by 32, in pieces of
// 64. Two pieces are in shared memory; a third one is loaded in chunks of 16
// bytes while they are stored and multiplied. K is no multiple of 64, so chunks
// beyond it are zeros.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.matrixcore<m = 64, n = 64, k = 64, waves_m = 2, waves_n = 2>
// CHECK: arith.remui %{{.*}}, %c16_i64
// CHECK: scf.if
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c4, {{.*}}) threads({{.*}}) in (%{{.*}} = %c256
// CHECK-SAME: workgroup(%{{.*}} : memref<32768xi8, #gpu.address_space<workgroup>>)
// CHECK-COUNT-4: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xi16>
// CHECK-COUNT-4: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xi16>, !llvm.ptr<3>
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-COUNT-4: llvm.store {{.*}} : vector<8xi16>, !llvm.ptr<3>
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xi16>
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xi16>
// CHECK: llvm.shufflevector {{.*}} [0, 1, 2, 3]
// CHECK: rocdl.mfma.f32.32x32x8bf16.1k {{.*}} : (vector<4xi16>, vector<4xi16>, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
// CHECK: llvm.shufflevector {{.*}} [4, 5, 6, 7]
// CHECK-COUNT-7: rocdl.mfma
// CHECK-NOT: rocdl.mfma
// The sums of 16 rows at a time go through shared memory.
// CHECK: gpu.barrier
// CHECK-COUNT-8: llvm.store {{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<16384xbf16{{.*}}, vector<8xbf16>
// CHECK: } else {
// CHECK: gpu.launch
// CHECK-NOT: vector<8xi16>, !llvm.ptr<3>
// CHECK: llvm.store {{.*}} : bf16
// CHECK: rocdl.mfma
// PARTS-LABEL: func.func private @kernel_0
// PARTS-SAME: memref<32768xf32
// PARTS-SAME: fx_kernel.schedule = #fx_kernel.matrixcore<m = 64, n = 128, k = 32, waves_m = 2, waves_n = 2, parts = 2>
// PARTS: rocdl.mfma.f32.32x32x8bf16.1k
// Tiles whose K is no multiple of an instruction's.
// BAD-LABEL: func.func private @kernel_0
// BAD-NOT: rocdl.mfma
// BAD: return
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

// f16, with a right operand stored as [K, N]: a thread loads words of eight
// terms of K, which it transposes. Few rows get lower tiles, for which the
// waves multiply 16 by 16 elements, and fewer chunks than threads. K is
// dynamic: it and the strides must be multiples of 8 elements, and not 0.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.matrixcore<m = 16, n = 64, k = 64, waves_m = 1, waves_n = 4>
// CHECK: arith.remui %{{.*}}, %c16_i64
// CHECK: arith.remui %{{.*}}, %c8_i64
// CHECK: arith.cmpi sgt, %{{.*}}, %c0
// CHECK: gpu.launch
// CHECK: arith.cmpi ult, %{{.*}}, %c128_i32
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-COUNT-8: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: llvm.shufflevector {{.*}} [0, 2] : vector<2xi16>
// CHECK: llvm.shufflevector {{.*}} [1, 3] : vector<2xi16>
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK: rocdl.mfma.f32.16x16x16f16 {{.*}} : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
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

// f32 is multiplied as it is. Many tiles are large. Rows of 66 elements do not
// begin at multiples of 16 bytes, so elements are copied.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.matrixcore<m = 128, n = 128, k = 16, waves_m = 2, waves_n = 2>
// CHECK-NOT: arith.remui %{{.*}}, %c16_i64
// CHECK: gpu.launch
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK-COUNT-32: rocdl.mfma.f32.32x32x2f32 {{.*}} : (f32, f32, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
// CHECK-NOT: rocdl.mfma
func.func private @kernel_0(%x: tensor<4096x66xf32>, %y: tensor<66x2048xf32>, %out: tensor<4096x2048xf32>) -> tensor<4096x2048xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<4096x66xf32>, tensor<66x2048xf32>) outs(%f : tensor<4096x2048xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %2 = arith.mulf %a, %b : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4096x2048xf32>
  return %r : tensor<4096x2048xf32>
}
