// RUN: fx-opt %s --split-input-file --fx-cpu-emit-kernels=lanes=16 --canonicalize --cse | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>

// 3 rows by 2 vectors and 100 columns: four panels. The last one has 4 columns,
// so it is computed as one vector, which is masked, with four unrolled steps.
// Each of the two unrolled steps of the others has its own accumulators.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: memref<4x64x32xf32, strided<[2048, 32, 1], offset: ?>>
// CHECK: scf.forall (%[[PANEL:.+]]) in (4)
// CHECK: vector.create_mask
// CHECK: arith.cmpi eq, %[[PANEL]], %c3
// CHECK-NEXT: scf.if
// CHECK: :12 = scf.for {{.*}} step %c4
// CHECK-COUNT-12: vector.fma
// CHECK: scf.yield
// CHECK-COUNT-3: vector.maskedstore
// CHECK-NOT: vector.maskedstore
// CHECK: } else {
// CHECK: :12 = scf.for {{.*}} step %c2
// CHECK-COUNT-12: vector.fma
// CHECK: scf.yield
// CHECK-COUNT-6: arith.addf
// CHECK-NOT: vector.maskedstore
// CHECK-COUNT-6: vector.store
// CHECK-NOT: linalg
func.func private @kernel_0(%x: tensor<3x64xf32>, %w: tensor<4x64x32xf32>, %out: tensor<3x100xf32>) -> tensor<3x100xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<4x64x32xf32> -> tensor<100x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<3x100xf32>) -> tensor<3x100xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<3x64xf32>, tensor<100x64xf32>) outs(%f : tensor<3x100xf32>) attrs = {fx_kernel.schedule = #fx_kernel.contraction<rows = 3, vectors = 2>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x100xf32>
  return %r : tensor<3x100xf32>
}
func.func @main(%x: tensor<3x64xf32>, %w: tensor<4x64x32xf32>) -> tensor<3x100xf32> {
  %e = tensor.empty() : tensor<3x100xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x, %w : tensor<3x64xf32>, tensor<4x64x32xf32>) outs(%e : tensor<3x100xf32>) -> tensor<3x100xf32>
  return %r : tensor<3x100xf32>
}

// -----

// A pointwise kernel over one flat dimension. Booleans are bytes.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: memref<4x24xi8
// CHECK: scf.for %{{.+}} = %c0 to %c96 step %c16
// CHECK: vector.load {{.*}} vector<16xf32>
// CHECK: arith.cmpf
// CHECK: arith.extui {{.*}} vector<16xi1> to vector<16xi8>
// CHECK: vector.store
#id = affine_map<(m, n) -> (m, n)>
func.func private @kernel_0(%x: tensor<4x24xf32>, %out: tensor<4x24xi1>) -> tensor<4x24xi1> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x24xf32>) outs(%out : tensor<4x24xi1>) attrs = {fx_kernel.schedule = #fx_kernel.pointwise} {
  ^bb0(%a: f32, %o: i1):
    %0 = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %0 : i1
  } -> tensor<4x24xi1>
  return %r : tensor<4x24xi1>
}
func.func @main(%x: tensor<4x24xf32>) -> tensor<4x24xi1> {
  %e = tensor.empty() : tensor<4x24xi1>
  %r = fx_kernel.invoke @kernel_0 ins(%x : tensor<4x24xf32>) outs(%e : tensor<4x24xi1>) -> tensor<4x24xi1>
  return %r : tensor<4x24xi1>
}

// -----

// A kernel that the pass cannot emit is inlined where it was invoked.
// CHECK-LABEL: func.func @inlined
// CHECK: linalg.generic
// CHECK-NOT: fx_kernel.invoke
func.func private @kernel_0(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {fx.kernel} {
  %r = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%out : tensor<4xf32>) attrs = {fx_kernel.schedule = #fx_kernel.rows} {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @inlined(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// One row that is reduced to a scalar.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: memref<f32
// CHECK: scf.for {{.*}} = %c0 to %c960 step %c64 {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: scf.for {{.*}} = %c960 to %c1008 step %c16
// CHECK: vector.reduction <add>
// CHECK: memref.store
// CHECK-NOT: linalg
func.func private @kernel_0(%x: tensor<1008xf32>, %out: tensor<f32>) -> tensor<f32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<1008xf32>) outs(%f : tensor<f32>) attrs = {fx_kernel.schedule = #fx_kernel.rows} {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
func.func @main(%x: tensor<1008xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %r = fx_kernel.invoke @kernel_0 ins(%x : tensor<1008xf32>) outs(%e : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Two tiles of four rows use a panel of 64 by 32. Each tile prefetches half of
// the next panel, 64 bytes at each step.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.forall (%[[P:.+]]) in (3)
// CHECK: %[[PANEL:.+]] = arith.muli %[[P]], %c2048
// CHECK: scf.for %[[ROW:.+]] = %c0 to %c8 step %c4
// CHECK: %[[TILE:.+]] = arith.divui %[[ROW]], %c4
// CHECK: %[[PART:.+]] = arith.muli %[[TILE]], %c1024
// CHECK: %[[FROM:.+]] = arith.addi %[[PANEL]], %[[PART]]
// CHECK: scf.for %[[K:.+]] = %c0 to %c64 step %c1
// CHECK: %[[STEP:.+]] = arith.muli %[[K]], %c16
// CHECK: %[[AT:.+]] = arith.addi %[[FROM]], %[[STEP]]
// CHECK: %[[NEXT:.+]] = arith.addi %[[AT]], %c2048
// CHECK: memref.prefetch %{{.+}}[%[[NEXT]]], read
func.func private @kernel_0(%x: tensor<8x64xf32>, %w: tensor<3x64x32xf32>, %out: tensor<8x96xf32>) -> tensor<8x96xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<3x64x32xf32> -> tensor<96x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<8x96xf32>) -> tensor<8x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<8x64xf32>, tensor<96x64xf32>) outs(%f : tensor<8x96xf32>) attrs = {fx_kernel.schedule = #fx_kernel.contraction<rows = 4, vectors = 2, prefetch = 2>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x96xf32>
  return %r : tensor<8x96xf32>
}
func.func @main(%x: tensor<8x64xf32>, %w: tensor<3x64x32xf32>) -> tensor<8x96xf32> {
  %e = tensor.empty() : tensor<8x96xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x, %w : tensor<8x64xf32>, tensor<3x64x32xf32>) outs(%e : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %r : tensor<8x96xf32>
}

// -----

// The last dimension has three elements. Three vectors along the dimension
// before it are interleaved, by two shuffles for each vector of the result; the
// last columns, which do not fill a vector, are scattered.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.forall (%{{.+}}) in (34)
// CHECK: scf.for {{.*}} = %c0 to %c32 step %c16
// CHECK-COUNT-3: vector.maskedload
// CHECK-COUNT-6: vector.shuffle
// CHECK-COUNT-3: vector.store
// CHECK: }
// CHECK-COUNT-3: vector.scatter
func.func private @kernel_0(%x: tensor<3x32x32xf32>, %out: tensor<34x34x3xf32>) -> tensor<34x34x3xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32x3xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(h, w, c) -> (c, h, w)>, affine_map<(h, w, c) -> (h, w, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<3x32x32xf32>) outs(%e : tensor<32x32x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<32x32x3xf32>
  %p = tensor.pad %t low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } {fx_kernel.schedule = #fx_kernel.pointwise} : tensor<32x32x3xf32> to tensor<34x34x3xf32>
  return %p : tensor<34x34x3xf32>
}
func.func @main(%x: tensor<3x32x32xf32>) -> tensor<34x34x3xf32> {
  %e = tensor.empty() : tensor<34x34x3xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x : tensor<3x32x32xf32>) outs(%e : tensor<34x34x3xf32>) -> tensor<34x34x3xf32>
  return %r : tensor<34x34x3xf32>
}

// -----

// LLVM must not unroll a loop that looks for NaN.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: arith.cmpf uno
// CHECK: scf.yield
// CHECK-NEXT: } {llvm.loop_annotation = #{{.+}}}
func.func private @kernel_0(%x: tensor<8x256xf32>, %out: tensor<8xf32>) -> tensor<8xf32> attributes {fx.kernel} {
  %lowest = arith.constant 0xFF800000 : f32
  %f = linalg.fill ins(%lowest : f32) outs(%out : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x256xf32>) outs(%f : tensor<8xf32>) attrs = {fx_kernel.schedule = #fx_kernel.rows} {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @main(%x: tensor<8x256xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x : tensor<8x256xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
