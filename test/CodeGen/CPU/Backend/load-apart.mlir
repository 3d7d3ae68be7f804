// RUN: fx-opt %s --fx-form-kernels --fx-cpu-select-schedules --fx-cpu-emit-kernels --cse --canonicalize | FileCheck %s

// Every second element: two vector loads and a shuffle. The second vector ends
// with the last element.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.for
// CHECK: vector.load
// CHECK: vector.load
// CHECK: vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31] : vector<16xf32>, vector<16xf32>
// CHECK-NOT: vector.gather
// CHECK: return
func.func @pairs(%x: tensor<32x2xf32>) -> tensor<32xf32> {
  %e = tensor.empty() : tensor<32xf32>
  %first = tensor.extract_slice %x[0, 0] [32, 1] [1, 1] : tensor<32x2xf32> to tensor<32xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%first : tensor<32xf32>) outs(%e : tensor<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// Backwards: one vector load and a shuffle that reverses it.
// CHECK-LABEL: func.func private @kernel_1
// CHECK: scf.for
// CHECK: vector.load
// CHECK: vector.shuffle {{.*}} [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0] : vector<16xf32>, vector<16xf32>
// CHECK-NOT: vector.gather
// CHECK: return
func.func @flip(%x: tensor<32xf32>) -> tensor<32xf32> {
  %last = arith.constant 31 : index
  %e = tensor.empty() : tensor<32xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<32xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = arith.subi %last, %i : index
    %a = tensor.extract %x[%j] : tensor<32xf32>
    linalg.yield %a : f32
  } -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// Elements that are too far apart are gathered.
// CHECK-LABEL: func.func private @kernel_2
// CHECK: vector.gather
// CHECK: return
func.func @fives(%x: tensor<32x5xf32>) -> tensor<32xf32> {
  %e = tensor.empty() : tensor<32xf32>
  %first = tensor.extract_slice %x[0, 0] [32, 1] [1, 1] : tensor<32x5xf32> to tensor<32xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%first : tensor<32xf32>) outs(%e : tensor<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  return %0 : tensor<32xf32>
}
