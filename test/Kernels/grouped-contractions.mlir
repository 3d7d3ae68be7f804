// RUN: fx-opt %s --fx-flatten-groups --canonicalize | FileCheck %s --check-prefix=FLAT
// RUN: fx-opt %s --fx-flatten-groups --fx-integer-contractions --fx-cpu-pack-weights | FileCheck %s --check-prefix=PACK
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16 vnni=true})' | FileCheck %s --check-prefix=VNNI

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>
#cube = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#t = affine_map<(d0, d1, d2) -> (d1, d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// FLAT-DAG: #[[ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// FLAT-DAG: #[[GROUP:.+]] = affine_map<(d0, d1) -> (d0, d1 floordiv 16)>
// FLAT-LABEL: func.func @main
// FLAT-SAME: tensor<5x64xi8>, %[[P:.+]]: tensor<40x64xi8> {{.*}}, %[[T:.+]]: tensor<40x4xf32>
// FLAT: %[[N:.+]] = linalg.generic {{.*}} ins(%[[P]] :
// FLAT: linalg.generic {indexing_maps = [#[[ID]], #[[GROUP]], #[[ID]]], {{.*}} ins(%[[N]], %[[T]] : tensor<40x64xi8>, tensor<40x4xf32>)
// FLAT-NOT: tensor.collapse_shape

// A byte holds two terms: four terms are adjacent in the lower halves, the
// following four are in the upper halves.
// PACK-DAG: affine_map<(d0, d1, d2) -> (d1, d2 floordiv 16)>
// PACK-DAG: #[[LOW:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 2, d2, d3)>
// PACK-DAG: #[[HIGH:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 2 + 1, d2, d3)>
// PACK: linalg.pack {{.*}} -> tensor<2x4x32xf32>
// PACK: linalg.pack {{.*}} inner_tiles = [32, 4] {{.*}} -> tensor<2x16x32x4xi8>
// PACK: linalg.generic {indexing_maps = [#[[LOW]], #[[HIGH]], #{{.+}}], {{.*}} outs(%{{.+}} : tensor<2x8x32x4xi8>)
// PACK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<5x64xi8>, tensor<40x64xi8>, tensor<40x4xf32>)

// One vector load gives eight terms of sixteen columns.
// VNNI-LABEL: func.func @prepare
// VNNI: -> (tensor<2x4x32xf32>, tensor<2x8x32x4xi8>
// VNNI-LABEL: func.func @main
// VNNI: fx_kernel.invoke @[[KERNEL:kernel_[0-9]+]] {{.*}}tensor<2x8x32x4xi8>
// VNNI: func.func private @[[KERNEL]]
// VNNI-DAG: dense<-252645136> : vector<16xi32>
// VNNI: scf.for
// VNNI: vector.load {{.*}} vector<64xi8>
// VNNI: arith.shli {{.*}} : vector<16xi32>
// VNNI: arith.andi {{.*}} : vector<16xi32>
// VNNI: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// VNNI: arith.sitofp {{.*}} : vector<16xi32> to vector<16xf32>
// VNNI: vector.fma
func.func @main(%q: tensor<5x64xi8>, %p: tensor<40x64xi8> {fx.state = @p}, %t: tensor<40x4xf32> {fx.state = @t}) -> tensor<5x40xf32> {
  %zero = arith.constant 0.0 : f32
  %s = arith.constant 0.5 : f32
  %four = arith.constant 4 : i8
  %e0 = tensor.empty() : tensor<5x64xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<5x64xi8>) outs(%e0 : tensor<5x64xf32>) {
  ^bb0(%i: i8, %o: f32):
    %0 = arith.uitofp %i : i8 to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<5x64xf32>
  %e1 = tensor.empty() : tensor<40x64xi8>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<40x64xi8>) outs(%e1 : tensor<40x64xi8>) {
  ^bb0(%i: i8, %o: i8):
    %0 = arith.shli %i, %four : i8
    %1 = arith.shrsi %0, %four : i8
    linalg.yield %1 : i8
  } -> tensor<40x64xi8>
  %n3 = tensor.expand_shape %n [[0], [1, 2]] output_shape [40, 4, 16] : tensor<40x64xi8> into tensor<40x4x16xi8>
  %e2 = tensor.empty() : tensor<40x4x16xf32>
  %w3 = linalg.generic {indexing_maps = [#cube, #y, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%n3, %t : tensor<40x4x16xi8>, tensor<40x4xf32>) outs(%e2 : tensor<40x4x16xf32>) {
  ^bb0(%i: i8, %f: f32, %o: f32):
    %0 = arith.sitofp %i : i8 to f32
    %1 = arith.mulf %0, %f : f32
    linalg.yield %1 : f32
  } -> tensor<40x4x16xf32>
  %w = tensor.collapse_shape %w3 [[0], [1, 2]] : tensor<40x4x16xf32> into tensor<40x64xf32>
  %e3 = tensor.empty() : tensor<5x40xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<5x40xf32>) -> tensor<5x40xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %w : tensor<5x64xf32>, tensor<40x64xf32>) outs(%f3 : tensor<5x40xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<5x40xf32>
  return %r : tensor<5x40xf32>
}

// Without a contraction the groups become a dimension again.
// PACK-LABEL: func.func @alone
// PACK: tensor.expand_shape
// PACK: linalg.generic {{.*}}["parallel", "parallel", "parallel"]
// PACK: tensor.collapse_shape
func.func @alone(%p: tensor<40x64xi8> {fx.state = @p}, %t: tensor<40x4xf32> {fx.state = @t}) -> tensor<40x64xf32> {
  %n3 = tensor.expand_shape %p [[0], [1, 2]] output_shape [40, 4, 16] : tensor<40x64xi8> into tensor<40x4x16xi8>
  %e2 = tensor.empty() : tensor<40x4x16xf32>
  %w3 = linalg.generic {indexing_maps = [#cube, #y, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%n3, %t : tensor<40x4x16xi8>, tensor<40x4xf32>) outs(%e2 : tensor<40x4x16xf32>) {
  ^bb0(%i: i8, %f: f32, %o: f32):
    %0 = arith.sitofp %i : i8 to f32
    %1 = arith.mulf %0, %f : f32
    linalg.yield %1 : f32
  } -> tensor<40x4x16xf32>
  %w = tensor.collapse_shape %w3 [[0], [1, 2]] : tensor<40x4x16xf32> into tensor<40x64xf32>
  return %w : tensor<40x64xf32>
}

// Scales and zero points by group, and nibbles whose view is read: the products
// of zero points and scales are multiplied by the sums of the row's groups.
// FLAT-LABEL: func.func @zeros
// FLAT: linalg.transpose ins(%{{.+}} : tensor<8x1024xf32>) {{.*}} permutation = [1, 0]
// FLAT: linalg.transpose ins(%{{.+}} : tensor<8x1024xi8>) {{.*}} permutation = [1, 0]
// FLAT: linalg.generic {indexing_maps = [#[[ID]], #[[GROUP32:.+]], #[[GROUP32]], #[[ID]]]
// FLAT-NOT: tensor.collapse_shape {{.*}}xf32> into
// PACK-LABEL: func.func @zeros
// PACK-DAG: linalg.pack {{.*}} inner_tiles = [32, 4] {{.*}} -> tensor<32x64x32x4xi8>
// PACK-DAG: linalg.generic {{.*}} outs(%{{.+}} : tensor<32x32x32x4xi8>)
// PACK-DAG: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<1024x8xi8>, tensor<1024x8xf32>)
// PACK-DAG: linalg.generic {{.*}} ins(%{{.+}} : tensor<1x8x32xf32>)
// PACK-DAG: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<1x8xf32>, tensor<1024x8xf32>)
// PACK: arith.subf
func.func @zeros(%x: tensor<1x256xf32>, %p: tensor<4x256x256xi8> {fx.state = @p}, %t: tensor<8x1024xf32> {fx.state = @t}, %z: tensor<8x1024xi8> {fx.state = @z}) -> tensor<1x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4 : i8
  %e1 = tensor.empty() : tensor<4x256x256xi8>
  %n = linalg.generic {indexing_maps = [#cube, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<4x256x256xi8>) outs(%e1 : tensor<4x256x256xi8>) {
  ^bb0(%i: i8, %o: i8):
    %0 = arith.shli %i, %four : i8
    %1 = arith.shrsi %0, %four : i8
    linalg.yield %1 : i8
  } -> tensor<4x256x256xi8>
  %n2 = tensor.collapse_shape %n [[0, 1], [2]] : tensor<4x256x256xi8> into tensor<1024x256xi8>
  %n3 = tensor.expand_shape %n2 [[0], [1, 2]] output_shape [1024, 8, 32] : tensor<1024x256xi8> into tensor<1024x8x32xi8>
  %e2 = tensor.empty() : tensor<1024x8x32xf32>
  %w3 = linalg.generic {indexing_maps = [#cube, #t, #t, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%n3, %t, %z : tensor<1024x8x32xi8>, tensor<8x1024xf32>, tensor<8x1024xi8>) outs(%e2 : tensor<1024x8x32xf32>) {
  ^bb0(%i: i8, %f: f32, %g: i8, %o: f32):
    %0 = arith.sitofp %i : i8 to f32
    %1 = arith.sitofp %g : i8 to f32
    %2 = arith.subf %0, %1 : f32
    %3 = arith.mulf %2, %f : f32
    linalg.yield %3 : f32
  } -> tensor<1024x8x32xf32>
  %w = tensor.collapse_shape %w3 [[0], [1, 2]] : tensor<1024x8x32xf32> into tensor<1024x256xf32>
  %e3 = tensor.empty() : tensor<1x1024xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x256xf32>, tensor<1024x256xf32>) outs(%f3 : tensor<1x1024xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x1024xf32>
  return %r : tensor<1x1024xf32>
}
