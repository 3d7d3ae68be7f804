// A graph with a state, symbolic sizes, a list result, cond, and every kind of
// output.
// RUN: rm -rf %t && %npy write %t/in 'arange(12, dtype="f4").reshape(4, 3)' 'int64(7)'
// RUN: fx-run %s --inputs %t/in --outputs %t/out
// RUN: %npy show %t/out | FileCheck %s

// CHECK: out_0: float32[4, 1] {{\[\[}}20.0], [38.0], [56.0], [74.0]]
// CHECK-NEXT: out_1: float32[4, 1] {{\[\[}}47.0], [92.0], [137.0], [182.0]]
// CHECK-NEXT: out_2: float32[4, 3] {{\[\[}}-0.0, -1.0, -2.0]
// CHECK-NEXT: out_3: int64[] 8
// CHECK-NEXT: out_4: int64[] 15
// CHECK-NEXT: out_6: float64[] 2.5
// CHECK-NEXT: out_7: bool[] True
// CHECK-NOT: out_

fx.state @w : !fx.tensor<[2, 3], f32> = dense<[0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64, 0, 0, 160, 64, 0, 0, 192, 64]> : tensor<24xui8>

fx.graph private @true_graph_0 {
  %x = placeholder "x" : !fx.tensor<[s17, 3], f32>
  %sin = call_function @aten.sin.default(%x) : (!fx.tensor<[s17, 3], f32>) -> !fx.tensor<[s17, 3], f32>
  output(%sin) : (!fx.tensor<[s17, 3], f32>)
}

fx.graph private @false_graph_0 {
  %x = placeholder "x" : !fx.tensor<[s17, 3], f32>
  %neg = call_function @aten.neg.default(%x) : (!fx.tensor<[s17, 3], f32>) -> !fx.tensor<[s17, 3], f32>
  output(%neg) : (!fx.tensor<[s17, 3], f32>)
}

fx.graph @main symbols [s17 in [2, 10]] {
  %w = placeholder "w" parameter @w : !fx.tensor<[2, 3], f32>
  %x = placeholder "x" : !fx.tensor<[s17, 3], f32>
  %k = placeholder "k" : !fx.sym_int<s5>
  %add = call_function @aten.add.Tensor(%x, 1, alpha = 2) : (!fx.tensor<[s17, 3], f32>) -> !fx.tensor<[s17, 3], f32>
  %size = call_function @aten.sym_size.int(%x, 0) : (!fx.tensor<[s17, 3], f32>) -> !fx.sym_int<s17>
  %mul = call_function @_operator.mul(%size, 2) : (!fx.sym_int<s17>) -> !fx.sym_int<2*s17>
  %sum_k = call_function @_operator.add(%mul, %k) : (!fx.sym_int<2*s17>, !fx.sym_int<s5>) -> !fx.sym_int<2*s17 + s5>
  %linear = call_function @aten.linear.default(%add, %w) : (!fx.tensor<[s17, 3], f32>, !fx.tensor<[2, 3], f32>) -> !fx.tensor<[s17, 2], f32>
  %a, %b = call_function @aten.split.Tensor(%linear, 1, 1) outs [[#fx.operand, #fx.operand]] : (!fx.tensor<[s17, 2], f32>) -> (!fx.tensor<[s17, 1], f32>, !fx.tensor<[s17, 1], f32>)
  %sum = call_function @aten.sum.default(%x) : (!fx.tensor<[s17, 3], f32>) -> !fx.tensor<[], f32>
  %lt = call_function @aten.lt.Scalar(%sum, 0) : (!fx.tensor<[], f32>) -> !fx.tensor<[], i1>
  %true_graph_0 = get_attr @true_graph_0 : !fx.graph_ref
  %false_graph_0 = get_attr @false_graph_0 : !fx.graph_ref
  %cond = cond(%lt, %true_graph_0, %false_graph_0, [%x]) : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.graph_ref, !fx.tensor<[s17, 3], f32>) -> !fx.tensor<[s17, 3], f32>
  output([%a, %b], %cond, %mul, %sum_k, None, 2.5, true, "text") : (!fx.tensor<[s17, 1], f32>, !fx.tensor<[s17, 1], f32>, !fx.tensor<[s17, 3], f32>, !fx.sym_int<2*s17>, !fx.sym_int<2*s17 + s5>)
}
