// RUN: fx-opt %s --fx-cpu-fold-keys=f16=true --canonicalize | FileCheck %s
// RUN: fx-opt %s --fx-cpu-fold-keys --canonicalize | FileCheck %s --check-prefix=NOF16
// RUN: fx-opt %s --fx-cpu-kernels="lanes=16 f16=true bf16=true" | FileCheck %s --check-prefix=EMIT
// RUN: fx-opt %s --fx-cpu-kernels="lanes=16 f16=true" | FileCheck %s --check-prefix=EMIT

// The matmuls of an attention read keys and values in f16. Views between the
// extension to f32 and a matmul are kept.

#q = affine_map<(h, t, s, e) -> (h, t, e)>
#k = affine_map<(h, t, s, e) -> (h, s, e)>
#s = affine_map<(h, t, s, e) -> (h, t, s)>
#p = affine_map<(h, t, e, s) -> (h, t, s)>
#v = affine_map<(h, t, e, s) -> (h, s, e)>
#y = affine_map<(h, t, e, s) -> (h, t, e)>
#id = affine_map<(h, t, s) -> (h, t, s)>
#mask = affine_map<(h, t, s) -> (t, s)>
#row = affine_map<(h, t, s) -> (h, t)>
#one = affine_map<(d0, d1, d2) -> (d1, d2)>
#two = affine_map<(d0, d1) -> (d0, d1)>
#cube = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#four = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// NOF16-LABEL: func.func @main
// NOF16-COUNT-2: arith.extf {{.*}} : f16 to f32
// NOF16: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<2x100x16xf32>, tensor<2x256x16xf32>)
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[K:[^:]+]]: tensor<2x256x16xf16>, %[[V:[^:]+]]: tensor<1x2x256x16xf16>
// CHECK-NOT: tensor<2x256x16xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %[[K]] : tensor<2x100x16xf32>, tensor<2x256x16xf16>)
// CHECK: arith.extf
// CHECK: %[[C:.+]] = tensor.collapse_shape %[[V]] {{.*}} into tensor<2x256x16xf16>
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %[[C]] : tensor<2x100x256xf32>, tensor<2x256x16xf16>)

func.func @main(%q: tensor<2x100x16xf32>, %k16: tensor<2x256x16xf16>, %v16: tensor<1x2x256x16xf16>, %m: tensor<100x256xi1>) -> tensor<2x100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2x100x256xf32>
  %e1 = tensor.empty() : tensor<2x100xf32>
  %e2 = tensor.empty() : tensor<2x100x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x100x256xf32>) -> tensor<2x100x256xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<2x100xf32>) -> tensor<2x100xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x100xf32>) -> tensor<2x100xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x100x16xf32>) -> tensor<2x100x16xf32>
  %e3 = tensor.empty() : tensor<2x256x16xf32>
  %e4 = tensor.empty() : tensor<1x2x256x16xf32>
  %k = linalg.generic {indexing_maps = [#cube, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k16 : tensor<2x256x16xf16>) outs(%e3 : tensor<2x256x16xf32>) {
  ^bb0(%a: f16, %o: f32):
    %0 = arith.extf %a : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<2x256x16xf32>
  %v0 = linalg.generic {indexing_maps = [#four, #four], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v16 : tensor<1x2x256x16xf16>) outs(%e4 : tensor<1x2x256x16xf32>) {
  ^bb0(%a: f16, %o: f32):
    %0 = arith.extf %a : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<1x2x256x16xf32>
  %v = tensor.collapse_shape %v0 [[0, 1], [2], [3]] : tensor<1x2x256x16xf32> into tensor<2x256x16xf32>
  %scores = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x100x16xf32>, tensor<2x256x16xf32>) outs(%s0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x256xf32>
  %x = linalg.generic {indexing_maps = [#id, #mask, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %m : tensor<2x100x256xf32>, tensor<100x256xi1>) outs(%e0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %0 = arith.select %b, %a, %lowest : f32
    linalg.yield %0 : f32
  } -> tensor<2x100x256xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x100x256xf32>) outs(%m0 : tensor<2x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x100xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x100x256xf32>, tensor<2x100xf32>) outs(%e0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x256xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x100x256xf32>) outs(%l0 : tensor<2x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x100xf32>
  %y = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x100x256xf32>, tensor<2x256x16xf32>) outs(%y0 : tensor<2x100x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x16xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %sum : tensor<2x100x16xf32>, tensor<2x100xf32>) outs(%e2 : tensor<2x100x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x100x16xf32>
  return %r : tensor<2x100x16xf32>
}

// Two heads of queries read one head of keys and values.
// CHECK-LABEL: func.func @heads
// CHECK-SAME: %[[K:[^:]+]]: tensor<256x16xf32>, %[[V:[^:]+]]: tensor<256x16xf32>
// CHECK-NOT: -> tensor<2x256x16xf32>
// CHECK: return
func.func @heads(%q: tensor<2x100x16xf32>, %k1: tensor<256x16xf32>, %v1: tensor<256x16xf32>, %m: tensor<100x256xi1>) -> tensor<2x100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2x100x256xf32>
  %e1 = tensor.empty() : tensor<2x100xf32>
  %e2 = tensor.empty() : tensor<2x100x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x100x256xf32>) -> tensor<2x100x256xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<2x100xf32>) -> tensor<2x100xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x100xf32>) -> tensor<2x100xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x100x16xf32>) -> tensor<2x100x16xf32>
  %e3 = tensor.empty() : tensor<2x256x16xf32>
  %k = linalg.generic {indexing_maps = [#one, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k1 : tensor<256x16xf32>) outs(%e3 : tensor<2x256x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x256x16xf32>
  %v = linalg.generic {indexing_maps = [#one, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v1 : tensor<256x16xf32>) outs(%e3 : tensor<2x256x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x256x16xf32>
  %scores = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x100x16xf32>, tensor<2x256x16xf32>) outs(%s0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x256xf32>
  %x = linalg.generic {indexing_maps = [#id, #mask, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %m : tensor<2x100x256xf32>, tensor<100x256xi1>) outs(%e0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %0 = arith.select %b, %a, %lowest : f32
    linalg.yield %0 : f32
  } -> tensor<2x100x256xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x100x256xf32>) outs(%m0 : tensor<2x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x100xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x100x256xf32>, tensor<2x100xf32>) outs(%e0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x256xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x100x256xf32>) outs(%l0 : tensor<2x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x100xf32>
  %y = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x100x256xf32>, tensor<2x256x16xf32>) outs(%y0 : tensor<2x100x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x16xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %sum : tensor<2x100x16xf32>, tensor<2x100xf32>) outs(%e2 : tensor<2x100x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x100x16xf32>
  return %r : tensor<2x100x16xf32>
}

// Both at once. A machine that cannot extend vectors extends the cache once.
// CHECK-LABEL: func.func @chained
// CHECK-SAME: %[[K:[^:]+]]: tensor<256x16xf16>, %[[V:[^:]+]]: tensor<256x16xf16>
// CHECK-NOT: -> tensor<256x16xf32>
// CHECK-NOT: -> tensor<2x256x16xf32>
// CHECK: return
// NOF16-LABEL: func.func @chained
// NOF16-COUNT-2: -> tensor<256x16xf32>
// NOF16-NOT: -> tensor<2x256x16xf32>
// NOF16: return
func.func @chained(%q: tensor<2x100x16xf32>, %k16: tensor<256x16xf16>, %v16: tensor<256x16xf16>, %m: tensor<100x256xi1>) -> tensor<2x100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2x100x256xf32>
  %e1 = tensor.empty() : tensor<2x100xf32>
  %e2 = tensor.empty() : tensor<2x100x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x100x256xf32>) -> tensor<2x100x256xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<2x100xf32>) -> tensor<2x100xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x100xf32>) -> tensor<2x100xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x100x16xf32>) -> tensor<2x100x16xf32>
  %e5 = tensor.empty() : tensor<256x16xf32>
  %k1 = linalg.generic {indexing_maps = [#two, #two], iterator_types = ["parallel", "parallel"]} ins(%k16 : tensor<256x16xf16>) outs(%e5 : tensor<256x16xf32>) {
  ^bb0(%a: f16, %o: f32):
    %0 = arith.extf %a : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<256x16xf32>
  %v1 = linalg.generic {indexing_maps = [#two, #two], iterator_types = ["parallel", "parallel"]} ins(%v16 : tensor<256x16xf16>) outs(%e5 : tensor<256x16xf32>) {
  ^bb0(%a: f16, %o: f32):
    %0 = arith.extf %a : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<256x16xf32>
  %e3 = tensor.empty() : tensor<2x256x16xf32>
  %k = linalg.generic {indexing_maps = [#one, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k1 : tensor<256x16xf32>) outs(%e3 : tensor<2x256x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x256x16xf32>
  %v = linalg.generic {indexing_maps = [#one, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v1 : tensor<256x16xf32>) outs(%e3 : tensor<2x256x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x256x16xf32>
  %scores = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x100x16xf32>, tensor<2x256x16xf32>) outs(%s0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x256xf32>
  %x = linalg.generic {indexing_maps = [#id, #mask, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %m : tensor<2x100x256xf32>, tensor<100x256xi1>) outs(%e0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %0 = arith.select %b, %a, %lowest : f32
    linalg.yield %0 : f32
  } -> tensor<2x100x256xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x100x256xf32>) outs(%m0 : tensor<2x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x100xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x100x256xf32>, tensor<2x100xf32>) outs(%e0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x256xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x100x256xf32>) outs(%l0 : tensor<2x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x100xf32>
  %y = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x100x256xf32>, tensor<2x256x16xf32>) outs(%y0 : tensor<2x100x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x16xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %sum : tensor<2x100x16xf32>, tensor<2x100xf32>) outs(%e2 : tensor<2x100x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x100x16xf32>
  return %r : tensor<2x100x16xf32>
}

// Keys and values of two dtypes are extended; the heads are not copied.
// CHECK-LABEL: func.func @mixed
// CHECK-COUNT-2: -> tensor<256x16xf32>
// CHECK-NOT: -> tensor<2x256x16xf32>
// CHECK: return
func.func @mixed(%q: tensor<2x100x16xf32>, %k16: tensor<256x16xf16>, %v16: tensor<256x16xbf16>, %m: tensor<100x256xi1>) -> tensor<2x100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2x100x256xf32>
  %e1 = tensor.empty() : tensor<2x100xf32>
  %e2 = tensor.empty() : tensor<2x100x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x100x256xf32>) -> tensor<2x100x256xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<2x100xf32>) -> tensor<2x100xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x100xf32>) -> tensor<2x100xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x100x16xf32>) -> tensor<2x100x16xf32>
  %e5 = tensor.empty() : tensor<256x16xf32>
  %k1 = linalg.generic {indexing_maps = [#two, #two], iterator_types = ["parallel", "parallel"]} ins(%k16 : tensor<256x16xf16>) outs(%e5 : tensor<256x16xf32>) {
  ^bb0(%a: f16, %o: f32):
    %0 = arith.extf %a : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<256x16xf32>
  %v1 = linalg.generic {indexing_maps = [#two, #two], iterator_types = ["parallel", "parallel"]} ins(%v16 : tensor<256x16xbf16>) outs(%e5 : tensor<256x16xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<256x16xf32>
  %e3 = tensor.empty() : tensor<2x256x16xf32>
  %k = linalg.generic {indexing_maps = [#one, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k1 : tensor<256x16xf32>) outs(%e3 : tensor<2x256x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x256x16xf32>
  %v = linalg.generic {indexing_maps = [#one, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v1 : tensor<256x16xf32>) outs(%e3 : tensor<2x256x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x256x16xf32>
  %scores = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x100x16xf32>, tensor<2x256x16xf32>) outs(%s0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x256xf32>
  %x = linalg.generic {indexing_maps = [#id, #mask, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %m : tensor<2x100x256xf32>, tensor<100x256xi1>) outs(%e0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %0 = arith.select %b, %a, %lowest : f32
    linalg.yield %0 : f32
  } -> tensor<2x100x256xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x100x256xf32>) outs(%m0 : tensor<2x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x100xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x100x256xf32>, tensor<2x100xf32>) outs(%e0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x256xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x100x256xf32>) outs(%l0 : tensor<2x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x100xf32>
  %y = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x100x256xf32>, tensor<2x256x16xf32>) outs(%y0 : tensor<2x100x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x16xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %sum : tensor<2x100x16xf32>, tensor<2x100xf32>) outs(%e2 : tensor<2x100x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x100x16xf32>
  return %r : tensor<2x100x16xf32>
}

// The loop over heads would be a batch of the values alone.
// CHECK-LABEL: func.func @keys_alone
// CHECK: -> tensor<2x256x16xf32>
func.func @keys_alone(%q: tensor<2x100x16xf32>, %k1: tensor<256x16xf32>, %v: tensor<2x256x16xf32>, %m: tensor<100x256xi1>) -> tensor<2x100x16xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2x100x256xf32>
  %e1 = tensor.empty() : tensor<2x100xf32>
  %e2 = tensor.empty() : tensor<2x100x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x100x256xf32>) -> tensor<2x100x256xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<2x100xf32>) -> tensor<2x100xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x100xf32>) -> tensor<2x100xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x100x16xf32>) -> tensor<2x100x16xf32>
  %e3 = tensor.empty() : tensor<2x256x16xf32>
  %k = linalg.generic {indexing_maps = [#one, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k1 : tensor<256x16xf32>) outs(%e3 : tensor<2x256x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x256x16xf32>
  %scores = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x100x16xf32>, tensor<2x256x16xf32>) outs(%s0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x256xf32>
  %x = linalg.generic {indexing_maps = [#id, #mask, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %m : tensor<2x100x256xf32>, tensor<100x256xi1>) outs(%e0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %0 = arith.select %b, %a, %lowest : f32
    linalg.yield %0 : f32
  } -> tensor<2x100x256xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x100x256xf32>) outs(%m0 : tensor<2x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x100xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x100x256xf32>, tensor<2x100xf32>) outs(%e0 : tensor<2x100x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x256xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x100x256xf32>) outs(%l0 : tensor<2x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x100xf32>
  %y = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x100x256xf32>, tensor<2x256x16xf32>) outs(%y0 : tensor<2x100x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x100x16xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %sum : tensor<2x100x16xf32>, tensor<2x100xf32>) outs(%e2 : tensor<2x100x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x100x16xf32>
  return %r : tensor<2x100x16xf32>
}

// Each of the first three functions has one kernel.
// EMIT-LABEL: func.func @main
// EMIT: fx_kernel.invoke
// EMIT-NOT: fx_kernel.invoke
// EMIT-LABEL: func.func @heads
// EMIT: fx_kernel.invoke
// EMIT-NOT: fx_kernel.invoke
// EMIT-LABEL: func.func @chained
// EMIT: fx_kernel.invoke
// EMIT-NOT: fx_kernel.invoke
// EMIT-LABEL: func.func @mixed
// EMIT: func.func private
// EMIT-SAME: memref<2x256x16xf16
// EMIT-SAME: fx_kernel.schedule = #fx_kernel.attention
// EMIT: func.func private
// EMIT-SAME: memref<256x16xf32
// EMIT-SAME: fx_kernel.schedule = #fx_kernel.attention
// EMIT: func.func private
// EMIT-SAME: memref<256x16xf16
// EMIT-SAME: fx_kernel.schedule = #fx_kernel.attention
