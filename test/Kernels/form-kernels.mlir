// RUN: fx-opt %s --split-input-file --fx-form-kernels --fx-cpu-select-schedules | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>

// A matmul is fused with its bias and activation. Two equal groups share one
// kernel.
// CHECK-LABEL: func.func @linear
// CHECK: %[[A:.+]] = fx_kernel.invoke @kernel_0 ins(
// CHECK: %[[B:.+]] = fx_kernel.invoke @kernel_0 ins(
// CHECK-NOT: linalg.generic
// CHECK: return %[[B]]
// CHECK: func.func private @kernel_0
// CHECK-SAME: fx.kernel
// CHECK: linalg.generic
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.contraction<rows = 8, vectors = 2, row_block = {{[0-9]+}}, rows_first = true>
// CHECK: math.tanh
// CHECK-NOT: func.func
func.func @linear(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>, %b: tensor<64xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%d) : tensor<?x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%f : tensor<?x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %p = arith.mulf %a, %c : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %b : tensor<?x64xf32>, tensor<64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %p = arith.addf %a, %c : f32
    %q = math.tanh %p : f32
    linalg.yield %q : f32
  } -> tensor<?x64xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%f : tensor<?x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %p = arith.mulf %a, %c : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x64xf32>
  %3 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%2, %b : tensor<?x64xf32>, tensor<64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %p = arith.addf %a, %c : f32
    %q = math.tanh %p : f32
    linalg.yield %q : f32
  } -> tensor<?x64xf32>
  return %3 : tensor<?x64xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// A softmax is one row kernel.
// CHECK-LABEL: func.func @softmax
// CHECK: %[[R:.+]] = fx_kernel.invoke @kernel_0
// CHECK-NEXT: return %[[R]]
// CHECK: func.func private @kernel_0
// CHECK: #fx_kernel.rows
// CHECK-NOT: func.func
func.func @softmax(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8x100xf32>
  %r = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%low : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %g = linalg.fill ins(%zero : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x100xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.maximumf %a, %o : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<8x100xf32>, tensor<8xf32>) outs(%e : tensor<8x100xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.subf %a, %b : f32
    %q = math.exp %p : f32
    linalg.yield %q : f32
  } -> tensor<8x100xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.addf %a, %o : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %3 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%1, %2 : tensor<8x100xf32>, tensor<8xf32>) outs(%e : tensor<8x100xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.divf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<8x100xf32>
  return %3 : tensor<8x100xf32>
}

// -----

// A pad of static dimensions is part of the kernel that reads it, also if
// another dimension is dynamic.
// CHECK-LABEL: func.func @pool
// CHECK-NOT: tensor.pad
// CHECK: return
// CHECK: func.func private @kernel_0
// CHECK: tensor.pad
// CHECK: linalg.generic
// CHECK-SAME: fx_kernel.schedule = #fx_kernel.window
func.func @pool(%x: tensor<?x8x8x16xf32>, %w: tensor<3x3xf32>) -> tensor<?x8x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x8x8x16xf32> to tensor<?x10x10x16xf32>
  %d = tensor.dim %x, %c0 : tensor<?x8x8x16xf32>
  %e = tensor.empty(%d) : tensor<?x8x8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x8x16xf32>) -> tensor<?x8x8x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j)>, affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%p, %w : tensor<?x10x10x16xf32>, tensor<3x3xf32>) outs(%f : tensor<?x8x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x8x8x16xf32>
  return %r : tensor<?x8x8x16xf32>
}
