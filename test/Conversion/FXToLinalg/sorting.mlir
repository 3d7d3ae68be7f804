// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Short rows are sorted by counting, longer rows by radix.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %w = placeholder "w" : !fx.tensor<[3, s0], f32>
  %i = placeholder "i" : !fx.tensor<[s0, 4], i64>
  // Counts the elements before each element, then finds the element for each
  // place, without a loop.
  // CHECK-NOT: scf.for
  // CHECK: arith.cmpf olt
  // CHECK: iterator_types = ["parallel", "parallel", "reduction"]
  // CHECK: iterator_types = ["parallel", "parallel", "reduction"]
  // CHECK: tensor.extract
  %a, %b = call_function @aten.sort.default(%x, 1) : (!fx.tensor<[s0, 4], f32>) -> (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], i64>)
  // Keys of 32 bits: for each of their four bytes the loop counts, computes
  // places and moves elements.
  // CHECK: arith.bitcast %{{.+}} : f32 to i32
  // CHECK-COUNT-4: -> (tensor<?xi32>, tensor<?xi64>, tensor<256xindex>)
  // CHECK: tensor.insert_slice
  %c, %d = call_function @aten.sort.default(%w, 1, true) : (!fx.tensor<[3, s0], f32>) -> (!fx.tensor<[3, s0], f32>, !fx.tensor<[3, s0], i64>)
  // CHECK: tensor.extract_slice {{.*}}[0, 0] [%{{.*}}, 2] [1, 1]
  %e, %f = call_function @aten.topk.default(%x, 2) : (!fx.tensor<[s0, 4], f32>) -> (!fx.tensor<[s0, 2], f32>, !fx.tensor<[s0, 2], i64>)
  // NaN is ordered after all numbers. A row with a NaN has the first NaN as its
  // median.
  // CHECK: arith.divsi
  %g, %h = call_function @aten.median.dim(%x, 1) : (!fx.tensor<[s0, 4], f32>) -> (!fx.tensor<[s0], f32>, !fx.tensor<[s0], i64>)
  // CHECK: arith.cmpi sle
  // CHECK: arith.addi
  %q = call_function @aten.searchsorted.Tensor(%i, %i, right = true) : (!fx.tensor<[s0, 4], i64>, !fx.tensor<[s0, 4], i64>) -> !fx.tensor<[s0, 4], i64>
  output(%a, %b, %c, %d, %e, %f, %g, %h, %q) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], i64>, !fx.tensor<[3, s0], f32>, !fx.tensor<[3, s0], i64>, !fx.tensor<[s0, 2], f32>, !fx.tensor<[s0, 2], i64>, !fx.tensor<[s0], f32>, !fx.tensor<[s0], i64>, !fx.tensor<[s0, 4], i64>)
}
