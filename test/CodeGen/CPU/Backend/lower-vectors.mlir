// RUN: fx-opt %s --fx-cpu-lower-vectors | FileCheck %s
// RUN: fx-opt %s --fx-cpu-lower-vectors=lower-transfers | FileCheck %s --check-prefix=TRANSFERS

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @contract
// CHECK-NOT: vector.contract
// CHECK-NOT: vector.outerproduct
// CHECK-COUNT-4: vector.fma
func.func @contract(%x: vector<2x2xf32>, %y: vector<2x8xf32>, %z: vector<2x8xf32>) -> vector<2x8xf32> {
  %r = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %x, %y, %z : vector<2x2xf32>, vector<2x8xf32> into vector<2x8xf32>
  return %r : vector<2x8xf32>
}

// CHECK-LABEL: func.func @reduce
// CHECK-NOT: vector.multi_reduction
// CHECK: vector.reduction <add>
func.func @reduce(%x: vector<2x8xf32>, %z: vector<2xf32>) -> vector<2xf32> {
  %r = vector.multi_reduction <add>, %x, %z [1] : vector<2x8xf32> to vector<2xf32>
  return %r : vector<2xf32>
}

// Transfers become loads only where the option asks for it, after the
// contractions.
// CHECK-LABEL: func.func @read
// CHECK: vector.transfer_read
// TRANSFERS-LABEL: func.func @read
// TRANSFERS-NOT: vector.transfer_read
// TRANSFERS: vector.load {{.*}} vector<8xf32>
func.func @read(%m: memref<4x8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  %r = vector.transfer_read %m[%c0, %c0], %f0 {in_bounds = [true]} : memref<4x8xf32>, vector<8xf32>
  return %r : vector<8xf32>
}

// One-dimensional vectors, which kernels consist of, stay as they are.
// CHECK-LABEL: func.func @flat
// CHECK: vector.load
// CHECK: vector.store
func.func @flat(%m: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %r = vector.load %m[%c0] : memref<8xf32>, vector<8xf32>
  vector.store %r, %m[%c0] : memref<8xf32>, vector<8xf32>
  return
}
