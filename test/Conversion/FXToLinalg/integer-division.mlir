// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// The code never traps: a divisor of 0 is an error before the division, and a
// division by -1 is a negation.

// CHECK-LABEL: func.func @main
fx.graph @main attributes {functional} {
  %i = placeholder "i" : !fx.tensor<[8], i64>
  %j = placeholder "j" : !fx.tensor<[8], i64>
  %u = placeholder "u" : !fx.tensor<[8], ui8>
  // CHECK: arith.cmpi ne
  // CHECK: cf.assert %{{.+}}, "{{.*}}ZeroDivisionError: expected divisors other than 0
  // CHECK: arith.cmpi eq, %{{.+}}, %c-1_i64
  // CHECK: %[[DIVISOR:.+]] = arith.select %{{.+}}, %c1_i64
  // CHECK: arith.floordivsi %{{.+}}, %[[DIVISOR]]
  %floor = call_function @aten.floor_divide.default(%i, %j) : (!fx.tensor<[8], i64>, !fx.tensor<[8], i64>) -> !fx.tensor<[8], i64>
  // A constant divisor other than 0 and -1 needs no check.
  // CHECK-NOT: cf.assert
  // CHECK: linalg.generic
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: arith.floordivsi %{{.+}}, %c3_i64
  %third = call_function @aten.floor_divide.default(%i, 3) : (!fx.tensor<[8], i64>) -> !fx.tensor<[8], i64>
  // Shifts by negative amounts or by all bits, which C leaves undefined.
  // CHECK: arith.cmpi ule, %{{.+}}, %c7_i8
  // CHECK: arith.shli
  // CHECK: arith.select %{{.+}}, %{{.+}}, %c0_i8
  %shift = call_function @aten.bitwise_left_shift.Tensor(%u, %u) : (!fx.tensor<[8], ui8>, !fx.tensor<[8], ui8>) -> !fx.tensor<[8], ui8>
  // The number may be the first operand.
  // CHECK: arith.ori
  %or = call_function @aten.bitwise_or.Scalar_Tensor(4, %u) : (!fx.tensor<[8], ui8>) -> !fx.tensor<[8], ui8>
  output(%floor, %third, %shift, %or) : (!fx.tensor<[8], i64>, !fx.tensor<[8], i64>, !fx.tensor<[8], ui8>, !fx.tensor<[8], ui8>)
}
