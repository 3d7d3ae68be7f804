// RUN: fx-opt %s -split-input-file -fx-check-operators -fx-check-states -verify-diagnostics

// Nodes that compiled code cannot execute are rejected with the reason before
// anything is lowered.

fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error @below {{'torch._functorch.predispatch._vmap_increment_nesting' has no native code: expected a graph without torch.vmap, as run_decompositions leaves it}}
  %n = call_function @torch._functorch.predispatch._vmap_increment_nesting(4, "error") : () -> none
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error @below {{'mylib.helper' has no native code: expected operators, got a function that only Python can run}}
  %y = call_function @mylib.helper(%x) {fx.function} : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%y) : (!fx.tensor<[4], f32>)
}

// -----

// The memory between the elements of a user input is not known.
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2, 2], f32, #fx.meta<strides = [4, 2]>>
  // expected-error @below {{'aten.as_strided.default' has no native code: expected an operand whose memory is known, got !fx.tensor<[2, 2], f32, #fx.meta<strides = [4, 2]>>: input 'x' has gaps or overlaps in its memory}}
  %v = call_function @aten.as_strided.default(%x, [2], [1], 0) : (!fx.tensor<[2, 2], f32, #fx.meta<strides = [4, 2]>>) -> !fx.tensor<[2], f32>
  output(%v) : (!fx.tensor<[2], f32>)
}

// -----

// A view of the input's elements alone does not need the memory between them.
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2, 2], f32, #fx.meta<strides = [4, 2]>>
  %v = call_function @aten.as_strided.default(%x, [2], [2], 0) : (!fx.tensor<[2, 2], f32, #fx.meta<strides = [4, 2]>>) -> !fx.tensor<[2], f32, #fx.meta<strides = [2]>>
  output(%v) : (!fx.tensor<[2], f32, #fx.meta<strides = [2]>>)
}

// -----

// Eager promotes both operands; torch records the dtype of the first.
fx.graph @main {
  %g = placeholder "g" : !fx.tensor<[4], f16>
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error @below {{'aten.threshold_backward.default' has no native code: PyTorch gives its result another dtype than the program says}}
  %y = call_function @aten.threshold_backward.default(%g, %x, 0) : (!fx.tensor<[4], f16>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f16>
  output(%y) : (!fx.tensor<[4], f16>)
}

// -----

// Two names for one storage, one of which is written: compiled code would have
// two copies of the storage.
// expected-error @below {{state 'a' is written and shares its storage with 'b': this has no native code}}
fx.state @a : !fx.tensor<[4], f32> = #fx.external<"m.pt2", offset = 0, size = 16, crc32 = 1>
fx.state @b : !fx.tensor<[2, 2], f32> = #fx.external<"m.pt2", offset = 0, size = 16, crc32 = 1>
fx.graph @main {
  %a = placeholder "a" buffer @a : !fx.tensor<[4], f32>
  %b = placeholder "b" buffer @b : !fx.tensor<[2, 2], f32>
  %y = call_function @aten.add.Tensor(%a, 1) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%y, %b) signature [#fx.output_spec<buffer_mutation, "a">, #fx.output_spec<user_output>] : (!fx.tensor<[4], f32>, !fx.tensor<[2, 2], f32>)
}

// -----

// Tied weights are one tensor: a write under one name is visible under the
// other.
fx.state @a : !fx.tensor<[4], f32> = #fx.external<"m.pt2", offset = 0, size = 16, crc32 = 1>
fx.state @b : !fx.tensor<[4], f32> = #fx.external<"m.pt2", offset = 0, size = 16, crc32 = 1>
fx.graph @main {
  %a = placeholder "a" buffer @a : !fx.tensor<[4], f32>
  %b = placeholder "b" buffer @b : !fx.tensor<[4], f32>
  %y = call_function @aten.add.Tensor(%a, 1) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%y, %y, %b) signature [#fx.output_spec<buffer_mutation, "a">, #fx.output_spec<buffer_mutation, "b">, #fx.output_spec<user_output>] : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
}
