// RUN: fx-opt %s --split-input-file --fx-cpu-emit-kernels=lanes=16 --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: fx-opt %s --split-input-file --fx-cpu-emit-kernels=lanes=8 --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,AVX2

// Columns are summed in blocks of as many vectors as half of the registers, and
// threads share the blocks. The remaining columns follow: first four vectors,
// then one after the other. A later row of a block is prefetched, because a block
// is a part of each row. Sums of 1024 rows are added to those before.
// CHECK-LABEL: func.func private @kernel_0
// AVX512: scf.forall (%{{.*}}) in (4)
// AVX512: scf.for {{.*}} to %c4096 step %c1024
// AVX512: scf.for {{.*}} step %c1 iter_args
// AVX512: %[[LATER:.*]] = arith.addi %{{.*}}, %c3384
// AVX512-NEXT: memref.prefetch %{{.*}}[%[[LATER]]]
// AVX512-COUNT-16: arith.addf {{.*}} vector<16xf32>
// AVX2: scf.forall (%{{.*}}) in (17)
// AVX2: scf.for {{.*}} to %c4096 step %c1024
// AVX2: scf.for {{.*}} step %c1 iter_args
// AVX2: memref.prefetch
// AVX2-COUNT-8: arith.addf {{.*}} vector<8xf32>
// CHECK: scf.yield
// CHECK: %{{.*}}:4 = scf.for {{.*}} to %c4096
// AVX512: scf.for {{.*}} = %c1088 to %c1120 step %c16
// AVX512: vector.maskedload
// AVX2: %{{.*}} = scf.for {{.*}} to %c4096
// AVX2: scf.for
// AVX2-NOT: scf.for
// AVX2: return
func.func private @kernel_0(%x: tensor<4096x1128xf32>, %out: tensor<1128xf32>) -> tensor<1128xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<1128xf32>) -> tensor<1128xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4096x1128xf32>) outs(%f : tensor<1128xf32>) attrs = {fx_kernel.schedule = #fx_kernel.window} {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<1128xf32>
  return %r : tensor<1128xf32>
}
func.func @main(%x: tensor<4096x1128xf32>) -> tensor<1128xf32> {
  %e = tensor.empty() : tensor<1128xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x : tensor<4096x1128xf32>) outs(%e : tensor<1128xf32>) -> tensor<1128xf32>
  return %r : tensor<1128xf32>
}

// -----

// A flag allows to multiply by the inverse of the sum of a row, which is the sum
// of two numbers. exp scales by powers of two where there is an instruction.
// CHECK-LABEL: func.func private @kernel_0
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// AVX2-NOT: scalef
// CHECK: %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[SUM:.*]] : f32
// CHECK: %[[REGULAR:.*]] = arith.andi
// CHECK: %[[HIGH:.*]] = arith.select %[[REGULAR]], %{{.*}}, %[[INVERSE]] : f32
// CHECK: %[[LOW:.*]] = arith.select %{{.*}}, %{{.*}}, %[[INVERSE]] : f32
// CHECK: %[[LOWS:.*]] = vector.broadcast %[[LOW]]
// CHECK: %[[REST:.*]] = arith.mulf %[[X:.*]], %[[LOWS]] : vector
// CHECK: %[[HIGHS:.*]] = vector.broadcast %[[HIGH]]
// CHECK: math.fma %[[X]], %[[HIGHS]], %[[REST]]
// CHECK-NOT: arith.divf {{.*}} vector
func.func private @kernel_0(%x: tensor<32x1024xf32>, %out: tensor<32x1024xf32>) -> tensor<32x1024xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<32xf32>
  %all = tensor.empty() : tensor<32x1024xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<32x1024xf32>) outs(%all : tensor<32x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<32x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%e : tensor<32x1024xf32>) outs(%f : tensor<32xf32>) attrs = {fx_kernel.schedule = #fx_kernel.rows} {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%e, %s : tensor<32x1024xf32>, tensor<32xf32>) outs(%out : tensor<32x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b fastmath<arcp> : f32
    linalg.yield %0 : f32
  } -> tensor<32x1024xf32>
  return %r : tensor<32x1024xf32>
}
func.func @main(%x: tensor<32x1024xf32>) -> tensor<32x1024xf32> {
  %e = tensor.empty() : tensor<32x1024xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x : tensor<32x1024xf32>) outs(%e : tensor<32x1024xf32>) -> tensor<32x1024xf32>
  return %r : tensor<32x1024xf32>
}

// -----

// A depthwise convolution of 3 x 3 with padding. A tile has two rows of seven
// pixels. Of the three tiles of a row, the one in the middle is inside of the
// image; those at its ends are emitted for their place, so that only whether a
// row is outside remains to be tested. Each row that a tile reads is loaded
// once: nine pixels, of which an end has eight inside.
// CHECK-LABEL: func.func private @kernel_0
// AVX512: scf.forall (%[[ROWS:.+]], %[[TILE:.+]]) in (10, 3)
// AVX512: scf.index_switch %[[TILE]]
// AVX512-NEXT: case 0 {
// AVX512-NEXT: scf.for {{.*}} = %c0 to %c32 step %c16
// AVX512-NOT: arith.select
// AVX512: %[[INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %c20 : index
// AVX512-NEXT: scf.if %[[INSIDE]]
// AVX512-COUNT-8: vector.load %{{.*}} : memref<13440xf32
// AVX512-NOT: vector.load %{{.*}} : memref<13440xf32
// AVX512: else
// AVX512-NOT: arith.select
// AVX512: case 2 {
// AVX512: default {
// AVX512-NEXT: scf.for {{.*}} = %c0 to %c32 step %c16
// AVX512-NOT: arith.select
// AVX512: %[[INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %c20 : index
// AVX512-NEXT: scf.if %[[INSIDE]]
// AVX512-COUNT-9: vector.load %{{.*}} : memref<13440xf32
// AVX512-NOT: vector.load %{{.*}} : memref<13440xf32
// AVX512: else
// AVX512: scf.if
// AVX512-COUNT-14: vector.store
// AVX2: scf.forall (%{{.+}}, %{{.+}}) in (10, 6)
// CHECK: return
func.func private @kernel_0(%x: tensor<20x21x32xf32>, %w: tensor<3x3x32xf32>, %out: tensor<20x21x32xf32>) -> tensor<20x21x32xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<20x21x32xf32> to tensor<22x23x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<20x21x32xf32>) -> tensor<20x21x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, w, c, i, j) -> (h + i, w + j, c)>, affine_map<(h, w, c, i, j) -> (i, j, c)>, affine_map<(h, w, c, i, j) -> (h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%p, %w : tensor<22x23x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<20x21x32xf32>) attrs = {fx_kernel.schedule = #fx_kernel.window} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<20x21x32xf32>
  return %r : tensor<20x21x32xf32>
}
func.func @main(%x: tensor<20x21x32xf32>, %w: tensor<3x3x32xf32>) -> tensor<20x21x32xf32> {
  %e = tensor.empty() : tensor<20x21x32xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x, %w : tensor<20x21x32xf32>, tensor<3x3x32xf32>) outs(%e : tensor<20x21x32xf32>) -> tensor<20x21x32xf32>
  return %r : tensor<20x21x32xf32>
}

// -----

// Max pooling of 3 x 3 with step 2. A tile has two rows of two pixels. Its
// maxima leave NaN out; two pixels of the image are tested for NaN by one
// comparison. If one is NaN, the pixels of the tile are computed again. The tile
// also prefetches lines of the four rows that the tile below it reads in
// addition: 8 KiB of four columns in four iterations over channels.
// CHECK-LABEL: func.func private @kernel_0
// AVX512: scf.forall (%{{.+}}, %{{.+}}) in (14, 28)
// AVX512: default {
// AVX512-NEXT: scf.for {{.*}} = %c0 to %c64 step %c16
// AVX512-NOT: arith.maximumf
// AVX512: arith.cmpf ogt
// AVX512: arith.cmpf uno
// AVX512: memref.prefetch {{.*}}, read, locality<2>, data
// AVX512: %[[ANY:.+]] = vector.reduction <or>
// AVX512-NEXT: scf.if %[[ANY]]
// AVX512: scf.for
// AVX512: arith.maximumf
// AVX512: } else {
// AVX512-COUNT-4: vector.store
// CHECK: return
func.func private @kernel_0(%x: tensor<56x112x64xf32>, %out: tensor<28x56x64xf32>) -> tensor<28x56x64xf32> attributes {fx.kernel} {
  %low = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %low : f32
  } : tensor<56x112x64xf32> to tensor<58x114x64xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %f = linalg.fill ins(%low : f32) outs(%out : tensor<28x56x64xf32>) -> tensor<28x56x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, w, c, i, j) -> (2 * h + i, 2 * w + j, c)>, affine_map<(h, w, c, i, j) -> (i, j)>, affine_map<(h, w, c, i, j) -> (h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%p, %w : tensor<58x114x64xf32>, tensor<3x3xf32>) outs(%f : tensor<28x56x64xf32>) attrs = {fx_kernel.schedule = #fx_kernel.window} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<28x56x64xf32>
  return %r : tensor<28x56x64xf32>
}
func.func @main(%x: tensor<56x112x64xf32>) -> tensor<28x56x64xf32> {
  %e = tensor.empty() : tensor<28x56x64xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x : tensor<56x112x64xf32>) outs(%e : tensor<28x56x64xf32>) -> tensor<28x56x64xf32>
  return %r : tensor<28x56x64xf32>
}
