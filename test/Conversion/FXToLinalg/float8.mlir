// RUN: fx-opt %s --convert-fx-to-linalg --cse | FileCheck %s
// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --fx-lower-float8 | FileCheck %s --check-prefix=BYTES

// arith.truncf makes NaN of a number that is too large, PyTorch the largest
// number. All conversions are from f32. If a folder merges conversions, the pass
// that expands them takes other types, too.
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<4xf8E4M3FN>
// CHECK: %[[X:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: arith.cmpf ogt, %[[X]]
// CHECK: arith.select
// CHECK: arith.cmpf olt
// CHECK: arith.select
// CHECK: arith.truncf %{{.*}} : f32 to f8E4M3FN
// CHECK: arith.truncf %{{.*}} : f32 to f8E5M2
// CHECK: arith.extf %{{.*}} : f8E5M2 to f32
// BYTES-LABEL: func.func @main
// BYTES-SAME: -> (tensor<4xi8> {fx.type = !fx.tensor<[4], f8E4M3FN>}
// BYTES-NOT: {{truncf|extf}} {{.*}}f8E
// BYTES: return
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f16>
  %y = call_function @aten.to.dtype(%x, f8E4M3FN) : (!fx.tensor<[4], f16>) -> !fx.tensor<[4], f8E4M3FN>
  %z = call_function @aten.to.dtype(%x, f8E5M2) : (!fx.tensor<[4], f16>) -> !fx.tensor<[4], f8E5M2>
  %w = call_function @aten.to.dtype(%z, f64) : (!fx.tensor<[4], f8E5M2>) -> !fx.tensor<[4], f64>
  output(%y, %w) signature [#fx.output_spec<user_output>, #fx.output_spec<user_output>] : (!fx.tensor<[4], f8E4M3FN>, !fx.tensor<[4], f64>)
}
