// RUN: fx-opt %s --fx-cpu-widen-halves --cse | FileCheck %s

// The left operand is extended to f32 once, for both matmuls. The right
// operand, whose columns a kernel loads, is not extended.
// CHECK-LABEL: func.func @products
// CHECK-SAME: %[[X:[^:]+]]: tensor<8x16xbf16>, %[[W:[^:]+]]: tensor<16x32xbf16>
// CHECK: %[[F:.+]] = linalg.generic {{.*}} ins(%[[X]] : tensor<8x16xbf16>) outs({{.*}} : tensor<8x16xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.extf
// CHECK: linalg.generic {{.*}} ins(%[[F]], %[[W]] : tensor<8x16xf32>, tensor<16x32xbf16>)
// CHECK-NEXT: ^bb0(%[[A:.+]]: f32, %[[B:.+]]: bf16, %{{.+}}: f32)
// CHECK-NEXT: %[[E:.+]] = arith.extf %[[B]]
// CHECK-NEXT: arith.mulf %[[A]], %[[E]]
// CHECK: linalg.generic {{.*}} ins(%[[F]],
func.func @products(%x: tensor<8x16xbf16>, %w: tensor<16x32xbf16>, %v: tensor<16x32xbf16>, %init: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x16xbf16>, tensor<16x32xbf16>) outs(%init : tensor<8x32xf32>) {
  ^bb0(%a: bf16, %b: bf16, %acc: f32):
    %af = arith.extf %a : bf16 to f32
    %bf = arith.extf %b : bf16 to f32
    %m = arith.mulf %af, %bf : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %v : tensor<8x16xbf16>, tensor<16x32xbf16>) outs(%init : tensor<8x32xf32>) {
  ^bb0(%a: bf16, %b: bf16, %acc: f32):
    %af = arith.extf %a : bf16 to f32
    %bf = arith.extf %b : bf16 to f32
    %m = arith.mulf %af, %bf : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  return %0, %1 : tensor<8x32xf32>, tensor<8x32xf32>
}

// A padded operand is extended to f32 before the padding.
// CHECK-LABEL: func.func @padded
// CHECK-DAG: %[[Z:.+]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG: %[[F:.+]] = linalg.generic {{.*}} outs({{.*}} : tensor<8x14xf32>)
// CHECK: %[[P:.+]] = tensor.pad %[[F]] low[0, 1] high[0, 1]
// CHECK: tensor.yield %[[Z]] : f32
// CHECK: linalg.generic {{.*}} ins(%[[P]],
func.func @padded(%x: tensor<8x14xf16>, %w: tensor<16x32xf16>, %init: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %half = arith.constant 0.5 : f16
  %p = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %half : f16
  } : tensor<8x14xf16> to tensor<8x16xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %w : tensor<8x16xf16>, tensor<16x32xf16>) outs(%init : tensor<8x32xf32>) {
  ^bb0(%a: f16, %b: f16, %acc: f32):
    %af = arith.extf %a : f16 to f32
    %bf = arith.extf %b : f16 to f32
    %m = arith.mulf %af, %bf : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}
