// A guard with a power of -1 is evaluated in constant time, however large the
// exponent.
// REQUIRES: fx-compile, fx-run
// RUN: rm -rf %t && mkdir %t && fx-compile %s -o %t/m.so
// RUN: %npy write %t/odd 'array(2**62 + 1)' && %npy write %t/even 'array(2**62)'
// RUN: fx-run %t/m.so --inputs %t/odd --outputs %t/out && %npy show %t/out | FileCheck %s
// CHECK: out_0: int64[] 4611686018427387905
// RUN: not fx-run %t/m.so --inputs %t/even --outputs %t/out 2>&1 | FileCheck %s --check-prefix=EVEN
// EVEN: guard 'eq(pow(-1, s0), -1)' ((-1) ** k == -1) does not hold: got s0 = 4611686018427387904

func.func @main(%k: i64 {fx.name = "k", fx.type = !fx.sym_int<s0>}) -> (i64 {fx.name = "y"})
    attributes {
      fx.guards = [[#fx.expr<eq(pow(-1, s0), -1)>, "(-1) ** k == -1"]],
      fx.inputs = [{argument = 0 : i64, name = "k"}],
      fx.outputs = [{result = 0 : i64}]} {
  return %k : i64
}
