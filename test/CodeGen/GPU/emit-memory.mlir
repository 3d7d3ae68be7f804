// Kernels that are limited by memory: runs of 16 bytes in each thread.
// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels --canonicalize --cse | FileCheck %s
// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels=matrix-unit=none --canonicalize --cse | FileCheck %s --check-prefix=PLAIN

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

// A thread loads and stores 8 elements. The host checks the addresses, and the
// other version has single elements.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %{{.*}}, %c0_i64
// CHECK: scf.if %{{.*}} {
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c32, {{.*}}) threads({{.*}}) in (%{{.*}} = %c256
// CHECK-COUNT-2: vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
// CHECK-COUNT-8: arith.addf
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
// CHECK: } else {
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c256, {{.*}})
// CHECK-NOT: vector.load
// CHECK: memref.store

// Devices without matrix units have runs of 4 elements.
// PLAIN-LABEL: func.func private @kernel_0
// PLAIN: vector.load {{.*}} {alignment = 8 : i64} : {{.*}}, vector<4xbf16>
func.func private @kernel_0(%x: tensor<64x1024xbf16>, %y: tensor<1024xbf16>, %out: tensor<64x1024xbf16>) -> tensor<64x1024xbf16> attributes {fx.kernel} {
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<64x1024xbf16>, tensor<1024xbf16>) outs(%out : tensor<64x1024xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %0 = arith.addf %a, %b : bf16
    linalg.yield %0 : bf16
  } -> tensor<64x1024xbf16>
  return %r : tensor<64x1024xbf16>
}

// -----

#id1 = affine_map<(m) -> (m)>

// The last elements of a flat array, which fill no run, are computed by one more
// thread in a loop.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.if
// CHECK: gpu.launch
// CHECK: vector.load {{.*}}, vector<4xf32>
// CHECK: vector.store
// CHECK: scf.for {{.*}} to %c1003 step %c1
// CHECK: memref.load
// CHECK: memref.store
// CHECK: else
func.func private @kernel_0(%x: tensor<1003xf32>, %out: tensor<1003xf32>) -> tensor<1003xf32> attributes {fx.kernel} {
  %r = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%x : tensor<1003xf32>) outs(%out : tensor<1003xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<1003xf32>
  return %r : tensor<1003xf32>
}

// -----

// Rows of odd length have no runs.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-NOT: scf.if
// CHECK: gpu.launch
// CHECK-NOT: vector.load
// CHECK: memref.store
func.func private @kernel_0(%x: tensor<64x1023xf32>, %y: tensor<1023xf32>, %out: tensor<64x1023xf32>) -> tensor<64x1023xf32> attributes {fx.kernel} {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<64x1023xf32>, tensor<1023xf32>) outs(%out : tensor<64x1023xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<64x1023xf32>
  return %r : tensor<64x1023xf32>
}

// -----

// A row of 1,024 elements stays in the registers of 256 threads: each loads one
// vector, computes an exponential of its elements once, and stores one vector.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.rows
// CHECK: gpu.launch
// CHECK: vector.load
// CHECK-NOT: vector.load
// CHECK-COUNT-4: math.exp
// CHECK-NOT: math.exp
// CHECK: gpu.barrier
// CHECK: vector.store
// CHECK: else
func.func private @kernel_0(%x: tensor<16x1024xf32>, %out: tensor<16x1024xf32>) -> tensor<16x1024xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %exp = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16x1024xf32>) outs(%out : tensor<16x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<16x1024xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%exp : tensor<16x1024xf32>) outs(%f : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%exp, %s : tensor<16x1024xf32>, tensor<16xf32>) outs(%out : tensor<16x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<16x1024xf32>
  return %r : tensor<16x1024xf32>
}

// -----

// A block of 256 threads sums 32 columns: 8 lanes have 4 columns each, and the
// others share the rows.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.columns
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c2, {{.*}}) threads({{.*}}) in (%{{.*}} = %c256
// CHECK-SAME: memref<256xf32, #gpu.address_space<workgroup>>
// CHECK: scf.for {{.*}} to %c256 step %c128
// CHECK-COUNT-4: vector.load {{.*}}, vector<4xf32>
// CHECK: scf.for {{.*}} to %c300 step %c32
// CHECK: vector.load
// CHECK-COUNT-8: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: else
func.func private @kernel_0(%x: tensor<300x64xf32>, %out: tensor<64xf32>) -> tensor<64xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<300x64xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

// 64 blocks share the rows. Their results are a further output of the kernel,
// which a second launch combines.
// CHECK-LABEL: func.func @main
// CHECK: %[[WORK:.*]] = tensor.empty() : tensor<4096xf32>
// CHECK: fx_kernel.invoke @kernel_0 ins(%{{.*}}) outs(%{{.*}}, %[[WORK]] : tensor<64xf32>, tensor<4096xf32>)
func.func @main(%x: tensor<65536x64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x : tensor<65536x64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: %[[PARTS:[a-z0-9]*]]: memref<4096xf32, strided<[1], offset: ?>>) attributes
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c128
// CHECK: memref.store {{.*}}, %[[PARTS]]
// CHECK: else
// CHECK: memref.store {{.*}}, %[[PARTS]]
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c1,
// CHECK-COUNT-64: memref.load %[[PARTS]]
// CHECK: memref.store
func.func private @kernel_0(%x: tensor<65536x64xf32>, %out: tensor<64xf32>) -> tensor<64xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<65536x64xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
