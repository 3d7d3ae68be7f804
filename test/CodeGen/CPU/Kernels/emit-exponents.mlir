// RUN: fx-opt %s --fx-cpu-emit-kernels=lanes=8 --canonicalize --cse | FileCheck %s

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The exponents of a softmax are at most 0: they have no upper limit, and a
// constant factor besides the power of two.
// CHECK-LABEL: func.func private @softmax
// CHECK-NOT: dense<8.900000e+01>
// CHECK: dense<5.42101086E-20>
// CHECK-NOT: dense<8.900000e+01>
func.func private @softmax(%x: tensor<32x32xf32>, %out: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {fx.kernel} {
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<32xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %m = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<32x32xf32>) outs(%f : tensor<32xf32>) attrs = {fx_kernel.schedule = #fx_kernel.rows} {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<32xf32>
  %r = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<32x32xf32>, tensor<32xf32>) outs(%out : tensor<32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

// The sign is the other one.
// CHECK-LABEL: func.func private @negated
// CHECK: dense<8.900000e+01>
func.func private @negated(%x: tensor<32x32xf32>, %out: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {fx.kernel} {
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<32xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %m = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<32x32xf32>) outs(%f : tensor<32xf32>) attrs = {fx_kernel.schedule = #fx_kernel.rows} {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<32xf32>
  %r = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<32x32xf32>, tensor<32xf32>) outs(%out : tensor<32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %b, %a : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

// The difference is a value of its own, as in log_softmax.
// CHECK-LABEL: func.func private @sums
// CHECK-NOT: dense<8.900000e+01>
// CHECK: dense<5.42101086E-20>
// CHECK-NOT: dense<8.900000e+01>
func.func private @sums(%x: tensor<32x32xf32>, %out: tensor<32xf32>) -> tensor<32xf32> attributes {fx.kernel} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %m = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<32x32xf32>) outs(%f : tensor<32xf32>) attrs = {fx_kernel.schedule = #fx_kernel.rows} {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<32xf32>
  %empty = tensor.empty() : tensor<32x32xf32>
  %d = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<32x32xf32>, tensor<32xf32>) outs(%empty : tensor<32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<32x32xf32>
  %g = linalg.fill ins(%zero : f32) outs(%out : tensor<32xf32>) -> tensor<32xf32>
  %r = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<32x32xf32>) outs(%g : tensor<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<32xf32>
  return %r : tensor<32xf32>
}
