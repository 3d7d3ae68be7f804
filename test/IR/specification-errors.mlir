// RUN: fx-opt %s -split-input-file -verify-diagnostics

// Constraints of docs/Dialect.md that no other test of this folder covers.

// [T4]
// expected-error @below {{expected a layout of torch, got 'odd'}}
fx.state @layout : !fx.tensor<[1], f32, #fx.meta<layout = "odd">>

// -----

// [T8]
// expected-error @below {{expected strides, offset, requires_grad or layout, got 'colour'}}
fx.state @meta : !fx.tensor<[1], f32, #fx.meta<colour>>

// -----

// [S1]
// expected-error @below {{state 'number': expected a tensor or an object, got 'i32'}}
fx.state @number : i32

// -----

// [S3]
// expected-error @below {{state 'floats': expected the bytes of its storage, got 'tensor<1xf32>'}}
fx.state @floats : !fx.tensor<[1], f32> = dense<1.0> : tensor<1xf32>

// -----

// expected-note @below {{see existing symbol definition here}}
fx.state @twice : !fx.tensor<[1], f32>
// [S4]
// expected-error @below {{redefinition of symbol named 'twice'}}
fx.state @twice : !fx.tensor<[1], f32>

// -----

// [G1]
// expected-error @below {{expects region #0 to have 0 or 1 blocks}}
fx.graph @blocks {
  ^bb1:
  output()
  ^bb2:
  output()
}

// -----

// [G2]
// expected-error @below {{region should have no arguments}}
"fx.graph"() <{sym_name = "arguments", symbols = []}> ({
^bb0(%x: i32):
  "fx.output"() <{args = []}> : () -> ()
}) : () -> ()

// -----

// [G3]
// expected-error @below {{expected an output as the last node}}
fx.graph @terminator {
  ub.unreachable
}

// -----

fx.graph @outputs {
  // [G4]
  // expected-error @below {{must be the last operation in the parent block}}
  output()
  output()
}

// -----

// [G7]
// expected-error @below {{expected #fx.range in 'symbols', got 1 : i64}}
"fx.graph"() <{sym_name = "ranges", symbols = [1]}> ({
  "fx.output"() <{args = []}> : () -> ()
}) : () -> ()

// -----

// [P1]
// expected-error @below {{expects parent op 'fx.graph'}}
%x = fx.placeholder "x" : !fx.sym_int

// -----

fx.state @w : !fx.tensor<[1], f32>
fx.graph @state_of_the_user {
  // [P3]
  // expected-error @below {{'x': a user_input has no state, got @w}}
  %x = placeholder "x" user_input @w : !fx.tensor<[1], f32>
  output()
}

// -----

fx.graph @two_values {
  // [P6]
  // expected-error @below {{expected one immediate}}
  %x = placeholder "x" value(1, 2) : !fx.sym_int
  output()
}

// -----

fx.graph @keys {
  %x = placeholder "x" : !fx.any
  // [N1]
  // expected-error @below {{expected one string key for each value of a dict}}
  %y = "fx.call_function"(%x) <{target = "f", args = [#fx.dict<["a", "b"], [#fx.operand]>]}> : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}

// -----

fx.graph @names {
  %x = placeholder "x" : !fx.any
  // [N3]
  // expected-error @below {{expected at most 1 keyword names, got 2}}
  %y = "fx.call_function"(%x) <{target = "f", args = [#fx.operand], kwnames = ["a", "b"]}> : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}

// -----

fx.graph @outs {
  %x = placeholder "x" : !fx.any
  // [N6]
  // expected-error @below {{expected 1 values in 'outs', got 2}}
  %y = "fx.call_function"(%x) <{target = "f", args = [#fx.operand], outs = [#fx.operand, #fx.operand]}> : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}

// -----

fx.graph @word {
  // [N7]
  // expected-error @below {{expected an argument, got 'oops'}}
  %y = call_function @f(oops) : () -> !fx.any
  output()
}

// -----

fx.graph @method {
  // [M1]
  // expected-error @below {{expected the object whose method is called}}
  %y = call_method @relu() : () -> !fx.any
  output(%y) : (!fx.any)
}

// -----

fx.graph @cond_arity {
  %p = placeholder "p" : !fx.tensor<[], i1>
  // [C1]
  // expected-error @below {{expected 4 arguments (predicate, two graphs, operands), got 1}}
  %c = cond(%p) : (!fx.tensor<[], i1>) -> !fx.any
  output(%c) : (!fx.any)
}

// -----

fx.graph @cond_kinds {
  %p = placeholder "p" : !fx.tensor<[], i1>
  // [C2]
  // expected-error @below {{expected (predicate, graph, graph, [operands])}}
  %c = cond(%p, 1, 2, []) : (!fx.tensor<[], i1>) -> !fx.any
  output(%c) : (!fx.any)
}

// -----

fx.graph @cond_true {
  %p = placeholder "p" : !fx.tensor<[], i1>
  // [C3]
  // expected-error @below {{the true argument is no graph}}
  %c = cond(%p, %p, %p, []) : (!fx.tensor<[], i1>, !fx.tensor<[], i1>, !fx.tensor<[], i1>) -> !fx.any
  output(%c) : (!fx.any)
}

// -----

fx.graph private @t { output() }
fx.graph @cond_false {
  %p = placeholder "p" : !fx.tensor<[], i1>
  %g = get_attr @t : !fx.graph_ref
  // [C3]
  // expected-error @below {{the false argument is no graph}}
  %c = cond(%p, %g, %p, []) : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.tensor<[], i1>) -> !fx.any
  output(%c) : (!fx.any)
}

// -----

!v = !fx.tensor<[4], f32>
fx.graph private @c {
  %x = placeholder "x" : !v
  %y = placeholder "y" : !v
  %t = call_function @aten.any.default(%x) : (!v) -> !fx.tensor<[], i1>
  output(%t) : (!fx.tensor<[], i1>)
}
fx.graph private @b {
  %x = placeholder "x" : !v
  %y = placeholder "y" : !v
  output(%x) : (!v)
}
fx.graph @carried {
  %x = placeholder "x" : !v
  %c = get_attr @c : !fx.graph_ref
  %b = get_attr @b : !fx.graph_ref
  // [H7]
  // expected-error @below {{the body graph @b: expected 2 results for the carried values, got 1}}
  %w = higher_order @while_loop(%c, %b, [%x, %x], []) : (!fx.graph_ref, !fx.graph_ref, !v, !v) -> !v
  output(%w) : (!v)
}

// -----

!v = !fx.tensor<[4], f32>
!s = !fx.tensor<[], f32>
fx.graph private @combine {
  %x = placeholder "x" : !s
  %y = placeholder "y" : !s
  output(%x, %y) : (!s, !s)
}
fx.graph @associative {
  %x = placeholder "x" : !v
  %c = get_attr @combine : !fx.graph_ref
  // [H8]
  // expected-error @below {{the body graph @combine: expected 1 results, got 2}}
  %w:2 = higher_order @associative_scan(%c, [%x], []) : (!fx.graph_ref, !v) -> (!v, !v)
  output(%w#0) : (!v)
}

// -----

fx.graph @attribute {
  // [A2]
  // expected-error @below {{no graph or state @missing}}
  %g = get_attr @missing : !fx.tensor<[1], f32>
  output()
}

// -----

fx.graph @specification {
  %x = placeholder "x" : !fx.any
  // [O2]
  // expected-error @below {{expected #fx.output_spec in the signature, got 1 : i64}}
  output(%x) signature [1] : (!fx.any)
}

// -----

// [U1]
// expected-error @below {{expects parent op 'fx.graph'}}
fx.guard "x"

// -----

func.func @fields(%x: tensor<4xf32>) {
  // [X1]
  // expected-error @below {{expected 'node' and 'integers' in 'fx.proxy'}}
  %r = fx.eager @my.op.default(%x) {fx.proxy = {node = 0}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @other_field(%x: tensor<4xf32>) {
  // [X2]
  // expected-error @below {{expected no 'may_alias' = true in 'fx.proxy'}}
  %r = fx.eager @my.op.default(%x) {fx.proxy = {node = 0, integers = [], may_alias = true}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @integer(%x: tensor<4xf32>) {
  // [X3]
  // expected-error @below {{expected an i64 or #fx.operand as an integer of 'fx.proxy', got 1 : i32}}
  %r = fx.eager @my.op.default(%x) {fx.proxy = {node = 0, integers = [1 : i32]}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @number(%x: tensor<4xf32>) {
  // [X4]
  // expected-error @below {{expected the number of an operator in 'fx.proxy', got -1}}
  %r = fx.eager @my.op.default(%x) {fx.proxy = {node = -1, integers = []}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scalars(%x: tensor<4xf32>, %n: i64) {
  // [X5]
  // expected-error @below {{expected 0 scalar operands for 'fx.proxy', got 1}}
  %r = fx.eager @my.op.default(%x, %n) {fx.proxy = {node = 0, integers = [1]}} : (tensor<4xf32>, i64) -> tensor<4xf32>
  return
}

// -----

func.func @number_of_outputs(%x: tensor<4xf32>) {
  // [X6]
  // expected-error @below {{expected 2 outputs for 'fx.proxy', got 3}}
  %r:2 = fx.eager @my.op.default(%x) outs [#fx.none, [#fx.operand, #fx.operand]] {fx.proxy = {node = 0, integers = [], outputs = array<i64: -2, 0>}} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @copies(%x: tensor<4xf32>, %n: i64) {
  // [X7]
  // expected-error @below {{expected -2, -1 or a tensor operand below 1 as an output of 'fx.proxy', got 1}}
  %r = fx.eager @my.op.default(%x, %n) {fx.proxy = {node = 0, integers = [#fx.operand], outputs = array<i64: 1>}} : (tensor<4xf32>, i64) -> tensor<4xf32>
  return
}
