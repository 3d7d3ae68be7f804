// RUN: fx-opt %s --fx-form-kernels | FileCheck %s

// Each group alone would be a valid kernel, but each needs a result of the
// other through an op outside of both groups. So the second group is made
// smaller.
// CHECK-LABEL: func.func @main
// CHECK: %[[B:.*]]:2 = fx_kernel.invoke @kernel_1 ins(%{{[a-z0-9]+}} :
// CHECK: %[[FB:.*]] = call @f(%[[B]]#1)
// CHECK: %[[A:.*]]:2 = fx_kernel.invoke @kernel_0 ins(%{{[a-z0-9]+}}, %[[FB]] :
// CHECK: %[[FA:.*]] = call @f(%[[A]]#0)
// CHECK: fx_kernel.invoke @kernel_2 ins(%[[B]]#0, %[[FA]] :
#row = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
func.func private @f(tensor<8xf32>) -> tensor<8xf32>
func.func @main(%p: tensor<8x4xf32>, %q: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %wide = tensor.empty() : tensor<8x4xf32>
  %empty = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %x = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<8x4xf32>) outs(%wide : tensor<8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  } -> tensor<8x4xf32>
  %a1 = linalg.generic {indexing_maps = [#row, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %fa = call @f(%a1) : (tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<8x4xf32>) outs(%wide : tensor<8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  } -> tensor<8x4xf32>
  %b1 = linalg.generic {indexing_maps = [#row, #rows], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<8x4xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %fb = call @f(%b1) : (tensor<8xf32>) -> tensor<8xf32>
  %a2 = linalg.generic {indexing_maps = [#row, #rows, #rows], iterator_types = ["parallel", "reduction"]} ins(%x, %fb : tensor<8x4xf32>, tensor<8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %m = arith.mulf %in, %by : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %b2 = linalg.generic {indexing_maps = [#row, #rows, #rows], iterator_types = ["parallel", "reduction"]} ins(%y, %fa : tensor<8x4xf32>, tensor<8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %m = arith.mulf %in, %by : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %a2, %b2 : tensor<8xf32>, tensor<8xf32>
}
