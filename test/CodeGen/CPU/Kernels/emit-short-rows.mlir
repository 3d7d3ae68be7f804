// RUN: fx-opt %s --split-input-file --fx-cpu-select-schedules=lanes=8 | FileCheck %s --check-prefix=SCHEDULE
// RUN: fx-opt %s --split-input-file --fx-cpu-select-schedules=lanes=8 --fx-cpu-emit-kernels=lanes=8 --canonicalize --cse | FileCheck %s

// Rows of three elements: each lane reduces a row. Three vectors hold the eight
// rows. Threads share the rows.
// SCHEDULE-LABEL: func.func private @rows_of_three
// SCHEDULE: #fx_kernel.window
// CHECK-LABEL: func.func private @rows_of_three
// CHECK: scf.forall (%{{.*}}) in (125)
// CHECK: scf.for {{.*}} to %c3
// CHECK-COUNT-3: vector.load
// CHECK-NEXT: vector.shuffle
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK-NOT: vector.reduction
// CHECK: vector.store {{.*}} vector<8xf32>
func.func private @rows_of_three(%x: tensor<1000x3xf32>, %out: tensor<1000xf32>) -> tensor<1000xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<1000xf32>) -> tensor<1000xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1000x3xf32>) outs(%f : tensor<1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}
func.func @main(%x: tensor<1000x3xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = fx_kernel.invoke @rows_of_three ins(%x : tensor<1000x3xf32>) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// -----

// Windows of two elements with a stride of two: the lanes of the operand are
// two elements apart.
// SCHEDULE-LABEL: func.func private @pool
// SCHEDULE: #fx_kernel.window
// CHECK-LABEL: func.func private @pool
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 2, 4, 6, 9, 11, 13, 15]
// CHECK: arith.maximumf {{.*}} : vector<8xf32>
func.func private @pool(%x: tensor<4x64xf32>, %w: tensor<2xf32>, %out: tensor<4x32xf32>) -> tensor<4x32xf32> attributes {fx.kernel} {
  %least = arith.constant 0xFF800000 : f32
  %f = linalg.fill ins(%least : f32) outs(%out : tensor<4x32xf32>) -> tensor<4x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(c, n, k) -> (c, n * 2 + k)>, affine_map<(c, n, k) -> (k)>, affine_map<(c, n, k) -> (c, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x64xf32>, tensor<2xf32>) outs(%f : tensor<4x32xf32>) {
  ^bb0(%a: f32, %size: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4x32xf32>
  return %r : tensor<4x32xf32>
}
func.func @main(%x: tensor<4x64xf32>, %w: tensor<2xf32>) -> tensor<4x32xf32> {
  %e = tensor.empty() : tensor<4x32xf32>
  %r = fx_kernel.invoke @pool ins(%x, %w : tensor<4x64xf32>, tensor<2xf32>) outs(%e : tensor<4x32xf32>) -> tensor<4x32xf32>
  return %r : tensor<4x32xf32>
}

// -----

// If an output has the elements of the rows, the lanes walk the elements.
// SCHEDULE-LABEL: func.func private @centred
// SCHEDULE: #fx_kernel.rows
// CHECK-LABEL: func.func private @centred
// CHECK: vector.reduction
func.func private @centred(%x: tensor<1000x3xf32>, %out: tensor<1000x3xf32>) -> tensor<1000x3xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1000xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1000x3xf32>) outs(%f : tensor<1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<1000xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>, affine_map<(n, k) -> (n, k)>], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<1000x3xf32>, tensor<1000xf32>) outs(%out : tensor<1000x3xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.subf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<1000x3xf32>
  return %c : tensor<1000x3xf32>
}
func.func @main(%x: tensor<1000x3xf32>) -> tensor<1000x3xf32> {
  %e = tensor.empty() : tensor<1000x3xf32>
  %r = fx_kernel.invoke @centred ins(%x : tensor<1000x3xf32>) outs(%e : tensor<1000x3xf32>) -> tensor<1000x3xf32>
  return %r : tensor<1000x3xf32>
}
