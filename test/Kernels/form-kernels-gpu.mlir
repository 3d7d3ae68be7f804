// RUN: fx-opt %s --split-input-file --fx-form-kernels="gpu=true matrix-unit=mma" | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>

// What depends on states alone, and is read for each row, is no part of the
// kernel: fx-hoist-prepare takes it.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:[^:]+]]: tensor<64x128xf32>, %[[S:[^:]+]]: tensor<128xf32>
// CHECK: %[[SCALE:.+]] = fx_kernel.invoke @[[OF_STATE:.+]] ins(%[[S]]
// CHECK: fx_kernel.invoke @[[ROWS:.+]] ins(%[[X]], %[[SCALE]]
// CHECK: func.func private @[[OF_STATE]]
// CHECK: math.sqrt
func.func @main(%x: tensor<64x128xf32>, %s: tensor<128xf32> {fx.state = @s}) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<128xf32>
  %f = tensor.empty() : tensor<64x128xf32>
  %scale = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%s : tensor<128xf32>) outs(%e : tensor<128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.sqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  %y = linalg.generic {indexing_maps = [#id, #j, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %scale : tensor<64x128xf32>, tensor<128xf32>) outs(%f : tensor<64x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>

// A large outer product of states would not be stored. It is fused.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: fx_kernel.invoke
// CHECK-NOT: fx_kernel.invoke
// CHECK: return
func.func @main(%x: tensor<4096x4096xf32>, %s: tensor<4096xf32> {fx.state = @s}) -> tensor<4096x4096xf32> {
  %f = tensor.empty() : tensor<4096x4096xf32>
  %outer = linalg.generic {indexing_maps = [#i, #j, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %s : tensor<4096xf32>, tensor<4096xf32>) outs(%f : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<4096x4096xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %outer : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%f : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>
#number = affine_map<() -> ()>

// A number that others read, too, is computed even if there is no row.
// CHECK-LABEL: func.func @numbers
// CHECK: %[[NUMBER:.+]] = fx_kernel.invoke @{{.+}} ins(%{{[^,]+}} : tensor<f32>)
// CHECK: %[[ROWS:.+]] = fx_kernel.invoke @{{.+}} ins(%{{.+}}, %[[NUMBER]], %{{.+}} : tensor<?x8xf32>, tensor<f32>, index)
// CHECK: return %[[ROWS]], %[[NUMBER]]
func.func @numbers(%x: tensor<?x8xf32>, %a: tensor<f32>, %n: index) -> (tensor<?xf32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %b = linalg.generic {indexing_maps = [#number, #number], iterator_types = []} ins(%a : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.mulf %p, %p : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %f = tensor.empty(%n) : tensor<?x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %b : tensor<?x8xf32>, tensor<f32>) outs(%f : tensor<?x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.mulf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  %g = tensor.empty(%n) : tensor<?xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#id, #i], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<?x8xf32>) outs(%h : tensor<?xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %s, %b : tensor<?xf32>, tensor<f32>
}

// -----

#images = affine_map<(n, y, x, f, u, v, c) -> (n, y + u, x + v, c)>
#window = affine_map<(n, y, x, f, u, v, c) -> (u, v, c, f)>
#pixels = affine_map<(n, y, x, f, u, v, c) -> (n, y, x, f)>

// Zeros around images are a part of the convolution, also if another op reads
// the padded images. Other values and more channels are not.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x8x9x64xf16>, %[[W:[^:]+]]: tensor<3x3x64x64xf16>
// CHECK: %[[PADDED:.+]] = fx_kernel.invoke @[[PAD:.+]] ins(%[[X]] :
// CHECK: %[[ONES:.+]] = fx_kernel.invoke @{{.+}} ins(%[[X]] :
// CHECK: %[[Y:.+]] = fx_kernel.invoke @[[CONV:.+]] ins(%[[X]], %[[W]]
// CHECK: %[[Z:.+]] = fx_kernel.invoke @[[OTHER:.+]] ins(%[[ONES]], %[[W]]
// CHECK: return %[[PADDED]], %[[Y]], %[[Z]]
// CHECK: func.func private @[[CONV]]
// CHECK: %[[READ:.+]] = tensor.pad
// CHECK: linalg.generic {{.+}} ins(%[[READ]],
// CHECK: func.func private @[[OTHER]]
// CHECK-NOT: tensor.pad
// CHECK: return
func.func @main(%x: tensor<2x8x9x64xf16>, %w: tensor<3x3x64x64xf16>) -> (tensor<2x10x11x64xf16>, tensor<2x8x9x64xf32>, tensor<2x8x9x64xf32>) {
  %zero = arith.constant 0.0 : f16
  %one = arith.constant 1.0 : f16
  %none = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x9x64xf32>
  %init = linalg.fill ins(%none : f32) outs(%e : tensor<2x8x9x64xf32>) -> tensor<2x8x9x64xf32>
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f16
  } : tensor<2x8x9x64xf16> to tensor<2x10x11x64xf16>
  %ones = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %one : f16
  } : tensor<2x8x9x64xf16> to tensor<2x10x11x64xf16>
  %y = linalg.generic {indexing_maps = [#images, #window, #pixels], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%padded, %w : tensor<2x10x11x64xf16>, tensor<3x3x64x64xf16>) outs(%init : tensor<2x8x9x64xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %c = arith.extf %a : f16 to f32
    %d = arith.extf %b : f16 to f32
    %m = arith.mulf %c, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x8x9x64xf32>
  %z = linalg.generic {indexing_maps = [#images, #window, #pixels], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%ones, %w : tensor<2x10x11x64xf16>, tensor<3x3x64x64xf16>) outs(%init : tensor<2x8x9x64xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %c = arith.extf %a : f16 to f32
    %d = arith.extf %b : f16 to f32
    %m = arith.mulf %c, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x8x9x64xf32>
  return %padded, %y, %z : tensor<2x10x11x64xf16>, tensor<2x8x9x64xf32>, tensor<2x8x9x64xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// A weight of bytes that several rows multiply is expanded by the kernel, also
// if it depends on states alone. Its scales are computed once.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[Q:[^:]+]]: tensor<16x128xi8>
// CHECK: %[[SCALES:.+]] = fx_kernel.invoke @kernel_1
// CHECK: fx_kernel.invoke @kernel_0 ins(%[[Q]], %[[SCALES]],
// CHECK-NOT: fx_kernel.invoke
// CHECK: func.func private @kernel_0
// CHECK: arith.sitofp
// CHECK: arith.mulf
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @main(%x: tensor<2x128xf32>, %q: tensor<16x128xi8> {fx.state = @w}, %s: tensor<16xf32> {fx.state = @s}) -> tensor<2x16xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<16xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%s : tensor<16xf32>) outs(%es : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %half : f32
    linalg.yield %0 : f32
  } -> tensor<16xf32>
  %ew = tensor.empty() : tensor<16x128xf32>
  %w = linalg.generic {indexing_maps = [#id, #i, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %t : tensor<16x128xi8>, tensor<16xf32>) outs(%ew : tensor<16x128xf32>) {
  ^bb0(%a: i8, %b: f32, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<16x128xf32>
  %e = tensor.empty() : tensor<2x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x16xf32>) -> tensor<2x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x128xf32>, tensor<16x128xf32>) outs(%f : tensor<2x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x16xf32>
  return %r : tensor<2x16xf32>
}
