// RUN: fx-opt %s --split-input-file --fx-pad-channels | FileCheck %s
// RUN: fx-opt %s --split-input-file --fx-pad-channels=pairs=true | FileCheck %s --check-prefix=PAIRS

#x = affine_map<(n, h, w, f, r, s, c) -> (n, h * 2 + r, w * 2 + s, c)>
#y = affine_map<(n, h, w, f, r, s, c) -> (r, s, c, f)>
#p = affine_map<(n, h, w, f, r, s, c) -> (n, h, w, f)>

// Two columns of four channels are 16 bytes. The three columns of a window are
// 12 elements, which four zeros make 16: the last window of a line needs a
// column more than the image had.
// CHECK-DAG: #[[LEFT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 8 + d5)>
// CHECK-DAG: #[[RIGHT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d3)>
// CHECK-LABEL: func.func @image
// CHECK-SAME: %[[X:.*]]: tensor<2x8x9x3xbf16>, %[[Y:.*]]: tensor<3x3x3x16xbf16>
// CHECK: %[[IMAGE:.*]] = tensor.pad %[[X]] low[0, 1, 1, 0] high[0, 1, 2, 1]
// CHECK: tensor<2x8x9x3xbf16> to tensor<2x10x12x4xbf16>
// CHECK: %[[LINES:.*]] = tensor.collapse_shape %[[IMAGE]] {{.}}[0], [1], [2, 3]] : tensor<2x10x12x4xbf16> into tensor<2x10x48xbf16>
// CHECK: %[[WEIGHT:.*]] = tensor.pad %[[Y]] low[0, 0, 0, 0] high[0, 0, 1, 0]
// CHECK: tensor<3x3x3x16xbf16> to tensor<3x3x4x16xbf16>
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[WEIGHT]] {{.}}[0], [1, 2], [3]] : tensor<3x3x4x16xbf16> into tensor<3x12x16xbf16>
// CHECK: %[[WHOLE:.*]] = tensor.pad %[[ROWS]] low[0, 0, 0] high[0, 4, 0]
// CHECK: tensor<3x12x16xbf16> to tensor<3x16x16xbf16>
// CHECK: linalg.generic {indexing_maps = [#[[LEFT]], #[[RIGHT]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[LINES]], %[[WHOLE]] : tensor<2x10x48xbf16>, tensor<3x16x16xbf16>) outs({{.*}} : tensor<2x4x5x16xf32>)
// With pairs, four.
// PAIRS-LABEL: func.func @image
// PAIRS: tensor<2x8x9x3xbf16> to tensor<2x10x11x4xbf16>
// PAIRS: tensor<3x3x3x16xbf16> to tensor<3x3x4x16xbf16>
func.func @image(%x: tensor<2x8x9x3xbf16>, %y: tensor<3x3x3x16xbf16>) -> tensor<2x4x5x16xf32> {
  %none = arith.constant 0.0 : bf16
  %pad = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : bf16
  } : tensor<2x8x9x3xbf16> to tensor<2x10x11x3xbf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x5x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x5x16xf32>) -> tensor<2x4x5x16xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%pad, %y : tensor<2x10x11x3xbf16>, tensor<3x3x3x16xbf16>) outs(%f : tensor<2x4x5x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x4x5x16xf32>
  return %r : tensor<2x4x5x16xf32>
}

// -----

#x = affine_map<(n, h, w, f, r, s, c) -> (n, h + r, w + s, c)>
#y = affine_map<(n, h, w, f, r, s, c) -> (r, s, c, f)>
#p = affine_map<(n, h, w, f, r, s, c) -> (n, h, w, f)>

// Four channels of f32 are 16 bytes. Of 3 channels, the copy is also returned.
// CHECK-LABEL: func.func @others
// CHECK: high[0, 1, 1, 0]
// CHECK: high[0, 1, 1, 0]
// CHECK-NOT: tensor.pad
// f32 has no pairs.
// PAIRS-LABEL: func.func @others
// PAIRS-NOT: x4xbf16
// PAIRS-NOT: to tensor<3x3x4x4xf32>
func.func @others(%x: tensor<1x4x4x4xf32>, %y: tensor<3x3x4x4xf32>, %u: tensor<1x4x4x3xf32>, %v: tensor<3x3x3x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x6x6x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %pad = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x4x4x4xf32> to tensor<1x6x6x4xf32>
  %other = tensor.pad %u low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x4x4x3xf32> to tensor<1x6x6x3xf32>
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%pad, %y : tensor<1x6x6x4xf32>, tensor<3x3x4x4xf32>) outs(%f : tensor<1x4x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x4x4x4xf32>
  %s = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%other, %v : tensor<1x6x6x3xf32>, tensor<3x3x3x4xf32>) outs(%f : tensor<1x4x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x4x4x4xf32>
  return %r, %s, %other : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x6x6x3xf32>
}

// -----

#x = affine_map<(n, h, w, f, r, s, c) -> (n, h + r, w + s, c)>
#y = affine_map<(n, h, w, f, r, s, c) -> (r, s, c, f)>
#p = affine_map<(n, h, w, f, r, s, c) -> (n, h, w, f)>

// A stride of one column fills no chunk of fewer channels: three become eight,
// which are 16 bytes.
// PAIRS-LABEL: func.func @dense
// CHECK-LABEL: func.func @dense
// CHECK-SAME: %[[X:.*]]: tensor<2x8x9x3xbf16>, %[[Y:.*]]: tensor<3x3x3x16xbf16>
// CHECK: %[[IMAGE:.*]] = tensor.pad %[[X]] low[0, 1, 1, 0] high[0, 1, 1, 5]
// CHECK: tensor<2x8x9x3xbf16> to tensor<2x10x11x8xbf16>
// CHECK: %[[WEIGHT:.*]] = tensor.pad %[[Y]] low[0, 0, 0, 0] high[0, 0, 5, 0]
// CHECK: tensor<3x3x3x16xbf16> to tensor<3x3x8x16xbf16>
// CHECK: linalg.generic {{.*}} ins(%[[IMAGE]], %[[WEIGHT]] : tensor<2x10x11x8xbf16>, tensor<3x3x8x16xbf16>) outs({{.*}} : tensor<2x8x9x16xf32>)
func.func @dense(%x: tensor<2x8x9x3xbf16>, %y: tensor<3x3x3x16xbf16>) -> tensor<2x8x9x16xf32> {
  %none = arith.constant 0.0 : bf16
  %pad = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : bf16
  } : tensor<2x8x9x3xbf16> to tensor<2x10x11x3xbf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x9x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x9x16xf32>) -> tensor<2x8x9x16xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%pad, %y : tensor<2x10x11x3xbf16>, tensor<3x3x3x16xbf16>) outs(%f : tensor<2x8x9x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x8x9x16xf32>
  return %r : tensor<2x8x9x16xf32>
}
