// `switch` runs the branch at an index, interpreted and compiled. torch 2.15 has the operator, but
// cannot save it; graphs come from text and from live programs. `flex_gemm` runs its graph.
// RUN: rm -rf %t && mkdir %t
// RUN: fx-compile %s --no-fallback -o %t/m.so
// RUN: %npy write %t/in0 'array(0)' 'array([1, 2, 3], "f4")' 'array([[2]], "i8")'
// RUN: fx-run %s --interpret --inputs %t/in0 --outputs %t/want0 && %npy show %t/want0 > %t/0.txt
// RUN: fx-run %t/m.so --inputs %t/in0 --outputs %t/got0 && %npy show %t/got0 | diff %t/0.txt -
// RUN: %npy write %t/in1 'array(1)' 'array([1, 2, 3], "f4")' 'array([[2]], "i8")'
// RUN: fx-run %s --interpret --inputs %t/in1 --outputs %t/want1 && %npy show %t/want1 > %t/1.txt
// RUN: fx-run %t/m.so --inputs %t/in1 --outputs %t/got1 && %npy show %t/got1 | diff %t/1.txt -
// RUN: %npy write %t/in2 'array(2)' 'array([1, 2, 3], "f4")' 'array([[2]], "i8")'
// RUN: fx-run %s --interpret --inputs %t/in2 --outputs %t/want2 && %npy show %t/want2 > %t/2.txt
// RUN: fx-run %t/m.so --inputs %t/in2 --outputs %t/got2 && %npy show %t/got2 | diff %t/2.txt -
// RUN: cat %t/0.txt %t/1.txt %t/2.txt | FileCheck %s
// An index that no branch has; torch limits it before.
// RUN: %npy write %t/in "array(3)" 'array([1, 2, 3], "f4")' 'array([[2]], "i8")'
// RUN: not fx-run %s --interpret --inputs %t/in --outputs %t/out 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: error: {{.*}}s: switch: expected an index from 0 to 2, got 3
// Archives have no lists of graphs.
// RUN: not fx-translate %s --mlir-to-pt2 -o %t/m.pt2 2>&1 | FileCheck %s --check-prefix=SAVE
// SAVE: error: {{.*}}s

!v = !fx.tensor<[3], f32>

fx.graph private @a {
  %x = placeholder "x" : !v
  %y = call_function @aten.mul.Tensor(%x, 2) : (!v) -> !v
  output(%y) : (!v)
}
fx.graph private @b {
  %x = placeholder "x" : !v
  %y = call_function @aten.neg.default(%x) : (!v) -> !v
  output(%y) : (!v)
}
// Writes to its operand, which the caller sees.
fx.graph private @c {
  %x = placeholder "x" : !v
  %w = call_function @aten.add_.Tensor(%x, 10) : (!v) -> !v
  %y = call_function @aten.sub.Tensor(%x, 1) : (!v) -> !v
  output(%y) : (!v)
}
fx.graph private @epilogue {
  %p = placeholder "p" : !fx.tensor<[1, 3], f32>
  %q = placeholder "q" : !fx.tensor<[3, 1], f32>
  %mm = call_function @aten.mm.default(%p, %q) : (!fx.tensor<[1, 3], f32>, !fx.tensor<[3, 1], f32>) -> !fx.tensor<[1, 1], f32>
  %r = call_function @aten.add.Tensor(%mm, 1) : (!fx.tensor<[1, 1], f32>) -> !fx.tensor<[1, 1], f32>
  output(%r) : (!fx.tensor<[1, 1], f32>)
}

fx.graph @main {
  %i = placeholder "i" : !fx.tensor<[], i64>
  %given = placeholder "given" : !v
  %j = placeholder "j" : !fx.tensor<[1, 1], i64>
  %x = call_function @aten.clone.default(%given) : (!v) -> !v
  %a = get_attr @a : !fx.graph_ref
  %b = get_attr @b : !fx.graph_ref
  %c = get_attr @c : !fx.graph_ref
  %e = get_attr @epilogue : !fx.graph_ref
  // CHECK: out_0: float32[3] [2.0, 4.0, 6.0]
  // CHECK-NEXT: out_1: float32[3] [1.0, 2.0, 3.0]
  // CHECK-NEXT: out_2: float32[3] [-1.0, -2.0, -3.0]
  // CHECK-NEXT: out_3: float32[3] [-1.0, -2.0, -3.0]
  // CHECK-NEXT: out_4: float32[1, 1] {{\[\[}}15.0]]
  // CHECK: out_0: float32[3] [-1.0, -2.0, -3.0]
  // CHECK-NEXT: out_1: float32[3] [1.0, 2.0, 3.0]
  // CHECK: out_0: float32[3] [10.0, 11.0, 12.0]
  // CHECK-NEXT: out_1: float32[3] [11.0, 12.0, 13.0]
  %s = higher_order @switch(%i, [%a, %b, %c], [%x]) : (!fx.tensor<[], i64>, !fx.graph_ref, !fx.graph_ref, !fx.graph_ref, !v) -> !v
  %y = call_function @aten.clone.default(%x) : (!v) -> !v
  // The index may be known, or have dimensions of size 1.
  %t = higher_order @switch(1, [%a, %b], [%given]) : (!fx.graph_ref, !fx.graph_ref, !v) -> !v
  %u = higher_order @switch(%j, [%a, %a, %b], [%given]) : (!fx.tensor<[1, 1], i64>, !fx.graph_ref, !fx.graph_ref, !fx.graph_ref, !v) -> !v
  %p = call_function @aten.unsqueeze.default(%given, 0) : (!v) -> !fx.tensor<[1, 3], f32>
  %q = call_function @aten.unsqueeze.default(%given, 1) : (!v) -> !fx.tensor<[3, 1], f32>
  %f = higher_order @flex_gemm(#fx.operator<"aten.mm.default">, %e, [%p, %q], {}, {"backend" = "TRITON"}) : (!fx.graph_ref, !fx.tensor<[1, 3], f32>, !fx.tensor<[3, 1], f32>) -> !fx.tensor<[1, 1], f32>
  output(%s, %y, %t, %u, %f) : (!v, !v, !v, !v, !fx.tensor<[1, 1], f32>)
}
