// RUN: fx-opt %s --fx-bucket-all-reduces | FileCheck %s
// RUN: fx-opt %s --fx-bucket-all-reduces=max-bytes=40 | FileCheck %s --check-prefix=SMALL

// The users of the first result move behind the combined call.
// CHECK-LABEL: fx.graph @main
// CHECK: %c = call_function @aten.cos.default(%x)
// CHECK-NEXT: %[[P:.*]]:3 = call_function @_c10d_functional.all_reduce_coalesced.default([%x, %c, %y], "sum", "0")
// CHECK-NEXT: %v = call_function @_c10d_functional.wait_tensor.default(%[[P]]#0)
// CHECK-NEXT: %n = call_function @aten.neg.default(%v)
// CHECK-NEXT: %w = call_function @_c10d_functional.wait_tensor.default(%[[P]]#1)
// CHECK-NEXT: call_function @_c10d_functional.wait_tensor.default(%[[P]]#2)
// CHECK-NEXT: call_function @_c10d_functional.all_reduce.default(%n, "sum", "0")

// Two of them have 32 bytes.
// SMALL-LABEL: fx.graph @main
// SMALL: all_reduce_coalesced.default([%x, %c], "sum", "0")
// SMALL: all_reduce.default(%y, "sum", "0")
// SMALL: all_reduce.default(%n, "sum", "0")
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %y = placeholder "y" : !fx.tensor<[2, 4], f32>
  %p = call_function @_c10d_functional.all_reduce.default(%x, "sum", "0") : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %v = call_function @_c10d_functional.wait_tensor.default(%p) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %n = call_function @aten.neg.default(%v) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %c = call_function @aten.cos.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %q = call_function @_c10d_functional.all_reduce.default(%c, "sum", "0") : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %w = call_function @_c10d_functional.wait_tensor.default(%q) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %r = call_function @_c10d_functional.all_reduce.default(%y, "sum", "0") : (!fx.tensor<[2, 4], f32>) -> !fx.tensor<[2, 4], f32>
  %u = call_function @_c10d_functional.wait_tensor.default(%r) : (!fx.tensor<[2, 4], f32>) -> !fx.tensor<[2, 4], f32>
  %s = call_function @_c10d_functional.all_reduce.default(%n, "sum", "0") : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %t = call_function @_c10d_functional.wait_tensor.default(%s) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%w, %u, %t) : (!fx.tensor<[4], f32>, !fx.tensor<[2, 4], f32>, !fx.tensor<[4], f32>)
}

// Another group, another reduction, another dtype, another collective in
// between, and effects of what moves.
// CHECK-LABEL: fx.graph private @apart
// CHECK-NOT: all_reduce_coalesced
// CHECK-LABEL: fx.graph private @dynamic
fx.graph private @apart attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %h = placeholder "h" : !fx.tensor<[4], f16>
  %a = call_function @_c10d_functional.all_reduce.default(%x, "sum", "0") : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %b = call_function @_c10d_functional.all_reduce.default(%x, "sum", "tp") : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %c = call_function @_c10d_functional.all_reduce.default(%x, "max", "tp") : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %d = call_function @_c10d_functional.all_reduce.default(%h, "max", "tp") : (!fx.tensor<[4], f16>) -> !fx.tensor<[4], f16>
  %e = call_function @_c10d_functional.broadcast.default(%h, 0, "0") : (!fx.tensor<[4], f16>) -> !fx.tensor<[4], f16>
  %f = call_function @_c10d_functional.all_reduce.default(%h, "max", "tp") : (!fx.tensor<[4], f16>) -> !fx.tensor<[4], f16>
  %g = call_function @_c10d_functional.wait_tensor.default(%f) : (!fx.tensor<[4], f16>) -> !fx.tensor<[4], f16>
  %i = call_function @aten.bernoulli.default(%g) : (!fx.tensor<[4], f16>) -> !fx.tensor<[4], f16>
  %j = call_function @_c10d_functional.all_reduce.default(%h, "max", "tp") : (!fx.tensor<[4], f16>) -> !fx.tensor<[4], f16>
  output(%a, %b, %c, %d, %e, %i, %j) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>, !fx.tensor<[4], f16>, !fx.tensor<[4], f16>, !fx.tensor<[4], f16>, !fx.tensor<[4], f16>)
}

// Bytes that are not known.
// CHECK-NOT: all_reduce_coalesced
fx.graph private @dynamic symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0], f32>
  %a = call_function @_c10d_functional.all_reduce.default(%x, "sum", "0") : (!fx.tensor<[s0], f32>) -> !fx.tensor<[s0], f32>
  %b = call_function @_c10d_functional.all_reduce.default(%x, "sum", "0") : (!fx.tensor<[s0], f32>) -> !fx.tensor<[s0], f32>
  output(%a, %b) : (!fx.tensor<[s0], f32>, !fx.tensor<[s0], f32>)
}
