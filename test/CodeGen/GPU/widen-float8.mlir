// RUN: fx-opt %s --fx-gpu-widen-float8 --canonicalize --cse | FileCheck %s

// The upper bits of f16 are those of f8E5M2. Four bytes of a vector are two pairs, and what is
// rounded to bf16 on the way to f32 is exact.
// CHECK-LABEL: func.func @vector
// CHECK-SAME: (%[[BYTES:.*]]: vector<4xi8>)
// CHECK: %[[WORDS:.*]] = vector.bitcast %[[BYTES]] : vector<4xi8> to vector<1xi32>
// CHECK: %[[WORD:.*]] = vector.extract %[[WORDS]][0]
// CHECK: %[[LOW:.*]] = arith.shli %[[WORD]], %c8_i32
// CHECK: %[[HIGH:.*]] = arith.shli %[[WORD]], %c16_i32
// CHECK: %[[ZERO:.*]] = arith.andi %[[LOW]], %c65280_i32
// CHECK: %[[ONE:.*]] = arith.andi %[[HIGH]], %c-16777216_i32
// CHECK: %[[PAIR:.*]] = arith.ori %[[ZERO]], %[[ONE]]
// CHECK: %[[HALVES:.*]] = llvm.bitcast %[[PAIR]] : i32 to vector<2xf16>
// CHECK: %[[HALF:.*]] = vector.extract %[[HALVES]][1]
// CHECK: %[[X:.*]] = arith.extf %[[HALF]] : f16 to f32
// CHECK-NOT: arith.truncf
// CHECK: return %[[X]], %{{.*}} : f32, f16
func.func @vector(%bytes: vector<4xi8>) -> (f32, f16) {
  %b = vector.extract %bytes[1] : i8 from vector<4xi8>
  %x = arith.bitcast %b : i8 to f8E5M2
  %y = arith.extf %x : f8E5M2 to f32
  %r = arith.truncf %y : f32 to bf16
  %z = arith.extf %r : bf16 to f32
  %c = vector.extract %bytes[2] : i8 from vector<4xi8>
  %v = arith.bitcast %c : i8 to f8E5M2
  %w = arith.extf %v : f8E5M2 to f16
  return %z, %w : f32, f16
}

// The exponent of f8E4M3FN has another bias. NaN becomes 480, of which it is restored.
// CHECK-LABEL: func.func @scalar
// CHECK-SAME: (%[[BYTE:.*]]: i8)
// CHECK: %[[WORD:.*]] = arith.extui %[[BYTE]] : i8 to i32
// CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}}, %cst : vector<2xf16>
// CHECK-DAG: %[[NAN:.*]] = arith.shrui %{{.*}}, %c2_i32
// CHECK-DAG: %[[BITS:.*]] = llvm.bitcast %[[SCALED]] : vector<2xf16> to i32
// CHECK: arith.ori %[[BITS]], %[[NAN]]
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @scalar(%b: i8) -> bf16 {
  %x = arith.bitcast %b : i8 to f8E4M3FN
  %y = arith.extf %x : f8E4M3FN to bf16
  return %y : bf16
}
