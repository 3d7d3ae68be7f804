// RUN: fx-opt %s --fx-cpu-winograd="lanes=16 cpu=icelake-server" | FileCheck %s
// RUN: fx-opt %s --fx-cpu-winograd="lanes=16 cpu=znver4" | FileCheck %s --check-prefix=OTHER

#x = affine_map<(h, w, k, r, s, c) -> (h + r, w + s, c)>
#f = affine_map<(h, w, k, r, s, c) -> (r, s, c, k)>
#y = affine_map<(h, w, k, r, s, c) -> (h, w, k)>

// Few tiles of pixels wait for the filters, of which F(4 x 4) has four times as
// many as the direct convolution.
// CHECK-LABEL: func.func @few
// CHECK: fx_kernel.untransform %{{.+}} tile = 2
// OTHER-LABEL: func.func @few
// OTHER: fx_kernel.untransform %{{.+}} tile = 4
func.func @few(%x: tensor<16x16x256xf32>, %w: tensor<3x3x256x256xf32> {fx.state = @w}) -> tensor<14x14x256xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<14x14x256xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<14x14x256xf32>) -> tensor<14x14x256xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<16x16x256xf32>, tensor<3x3x256x256xf32>) outs(%i : tensor<14x14x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<14x14x256xf32>
  return %r : tensor<14x14x256xf32>
}

// CHECK-LABEL: func.func @fewer
// CHECK-NOT: fx_kernel.untransform
// CHECK: return
// OTHER-LABEL: func.func @fewer
// OTHER: fx_kernel.untransform %{{.+}} tile = 4
func.func @fewer(%x: tensor<9x9x512xf32>, %w: tensor<3x3x512x512xf32> {fx.state = @w}) -> tensor<7x7x512xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x7x512xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<7x7x512xf32>) -> tensor<7x7x512xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<9x9x512xf32>, tensor<3x3x512x512xf32>) outs(%i : tensor<7x7x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<7x7x512xf32>
  return %r : tensor<7x7x512xf32>
}
