// RUN: fx-opt %s --fx-fold-gathers --canonicalize --cse | FileCheck %s
// RUN: fx-opt %s --fx-fold-gathers --fx-fold-gathers --canonicalize --cse | FileCheck %s

#table = affine_map<(b, p, o, h, e) -> (b, p)>
#pages = affine_map<(b, p, o, h, e) -> (b, p, o, h, e)>
#q = affine_map<(b, h, m, n, k) -> (b, h, m, k)>
#k = affine_map<(b, h, m, n, k) -> (b, n, h, k)>
#k2 = affine_map<(b, h, m, n, k) -> (b, h, n, k)>
#y = affine_map<(b, h, m, n, k) -> (b, h, m, n)>

// Position s of the keys is position s mod 16 in page table[b, s / 16].
// CHECK-LABEL: func.func @pages
// CHECK-SAME: %[[CACHE:[^:,]+]]: tensor<99x16x4x64xf32>, %[[TABLE:[^:,]+]]: tensor<2x?xi64>
// CHECK-NOT: -> tensor<2x?x16x4x64xf32>
// CHECK: %[[KEYS:.+]] = linalg.generic
// CHECK-SAME: outs(%{{.+}} : tensor<2x?x4x64xf32>)
// CHECK-DAG: %[[B:.+]] = linalg.index 0
// CHECK-DAG: %[[S:.+]] = linalg.index 1
// CHECK-DAG: %[[H:.+]] = linalg.index 2
// CHECK-DAG: %[[E:.+]] = linalg.index 3
// CHECK-DAG: %[[O:.+]] = arith.remui %[[S]], %c16
// CHECK-DAG: %[[P:.+]] = arith.divui %[[S]], %c16
// CHECK: %[[ID:.+]] = tensor.extract %[[TABLE]][%[[B]], %[[P]]]
// CHECK: %[[PAGE:.+]] = arith.index_cast %[[ID]]
// CHECK: %[[X:.+]] = tensor.extract %[[CACHE]][%[[PAGE]], %[[O]], %[[H]], %[[E]]]
// CHECK: linalg.yield %[[X]]
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %[[KEYS]] :
func.func @pages(%q: tensor<2x4x1x64xf32>, %cache: tensor<99x16x4x64xf32>, %table: tensor<2x?xi64>, %to: tensor<2x?x16x4x64xf32>, %y: tensor<2x4x1x?xf32>) -> tensor<2x4x1x?xf32> {
  %pages = linalg.generic {indexing_maps = [#table, #pages], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x?xi64>) outs(%to : tensor<2x?x16x4x64xf32>) {
  ^bb0(%id: i64, %out: f32):
    %o = linalg.index 2 : index
    %h = linalg.index 3 : index
    %e = linalg.index 4 : index
    %p = arith.index_cast %id : i64 to index
    %x = tensor.extract %cache[%p, %o, %h, %e] : tensor<99x16x4x64xf32>
    linalg.yield %x : f32
  } -> tensor<2x?x16x4x64xf32>
  %keys = tensor.collapse_shape %pages [[0], [1, 2], [3], [4]] : tensor<2x?x16x4x64xf32> into tensor<2x?x4x64xf32>
  %scores = linalg.generic {indexing_maps = [#q, #k, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %keys : tensor<2x4x1x64xf32>, tensor<2x?x4x64xf32>) outs(%y : tensor<2x4x1x?xf32>) attrs = {fx.attention = 0 : i64} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x4x1x?xf32>
  return %scores : tensor<2x4x1x?xf32>
}

// A transposed copy in between becomes a part of the gather.
// CHECK-LABEL: func.func @transposed
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic
// CHECK-DAG: %[[B:.+]] = linalg.index 0
// CHECK-DAG: %[[H:.+]] = linalg.index 1
// CHECK-DAG: %[[S:.+]] = linalg.index 2
// CHECK-DAG: %[[E:.+]] = linalg.index 3
// CHECK-DAG: %[[O:.+]] = arith.remui %[[S]], %c16
// CHECK-DAG: %[[P:.+]] = arith.divui %[[S]], %c16
// CHECK: tensor.extract %{{.+}}[%[[B]], %[[P]]]
// CHECK: tensor.extract %{{.+}}[%{{.+}}, %[[H]], %[[O]], %[[E]]]
func.func @transposed(%q: tensor<2x4x1x64xf32>, %cache: tensor<99x4x16x64xf32>, %table: tensor<2x8xi64>, %y: tensor<2x4x1x128xf32>) -> tensor<2x4x1x128xf32> {
  %to = tensor.empty() : tensor<2x8x4x16x64xf32>
  %pages = linalg.generic {indexing_maps = [#table, #pages], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x8xi64>) outs(%to : tensor<2x8x4x16x64xf32>) {
  ^bb0(%id: i64, %out: f32):
    %h = linalg.index 2 : index
    %o = linalg.index 3 : index
    %e = linalg.index 4 : index
    %p = arith.index_cast %id : i64 to index
    %x = tensor.extract %cache[%p, %h, %o, %e] : tensor<99x4x16x64xf32>
    linalg.yield %x : f32
  } -> tensor<2x8x4x16x64xf32>
  %t = tensor.empty() : tensor<2x4x8x16x64xf32>
  %copy = linalg.transpose ins(%pages : tensor<2x8x4x16x64xf32>) outs(%t : tensor<2x4x8x16x64xf32>) permutation = [0, 2, 1, 3, 4]
  %keys = tensor.collapse_shape %copy [[0], [1], [2, 3], [4]] : tensor<2x4x8x16x64xf32> into tensor<2x4x128x64xf32>
  %scores = linalg.generic {indexing_maps = [#q, #k2, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %keys : tensor<2x4x1x64xf32>, tensor<2x4x128x64xf32>) outs(%y : tensor<2x4x1x128xf32>) attrs = {fx.attention = 0 : i64} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x4x1x128xf32>
  return %scores : tensor<2x4x1x128xf32>
}

// No attention, columns that are merged with positions, and pages with other
// users: they stay as they are.
// CHECK-LABEL: func.func @others
// CHECK: tensor.collapse_shape %{{.+}} {{\[\[}}0], [1, 2], [3], [4]]
// CHECK: tensor.collapse_shape %{{.+}} {{\[\[}}0], [1], [2, 3]]
// CHECK: tensor.collapse_shape %{{.+}} {{\[\[}}0], [1, 2], [3], [4]]
func.func @others(%q: tensor<2x4x1x64xf32>, %q2: tensor<2x99x64xf32>, %cache: tensor<99x16x4x64xf32>, %rows: tensor<99x4x16xf32>, %table: tensor<2x8xi64>, %ids: tensor<2xi64>, %y: tensor<2x4x1x128xf32>) -> (tensor<2x4x1x128xf32>, tensor<2x4x1x128xf32>, tensor<2x4x1x128xf32>, tensor<2x8x16x4x64xf32>) {
  %to = tensor.empty() : tensor<2x8x16x4x64xf32>
  %pages = linalg.generic {indexing_maps = [#table, #pages], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x8xi64>) outs(%to : tensor<2x8x16x4x64xf32>) {
  ^bb0(%id: i64, %out: f32):
    %o = linalg.index 2 : index
    %h = linalg.index 3 : index
    %e = linalg.index 4 : index
    %p = arith.index_cast %id : i64 to index
    %x = tensor.extract %cache[%p, %o, %h, %e] : tensor<99x16x4x64xf32>
    linalg.yield %x : f32
  } -> tensor<2x8x16x4x64xf32>
  %keys = tensor.collapse_shape %pages [[0], [1, 2], [3], [4]] : tensor<2x8x16x4x64xf32> into tensor<2x128x4x64xf32>
  %s1 = linalg.generic {indexing_maps = [#q, #k, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %keys : tensor<2x4x1x64xf32>, tensor<2x128x4x64xf32>) outs(%y : tensor<2x4x1x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x4x1x128xf32>
  %to2 = tensor.empty() : tensor<2x128x4x16xf32>
  %rest = linalg.generic {indexing_maps = [affine_map<(b, n, h, e) -> (b)>, affine_map<(b, n, h, e) -> (b, n, h, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ids : tensor<2xi64>) outs(%to2 : tensor<2x128x4x16xf32>) {
  ^bb0(%id: i64, %out: f32):
    %h = linalg.index 2 : index
    %e = linalg.index 3 : index
    %p = arith.index_cast %id : i64 to index
    %x = tensor.extract %rows[%p, %h, %e] : tensor<99x4x16xf32>
    linalg.yield %x : f32
  } -> tensor<2x128x4x16xf32>
  %merged = tensor.collapse_shape %rest [[0], [1], [2, 3]] : tensor<2x128x4x16xf32> into tensor<2x128x64xf32>
  %s2 = linalg.generic {indexing_maps = [#q, affine_map<(b, h, m, n, k) -> (b, n, k)>, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %merged : tensor<2x4x1x64xf32>, tensor<2x128x64xf32>) outs(%y : tensor<2x4x1x128xf32>) attrs = {fx.attention = 0 : i64} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x4x1x128xf32>
  %read = linalg.generic {indexing_maps = [#table, #pages], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x8xi64>) outs(%to : tensor<2x8x16x4x64xf32>) {
  ^bb0(%id: i64, %out: f32):
    %o = linalg.index 2 : index
    %h = linalg.index 3 : index
    %e = linalg.index 4 : index
    %c1 = arith.constant 1 : index
    %p = arith.index_cast %id : i64 to index
    %next = arith.addi %p, %c1 : index
    %x = tensor.extract %cache[%next, %o, %h, %e] : tensor<99x16x4x64xf32>
    linalg.yield %x : f32
  } -> tensor<2x8x16x4x64xf32>
  %again = tensor.collapse_shape %read [[0], [1, 2], [3], [4]] : tensor<2x8x16x4x64xf32> into tensor<2x128x4x64xf32>
  %s3 = linalg.generic {indexing_maps = [#q, #k, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %again : tensor<2x4x1x64xf32>, tensor<2x128x4x64xf32>) outs(%y : tensor<2x4x1x128xf32>) attrs = {fx.attention = 0 : i64} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x4x1x128xf32>
  return %s1, %s2, %s3, %read : tensor<2x4x1x128xf32>, tensor<2x4x1x128xf32>, tensor<2x4x1x128xf32>, tensor<2x8x16x4x64xf32>
}

// The body reads what was there before.
// CHECK-LABEL: func.func @reads_output
// CHECK: tensor.collapse_shape
func.func @reads_output(%q: tensor<2x4x1x64xf32>, %cache: tensor<99x16x4x64xf32>, %table: tensor<2x8xi64>, %to: tensor<2x8x16x4x64xf32>, %y: tensor<2x4x1x128xf32>) -> tensor<2x4x1x128xf32> {
  %pages = linalg.generic {indexing_maps = [#table, #pages], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x8xi64>) outs(%to : tensor<2x8x16x4x64xf32>) {
  ^bb0(%id: i64, %out: f32):
    %o = linalg.index 2 : index
    %h = linalg.index 3 : index
    %e = linalg.index 4 : index
    %more = arith.fptosi %out : f32 to i64
    %sum = arith.addi %id, %more : i64
    %p = arith.index_cast %sum : i64 to index
    %x = tensor.extract %cache[%p, %o, %h, %e] : tensor<99x16x4x64xf32>
    linalg.yield %x : f32
  } -> tensor<2x8x16x4x64xf32>
  %keys = tensor.collapse_shape %pages [[0], [1, 2], [3], [4]] : tensor<2x8x16x4x64xf32> into tensor<2x128x4x64xf32>
  %scores = linalg.generic {indexing_maps = [#q, #k, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %keys : tensor<2x4x1x64xf32>, tensor<2x128x4x64xf32>) outs(%y : tensor<2x4x1x128xf32>) attrs = {fx.attention = 0 : i64} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x4x1x128xf32>
  return %scores : tensor<2x4x1x128xf32>
}
