// RUN: fx-opt %s --fx-lower-float8=products=true --canonicalize --split-input-file | FileCheck %s --check-prefixes=CHECK,KEPT
// RUN: fx-opt %s --fx-lower-float8 --canonicalize --split-input-file | FileCheck %s --check-prefixes=CHECK,BF16
// RUN: fx-opt %s --fx-lower-float8=products=true --fx-lower-float8 --canonicalize --split-input-file | FileCheck %s --check-prefixes=CHECK,NONE

// A matmul of bf16 whose operands are eight-bit floats multiplies these. They are bytes; only the
// body says what they are. The pass without the option expands it again.
// CHECK-LABEL: func.func @product
// KEPT-SAME: (%[[X:.*]]: tensor<64x32xi8>, %[[Y:.*]]: tensor<48x32xi8>)
// KEPT-NOT: bf16
// KEPT: linalg.generic
// KEPT-SAME: ins(%[[X]], %[[Y]] : tensor<64x32xi8>, tensor<48x32xi8>)
// KEPT-NEXT: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8, %[[SUM:.*]]: f32):
// KEPT: %[[P:.*]] = arith.bitcast %[[A]] : i8 to f8E4M3FN
// KEPT: %[[PX:.*]] = arith.extf %[[P]] : f8E4M3FN to f32
// KEPT: %[[Q:.*]] = arith.bitcast %[[B]] : i8 to f8E5M2
// KEPT: %[[QX:.*]] = arith.extf %[[Q]] : f8E5M2 to f32
// KEPT: arith.mulf %[[PX]], %[[QX]] {fx_kernel.fast_sums} : f32
// BF16: linalg.generic
// BF16: arith.truncf %{{.*}} : f32 to bf16
// BF16: linalg.generic
// BF16: ins(%{{.*}} : tensor<64x32xbf16>, tensor<48x32xbf16>)
// NONE-NOT: bf16
// NONE: ins(%{{.*}} : tensor<64x32xi8>, tensor<48x32xi8>)
// NONE-NOT: f8E
// CHECK: return
#id = affine_map<(i, j) -> (i, j)>
#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>
func.func @product(%x: tensor<64x32xf8E4M3FN>, %y: tensor<48x32xf8E5M2>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<64x32xbf16>
  %ey = tensor.empty() : tensor<48x32xbf16>
  %er = tensor.empty() : tensor<64x48xf32>
  %xb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x32xf8E4M3FN>) outs(%ex : tensor<64x32xbf16>) {
  ^bb0(%a: f8E4M3FN, %o: bf16):
    %0 = arith.extf %a : f8E4M3FN to f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<64x32xbf16>
  %yb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<48x32xf8E5M2>) outs(%ey : tensor<48x32xbf16>) {
  ^bb0(%a: f8E5M2, %o: bf16):
    %0 = arith.extf %a : f8E5M2 to bf16
    linalg.yield %0 : bf16
  } -> tensor<48x32xbf16>
  %f = linalg.fill ins(%zero : f32) outs(%er : tensor<64x48xf32>) -> tensor<64x48xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xb, %yb : tensor<64x32xbf16>, tensor<48x32xbf16>) outs(%f : tensor<64x48xf32>) attrs = {fx_kernel.fast_sums, fx_kernel.float8} {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

// 24 terms are no whole chunks of 16 bytes.
// CHECK-LABEL: func.func @odd
// BF16-NOT: f8E
// CHECK: ins(%{{.*}} : tensor<64x24xbf16>, tensor<48x24xbf16>)
#id = affine_map<(i, j) -> (i, j)>
#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>
func.func @odd(%x: tensor<64x24xf8E4M3FN>, %y: tensor<48x24xf8E4M3FN>, %er: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<64x24xbf16>
  %ey = tensor.empty() : tensor<48x24xbf16>
  %xb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x24xf8E4M3FN>) outs(%ex : tensor<64x24xbf16>) {
  ^bb0(%a: f8E4M3FN, %o: bf16):
    %0 = arith.extf %a : f8E4M3FN to bf16
    linalg.yield %0 : bf16
  } -> tensor<64x24xbf16>
  %yb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<48x24xf8E4M3FN>) outs(%ey : tensor<48x24xbf16>) {
  ^bb0(%a: f8E4M3FN, %o: bf16):
    %0 = arith.extf %a : f8E4M3FN to bf16
    linalg.yield %0 : bf16
  } -> tensor<48x24xbf16>
  %f = linalg.fill ins(%zero : f32) outs(%er : tensor<64x48xf32>) -> tensor<64x48xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xb, %yb : tensor<64x24xbf16>, tensor<48x24xbf16>) outs(%f : tensor<64x48xf32>) attrs = {fx_kernel.float8} {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}
