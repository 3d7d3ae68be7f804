// RUN: fx-opt %s -fx-quantize-prepare -split-input-file | FileCheck %s
// RUN: fx-opt %s -fx-quantize-prepare=mode=dynamic -split-input-file | FileCheck %s --check-prefix=DYNAMIC
// RUN: fx-opt %s -fx-quantize-prepare="mode=weight-only weight-bits=4 group-size=2" -split-input-file | FileCheck %s --check-prefix=GROUPS
// RUN: fx-opt %s -fx-quantize-prepare="ops=conv,add skip=c2" -split-input-file | FileCheck %s --check-prefix=SOME


// A block of a ResNet. The convolution that only the sum uses is added as
// floats. The pool shares the observer of its input with its result. The result
// of the last sum is used as floats.
// CHECK-LABEL: fx.graph @main
// CHECK-SAME: fx.quantization = {group_size = 0 : i64, mode = "static", observer = "histogram", per_channel = true, symmetric = false, weight_bits = 8 : i64}
// CHECK: %x = placeholder "x" {fx.observers = array<i64: 0>}
// CHECK: %c0 = {{.*}} {fx.quantize = array<i64: 0, 1>}
// CHECK: %r0 = {{.*}} {fx.observers = array<i64: 1>}
// CHECK: %p = call_function @aten.max_pool2d.default{{.*}} {fx.observers = array<i64: 1>, fx.quantize = array<i64: 0>}
// CHECK: %c1 = {{.*}} {fx.observers = array<i64: 2>, fx.quantize = array<i64: 0, 1>}
// CHECK: %c2 = {{.*}} {fx.quantize = array<i64: 0, 1>}
// CHECK: %s = call_function @aten.add.Tensor(%c1, %c2){{.*}} {fx.quantize = array<i64: 0>}
// CHECK: %r1 = {{.*}} {fx.observers = array<i64: 3>}
// CHECK: %c3 =
// CHECK: %t = call_function @aten.add.Tensor{{.*}} {fx.float = "its result is used as floats only"}

// DYNAMIC-LABEL: fx.graph @main
// DYNAMIC-NOT: fx.observers
// DYNAMIC: %c0 = {{.*}}fx.float = "conv layers are not quantized in this mode or by choice"

// GROUPS-LABEL: fx.graph @main
// GROUPS: %c0 = {{.*}}fx.float = "groups need a linear layer's matrix of rows for outputs"

// SOME-LABEL: fx.graph @main
// SOME: %c0 = {{.*}}fx.quantize
// SOME: %p = {{.*}}fx.float = "pool layers are not quantized in this mode or by choice"
// SOME: %c2 = {{.*}}fx.float = "it was excluded"
// The other operand of the sum is quantized in this case.
// SOME: %s = call_function {{.*}}fx.quantize = array<i64: 1>
fx.state @w : !fx.tensor<[4, 4, 1, 1], f32>
fx.graph @main attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[4, 4, 1, 1], f32>
  %x = placeholder "x" : !fx.tensor<[1, 4, 8, 8], f32>
  %c0 = call_function @aten.conv2d.default(%x, %w) : (!fx.tensor<[1, 4, 8, 8], f32>, !fx.tensor<[4, 4, 1, 1], f32>) -> !fx.tensor<[1, 4, 8, 8], f32>
  %r0 = call_function @aten.relu.default(%c0) : (!fx.tensor<[1, 4, 8, 8], f32>) -> !fx.tensor<[1, 4, 8, 8], f32>
  %p = call_function @aten.max_pool2d.default(%r0, [2, 2]) : (!fx.tensor<[1, 4, 8, 8], f32>) -> !fx.tensor<[1, 4, 4, 4], f32>
  %c1 = call_function @aten.conv2d.default(%p, %w) : (!fx.tensor<[1, 4, 4, 4], f32>, !fx.tensor<[4, 4, 1, 1], f32>) -> !fx.tensor<[1, 4, 4, 4], f32>
  %c2 = call_function @aten.conv2d.default(%p, %w) : (!fx.tensor<[1, 4, 4, 4], f32>, !fx.tensor<[4, 4, 1, 1], f32>) -> !fx.tensor<[1, 4, 4, 4], f32>
  %s = call_function @aten.add.Tensor(%c1, %c2) : (!fx.tensor<[1, 4, 4, 4], f32>, !fx.tensor<[1, 4, 4, 4], f32>) -> !fx.tensor<[1, 4, 4, 4], f32>
  %r1 = call_function @aten.relu.default(%s) : (!fx.tensor<[1, 4, 4, 4], f32>) -> !fx.tensor<[1, 4, 4, 4], f32>
  %c3 = call_function @aten.conv2d.default(%r1, %w) : (!fx.tensor<[1, 4, 4, 4], f32>, !fx.tensor<[4, 4, 1, 1], f32>) -> !fx.tensor<[1, 4, 4, 4], f32>
  %t = call_function @aten.add.Tensor(%c3, %r1) : (!fx.tensor<[1, 4, 4, 4], f32>, !fx.tensor<[1, 4, 4, 4], f32>) -> !fx.tensor<[1, 4, 4, 4], f32>
  output(%t) : (!fx.tensor<[1, 4, 4, 4], f32>)
}

// -----

// Matmuls of weights, transposed or not, and of activations. The operands and
// the result of cat share one observer.
// CHECK-LABEL: fx.graph @main
// CHECK: %x = placeholder "x" {fx.observers = array<i64: 0>}
// CHECK: %y = placeholder "y" {fx.observers = array<i64: 0>}
// CHECK: %j = call_function @aten.cat.default{{.*}} {fx.observers = array<i64: 0>, fx.quantize = array<i64: 0, 1>}
// CHECK: %a = call_function @aten.addmm.default{{.*}} {fx.observers = array<i64: 1>, fx.quantize = array<i64: 1, 2>}
// CHECK: %m = call_function @aten.mm.default{{.*}} {fx.quantize = array<i64: 0, 1>}
// CHECK: %mt = call_function @aten.t.default{{.*}} {fx.observers = array<i64: 2>}
// CHECK: %q = call_function @aten.matmul.default{{.*}} {fx.quantize = array<i64: 0, 1>}

// DYNAMIC-LABEL: fx.graph @main
// DYNAMIC: %j = {{.*}}fx.float = "cat layers
// DYNAMIC: %a = {{.*}}fx.quantize = array<i64: 1, 2>
// DYNAMIC: %q = {{.*}}fx.float = "matmul layers

// GROUPS-LABEL: fx.graph @main
// GROUPS: %a = {{.*}}fx.quantize = array<i64: 2>
// GROUPS: %m = {{.*}}fx.float = "groups need a linear layer's matrix of rows for outputs"
fx.state @w : !fx.tensor<[8, 8], f32>
fx.state @b : !fx.tensor<[8], f32>
fx.graph @main attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[8, 8], f32>
  %b = placeholder "b" parameter @b : !fx.tensor<[8], f32>
  %x = placeholder "x" : !fx.tensor<[2, 4], f32>
  %y = placeholder "y" : !fx.tensor<[2, 4], f32>
  %j = call_function @aten.cat.default([%x, %y], 1) : (!fx.tensor<[2, 4], f32>, !fx.tensor<[2, 4], f32>) -> !fx.tensor<[2, 8], f32>
  %wt = call_function @aten.permute.default(%w, [1, 0]) : (!fx.tensor<[8, 8], f32>) -> !fx.tensor<[8, 8], f32>
  %a = call_function @aten.addmm.default(%b, %j, %wt) : (!fx.tensor<[8], f32>, !fx.tensor<[2, 8], f32>, !fx.tensor<[8, 8], f32>) -> !fx.tensor<[2, 8], f32>
  %m = call_function @aten.mm.default(%a, %w) : (!fx.tensor<[2, 8], f32>, !fx.tensor<[8, 8], f32>) -> !fx.tensor<[2, 8], f32>
  %mt = call_function @aten.t.default(%m) : (!fx.tensor<[2, 8], f32>) -> !fx.tensor<[8, 2], f32>
  %q = call_function @aten.matmul.default(%a, %mt) : (!fx.tensor<[2, 8], f32>, !fx.tensor<[8, 2], f32>) -> !fx.tensor<[2, 2], f32>
  output(%q) : (!fx.tensor<[2, 2], f32>)
}

// -----

// Nothing is quantized: an input as the weight, a mutated weight, half
// precision, a weight that is dequantized already, an addition of a constant.
// CHECK-LABEL: fx.graph @main
// CHECK-NOT: fx.observers
// CHECK-NOT: fx.quantize =
// CHECK: %h = {{.*}}fx.float = "expected activations of f32"
// CHECK-NOT: fx.quantize =
// CHECK: %d1 = {{.*}}fx.float = "it is quantized already"
// CHECK-NOT: fx.quantize =
fx.state @w : !fx.tensor<[4, 4, 1], f32>
fx.state @k : !fx.tensor<[4, 4, 1], f32>
fx.state @h : !fx.tensor<[4, 4], f16>
fx.state @q : !fx.tensor<[4, 4], i8>
fx.graph @main attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[4, 4, 1], f32>
  %k = placeholder "k" buffer @k : !fx.tensor<[4, 4, 1], f32>
  %hw = placeholder "hw" parameter @h : !fx.tensor<[4, 4], f16>
  %qw = placeholder "qw" buffer @q : !fx.tensor<[4, 4], i8>
  %x = placeholder "x" : !fx.tensor<[1, 4, 4], f32>
  %v = placeholder "v" : !fx.tensor<[4, 4, 1], f32>
  %z = placeholder "z" : !fx.tensor<[2, 4], f16>
  %c0 = call_function @aten.conv1d.default(%x, %v) : (!fx.tensor<[1, 4, 4], f32>, !fx.tensor<[4, 4, 1], f32>) -> !fx.tensor<[1, 4, 4], f32>
  %c1 = call_function @aten.conv1d.default(%c0, %k) : (!fx.tensor<[1, 4, 4], f32>, !fx.tensor<[4, 4, 1], f32>) -> !fx.tensor<[1, 4, 4], f32>
  %h = call_function @aten.linear.default(%z, %hw) : (!fx.tensor<[2, 4], f16>, !fx.tensor<[4, 4], f16>) -> !fx.tensor<[2, 4], f16>
  %d0 = call_function @quantized_decomposed.dequantize_per_tensor.default(%qw, 0.5, 0, -127, 127, i8) : (!fx.tensor<[4, 4], i8>) -> !fx.tensor<[4, 4], f32>
  %d1 = call_function @aten.linear.default(%c1, %d0) : (!fx.tensor<[1, 4, 4], f32>, !fx.tensor<[4, 4], f32>) -> !fx.tensor<[1, 4, 4], f32>
  %n = call_function @aten.add.Tensor(%v, 1) : (!fx.tensor<[4, 4, 1], f32>) -> !fx.tensor<[4, 4, 1], f32>
  output(%n, %d1, %h) signature [#fx.output_spec<buffer_mutation, "k">, #fx.output_spec<user_output>, #fx.output_spec<user_output>] : (!fx.tensor<[4, 4, 1], f32>, !fx.tensor<[1, 4, 4], f32>, !fx.tensor<[2, 4], f16>)
}
