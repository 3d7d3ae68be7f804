// Weights of four bits of matmuls with few rows.
// RUN: fx-opt %s --split-input-file --fx-gpu-pack-weights --canonicalize | FileCheck %s
// RUN: fx-opt %s --split-input-file --fx-gpu-pack-weights=matrix-unit=none | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: fx_kernel.unpack

#row = affine_map<(d0, d1) -> (d0)>
#whole = affine_map<(d0, d1) -> (d0, d1)>
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// One row and 40 rows multiply the same weight, which has a scale for each row.
// The packed memory is computed once. The matmul of one row gets its own copy
// of the op that dequantizes, and the other one keeps the bytes.
// CHECK: #[[LOW:.+]] = affine_map<(d0, d1, d2) -> (d0, d1 * 2, d2)>
// CHECK: #[[HIGH:.+]] = affine_map<(d0, d1, d2) -> (d0, d1 * 2 + 1, d2)>
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[W:[^:]+]]: tensor<16x128xi8> {fx.state = @w}
// CHECK: %[[TILES:.+]] = tensor.expand_shape %[[W]] {{\[\[}}0], [1, 2]] output_shape [16, 32, 4]
// CHECK: %[[PACKED:.+]] = linalg.generic {indexing_maps = [#[[LOW]], #[[HIGH]], #{{.+}}], {{.*}} ins(%[[TILES]], %[[TILES]]
// CHECK: ^bb0(%[[A:[^:]+]]: i8, %[[B:[^:]+]]: i8
// CHECK: %[[L:.+]] = arith.andi %[[A]], %c15_i8
// CHECK: %[[H:.+]] = arith.shli %[[B]], %c4_i8
// CHECK: arith.ori %[[L]], %[[H]]
// CHECK: -> tensor<16x16x4xi8>
// CHECK: arith.shrsi
// CHECK: %[[FLOATS:.+]] = linalg.generic
// CHECK: %[[Q:.+]] = fx_kernel.unpack %[[PACKED]] outer_dims_perm = [0, 1] inner_dims_pos = [1] inner_tiles = [4] nibbles : tensor<16x16x4xi8> -> tensor<16x128xi8>
// CHECK: %[[OWN:.+]] = linalg.generic {{.*}} ins(%[[Q]], %{{.+}} : tensor<16x128xi8>, tensor<16xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %[[OWN]] : tensor<1x128xf32>, tensor<16x128xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %[[FLOATS]] : tensor<40x128xf32>, tensor<16x128xf32>)
func.func @main(%x: tensor<1x128xf32>, %z: tensor<40x128xf32>, %q: tensor<16x128xi8> {fx.state = @w}, %s: tensor<16xf32> {fx.state = @s}) -> (tensor<1x16xf32>, tensor<40x16xf32>) {
  %c4 = arith.constant 4 : i8
  %zero = arith.constant 0.0 : f32
  %eq = tensor.empty() : tensor<16x128xi8>
  %n = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<16x128xi8>) outs(%eq : tensor<16x128xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.shli %a, %c4 : i8
    %1 = arith.shrsi %0, %c4 : i8
    linalg.yield %1 : i8
  } -> tensor<16x128xi8>
  %ew = tensor.empty() : tensor<16x128xf32>
  %w = linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]} ins(%n, %s : tensor<16x128xi8>, tensor<16xf32>) outs(%ew : tensor<16x128xf32>) {
  ^bb0(%a: i8, %b: f32, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<16x128xf32>
  %e1 = tensor.empty() : tensor<1x16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x16xf32>) -> tensor<1x16xf32>
  %r1 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x128xf32>, tensor<16x128xf32>) outs(%f1 : tensor<1x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x16xf32>
  %e40 = tensor.empty() : tensor<40x16xf32>
  %f40 = linalg.fill ins(%zero : f32) outs(%e40 : tensor<40x16xf32>) -> tensor<40x16xf32>
  %r40 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%z, %w : tensor<40x128xf32>, tensor<16x128xf32>) outs(%f40 : tensor<40x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<40x16xf32>
  return %r1, %r40 : tensor<1x16xf32>, tensor<40x16xf32>
}

// -----

// Groups, and a weight in bf16: the ops that dequantize and round are one op.
// The extraction moves behind the view.
// CHECK-LABEL: func.func @main
// CHECK: %[[Q:.+]] = fx_kernel.unpack {{.*}} outer_dims_perm = [0, 1, 2] inner_dims_pos = [2] inner_tiles = [4] nibbles : tensor<16x4x4x4xi8> -> tensor<16x4x32xi8>
// CHECK: %[[OWN:.+]] = linalg.generic {{.*}} ins(%[[Q]], %{{.+}} : tensor<16x4x32xi8>, tensor<16x4xf32>)
// CHECK: arith.sitofp
// CHECK: arith.mulf
// CHECK: arith.truncf
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %[[OWN]] : tensor<1x4x32xbf16>, tensor<16x4x32xbf16>)
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#two = affine_map<(d0, d1) -> (d0, d1)>
#groups = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @main(%x: tensor<1x4x32xbf16>, %q: tensor<16x128xi8> {fx.state = @w}, %s: tensor<16x4xf32> {fx.state = @s}) -> tensor<1x16xf32> {
  %c4 = arith.constant 4 : i8
  %zero = arith.constant 0.0 : f32
  %eq = tensor.empty() : tensor<16x128xi8>
  %flat = linalg.generic {indexing_maps = [#two, #two], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<16x128xi8>) outs(%eq : tensor<16x128xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.shli %a, %c4 : i8
    %1 = arith.shrsi %0, %c4 : i8
    linalg.yield %1 : i8
  } -> tensor<16x128xi8>
  %n = tensor.expand_shape %flat [[0], [1, 2]] output_shape [16, 4, 32] : tensor<16x128xi8> into tensor<16x4x32xi8>
  %ew = tensor.empty() : tensor<16x4x32xf32>
  %w = linalg.generic {indexing_maps = [#all, #groups, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%n, %s : tensor<16x4x32xi8>, tensor<16x4xf32>) outs(%ew : tensor<16x4x32xf32>) {
  ^bb0(%a: i8, %b: f32, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<16x4x32xf32>
  %eh = tensor.empty() : tensor<16x4x32xbf16>
  %h = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<16x4x32xf32>) outs(%eh : tensor<16x4x32xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<16x4x32xbf16>
  %e1 = tensor.empty() : tensor<1x16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x16xf32>) -> tensor<1x16xf32>
  %r1 = linalg.generic {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>, affine_map<(m, n, g, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %h : tensor<1x4x32xbf16>, tensor<16x4x32xbf16>) outs(%f1 : tensor<1x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<1x16xf32>
  return %r1 : tensor<1x16xf32>
}

// -----

// Neither an argument that is no state nor rows that are no whole words.
// CHECK-LABEL: func.func @main
// CHECK-NOT: fx_kernel.unpack
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
#whole = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<1x128xf32>, %q: tensor<16x128xi8>, %v: tensor<1x132xf32>, %p: tensor<16x132xi8> {fx.state = @w}) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  %c4 = arith.constant 4 : i8
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x128xi8>
  %n = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<16x128xi8>) outs(%e : tensor<16x128xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.shli %a, %c4 : i8
    %1 = arith.shrsi %0, %c4 : i8
    linalg.yield %1 : i8
  } -> tensor<16x128xi8>
  %e2 = tensor.empty() : tensor<16x132xi8>
  %n2 = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<16x132xi8>) outs(%e2 : tensor<16x132xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.shli %a, %c4 : i8
    %1 = arith.shrsi %0, %c4 : i8
    linalg.yield %1 : i8
  } -> tensor<16x132xi8>
  %e1 = tensor.empty() : tensor<1x16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x16xf32>) -> tensor<1x16xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %n : tensor<1x128xf32>, tensor<16x128xi8>) outs(%f1 : tensor<1x16xf32>) {
  ^bb0(%a: f32, %b: i8, %o: f32):
    %0 = arith.sitofp %b : i8 to f32
    %1 = arith.mulf %a, %0 : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x16xf32>
  %r2 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v, %n2 : tensor<1x132xf32>, tensor<16x132xi8>) outs(%f1 : tensor<1x16xf32>) {
  ^bb0(%a: f32, %b: i8, %o: f32):
    %0 = arith.sitofp %b : i8 to f32
    %1 = arith.mulf %a, %0 : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x16xf32>
  return %r, %r2 : tensor<1x16xf32>, tensor<1x16xf32>
}
