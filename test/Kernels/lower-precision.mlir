// RUN: fx-opt %s --fx-lower-precision --split-input-file | FileCheck %s

// The operands are rounded; products and sums are f32.
// CHECK-LABEL: func.func @matmul
// CHECK-COUNT-2: arith.truncf {{.*}} : f32 to bf16
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<16x8xbf16>, tensor<8x20xbf16>) outs(%{{.*}} : tensor<16x20xf32>)
// CHECK: ^bb0(%[[X:.*]]: bf16, %[[Y:.*]]: bf16, %[[O:.*]]: f32)
// CHECK-DAG: %[[A:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK-DAG: %[[B:.*]] = arith.extf %[[Y]] : bf16 to f32
// CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[B]] : f32
// CHECK: arith.addf %[[O]], %[[P]] : f32
func.func @matmul(%x: tensor<16x8xf32>, %y: tensor<8x20xf32>, %o: tensor<16x20xf32>) -> tensor<16x20xf32> {
  %r = linalg.matmul ins(%x, %y : tensor<16x8xf32>, tensor<8x20xf32>) outs(%o : tensor<16x20xf32>) -> tensor<16x20xf32>
  return %r : tensor<16x20xf32>
}

// -----

// An operand of two matmuls is rounded once; a padded image, before the pad.
// CHECK-LABEL: func.func @conv
// CHECK-SAME: %[[IMAGE:[a-z0-9]+]]: tensor<1x3x6x6xf32>
// CHECK: %[[ROUNDED:.*]] = linalg.generic {{.*}} ins(%[[IMAGE]] : tensor<1x3x6x6xf32>)
// CHECK: tensor.pad %[[ROUNDED]]
// CHECK: tensor<1x3x6x6xbf16> to tensor<1x3x8x8xbf16>
// CHECK-COUNT-2: ins(%{{.*}}, %{{.*}} : tensor<1x3x8x8xbf16>, tensor<32x3x3x3xbf16>)
// CHECK-NOT: truncf
func.func @conv(%x: tensor<1x3x6x6xf32>, %v: tensor<32x3x3x3xf32> {fx.state = @v}, %w: tensor<32x3x3x3xf32> {fx.state = @w}, %o: tensor<1x32x6x6xf32>) -> (tensor<1x32x6x6xf32>, tensor<1x32x6x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x3x6x6xf32> to tensor<1x3x8x8xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%p, %v : tensor<1x3x8x8xf32>, tensor<32x3x3x3xf32>) outs(%o : tensor<1x32x6x6xf32>) -> tensor<1x32x6x6xf32>
  %s = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x3x8x8xf32>, tensor<32x3x3x3xf32>) outs(%o : tensor<1x32x6x6xf32>) -> tensor<1x32x6x6xf32>
  return %r, %s : tensor<1x32x6x6xf32>, tensor<1x32x6x6xf32>
}

// -----

// Depthwise convolutions, dot products and quantized weights keep f32; so do
// matmuls of another dtype. The product with a quantized weight is marked.
// CHECK-LABEL: func.func @others
// CHECK-NOT: bf16
// CHECK: arith.sitofp
// CHECK-NOT: bf16
// CHECK: arith.mulf {{.*}} {fx_kernel.bf16} : f32
// CHECK-NOT: bf16
#m = affine_map<(d0, d1, d2) -> (d0, d2)>
#n = affine_map<(d0, d1, d2) -> (d2, d1)>
#o = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @others(%x: tensor<1x6x6x4xf32>, %w: tensor<3x3x4xf32>, %o: tensor<1x4x4x4xf32>,
                  %a: tensor<8xf32>, %b: tensor<f32>,
                  %q: tensor<8x20xi8>, %y: tensor<16x8xf32>, %z: tensor<16x20xf32>,
                  %d: tensor<4x8xf64>, %e: tensor<8x5xf64>, %f: tensor<4x5xf64>)
    -> (tensor<1x4x4x4xf32>, tensor<f32>, tensor<16x20xf32>, tensor<4x5xf64>) {
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x6x6x4xf32>, tensor<3x3x4xf32>) outs(%o : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %s = linalg.dot ins(%a, %a : tensor<8xf32>, tensor<8xf32>) outs(%b : tensor<f32>) -> tensor<f32>
  %empty = tensor.empty() : tensor<8x20xf32>
  %dq = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<8x20xi8>) outs(%empty : tensor<8x20xf32>) {
  ^bb0(%i: i8, %j: f32):
    %c = arith.sitofp %i : i8 to f32
    linalg.yield %c : f32
  } -> tensor<8x20xf32>
  %t = linalg.generic {indexing_maps = [#m, #n, #o], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %dq : tensor<16x8xf32>, tensor<8x20xf32>) outs(%z : tensor<16x20xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32):
    %p = arith.mulf %i, %j : f32
    %c = arith.addf %k, %p : f32
    linalg.yield %c : f32
  } -> tensor<16x20xf32>
  %u = linalg.matmul ins(%d, %e : tensor<4x8xf64>, tensor<8x5xf64>) outs(%f : tensor<4x5xf64>) -> tensor<4x5xf64>
  return %r, %s, %t, %u : tensor<1x4x4x4xf32>, tensor<f32>, tensor<16x20xf32>, tensor<4x5xf64>
}

// -----

// One row: a weight is rounded, a cache is not.
// CHECK-LABEL: func.func @decode
// CHECK-SAME: %{{.*}}: tensor<1x64xf32>, %[[W:[a-z0-9]+]]: tensor<64x32xf32>
// CHECK: arith.truncf
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x64xbf16>, tensor<64x32xbf16>)
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<1x64xf32>, tensor<64x32xf32>)
func.func @decode(%x: tensor<1x64xf32>, %w: tensor<64x32xf32> {fx.state = @w}, %cache: tensor<64x32xf32> {fx.state = @cache, fx.mutable},
                  %o: tensor<1x32xf32>) -> (tensor<1x32xf32>, tensor<1x32xf32>) {
  %r = linalg.matmul ins(%x, %w : tensor<1x64xf32>, tensor<64x32xf32>) outs(%o : tensor<1x32xf32>) -> tensor<1x32xf32>
  %s = linalg.matmul ins(%x, %cache : tensor<1x64xf32>, tensor<64x32xf32>) outs(%o : tensor<1x32xf32>) -> tensor<1x32xf32>
  return %r, %s : tensor<1x32xf32>, tensor<1x32xf32>
}

// -----

// The sum of a residual block is stored once, rounded: the next sum reads it,
// too. The result of the function and the reduction read f32.
// CHECK-LABEL: func.func @residual
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x32x6x6xf32>, tensor<1x32x6x6xf32>)
// CHECK: %[[ROUNDED:.*]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<1x32x6x6xf32>) outs(%{{.*}} : tensor<1x32x6x6xbf16>)
// CHECK: %[[READ:.*]] = linalg.generic {{.*}} ins(%[[ROUNDED]] : tensor<1x32x6x6xbf16>) outs(%{{.*}} : tensor<1x32x6x6xf32>)
// CHECK: linalg.reduce ins(%[[SUM]] :
// CHECK: tensor.pad %[[ROUNDED]]
// CHECK: %[[CONV:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x32x8x8xbf16>, tensor<32x32x3x3xbf16>)
// CHECK: linalg.generic {{.*}} ins(%[[CONV]], %[[READ]] : tensor<1x32x6x6xf32>, tensor<1x32x6x6xf32>)
// CHECK: return %{{.*}}, %[[SUM]],
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @residual(%x: tensor<1x32x6x6xf32>, %y: tensor<1x32x6x6xf32>, %w: tensor<32x32x3x3xf32> {fx.state = @w}, %o: tensor<1x32x6x6xf32>, %p: tensor<1x32x6xf32>) -> (tensor<1x32x6x6xf32>, tensor<1x32x6x6xf32>, tensor<1x32x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %y : tensor<1x32x6x6xf32>, tensor<1x32x6x6xf32>) outs(%o : tensor<1x32x6x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x32x6x6xf32>
  %means = linalg.reduce ins(%sum : tensor<1x32x6x6xf32>) outs(%p : tensor<1x32x6xf32>) dimensions = [3]
    (%a: f32, %b: f32) {
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    }
  %pad = tensor.pad %sum low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x32x6x6xf32> to tensor<1x32x8x8xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%pad, %w : tensor<1x32x8x8xf32>, tensor<32x32x3x3xf32>) outs(%o : tensor<1x32x6x6xf32>) -> tensor<1x32x6x6xf32>
  %next = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r, %sum : tensor<1x32x6x6xf32>, tensor<1x32x6x6xf32>) outs(%o : tensor<1x32x6x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x32x6x6xf32>
  return %next, %sum, %means : tensor<1x32x6x6xf32>, tensor<1x32x6x6xf32>, tensor<1x32x6xf32>
}

// -----

// A kernel of the whole attention rounds the operands itself.
// CHECK-LABEL: func.func @scores
// CHECK-COUNT-1: arith.truncf {{.*}} : f32 to bf16
// CHECK-NOT: truncf
// CHECK: ins(%{{.*}}, %{{.*}} : tensor<4x?x32xf32>, tensor<4x96x32xf32>)
// CHECK-NOT: fx.keep_f32
// CHECK: arith.mulf %{{.*}}, %{{.*}} {fx_kernel.bf16} : f32
// CHECK: ins(%{{.*}}, %{{.*}} : tensor<4x96x32xbf16>, tensor<4x96x32xbf16>)
#q = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#k = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#s = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
func.func @scores(%q: tensor<4x?x32xf32>, %k: tensor<4x96x32xf32>, %o: tensor<4x?x96xf32>, %p: tensor<4x96x32xf32>, %r: tensor<4x96x96xf32>) -> (tensor<4x?x96xf32>, tensor<4x96x96xf32>) {
  %cache = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<4x?x32xf32>, tensor<4x96x32xf32>) outs(%o : tensor<4x?x96xf32>) attrs = {fx.attention = 0, fx.keep_f32} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x?x96xf32>
  %square = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %p : tensor<4x96x32xf32>, tensor<4x96x32xf32>) outs(%r : tensor<4x96x96xf32>) attrs = {fx.attention = 1} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x96x96xf32>
  return %cache, %square : tensor<4x?x96xf32>, tensor<4x96x96xf32>
}
