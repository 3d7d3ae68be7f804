// RUN: fx-opt %s --split-input-file --verify-diagnostics --fx-shape-prop="remarks"

fx.graph @different symbols [s0 in [2, 64]] {
  %x = placeholder "x" : !fx.tensor<[s0, 8], f32>
  // expected-error @below {{'fx.call_function' op @aten.t.default: result 0: expected '!fx.tensor<[8, s0], f32>', got '!fx.tensor<[9, s0], f32>'}}
  %t = call_function @aten.t.default(%x) : (!fx.tensor<[s0, 8], f32>) -> !fx.tensor<[9, s0], f32>
  // expected-error @below {{result 0: expected '!fx.tensor<[s0, 8], f32>', got '!fx.tensor<[s0, 8], f64>'}}
  %relu = call_function @aten.relu.default(%x) : (!fx.tensor<[s0, 8], f32>) -> !fx.tensor<[s0, 8], f64>
  // expected-error @below {{expected '!fx.tensor<[s0], f32>', got '!fx.tensor<[s0 + 1], f32>'}}
  %sum = call_function @aten.sum.dim_IntList(%x, [1]) : (!fx.tensor<[s0, 8], f32>) -> !fx.tensor<[s0 + 1], f32>
  // expected-error @below {{@aten.split.Tensor: expected 2 results, got 3}}
  %split:3 = call_function @aten.split.Tensor(%x, 4, 1) outs [[#fx.operand, #fx.operand, #fx.operand]] : (!fx.tensor<[s0, 8], f32>) -> (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>)
  // A recorded type that agrees with the inferred type is not an error.
  %neg = call_function @aten.neg.default(%x) : (!fx.tensor<[s0, 8], f32>) -> !fx.tensor<[s0, 8], f32>
  output(%x) : (!fx.tensor<[s0, 8], f32>)
}

// -----

// Sizes that cannot be compared are not an error, sizes that never match are.
fx.graph @unknown symbols [s0 in [2, 64], s1 in [2, 64]] {
  %x = placeholder "x" : !fx.tensor<[s0, 8], f32>
  %y = placeholder "y" : !fx.tensor<[s1, 8], f32>
  %z = placeholder "z" : !fx.tensor<[7, 8], f32>
  %add = call_function @aten.add.Tensor(%x, %y) : (!fx.tensor<[s0, 8], f32>, !fx.tensor<[s1, 8], f32>) -> !fx.tensor<[s1, 8], f32>
  // expected-remark @below {{cannot infer the types of @aten.nonzero.default, it has no shape rule}}
  %nonzero = call_function @aten.nonzero.default(%x) : (!fx.tensor<[s0, 8], f32>) -> !fx.tensor<[u0, 2], i64>
  // expected-error @below {{@aten.mm.default: expected matrices that multiply, got [s0, 8] and [7, 8]}}
  %mm = call_function @aten.mm.default(%x, %z) : (!fx.tensor<[s0, 8], f32>, !fx.tensor<[7, 8], f32>) -> !fx.tensor<[s0, 8], f32>
  // expected-remark @below {{cannot infer the types of @mylib.op.default, it has no shape rule}}
  %op = call_function @mylib.op.default(%x) : (!fx.tensor<[s0, 8], f32>) -> !fx.tensor<[s0, 8], f32>
  output(%x) : (!fx.tensor<[s0, 8], f32>)
}
