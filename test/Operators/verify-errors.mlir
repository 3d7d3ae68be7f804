// RUN: fx-opt %s --split-input-file --verify-diagnostics

// All errors of a node are reported at once.
fx.graph @arguments {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // [F3] [F6] [F7]
  // expected-error @below {{'add' @aten.add.Tensor: argument 'self': expected Tensor, got "a"}}
  // expected-error @below {{'add' @aten.add.Tensor: argument 'alpha': expected Scalar, got "two"}}
  // expected-error @below {{'add' @aten.add.Tensor: unknown keyword argument 'beta', expected one of self, other, alpha}}
  // expected-error @below {{'add' @aten.add.Tensor: expected 1 results, got 2}}
  %add:2 = call_function @aten.add.Tensor("a", %x, alpha = "two", beta = 1) as "add" : (!fx.tensor<[4], f32>) -> (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @arity {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // [F2]
  // expected-error @below {{'relu' @aten.relu.default: expected at most 1 positional arguments, got 2}}
  %relu = call_function @aten.relu.default(%x, 1) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @missing {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // [F5]
  // expected-error @below {{'view' @aten.view.default: argument 'size': expected SymInt[], got nothing}}
  %view = call_function @aten.view.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @twice {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // [F4]
  // expected-error @below {{'sum' @aten.sum.dim_IntList: argument 'dim' is given twice}}
  %sum = call_function @aten.sum.dim_IntList(%x, [0], dim = [0]) : (!fx.tensor<[4], f32>) -> !fx.tensor<[], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @kinds {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %n = placeholder "n" : !fx.sym_int
  // A number is accepted for a tensor, a symbol for an int, None for an
  // optional.
  %mul = call_function @aten.mul.Tensor(%x, %n) : (!fx.tensor<[4], f32>, !fx.sym_int) -> !fx.tensor<[4], f32>
  %view = call_function @aten.view.default(%x, [%n, -1]) : (!fx.tensor<[4], f32>, !fx.sym_int) -> !fx.tensor<[4], f32>
  %index = call_function @aten.index.Tensor(%x, [None, %x]) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %conv = call_function @aten.conv2d.default(%x, %x, None, 2) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @kind_0 {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error @below {{argument 'size': expected SymInt[], got a value of type '!fx.tensor<[4], f32>'}}
  %view_1 = call_function @aten.view.default(%x, %x) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @kind_1 {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error @below {{argument 'size': expected SymInt[], got [1.500000e+00]}}
  %view_2 = call_function @aten.view.default(%x, [1.5]) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @kind_2 {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error @below {{argument 'tensors': expected Tensor[], got [#fx.operand, #fx.none]}}
  %cat = call_function @aten.cat.default([%x, None]) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @kind_3 {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error @below {{argument 'dtype': expected ScalarType?, got "f32"}}
  %sum = call_function @aten.sum.default(%x, dtype = "f32") : (!fx.tensor<[4], f32>) -> !fx.tensor<[], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @kind_4 {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // [F8]
  // expected-error @below {{result 0: expected SymInt, got '!fx.tensor<[], f32>'}}
  %size = call_function @aten.sym_size.int(%x, 0) : (!fx.tensor<[4], f32>) -> !fx.tensor<[], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @unknown {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // A custom operator is not checked.
  %custom = call_function @mylib.op.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // [F1]
  // expected-error @below {{'no' @aten.no_such_operator.default: unknown operator; known are those of torch 2.13.0}}
  %no = call_function @aten.no_such_operator.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @functional attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // [F9]
  // expected-error @below {{'relu_' @aten.relu_.default: writes operand 0, but graph @functional is functional}}
  %relu_ = call_function @aten.relu_.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

// Enumerations accept only their own values.
fx.graph @enumerations {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error @below {{'a' @aten.full.default: argument 'layout': expected Layout?, got 99}}
  // expected-error @below {{'a' @aten.full.default: argument 'device': expected Device?, got #fx.device<"nowhere">; torch has cpu, cuda, }}
  %a = call_function @aten.full.default([4], 1.0, layout = 99, device = #fx.device<"nowhere">) as "a" : () -> !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @more_enumerations {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error @below {{argument 'dtype': expected ScalarType?, got 46}}
  // expected-error @below {{argument 'layout': expected Layout?, got #fx.layout<"dense">; torch has strided, sparse_coo, }}
  %a = call_function @aten.full.default([4], 1.0, dtype = 46, layout = #fx.layout<"dense">) : () -> !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @memory_format {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // expected-error @below {{argument 'memory_format': expected MemoryFormat?, got #fx.memory_format<"channels_first">; torch has contiguous_format, }}
  %a = call_function @aten.clone.default(%x, memory_format = #fx.memory_format<"channels_first">) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

fx.graph @device_of_type {
  // [T5]
  // expected-error @below {{expected a device of torch: cpu, cuda, }}
  %x = placeholder "x" : !fx.tensor<[4], f32, "nowhere:0">
  output(%x) : (!fx.tensor<[4], f32>)
}
