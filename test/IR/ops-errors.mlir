// RUN: fx-opt %s -split-input-file -verify-diagnostics

fx.graph @no_output {
  // [G3]
  // expected-error @below {{block with no terminator}}
  %x = placeholder "x" : !fx.tensor<[4], f32>
}

// -----

fx.graph @late_placeholder {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %g = call_function @f(%x) : (!fx.tensor<[4], f32>) -> !fx.any
  // [G5]
  // expected-error @below {{a placeholder after another node}}
  %y = placeholder "y" : !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @duplicate_name {
  // expected-note @below {{the first}}
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // [G6]
  // expected-error @below {{a second node named 'x'}}
  %y = placeholder "x" : !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @no_state {
  // [P4]
  // expected-error @below {{'w': no state @w}}
  %w = placeholder "w" parameter @w : !fx.tensor<[4], f32>
  output(%w) : (!fx.tensor<[4], f32>)
}

// -----

// expected-note @below {{the state is here}}
fx.state @w : !fx.tensor<[4], f64>
fx.graph @other_type {
  // [P5]
  // expected-error @below {{'w': expected '!fx.tensor<[4], f64>', got '!fx.tensor<[4], f32>'}}
  %w = placeholder "w" parameter @w : !fx.tensor<[4], f32>
  output(%w) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @needs_state {
  // [P2]
  // expected-error @below {{'w': expected the state of the parameter}}
  %w = placeholder "w" parameter : !fx.tensor<[4], f32>
  output(%w) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @undeclared_symbol {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // [G8]
  // expected-error @below {{symbol 's0' is neither declared nor in an input's type}}
  %y = call_function @f(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[s0], f32>
  output(%y) : (!fx.tensor<[s0], f32>)
}

// -----

fx.graph @leaves {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // [N2]
  // expected-error @below {{expected 2 operands for the values among its arguments, got 1}}
  %y = "fx.call_function"(%x) <{target = "f", args = [#fx.operand, [#fx.operand]]}> : (!fx.tensor<[4], f32>) -> !fx.any
  output(%y) : (!fx.any)
}

// -----

fx.graph @keywords {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // [N4]
  // expected-error @below {{keyword argument 'a' is given twice}}
  %y = call_function @f(a = %x, a = 1) : (!fx.tensor<[4], f32>) -> !fx.any
  output(%y) : (!fx.any)
}

// -----

fx.graph @positional_after_keyword {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // [N5]
  // expected-error @below {{positional argument after a keyword argument}}
  %y = call_function @f(a = %x, 1) : (!fx.tensor<[4], f32>) -> !fx.any
  output(%y) : (!fx.any)
}

// -----

fx.graph private @takes_one {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}
fx.graph @cond_operands {
  %p = placeholder "p" : !fx.tensor<[], i1>
  %g = get_attr @takes_one : !fx.graph_ref
  // [H3]
  // expected-error @below {{the true graph @takes_one takes 1 operands, got 0}}
  %c = cond(%p, %g, %g, []) : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.graph_ref) -> !fx.any
  output(%c) : (!fx.any)
}

// -----

fx.graph @no_graph {
  // [A1]
  // expected-error @below {{no graph @missing}}
  %g = get_attr @missing : !fx.graph_ref
  output()
}

// -----

fx.graph @signature {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // [O1]
  // expected-error @below {{expected 1 entries in the signature, got 2}}
  output(%x) signature [#fx.output_spec<user_output>, #fx.output_spec<token>] : (!fx.tensor<[4], f32>)
}

// -----

// [T2]
// expected-error @below {{expected sizes of 0 or more, got -1}}
fx.state @negative : !fx.tensor<[-1], f32>

// -----

// [T1]
// expected-error @below {{expected a dtype, got 'index'}}
fx.state @dtype : !fx.tensor<[1], index>

// -----

// [T3]
// expected-error @below {{expected 1 strides, got 2}}
fx.state @strides : !fx.tensor<[1], f32, #fx.meta<strides = [1, 2]>>

// -----

// [S2]
// expected-error @below {{state 'symbolic': expected integer sizes, got '!fx.tensor<[s0], f32>'}}
fx.state @symbolic : !fx.tensor<[s0], f32>

// -----

// [E1]
// expected-error @below {{expression overflows or divides by zero}}
fx.state @overflow : !fx.tensor<[9223372036854775807 + 1], f32>

// -----

// [E2]
// expected-error @below {{expected 2 arguments for 'floordiv', got 1}}
fx.state @arity : !fx.tensor<[floordiv(4)], f32>

// -----

// [E2]
// expected-error @below {{expected one or more arguments for 'max', got 0}}
fx.state @none : !fx.tensor<[max()], f32>

// -----

// [T7]
// expected-error @below {{expected one device and one #fx.meta}}
fx.state @twice : !fx.tensor<[1], f32, "cpu", "cpu">

// -----

fx.graph @device {
  // [T6]
  // expected-error @below {{expected a device like 'cuda' or 'cuda:0', got 'cp:'}}
  %x = placeholder "x" : !fx.tensor<[4], f32, "cp:">
  output(%x) : (!fx.tensor<[4], f32, "cp:">)
}
