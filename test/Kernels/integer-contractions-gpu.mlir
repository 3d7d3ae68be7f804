// RUN: fx-opt %s --split-input-file --fx-integer-contractions=matrix-unit=mma | FileCheck %s --check-prefixes=CHECK,UNSIGNED
// RUN: fx-opt %s --split-input-file --fx-integer-contractions=matrix-unit=mfma | FileCheck %s --check-prefixes=CHECK,SIGNED

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d2, d1)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>

// Tensor cores read terms of both operands in chunks of 16: the terms are
// padded, and those of a weight that is stored as [K, N] are made contiguous.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[Q:.*]]: tensor<?x10xi8>, %[[P:.*]]: tensor<10x40xi8>
// Matrix cores of AMD's GPUs multiply signed bytes.
// UNSIGNED: %[[QP:.*]] = tensor.pad %[[Q]] low[0, 0] high[0, 6]
// SIGNED: %[[FLIPPED:.*]] = linalg.generic {{.*}} ins(%[[Q]]
// SIGNED: arith.xori
// SIGNED: %[[QP:.*]] = tensor.pad %[[FLIPPED]] low[0, 0] high[0, 6]
// CHECK: %[[PP:.*]] = tensor.pad %[[P]] low[0, 0] high[6, 0]
// CHECK: %[[MOVED:.*]] = linalg.transpose ins(%[[PP]] : tensor<16x40xi8>) outs(%{{.*}} : tensor<40x16xi8>) permutation = [1, 0]
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #{{.*}}]{{.*}} ins(%[[QP]], %[[MOVED]] : tensor<?x16xi8>, tensor<40x16xi8>) outs(%{{.*}} : tensor<?x40xi32>)
// UNSIGNED: arith.extui
// SIGNED: arith.extsi
// CHECK: arith.extsi
// SIGNED: arith.subi
// CHECK: arith.sitofp
func.func @main(%q: tensor<?x10xi8>, %p: tensor<10x40xi8> {fx.state = @p}, %t: tensor<40xf32> {fx.state = @t}) -> tensor<?x40xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %s = arith.constant 0.5 : f32
  %n = tensor.dim %q, %c0 : tensor<?x10xi8>
  %e0 = tensor.empty(%n) : tensor<?x10xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<?x10xi8>) outs(%e0 : tensor<?x10xf32>) {
  ^bb0(%i: i8, %o: f32):
    %0 = arith.uitofp %i : i8 to f32
    %2 = arith.mulf %0, %s : f32
    linalg.yield %2 : f32
  } -> tensor<?x10xf32>
  %e1 = tensor.empty() : tensor<10x40xf32>
  %b = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %t : tensor<10x40xi8>, tensor<40xf32>) outs(%e1 : tensor<10x40xf32>) {
  ^bb0(%i: i8, %f: f32, %o: f32):
    %0 = arith.sitofp %i : i8 to f32
    %1 = arith.mulf %0, %f : f32
    linalg.yield %1 : f32
  } -> tensor<10x40xf32>
  %e2 = tensor.empty(%n) : tensor<?x40xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x40xf32>) -> tensor<?x40xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<?x10xf32>, tensor<10x40xf32>) outs(%f2 : tensor<?x40xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x40xf32>
  return %r : tensor<?x40xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>

// Up to 16 rows, and floats by bytes, are left to kernels that convert the
// bytes of the weight.
// CHECK-LABEL: func.func @main
// CHECK-NOT: i32
// CHECK: return
func.func @main(%q: tensor<16x64xi8>, %x: tensor<40x64xf32>, %p: tensor<512x64xi8> {fx.state = @p}) -> (tensor<16x512xf32>, tensor<40x512xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = arith.constant 0.5 : f32
  %e0 = tensor.empty() : tensor<16x64xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<16x64xi8>) outs(%e0 : tensor<16x64xf32>) {
  ^bb0(%i: i8, %o: f32):
    %0 = arith.uitofp %i : i8 to f32
    %2 = arith.mulf %0, %s : f32
    linalg.yield %2 : f32
  } -> tensor<16x64xf32>
  %e1 = tensor.empty() : tensor<512x64xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<512x64xi8>) outs(%e1 : tensor<512x64xf32>) {
  ^bb0(%i: i8, %o: f32):
    %0 = arith.sitofp %i : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<512x64xf32>
  %e2 = tensor.empty() : tensor<16x512xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<16x512xf32>) -> tensor<16x512xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<16x64xf32>, tensor<512x64xf32>) outs(%f2 : tensor<16x512xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x512xf32>
  %e3 = tensor.empty() : tensor<40x512xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<40x512xf32>) -> tensor<40x512xf32>
  %u = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %b : tensor<40x64xf32>, tensor<512x64xf32>) outs(%f3 : tensor<40x512xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<40x512xf32>
  return %r, %u : tensor<16x512xf32>, tensor<40x512xf32>
}
