// Matmuls of few rows.
// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels --canonicalize --cse | FileCheck %s
// RUN: fx-opt %s --split-input-file --fx-gpu-emit-kernels=matrix-unit=none --canonicalize --cse | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: #fx_kernel.gemv

// The weight lies along K: a warp computes one column, and loads four vectors of
// the weight at once.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.gemv<width = 8, columns = 1, unroll = 4, warps = 1, along_k = true>
// CHECK: scf.if
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c128, {{.*}}) threads({{.*}}) in (%{{.*}} = %c128
// CHECK: scf.for {{.*}} to %c128 step %c128
// CHECK-COUNT-5: vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
// CHECK-COUNT-8: math.fma
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
// CHECK-COUNT-24: math.fma
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: else
func.func private @kernel_0(%x: tensor<1x1024xbf16>, %w: tensor<512x1024xbf16>, %out: tensor<1x512xf32>) -> tensor<1x512xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<1x512xf32>) -> tensor<1x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x1024xbf16>, tensor<512x1024xbf16>) outs(%f : tensor<1x512xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<1x512xf32>
  return %r : tensor<1x512xf32>
}

// -----

// The weight lies along N: 4 lanes have 4 columns each, and the others of 8
// warps share K.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.gemv<width = 4, columns = 4, unroll = 4, warps = 8, along_k = false>
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c32, {{.*}}) threads({{.*}}) in (%{{.*}} = %c256
// CHECK: scf.for {{.*}} to %c1024 step %c256
// CHECK-COUNT-4: vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK: math.fma
// CHECK: gpu.shuffle xor
// CHECK: gpu.barrier
func.func private @kernel_0(%x: tensor<2x1024xf32>, %w: tensor<1024x512xf32>, %out: tensor<2x512xf32>) -> tensor<2x512xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<2x512xf32>) -> tensor<2x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x1024xf32>, tensor<1024x512xf32>) outs(%f : tensor<2x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x512xf32>
  return %r : tensor<2x512xf32>
}

// -----

// Two terms of the weight in each byte, with f16 scales for groups: 16 terms are
// loaded in 8 bytes and scaled after they are summed. The version for other
// addresses extracts one number from a byte.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.gemv<width = 16, columns = 1, unroll = 4, warps = 2, along_k = true>
// CHECK-DAG: %[[SIGNS:.+]] = arith.constant -2004318072 : i32
// CHECK-DAG: %[[POWER:.+]] = arith.constant 1258291200 : i32
// CHECK-DAG: %[[OFFSET:.+]] = arith.constant 0x4B000008 : f32
// CHECK-DAG: %[[NEXT_POWER:.+]] = arith.constant 1191182336 : i32
// CHECK-DAG: %[[NEXT_OFFSET:.+]] = arith.constant 3.277600e+04 : f32
// CHECK: scf.for
// CHECK: %[[BYTES:.+]] = vector.load {{.*}} {alignment = 8 : i64} : memref<1048576xi8, {{.*}}>, vector<8xi8>
// CHECK: %[[WORDS:.+]] = vector.bitcast %[[BYTES]] : vector<8xi8> to vector<2xi32>
// CHECK: %[[WORD:.+]] = vector.extract %[[WORDS]][0]
// CHECK: %[[FLIPPED:.+]] = arith.xori %[[WORD]], %[[SIGNS]]
// CHECK: %[[MASKED:.+]] = arith.andi %[[FLIPPED]], %c15_i32
// CHECK: %[[BITS:.+]] = arith.ori %[[MASKED]], %[[POWER]]
// CHECK: %[[LARGE:.+]] = arith.bitcast %[[BITS]] : i32 to f32
// CHECK: %[[Q0:.+]] = arith.subf %[[LARGE]], %[[OFFSET]]
// CHECK: %[[MASKED1:.+]] = arith.andi %[[FLIPPED]], %c3840_i32
// CHECK: %[[BITS1:.+]] = arith.ori %[[MASKED1]], %[[NEXT_POWER]]
// CHECK: %[[LARGE1:.+]] = arith.bitcast %[[BITS1]] : i32 to f32
// CHECK: %[[Q1:.+]] = arith.subf %[[LARGE1]], %[[NEXT_OFFSET]]
// CHECK: %[[SCALE:.+]] = arith.extf {{.*}} : f16 to f32
// CHECK-COUNT-3: vector.load {{.*}} {alignment = 8 : i64} : memref<1048576xi8, {{.*}}>, vector<8xi8>
// CHECK: vector.load {{.*}}, vector<16xf32>
// CHECK: %[[S0:.+]] = arith.mulf %{{.+}}, %[[Q0]]
// CHECK: %[[S1:.+]] = math.fma %{{.+}}, %[[Q1]], %[[S0]]
// CHECK-COUNT-14: math.fma
// CHECK: math.fma %{{.+}}, %[[SCALE]], %{{.+}}
// CHECK-NOT: vector.load {{.*}}xi8
// CHECK: else
// CHECK: %[[BYTE:.+]] = memref.load {{.*}} : memref<1048576xi8
// CHECK: %[[UP:.+]] = arith.shli %[[BYTE]], %c4_i8
// CHECK: %[[HALF:.+]] = arith.select %{{.+}}, %[[BYTE]], %[[UP]]
// CHECK: arith.shrsi %[[HALF]], %c4_i8
func.func private @kernel_0(%x: tensor<1x32x128xf32>, %p: tensor<512x32x16x4xi8>, %s: tensor<512x32xf16>, %out: tensor<1x512xf32>) -> tensor<1x512xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %q = fx_kernel.unpack %p outer_dims_perm = [0, 1, 2] inner_dims_pos = [2] inner_tiles = [4] nibbles : tensor<512x32x16x4xi8> -> tensor<512x32x128xi8>
  %e = tensor.empty() : tensor<512x32x128xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(n, g, k) -> (n, g, k)>, affine_map<(n, g, k) -> (n, g)>, affine_map<(n, g, k) -> (n, g, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %s : tensor<512x32x128xi8>, tensor<512x32xf16>) outs(%e : tensor<512x32x128xf32>) {
  ^bb0(%a: i8, %b: f16, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<512x32x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<1x512xf32>) -> tensor<1x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>, affine_map<(m, n, g, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x32x128xf32>, tensor<512x32x128xf32>) outs(%f : tensor<1x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x512xf32>
  return %r : tensor<1x512xf32>
}
