// RUN: fx-opt %s --split-input-file --fx-integer-contractions | FileCheck %s
// RUN: fx-opt %s --split-input-file --fx-integer-contractions --fx-cpu-pack-weights | FileCheck %s --check-prefix=PACK

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>

// Signed activations with a zero point, one scale per column, and a number of
// terms that is no multiple of four.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[Q:.*]]: tensor<?x10xi8>, %[[P:.*]]: tensor<40x10xi8>
// CHECK-DAG: %[[ZERO:.*]] = arith.fptosi %{{.*}} : f32 to i32
// CHECK: %[[FLIPPED:.*]] = linalg.generic {{.*}} ins(%[[Q]]
// CHECK: arith.xori
// CHECK: %[[OFFSET:.*]] = arith.constant 128 : i32
// CHECK: %[[Z:.*]] = arith.addi %[[ZERO]], %[[OFFSET]]
// CHECK: %[[QP:.*]] = tensor.pad %[[FLIPPED]] low[0, 0] high[0, 2]
// CHECK: %[[PP:.*]] = tensor.pad %[[P]] low[0, 0] high[0, 2]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[QP]], %[[PP]] : tensor<?x12xi8>, tensor<40x12xi8>) outs(%{{.*}} : tensor<?x40xi32>)
// CHECK: arith.extui
// CHECK: arith.extsi
// CHECK: %[[TOTAL:.*]] = linalg.generic {{.*}}["parallel", "reduction"]{{.*}} ins(%[[PP]]
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[TOTAL]], %{{.*}} : tensor<?x40xi32>, tensor<40xi32>, tensor<40xf32>)
// CHECK: arith.muli %{{.*}}, %[[Z]]
// CHECK: arith.subi
// CHECK: arith.sitofp
// CHECK-NOT: arith.mulf {{.*}}addf
// PACK: linalg.pack %{{.*}} padding_value({{.*}} : i8) outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [32, 4] {{.*}} tensor<40x12xi8> -> tensor<2x3x32x4xi8>
func.func @main(%q: tensor<?x10xi8>, %p: tensor<40x10xi8> {fx.state = @p}, %t: tensor<40xf32> {fx.state = @t}) -> tensor<?x40xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %s = arith.constant 0.5 : f32
  %z = arith.constant 3.0 : f32
  %n = tensor.dim %q, %c0 : tensor<?x10xi8>
  %e0 = tensor.empty(%n) : tensor<?x10xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<?x10xi8>) outs(%e0 : tensor<?x10xf32>) {
  ^bb0(%i: i8, %o: f32):
    %0 = arith.sitofp %i : i8 to f32
    %1 = arith.subf %0, %z : f32
    %2 = arith.mulf %1, %s : f32
    linalg.yield %2 : f32
  } -> tensor<?x10xf32>
  %e1 = tensor.empty() : tensor<40x10xf32>
  %b = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %t : tensor<40x10xi8>, tensor<40xf32>) outs(%e1 : tensor<40x10xf32>) {
  ^bb0(%i: i8, %f: f32, %o: f32):
    %0 = arith.sitofp %i : i8 to f32
    %1 = arith.mulf %0, %f : f32
    linalg.yield %1 : f32
  } -> tensor<40x10xf32>
  %e2 = tensor.empty(%n) : tensor<?x40xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x40xf32>) -> tensor<?x40xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<?x10xf32>, tensor<40x10xf32>) outs(%f2 : tensor<?x40xf32>) {
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

// A contraction whose weights have a zero point stays as it is: it would also
// need the sums of the activations.
// CHECK-LABEL: func.func @main
// CHECK-NOT: i32
// CHECK: return
func.func @main(%q: tensor<8x12xi8>, %p: tensor<32x12xi8> {fx.state = @p}) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %s = arith.constant 0.5 : f32
  %z = arith.constant 3.0 : f32
  %e0 = tensor.empty() : tensor<8x12xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<8x12xi8>) outs(%e0 : tensor<8x12xf32>) {
  ^bb0(%i: i8, %o: f32):
    %0 = arith.uitofp %i : i8 to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<8x12xf32>
  %e1 = tensor.empty() : tensor<32x12xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<32x12xi8>) outs(%e1 : tensor<32x12xf32>) {
  ^bb0(%i: i8, %o: f32):
    %0 = arith.sitofp %i : i8 to f32
    %1 = arith.subf %0, %z : f32
    %2 = arith.mulf %1, %s : f32
    linalg.yield %2 : f32
  } -> tensor<32x12xf32>
  %e2 = tensor.empty() : tensor<8x32xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<8x12xf32>, tensor<32x12xf32>) outs(%f2 : tensor<8x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#w3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#s3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#x = affine_map<(h, d, k) -> (k)>
#y = affine_map<(h, d, k) -> (h, d)>

// If the columns are split into heads, the scales have as many dimensions.
// CHECK-LABEL: func.func @heads
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<12xi8>, %[[P:[a-z0-9]+]]: tensor<4x32x12xi8> {{.*}}, %[[T:[a-z0-9]+]]: tensor<4x32xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[Q]], %[[P]] : tensor<12xi8>, tensor<4x32x12xi8>) outs(%{{.*}} : tensor<4x32xi32>)
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[T]] : tensor<4x32xi32>, tensor<4x32xf32>)
// CHECK-NOT: linalg.generic
// PACK-LABEL: func.func @heads
// PACK: linalg.pack {{.*}} inner_tiles = [32, 4] {{.*}} tensor<4x32x12xi8> -> tensor<4x1x3x32x4xi8>
func.func @heads(%q: tensor<12xi8>, %p: tensor<4x32x12xi8> {fx.state = @p}, %t: tensor<4x32xf32> {fx.state = @t}) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %s = arith.constant 0.5 : f32
  %e0 = tensor.empty() : tensor<12xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>], iterator_types = ["parallel"]} ins(%q : tensor<12xi8>) outs(%e0 : tensor<12xf32>) {
  ^bb0(%i: i8, %o: f32):
    %0 = arith.uitofp %i : i8 to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<12xf32>
  %e1 = tensor.empty() : tensor<4x32x12xf32>
  %b = linalg.generic {indexing_maps = [#w3, #s3, #w3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %t : tensor<4x32x12xi8>, tensor<4x32xf32>) outs(%e1 : tensor<4x32x12xf32>) {
  ^bb0(%i: i8, %f: f32, %o: f32):
    %0 = arith.sitofp %i : i8 to f32
    %1 = arith.mulf %0, %f : f32
    linalg.yield %1 : f32
  } -> tensor<4x32x12xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x32xf32>) -> tensor<4x32xf32>
  %r = linalg.generic {indexing_maps = [#x, #w3, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<12xf32>, tensor<4x32x12xf32>) outs(%f2 : tensor<4x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x32xf32>
  return %r : tensor<4x32xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Scales for each element of the weight cannot be applied after the sum.
// CHECK-LABEL: func.func @elements
// CHECK-NOT: i32
// CHECK: return
func.func @elements(%q: tensor<8x12xi8>, %p: tensor<32x12xi8> {fx.state = @p}, %t: tensor<32x12xf32> {fx.state = @t}) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<8x12xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<8x12xi8>) outs(%e0 : tensor<8x12xf32>) {
  ^bb0(%i: i8, %o: f32):
    %0 = arith.uitofp %i : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<8x12xf32>
  %e1 = tensor.empty() : tensor<32x12xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %t : tensor<32x12xi8>, tensor<32x12xf32>) outs(%e1 : tensor<32x12xf32>) {
  ^bb0(%i: i8, %f: f32, %o: f32):
    %0 = arith.sitofp %i : i8 to f32
    %1 = arith.mulf %0, %f : f32
    linalg.yield %1 : f32
  } -> tensor<32x12xf32>
  %e2 = tensor.empty() : tensor<8x32xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<8x12xf32>, tensor<32x12xf32>) outs(%f2 : tensor<8x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}

// -----

#x = affine_map<(d0, d1) -> (d0, d1)>
#w = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#t = affine_map<(d0, d1, d2) -> (d0, d1)>

// Two groups. The weights are stored columns first and the activations groups
// first: the bytes are transposed, the scales are used as they are.
// CHECK-LABEL: func.func @groups
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<2x6x8xi8>, %[[P:[a-z0-9]+]]: tensor<2x16x8xi8> {{.*}}, %[[T:[a-z0-9]+]]: tensor<2x16xf32>
// CHECK-DAG: %[[QT:.*]] = linalg.transpose ins(%[[Q]] : tensor<2x6x8xi8>) outs(%{{.*}} : tensor<6x2x8xi8>) permutation = [1, 0, 2]
// CHECK-DAG: %[[PT:.*]] = linalg.transpose ins(%[[P]] : tensor<2x16x8xi8>) outs(%{{.*}} : tensor<2x8x16xi8>) permutation = [0, 2, 1]
// CHECK-DAG: %[[T3:.*]] = tensor.expand_shape %[[T]] {{\[\[}}0], [1, 2]] output_shape [2, 16, 1]
// CHECK-DAG: %[[TT:.*]] = linalg.transpose ins(%[[T3]] : tensor<2x16x1xf32>) outs(%{{.*}} : tensor<2x1x16xf32>) permutation = [0, 2, 1]
// CHECK: %[[S:.*]] = tensor.collapse_shape %[[TT]] {{\[\[}}0], [1, 2]] : tensor<2x1x16xf32> into tensor<2x16xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}}ins(%[[QT]], %[[PT]] : tensor<6x2x8xi8>, tensor<2x8x16xi8>) outs(%{{.*}} : tensor<6x2x16xi32>)
// CHECK: %[[TOTAL:.*]] = linalg.generic {{.*}}["parallel", "reduction", "parallel"]{{.*}} ins(%[[PT]] : tensor<2x8x16xi8>) outs(%{{.*}} : tensor<2x16xi32>)
// CHECK: linalg.generic {{.*}}ins(%[[SUM]], %[[TOTAL]], %[[S]]
// PACK-LABEL: func.func @groups
// PACK: linalg.pack {{.*}} inner_tiles = [16, 4] {{.*}} tensor<2x8x16xi8> -> tensor<2x1x2x16x4xi8>
func.func @groups(%q: tensor<2x6x8xi8>, %p: tensor<2x16x8xi8> {fx.state = @p}, %t: tensor<2x16xf32> {fx.state = @t}) -> tensor<6x2x16xf32> {
  %zero = arith.constant 0.0 : f32
  %z = arith.constant 3.0 : f32
  %e0 = tensor.empty() : tensor<2x6x8xf32>
  %a = linalg.generic {indexing_maps = [#w, #w], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q : tensor<2x6x8xi8>) outs(%e0 : tensor<2x6x8xf32>) {
  ^bb0(%i: i8, %o: f32):
    %0 = arith.uitofp %i : i8 to f32
    %1 = arith.subf %0, %z : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x8xf32>
  %e1 = tensor.empty() : tensor<6x2x8xf32>
  %at = linalg.transpose ins(%a : tensor<2x6x8xf32>) outs(%e1 : tensor<6x2x8xf32>) permutation = [1, 0, 2]
  %e2 = tensor.empty() : tensor<2x16x8xf32>
  %b = linalg.generic {indexing_maps = [#w, #t, #w], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %t : tensor<2x16x8xi8>, tensor<2x16xf32>) outs(%e2 : tensor<2x16x8xf32>) {
  ^bb0(%i: i8, %f: f32, %o: f32):
    %0 = arith.sitofp %i : i8 to f32
    %1 = arith.mulf %0, %f : f32
    linalg.yield %1 : f32
  } -> tensor<2x16x8xf32>
  %e3 = tensor.empty() : tensor<2x8x16xf32>
  %bt = linalg.transpose ins(%b : tensor<2x16x8xf32>) outs(%e3 : tensor<2x8x16xf32>) permutation = [0, 2, 1]
  %e4 = tensor.empty() : tensor<6x2x16xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<6x2x16xf32>) -> tensor<6x2x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, g, n, k) -> (m, g, k)>, affine_map<(m, g, n, k) -> (g, k, n)>, affine_map<(m, g, n, k) -> (m, g, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%at, %bt : tensor<6x2x8xf32>, tensor<2x8x16xf32>) outs(%f4 : tensor<6x2x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6x2x16xf32>
  return %r : tensor<6x2x16xf32>
}

// -----

#x = affine_map<(d0, d1) -> (d0, d1)>

// Both operands are activations with zero points. The second operand becomes
// signed. The zero points contribute the sums of each operand's terms and a
// constant.
// CHECK-LABEL: func.func @activations
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<?x10xi8>, %[[P:[a-z0-9]+]]: tensor<40x10xi8>
// CHECK: %[[ZX:.*]] = arith.fptosi %{{.*}} : f32 to i32
// CHECK: %[[FLIPPED:.*]] = linalg.generic {{.*}} ins(%[[P]]
// CHECK: arith.xori
// CHECK: %[[OFFSET:.*]] = arith.constant -128 : i32
// CHECK: %[[ZY:.*]] = arith.addi %{{.*}}, %[[OFFSET]] : i32
// CHECK: %[[QP:.*]] = tensor.pad %[[Q]] low[0, 0] high[0, 2]
// CHECK: %[[PP:.*]] = tensor.pad %[[FLIPPED]] low[0, 0] high[0, 2]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[QP]], %[[PP]] : tensor<?x12xi8>, tensor<40x12xi8>) outs(%{{.*}} : tensor<?x40xi32>)
// CHECK: %[[COLUMNS:.*]] = linalg.generic {{.*}} ins(%[[PP]] : tensor<40x12xi8>) outs(%{{.*}} : tensor<40xi32>)
// CHECK: arith.extsi
// CHECK: %[[ROWS:.*]] = linalg.generic {{.*}} ins(%[[QP]] : tensor<?x12xi8>) outs(%{{.*}} : tensor<?xi32>)
// CHECK: arith.extui
// CHECK: %[[BOTH:.*]] = arith.muli %[[ZX]], %[[ZY]]
// CHECK: %[[TEN:.*]] = arith.constant 10 : i32
// CHECK: %[[ALL:.*]] = arith.muli %[[BOTH]], %[[TEN]]
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[COLUMNS]], %[[ROWS]]
// CHECK: arith.muli %{{.*}}, %[[ZX]]
// CHECK: arith.muli %{{.*}}, %[[ZY]]
// CHECK: arith.addi %{{.*}}, %[[ALL]]
// PACK-LABEL: func.func @activations
// PACK: linalg.pack {{.*}} inner_tiles = [32, 4] {{.*}} tensor<40x12xi8> -> tensor<2x3x32x4xi8>
func.func @activations(%q: tensor<?x10xi8>, %p: tensor<40x10xi8>) -> tensor<?x40xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %s = arith.constant 0.5 : f32
  %zx = arith.constant 3.0 : f32
  %zy = arith.constant 7.0 : f32
  %n = tensor.dim %q, %c0 : tensor<?x10xi8>
  %e0 = tensor.empty(%n) : tensor<?x10xf32>
  %a = linalg.generic {indexing_maps = [#x, #x], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<?x10xi8>) outs(%e0 : tensor<?x10xf32>) {
  ^bb0(%i: i8, %o: f32):
    %0 = arith.uitofp %i : i8 to f32
    %1 = arith.subf %0, %zx : f32
    %2 = arith.mulf %1, %s : f32
    linalg.yield %2 : f32
  } -> tensor<?x10xf32>
  %e1 = tensor.empty() : tensor<40x10xf32>
  %b = linalg.generic {indexing_maps = [#x, #x], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<40x10xi8>) outs(%e1 : tensor<40x10xf32>) {
  ^bb0(%i: i8, %o: f32):
    %0 = arith.uitofp %i : i8 to f32
    %1 = arith.subf %0, %zy : f32
    %2 = arith.mulf %1, %s : f32
    linalg.yield %2 : f32
  } -> tensor<40x10xf32>
  %e2 = tensor.empty(%n) : tensor<?x40xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x40xf32>) -> tensor<?x40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<?x10xf32>, tensor<40x10xf32>) outs(%f2 : tensor<?x40xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x40xf32>
  return %r : tensor<?x40xf32>
}
