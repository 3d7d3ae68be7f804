// RUN: fx-opt %s --fx-lower-float8 --canonicalize | FileCheck %s

// Tensors of eight-bit floats become bytes. The types of PyTorch stay. A constant keeps its bits.
// CHECK-LABEL: func.func @widen(%{{.*}}: tensor<8xi8> {fx.type = !fx.tensor<[8], f8E4M3FN>})
// CHECK: %[[X:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK: %[[SIZE:.*]] = arith.andi %[[X]], %c127_i32
// A subnormal number is an integer times the least number, 2^-9.
// CHECK: %[[N:.*]] = arith.sitofp %[[SIZE]]
// CHECK: arith.mulf %[[N]], %cst{{.*}} : f32
// CHECK: arith.cmpi ult, %[[SIZE]], %c8_i32
// CHECK: arith.cmpi eq, %[[SIZE]], %c127_i32
// CHECK-NOT: f8E4M3FN
// CHECK: return
#id = affine_map<(i) -> (i)>
func.func @widen(%x: tensor<8xf8E4M3FN> {fx.type = !fx.tensor<[8], f8E4M3FN>}) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf8E4M3FN>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f8E4M3FN, %o: f32):
    %0 = arith.extf %a : f8E4M3FN to f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Large numbers become infinite, 0x7c, and NaN is 0x7f.
// CHECK-LABEL: func.func @narrow
// CHECK-SAME: -> tensor<8xi8>
// CHECK: arith.cmpi sgt, %{{.*}}, %c124_i32
// CHECK: arith.select %{{.*}}, %c127_i32
// CHECK: %[[R:.*]] = arith.trunci %{{.*}} : i32 to i8
// CHECK: linalg.yield %[[R]] : i8
func.func @narrow(%x: tensor<8xf32>) -> tensor<8xf8E5M2> {
  %e = tensor.empty() : tensor<8xf8E5M2>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf8E5M2>) {
  ^bb0(%a: f32, %o: f8E5M2):
    %0 = arith.truncf %a : f32 to f8E5M2
    linalg.yield %0 : f8E5M2
  } -> tensor<8xf8E5M2>
  return %r : tensor<8xf8E5M2>
}

// CHECK-LABEL: func.func @constants
// CHECK: %[[C:.*]] = arith.constant dense<[56, -64]> : tensor<2xi8>
// CHECK: return %[[C]]
func.func @constants() -> tensor<2xf8E4M3FN> {
  %c = arith.constant dense<[1.0, -2.0]> : tensor<2xf8E4M3FN>
  return %c : tensor<2xf8E4M3FN>
}
