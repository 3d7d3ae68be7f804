// RUN: fx-opt %s --split-input-file --fx-transpose-weights | FileCheck %s

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#p = affine_map<(m, n, k) -> (m, n)>

// The terms become the last dimension of the weight.
// CHECK-DAG: #[[ALONG:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @matmul
// CHECK-SAME: %{{.*}}: tensor<?x64xf32>, %[[Y:.*]]: tensor<64x96xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<96x64xf32>
// CHECK: %[[WEIGHT:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<64x96xf32>) outs(%[[EMPTY]] : tensor<96x64xf32>)
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[ALONG]], #{{.*}}], {{.*}} ins(%{{.*}}, %[[WEIGHT]] : tensor<?x64xf32>, tensor<96x64xf32>)
func.func @matmul(%x: tensor<?x64xf32>, %y: tensor<64x96xf32> {fx.state = @w}, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %0 = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<?x64xf32>, tensor<64x96xf32>) outs(%out : tensor<?x96xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x96xf32>
  return %0 : tensor<?x96xf32>
}

// -----

#x = affine_map<(n, h, w, f, r, s, c) -> (n, h + r, w + s, c)>
#y = affine_map<(n, h, w, f, r, s, c) -> (r, s, c, f)>
#p = affine_map<(n, h, w, f, r, s, c) -> (n, h, w, f)>

// CHECK-DAG: #[[ALONG:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3, d4, d5, d6)>
// CHECK-LABEL: func.func @convolution
// CHECK: %[[WEIGHT:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<24x3x3x16xf32>)
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[ALONG]], #{{.*}}], {{.*}} ins(%{{.*}}, %[[WEIGHT]] :
func.func @convolution(%x: tensor<2x10x10x16xf32>, %y: tensor<3x3x16x24xf32> {fx.state = @w}, %out: tensor<2x8x8x24xf32>) -> tensor<2x8x8x24xf32> {
  %0 = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %y : tensor<2x10x10x16xf32>, tensor<3x3x16x24xf32>) outs(%out : tensor<2x8x8x24xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x8x8x24xf32>
  return %0 : tensor<2x8x8x24xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#z = affine_map<(m, n, k) -> (n, k)>
#p = affine_map<(m, n, k) -> (m, n)>

// Few rows, an operand that is no weight, and a weight along the terms.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: linalg.generic
func.func @others(%few: tensor<127x64xf32>, %many: tensor<128x64xf32>, %input: tensor<64x96xf32>, %y: tensor<64x96xf32> {fx.state = @w}, %z: tensor<96x64xf32> {fx.state = @v}, %f: tensor<127x96xf32>, %m: tensor<128x96xf32>) -> (tensor<127x96xf32>, tensor<128x96xf32>, tensor<128x96xf32>) {
  %0 = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "reduction"]} ins(%few, %y : tensor<127x64xf32>, tensor<64x96xf32>) outs(%f : tensor<127x96xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<127x96xf32>
  %3 = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "reduction"]} ins(%many, %input : tensor<128x64xf32>, tensor<64x96xf32>) outs(%m : tensor<128x96xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<128x96xf32>
  %4 = linalg.generic {indexing_maps = [#x, #z, #p], iterator_types = ["parallel", "parallel", "reduction"]} ins(%many, %z : tensor<128x64xf32>, tensor<96x64xf32>) outs(%m : tensor<128x96xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<128x96xf32>
  return %0, %3, %4 : tensor<127x96xf32>, tensor<128x96xf32>, tensor<128x96xf32>
}
