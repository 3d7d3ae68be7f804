// What does not depend on the sign of an integer has a form in TOSA.
// RUN: fx-opt %s --convert-fx-to-tosa | FileCheck %s --implicit-check-not=tosa.abs

// CHECK-LABEL: func.func @main
// CHECK: dense<-56> : tensor<1xi8>
// CHECK: tosa.equal
// CHECK: tosa.mul
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], ui8>
  %a = call_function @aten.abs.default(%x) : (!fx.tensor<[4], ui8>) -> !fx.tensor<[4], ui8>
  %e = call_function @aten.eq.Scalar(%a, 200) : (!fx.tensor<[4], ui8>) -> !fx.tensor<[4], i1>
  %m = call_function @aten.mul.Tensor(%a, %x) : (!fx.tensor<[4], ui8>, !fx.tensor<[4], ui8>) -> !fx.tensor<[4], ui8>
  output(%e, %m) : (!fx.tensor<[4], i1>, !fx.tensor<[4], ui8>)
}
