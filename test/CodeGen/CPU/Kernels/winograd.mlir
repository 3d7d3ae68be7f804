// RUN: fx-opt %s --fx-cpu-winograd="lanes=16 mode=f4" | FileCheck %s
// RUN: fx-opt %s --fx-cpu-winograd="lanes=16 mode=f2" | FileCheck %s --check-prefix=F2
// RUN: fx-opt %s --fx-cpu-winograd="lanes=16 mode=off" | FileCheck %s --check-prefix=OFF

#x = affine_map<(n, h, w, k, r, s, c) -> (n, h + r, w + s, c)>
#strided = affine_map<(n, h, w, k, r, s, c) -> (n, h * 2 + r, w * 2 + s, c)>
#f = affine_map<(n, h, w, k, r, s, c) -> (r, s, c, k)>
#y = affine_map<(n, h, w, k, r, s, c) -> (n, h, w, k)>

// The filter is transformed and packed. 14 rows become four tiles of 4, so the
// pixels are padded by two.
// CHECK-LABEL: func.func @convolution
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x16x16x32xf32>, %[[W:[^:]+]]: tensor<3x3x32x64xf32>
// CHECK: %[[PADDED:.+]] = tensor.pad %[[X]] low[0, 0, 0, 0] high[0, 2, 2, 0]
// CHECK: %[[P:.+]] = linalg.pack %{{.+}} outer_dims_perm = [0, 2, 1] inner_dims_pos = [2] inner_tiles = [32] into %{{.+}} : tensor<36x32x64xf32> -> tensor<36x2x32x32xf32>
// CHECK: %[[U:.+]] = fx_kernel.unpack %[[P]]
// CHECK: %[[F:.+]] = fx_kernel.untransform %[[U]] tile = 4 : tensor<36x32x64xf32> -> tensor<3x3x32x64xf32>
// CHECK: linalg.generic {{.*}} ins(%[[PADDED]], %[[F]]
// F2-LABEL: func.func @convolution
// F2: fx_kernel.untransform %{{.+}} tile = 2 : tensor<16x32x64xf32> -> tensor<3x3x32x64xf32>
// OFF-LABEL: func.func @convolution
// OFF-NOT: fx_kernel
func.func @convolution(%x: tensor<?x16x16x32xf32>, %w: tensor<3x3x32x64xf32> {fx.state = @w}, %init: tensor<?x14x14x64xf32>) -> tensor<?x14x14x64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<?x16x16x32xf32>, tensor<3x3x32x64xf32>) outs(%init : tensor<?x14x14x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x14x14x64xf32>
  return %r : tensor<?x14x14x64xf32>
}

// A filter that is no weight, and a stride, are left as they are.
// CHECK-LABEL: func.func @no_weight
// CHECK-NOT: fx_kernel
// CHECK-LABEL: func.func @strided
// CHECK-NOT: fx_kernel
func.func @no_weight(%x: tensor<1x16x16x32xf32>, %w: tensor<3x3x32x64xf32>, %init: tensor<1x14x14x64xf32>) -> tensor<1x14x14x64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x16x16x32xf32>, tensor<3x3x32x64xf32>) outs(%init : tensor<1x14x14x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x14x14x64xf32>
  return %r : tensor<1x14x14x64xf32>
}
func.func @strided(%x: tensor<1x29x29x32xf32>, %w: tensor<3x3x32x64xf32> {fx.state = @w}, %init: tensor<1x14x14x64xf32>) -> tensor<1x14x14x64xf32> {
  %r = linalg.generic {indexing_maps = [#strided, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x29x29x32xf32>, tensor<3x3x32x64xf32>) outs(%init : tensor<1x14x14x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x14x14x64xf32>
  return %r : tensor<1x14x14x64xf32>
}
