// RUN: fx-opt %s --fx-cpu-pack-weights=lanes=16 | FileCheck %s --check-prefixes=CHECK,L16
// RUN: fx-opt %s --fx-cpu-pack-weights=lanes=8 | FileCheck %s --check-prefixes=CHECK,L8

#x = affine_map<(m, n, k) -> (m, k)>
#wt = affine_map<(m, n, k) -> (n, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// A weight is packed; the last panel is padded with zeros.
// CHECK-LABEL: func.func @weight
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x64xf32>, %[[W:[^:]+]]: tensor<100x64xf32>
// L16: %[[P:.+]] = linalg.pack %[[W]] padding_value(%{{.+}} : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] into %{{.+}} : tensor<100x64xf32> -> tensor<4x64x32xf32>
// L8: %[[P:.+]] = linalg.pack %[[W]] padding_value(%{{.+}} : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [16] into %{{.+}} : tensor<100x64xf32> -> tensor<7x64x16xf32>
// L16: %[[U:.+]] = fx_kernel.unpack %[[P]] outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<4x64x32xf32> -> tensor<100x64xf32>
// L8: %[[U:.+]] = fx_kernel.unpack %[[P]] outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [16] : tensor<7x64x16xf32> -> tensor<100x64xf32>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[U]]
func.func @weight(%x: tensor<?x64xf32>, %w: tensor<100x64xf32> {fx.state = @w}, %init: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %r = linalg.generic {indexing_maps = [#x, #wt, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x64xf32>, tensor<100x64xf32>) outs(%init : tensor<?x100xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x100xf32>
  return %r : tensor<?x100xf32>
}

// A named op. An operand that is no weight and is stored row by row is not
// packed.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: linalg.pack
// CHECK: linalg.generic
func.func @rows(%x: tensor<8x64xf32>, %w: tensor<64x96xf32>, %init: tensor<8x96xf32>) -> tensor<8x96xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%init : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %r : tensor<8x96xf32>
}

// An operand that is stored column by column is packed if there are enough
// rows.
// CHECK-LABEL: func.func @columns
// CHECK: linalg.pack
// CHECK-LABEL: func.func @one_row
// CHECK-NOT: linalg.pack
func.func @columns(%x: tensor<8x64xf32>, %w: tensor<96x64xf32>, %init: tensor<8x96xf32>) -> tensor<8x96xf32> {
  %r = linalg.generic {indexing_maps = [#x, #wt, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x64xf32>, tensor<96x64xf32>) outs(%init : tensor<8x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x96xf32>
  return %r : tensor<8x96xf32>
}
func.func @one_row(%x: tensor<1x64xf32>, %w: tensor<96x64xf32>, %init: tensor<1x96xf32>) -> tensor<1x96xf32> {
  %r = linalg.generic {indexing_maps = [#x, #wt, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x64xf32>, tensor<96x64xf32>) outs(%init : tensor<1x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x96xf32>
  return %r : tensor<1x96xf32>
}

// A gather of rows reads the packed form, too.
// CHECK-LABEL: func.func @tied
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x64xf32>, %[[IDS:[^:]+]]: tensor<?xi64>, %[[W:[^:]+]]: tensor<100x64xf32>
// CHECK: %[[P:.+]] = linalg.pack %[[W]]
// L8: tensor<100x64xf32> -> tensor<7x64x16xf32>
// CHECK: ^bb0(%[[ID:.+]]: i64
// CHECK-DAG: %[[N:.+]] = arith.index_cast %[[ID]]
// CHECK-DAG: %[[K:.+]] = linalg.index 1
// L8: %[[WIDTH:.+]] = arith.constant 16 : index
// L16: %[[WIDTH:.+]] = arith.constant 32 : index
// CHECK: %[[PANEL:.+]] = arith.divui %[[N]], %[[WIDTH]]
// CHECK: %[[LANE:.+]] = arith.remui %[[N]], %[[WIDTH]]
// CHECK: tensor.extract %[[P]][%[[PANEL]], %[[K]], %[[LANE]]]
func.func @tied(%x: tensor<?x64xf32>, %ids: tensor<?xi64>, %w: tensor<100x64xf32> {fx.state = @w}, %init: tensor<?x100xf32>, %rows: tensor<?x64xf32>) -> (tensor<?x100xf32>, tensor<?x64xf32>) {
  %r = linalg.generic {indexing_maps = [#x, #wt, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x64xf32>, tensor<100x64xf32>) outs(%init : tensor<?x100xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x100xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(t, k) -> (t)>, affine_map<(t, k) -> (t, k)>], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<?xi64>) outs(%rows : tensor<?x64xf32>) {
  ^bb0(%id: i64, %o: f32):
    %n = arith.index_cast %id : i64 to index
    %k = linalg.index 1 : index
    %v = tensor.extract %w[%n, %k] : tensor<100x64xf32>
    linalg.yield %v : f32
  } -> tensor<?x64xf32>
  return %r, %e : tensor<?x100xf32>, tensor<?x64xf32>
}
