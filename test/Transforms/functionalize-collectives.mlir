// RUN: fx-opt %s --fx-functionalize | FileCheck %s
// RUN: fx-opt %s --fx-functionalize --cse --canonicalize | FileCheck %s --check-prefix=KEPT

// Later uses of a tensor that was reduced in place use the result of the wait,
// so they cannot be moved before it.

// CHECK-LABEL: fx.graph @main
// CHECK: %add = call_function @aten.add.Tensor
// CHECK-NEXT: %[[P:.*]] = call_function @_c10d_functional.all_reduce.default(%add, "sum", "0")
// CHECK-NEXT: %[[W:.*]] = call_function @_c10d_functional.wait_tensor.default(%[[P]])
// CHECK-NEXT: %mul = call_function @aten.mul.Tensor(%[[W]], 2)
// CHECK-NEXT: output(%mul)
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %add = call_function @aten.add.Tensor(%x, 1) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %p = call_function @_c10d_functional.all_reduce_.default(%add, "sum", "0") : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %w = call_function @_c10d_functional.wait_tensor.default(%p) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %mul = call_function @aten.mul.Tensor(%add, 2) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%mul) : (!fx.tensor<[4], f32>)
}

// CHECK-LABEL: fx.graph private @coalesced
// CHECK: %[[P:.*]]:2 = call_function @_c10d_functional.all_reduce_coalesced.default([%a, %b], "max", "0")
// CHECK-NEXT: %[[V:.*]] = call_function @_c10d_functional.wait_tensor.default(%[[P]]#0)
// CHECK-NEXT: %[[W:.*]] = call_function @_c10d_functional.wait_tensor.default(%[[P]]#1)
// CHECK-NEXT: %r = call_function @aten.add.Tensor(%[[V]], %[[W]])
fx.graph private @coalesced {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %a = call_function @aten.sin.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %b = call_function @aten.cos.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %p, %q = call_function @_c10d_functional.all_reduce_coalesced_.default([%a, %b], "max", "0") {outs = [[#fx.operand, #fx.operand]]} : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
  %v = call_function @_c10d_functional.wait_tensor.default(%p) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %w = call_function @_c10d_functional.wait_tensor.default(%b) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %r = call_function @aten.add.Tensor(%a, %b) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%r) : (!fx.tensor<[4], f32>)
}

// An `out` tensor is the result. A wait for an input writes nothing.
// CHECK-LABEL: fx.graph private @out
// CHECK: %[[P:.*]] = call_function @_c10d_functional.all_gather_into_tensor.default(%x, 2, "0")
// CHECK-NEXT: %[[W:.*]] = call_function @_c10d_functional.wait_tensor.default(%[[P]])
// CHECK-NEXT: output(%[[W]], %x)
fx.graph private @out {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %e = call_function @aten.empty.memory_format([8], pin_memory = false) : () -> !fx.tensor<[8], f32>
  %p = call_function @_c10d_functional.all_gather_into_tensor_out.default(%x, 2, "0", out = %e) : (!fx.tensor<[4], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[8], f32>
  %v = call_function @_c10d_functional.wait_tensor.default(%p) : (!fx.tensor<[8], f32>) -> !fx.tensor<[8], f32>
  %w = call_function @_c10d_functional.wait_tensor.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%v, %w) : (!fx.tensor<[8], f32>, !fx.tensor<[4], f32>)
}

// Equal collectives are not merged, and one without uses is not removed: other
// processes take part in each.
// KEPT-LABEL: fx.graph private @kept
// KEPT-COUNT-3: @_c10d_functional.all_reduce.default(%x, "sum", "0")
// KEPT: output
fx.graph private @kept attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %a = call_function @_c10d_functional.all_reduce.default(%x, "sum", "0") : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %b = call_function @_c10d_functional.all_reduce.default(%x, "sum", "0") : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %c = call_function @_c10d_functional.all_reduce.default(%x, "sum", "0") : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%a, %b) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
}
