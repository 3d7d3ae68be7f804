// One violation of each rule of docs/ExportRules.md (rule 11 is in
// verify-export.mlir).
// RUN: fx-opt %s --fx-verify-export --split-input-file --verify-diagnostics -o /dev/null

// Rule 1.
// expected-error@+1 {{rule 1: expected a graph @main}}
module {
  fx.graph private @g {
    output()
  }
}

// -----

// Rule 1.
fx.graph @main {
  output()
}
// expected-error@+1 {{rule 1: expected one public graph, @main, got @other}}
fx.graph @other {
  output()
}

// -----

// Rule 2.
fx.graph @main {
  output()
}
// expected-error@+1 {{rule 2: expected every sub-graph to be used from @main, got @unused}}
fx.graph private @unused {
  output()
}

// -----

// Rule 3 and 9.
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error@+2 {{rule 3: expected only call_function, get_attr and higher-order operators, got 'call_method'}}
  // expected-error@+1 {{rule 9: expected the type of every value to be known, got '!fx.any'}}
  %y = call_method @relu(%x) : (!fx.tensor<[4], f32>) -> !fx.any
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

// Rule 4.
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error@+1 {{rule 4: expected an operator overload or one of Python's arithmetic functions, got 'torch.relu'}}
  %y = call_function @torch.relu(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // A custom operator is not checked.
  %z = call_function @mylib.twice.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%z) : (!fx.tensor<[4], f32>)
}

// -----

// Rule 5: without TRAINING.
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error@+1 {{rule 5: expected functional operators only, got 'aten.relu_.default', which mutates}}
  %y = call_function @aten.relu_.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%y) : (!fx.tensor<[4], f32>)
}

// -----

// Rule 6.
fx.state @w : !fx.tensor<[4], f32>
fx.graph @main {
  // expected-error@+1 {{rule 6: expected get_attr to name a sub-graph, got @w}}
  %w = get_attr @w : !fx.tensor<[4], f32>
  output(%w) : (!fx.tensor<[4], f32>)
}

// -----

// Rule 7.
fx.state @w : !fx.tensor<[4], f32>
fx.graph private @g {
  // expected-error@+1 {{rule 7: expected only user inputs in a sub-graph, got 'parameter'}}
  %x = placeholder "x" parameter @w : !fx.tensor<[4], f32>
  // expected-error@+1 {{rule 7: expected only user outputs in a sub-graph, got 'loss_output'}}
  output(%x) signature [#fx.output_spec<loss_output>] : (!fx.tensor<[4], f32>)
}
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %g = get_attr @g : !fx.graph_ref
  %y = higher_order @wrap(%g, %x) : (!fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%y) : (!fx.tensor<[4], f32>)
}

// -----

// Rule 8.
fx.graph private @g {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error@+1 {{rule 8: expected sub-graphs without recursion, got @g, which uses @g}}
  %g = get_attr @g : !fx.graph_ref
  %y = higher_order @wrap(%g, %x) : (!fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%y) : (!fx.tensor<[4], f32>)
}
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %g = get_attr @g : !fx.graph_ref
  %y = higher_order @wrap(%g, %x) : (!fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%y) : (!fx.tensor<[4], f32>)
}

// -----

// Rule 10.
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error@+1 {{rule 10: expected every node to have a name}}
  %0 = call_function @aten.relu.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%0) : (!fx.tensor<[4], f32>)
}

// -----

// Rule 12.
// expected-error@+1 {{rule 12: expected a range that holds a value, got #fx.range<s0 in [9, 2]>}}
fx.graph @main symbols [s0 in [9, 2]] {
  %x = placeholder "x" : !fx.tensor<[s0], f32>
  output(%x) : (!fx.tensor<[s0], f32>)
}

// -----

// Rule 13.
fx.graph @main {
  // expected-error@+1 {{rule 13: expected a range for the symbol 's0' of input 'x'}}
  %x = placeholder "x" : !fx.tensor<[s0], f32>
  output(%x) : (!fx.tensor<[s0], f32>)
}

// -----

// Rule 14.
fx.graph @main symbols [s0 in [2, 9]] {
  %x = placeholder "x" : !fx.tensor<[s0], f32>
  // expected-error@+1 {{rule 14: expected guards over the inputs' symbols, got 's1'}}
  guard "L['x'].size()[0] > 3" : gt(s1, 3)
  output(%x) : (!fx.tensor<[s0], f32>)
}

// -----

// Rule 15: the dialect verifies states that are tensors.
fx.graph @main {
  // expected-error@+1 {{'w': no state @nothing}}
  %w = placeholder "w" parameter @nothing : !fx.tensor<[4], f32>
  output(%w) : (!fx.tensor<[4], f32>)
}

// -----

// Rule 15.
fx.graph @main {
  // expected-error@+1 {{rule 15: expected the custom_obj 'o' to name a state, got @nothing}}
  %o = placeholder "o" custom_obj @nothing : !fx.object<"my.Thing">
  output()
}

// -----

// Rule 16: the dialect verifies states that are tensors.
// expected-note@+1 {{the state is here}}
fx.state @w : !fx.tensor<[5], f32>
fx.graph @main {
  // expected-error@+1 {{'w': expected '!fx.tensor<[5], f32>', got '!fx.tensor<[4], f32>'}}
  %w = placeholder "w" buffer @w : !fx.tensor<[4], f32>
  output(%w) : (!fx.tensor<[4], f32>)
}

// -----

// Rule 16.
fx.state @o : !fx.tensor<[5], f32>
fx.graph @main {
  // expected-error@+1 {{rule 16: expected the custom_obj 'o' and its state to be objects, got '!fx.object<"my.Thing">' and '!fx.tensor<[5], f32>'}}
  %o = placeholder "o" custom_obj @o : !fx.object<"my.Thing">
  output()
}

// -----

// Rule 17.
fx.state @w : !fx.tensor<[4], f32>
fx.graph @main {
  %w = placeholder "w" parameter @w : !fx.tensor<[4], f32>
  // expected-error@+1 {{rule 17: expected one input for each state, got a second one for @w}}
  %v = placeholder "v" parameter @w : !fx.tensor<[4], f32>
  output(%w) : (!fx.tensor<[4], f32>)
}

// -----

// Rule 18: the dialect verifies it.
fx.state @w : !fx.tensor<[4], f32>
fx.graph @main {
  // expected-error@+1 {{'w': a user_input has no state, got @w}}
  %w = placeholder "w" user_input @w : !fx.tensor<[4], f32>
  output(%w) : (!fx.tensor<[4], f32>)
}

// -----

// Rule 19.
fx.state @w : !fx.tensor<[4], f32>
fx.graph @main {
  // expected-error@+1 {{rule 19: expected only buffers to be non-persistent, got the parameter 'w'}}
  %w = placeholder "w" parameter @w non_persistent : !fx.tensor<[4], f32>
  output(%w) : (!fx.tensor<[4], f32>)
}

// -----

// Rule 20.
fx.graph @main {
  // expected-error@+1 {{rule 20: expected the value of the constant_input 'k'}}
  %k = placeholder "k" constant_input : !fx.sym_int<7>
  // expected-error@+1 {{rule 20: expected a value only for constant inputs, got one for the user_input 'n'}}
  %n = placeholder "n" user_input value(7) : !fx.sym_int<7>
  output(%k) : (!fx.sym_int<7>)
}

// -----

// Rule 21.
fx.graph @main {
  %t = placeholder "t" token : !fx.token
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error@+2 {{rule 21: expected no target for output 0, a user_output, got 'x'}}
  // expected-error@+1 {{rule 21: expected 1 tokens among the outputs, one for each among the inputs, got 0}}
  output(%x) signature [#fx.output_spec<user_output, "x">] : (!fx.tensor<[4], f32>)
}

// -----

// Rule 22 and 23.
fx.state @w : !fx.tensor<[4], f32>
fx.state @b : !fx.tensor<[4], f32>
fx.graph @main {
  %w = placeholder "w" parameter @w : !fx.tensor<[4], f32>
  %b = placeholder "b" buffer @b : !fx.tensor<[4], f32>
  %x = placeholder "x" : !fx.tensor<[5], f32>
  // expected-error@+3 {{rule 22: expected output 0, a buffer_mutation, to name a buffer, got 'w'}}
  // expected-error@+2 {{rule 22: expected output 1 to have the type of 'b', '!fx.tensor<[4], f32>', got '!fx.tensor<[5], f32>'}}
  // expected-error@+1 {{rule 23: expected output 2, a parameter_mutation, to name a parameter, got 'b'}}
  output(%w, %x, %w) signature [#fx.output_spec<buffer_mutation, "w">, #fx.output_spec<buffer_mutation, "b">, #fx.output_spec<parameter_mutation, "b">] : (!fx.tensor<[4], f32>, !fx.tensor<[5], f32>, !fx.tensor<[4], f32>)
}

// -----

// Rule 24 and 25.
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[], f32>
  // expected-error@+3 {{rule 24: expected output 0, a user_input_mutation, to name a user input, got 'y'}}
  // expected-error@+2 {{rule 25: expected output 2, a gradient_to_parameter, to name a parameter, got 'x'}}
  // expected-error@+1 {{rule 25: expected output 3, a gradient_to_user_input, to name a user input, got ''}}
  output(%x, %x, %x, %x) signature [#fx.output_spec<user_input_mutation, "y">, #fx.output_spec<loss_output>, #fx.output_spec<gradient_to_parameter, "x">, #fx.output_spec<gradient_to_user_input>] : (!fx.tensor<[], f32>, !fx.tensor<[], f32>, !fx.tensor<[], f32>, !fx.tensor<[], f32>)
}

// -----

// Rule 26.
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error@+2 {{rule 26: expected mutations before the user's outputs, got output 2, a user_input_mutation}}
  // expected-error@+1 {{rule 26: expected one mutation of each input, got a second one of 'x'}}
  output(%x, %x, %x) signature [#fx.output_spec<user_input_mutation, "x">, #fx.output_spec<user_output>, #fx.output_spec<user_input_mutation, "x">] : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
}

// -----

// Rule 27.
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error@+1 {{rule 27: expected one loss, a floating-point scalar, got output 0}}
  output(%x) signature [#fx.output_spec<loss_output>] : (!fx.tensor<[4], f32>)
}

// -----

// Rule 27.
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error@+1 {{rule 27: expected a loss beside gradients}}
  output(%x) signature [#fx.output_spec<gradient_to_user_input, "x">] : (!fx.tensor<[4], f32>)
}

// -----

// Rule 28.
// expected-error@+1 {{rule 28: expected the outputs of module call 'net' to be nodes, got 'gone'}}
fx.graph @main attributes {fx.module_call_graph = [{fqn = "net", inputs = ["x"], outputs = ["gone"]}]} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}
