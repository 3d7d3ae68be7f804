// The higher-order operator print: interpreted, as a call-back of compiled
// code, and with a token.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: %npy write %t/in 'array([1, 2.5], "f4")'
// RUN: fx-run %t/print.mlir --interpret --inputs %t/in --outputs %t/out | FileCheck %s
// RUN: fx-run %t/print.mlir --inputs %t/in --outputs %t/out | FileCheck %s
// RUN: %npy show %t/out | FileCheck %s --check-prefix=OUT
// RUN: not fx-run %t/field.mlir --interpret --inputs %t/in --outputs %t/bad 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: not fx-run %t/field.mlir --inputs %t/in --outputs %t/bad 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: not fx-run %t/format.mlir --interpret --inputs %t/in --outputs %t/bad 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not fx-run %t/brace.mlir --interpret --inputs %t/in --outputs %t/bad 2>&1 | FileCheck %s --check-prefix=BRACE
// RUN: not ls %t/bad

// CHECK: plain
// CHECK-NEXT: 4 and 2.5, 2.5 first, {braces}, True, None, [1, 2]
// CHECK-NEXT: |  2|text  |  0.2|1e+20|100.0|
// CHECK-NEXT: 1.0000
// CHECK-NEXT: 2.5000
// CHECK-NEXT: [ CPUFloatType{2} ]
// CHECK-NEXT: with a token: 3
// OUT: out_0: float32[2] [2.0, 3.5]
// FIELD: print: no argument for the field '{1}'
// FORMAT: print: the format '>8' is not known
// BRACE: print: single '{' in the text to format

//--- print.mlir
!v = !fx.tensor<[2], f32>
fx.graph @main {
  %token = placeholder "token" token : !fx.tensor<[0], f32>
  %x = placeholder "x" : !v
  higher_order @print("plain") outs [#fx.none] : () -> ()
  higher_order @print("{} and {}, {1} first, {{braces}}, {yes}, {no}, {list}", 4, 2.5, yes = true, no = None, list = [1, 2]) outs [#fx.none] : () -> ()
  higher_order @print("|{:3d}|{:6}|{:5.1f}|{}|{}|", 2, "text", 0.25, 1.0e20, 100.0) outs [#fx.none] : () -> ()
  higher_order @print("{}", %x) outs [#fx.none] : (!v) -> ()
  %t = higher_order @with_effects(%token, #fx.operator<"higher_order.print">, "with a token: {a}", a = 3) outs [#fx.operand, #fx.none] : (!fx.tensor<[0], f32>) -> !fx.tensor<[0], f32>
  %y = call_function @aten.add.Tensor(%x, 1) : (!v) -> !v
  output(%t, %y) signature [#fx.output_spec<token>, #fx.output_spec<user_output>] : (!fx.tensor<[0], f32>, !v)
}

//--- field.mlir
!v = !fx.tensor<[2], f32>
fx.graph @main {
  %x = placeholder "x" : !v
  higher_order @print("{0} {1}", 4) outs [#fx.none] : () -> ()
  output(%x) : (!v)
}

//--- format.mlir
!v = !fx.tensor<[2], f32>
fx.graph @main {
  %x = placeholder "x" : !v
  higher_order @print("{:>8}", 4) outs [#fx.none] : () -> ()
  output(%x) : (!v)
}

//--- brace.mlir
!v = !fx.tensor<[2], f32>
fx.graph @main {
  %x = placeholder "x" : !v
  higher_order @print("{", 4) outs [#fx.none] : () -> ()
  output(%x) : (!v)
}
