// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels --canonicalize --cse | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>

// A pointwise kernel: a thread for each element, both dimensions linearized.
// Booleans are bytes. 96 elements need one block.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: memref<4x24xf32
// CHECK-SAME: memref<4x24xi8
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.elements
// CHECK: gpu.launch blocks(%{{.*}}) in (%{{.*}} = %c1, {{.*}}) threads({{.*}}) in (%{{.*}} = %c128
// CHECK: arith.cmpi slt, %{{.*}}, %c96
// CHECK: memref.load
// CHECK: arith.cmpf
// CHECK: memref.store {{.*}} : memref<96xi8
func.func private @kernel_0(%x: tensor<4x24xf32>, %out: tensor<4x24xi1>) -> tensor<4x24xi1> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x24xf32>) outs(%out : tensor<4x24xi1>) {
  ^bb0(%a: f32, %o: i1):
    %0 = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %0 : i1
  } -> tensor<4x24xi1>
  return %r : tensor<4x24xi1>
}

// -----

// A sum over rows of dynamic size: a block for each row, shuffles within warps,
// shared memory between warps. If all rows begin at multiples of 16 bytes, a
// thread loads two vectors in an iteration, or else two elements.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.rows
// CHECK: %[[ROWS:.*]] = memref.dim
// CHECK: arith.remui %{{.*}}, %c16_i64
// CHECK: scf.if
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %[[ROWS]], {{.*}}) threads({{.*}}) in (%{{.*}} = %c256
// CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<8xf32, #gpu.address_space<workgroup>>)
// CHECK: scf.for {{.*}} step %c512
// CHECK-COUNT-2: vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: memref.store {{.*}}, %[[SHARED]]
// CHECK: gpu.barrier
// CHECK-COUNT-8: memref.load %[[SHARED]]
// CHECK: memref.store
// CHECK: fx.alignment = 16
// CHECK: else
// CHECK: gpu.launch
// CHECK: scf.for {{.*}} step %c512
// CHECK-NOT: vector.load
// CHECK: gpu.barrier
func.func private @kernel_0(%x: tensor<?x?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A reduction over the first dimension of few rows: each thread sums a column.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.elements
// CHECK: gpu.launch
// CHECK-NOT: gpu.shuffle
// CHECK: scf.for {{.*}} = %c0 to %c20 step %c1
// CHECK: memref.store
func.func private @kernel_0(%x: tensor<20x8xf32>, %out: tensor<8xf32>) -> tensor<8xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<20x8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A transposed operand: a block copies a tile of 32 by 32 to shared memory
// along the operand's rows and reads it by columns. Edges are guarded.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.transpose
// CHECK: gpu.launch blocks(%{{.*}}) in (%{{.*}} = %c12, {{.*}}) threads({{.*}}) in (%{{.*}} = %c256
// CHECK-SAME: workgroup(%[[TILE:.*]] : memref<32x33xf32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-4: memref.store %{{.*}}, %[[TILE]]
// CHECK: gpu.barrier
// CHECK-COUNT-4: memref.load %[[TILE]]
func.func private @kernel_0(%x: tensor<96x100xf32>, %out: tensor<100x96xf32>) -> tensor<100x96xf32> attributes {fx.kernel} {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<96x100xf32>) outs(%out : tensor<100x96xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<100x96xf32>
  return %r : tensor<100x96xf32>
}

// -----

// If less than half of a tile is filled, each thread computes one element.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.elements
func.func private @kernel_0(%x: tensor<96x8xf32>, %out: tensor<8x96xf32>) -> tensor<8x96xf32> attributes {fx.kernel} {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<96x8xf32>) outs(%out : tensor<8x96xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x96xf32>
  return %r : tensor<8x96xf32>
}
