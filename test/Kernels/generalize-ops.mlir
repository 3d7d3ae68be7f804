// RUN: fx-opt %s --fx-generalize-ops | FileCheck %s

// Bodies have arithmetic instead of affine.apply.
// CHECK-LABEL: func.func @heads
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[SCALED:.*]] = arith.muli %[[I]], %{{.*}} : index
// CHECK: %[[HEAD:.*]] = arith.addi %[[J]], %[[SCALED]] : index
// CHECK: tensor.extract %{{.*}}[%[[HEAD]]]
// CHECK-NOT: affine.apply
// CHECK: return
func.func @heads(%x: tensor<12xf32>) -> tensor<3x4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<3x4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %at = affine.apply affine_map<()[s0, s1] -> (s1 + s0 * 4)>()[%i, %j]
    %v = tensor.extract %x[%at] : tensor<12xf32>
    linalg.yield %v : f32
  } -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}
