// RUN: fx-opt %s -fx-functionalize -split-input-file | FileCheck %s
// RUN: fx-opt %s -fx-functionalize -cse -split-input-file | FileCheck %s --check-prefix=CSE

// The alias example: two `sin` of one view with a write between them.
// CHECK-LABEL: fx.graph @alias attributes {functional}
// CSE-LABEL: fx.graph @alias
fx.graph @alias {
  %x = placeholder "x" : !fx.tensor<[4, 8], f32>
  // CHECK: %v = call_function @aten.select.int(%x, 0, 0)
  %v = call_function @aten.select.int(%x, 0, 0) : (!fx.tensor<[4, 8], f32>) -> !fx.tensor<[8], f32>
  // CHECK: %sin = call_function @aten.sin.default(%v)
  %sin = call_function @aten.sin.default(%v) : (!fx.tensor<[8], f32>) -> !fx.tensor<[8], f32>
  // CHECK: %add = call_function @aten.add.Tensor(%x, 1)
  %add_ = call_function @aten.add_.Tensor(%x, 1) : (!fx.tensor<[4, 8], f32>) -> !fx.tensor<[4, 8], f32>
  // CHECK: %v_1 = call_function @aten.select.int(%add, 0, 0)
  // CHECK: %sin_1 = call_function @aten.sin.default(%v_1)
  // CSE: %sin_1 = call_function @aten.sin.default
  %sin_1 = call_function @aten.sin.default(%v) : (!fx.tensor<[8], f32>) -> !fx.tensor<[8], f32>
  // CHECK: output(%add, %sin, %sin_1, %add) signature [#fx.output_spec<user_input_mutation, "x">, #fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>]
  output(%sin, %sin_1, %add_) : (!fx.tensor<[8], f32>, !fx.tensor<[8], f32>, !fx.tensor<[4, 8], f32>)
}

// -----

// A write through two views reaches the buffer.
fx.state @buf : !fx.tensor<[4, 8], f32>
// CHECK-LABEL: fx.graph @views
fx.graph @views {
  %b = placeholder "b" buffer @buf : !fx.tensor<[4, 8], f32>
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %t = call_function @aten.transpose.int(%b, 0, 1) : (!fx.tensor<[4, 8], f32>) -> !fx.tensor<[8, 4], f32, #fx.meta<strides = [1, 8]>>
  %s = call_function @aten.slice.Tensor(%t, 0, 2, 4) : (!fx.tensor<[8, 4], f32, #fx.meta<strides = [1, 8]>>) -> !fx.tensor<[2, 4], f32, #fx.meta<strides = [1, 8], offset = 2>>
  %c = call_function @aten.select.int(%s, 1, 3) : (!fx.tensor<[2, 4], f32, #fx.meta<strides = [1, 8], offset = 2>>) -> !fx.tensor<[2], f32>
  // CHECK: %copy = call_function @aten.copy.default(%c, %x)
  // CHECK: %select_scatter = call_function @aten.select_scatter.default(%s, %copy, 1, 3)
  // CHECK: %slice_scatter = call_function @aten.slice_scatter.default(%t, %select_scatter, 0, 2, 4)
  // CHECK: %transpose = call_function @aten.transpose.int(%slice_scatter, 0, 1)
  %copy_ = call_function @aten.copy_.default(%c, %x) : (!fx.tensor<[2], f32>, !fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  // CHECK: output(%transpose, %slice_scatter) signature [#fx.output_spec<buffer_mutation, "buf">, #fx.output_spec<user_output>]
  output(%t) : (!fx.tensor<[8, 4], f32, #fx.meta<strides = [1, 8]>>)
}

// -----

// Two `zeros`, one of which is written, are two storages.
// CHECK-LABEL: fx.graph @fresh
// CSE-LABEL: fx.graph @fresh
fx.graph @fresh {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %z = call_function @aten.zeros.default([4]) : () -> !fx.tensor<[4], f32>
  %z_1 = call_function @aten.zeros.default([4]) : () -> !fx.tensor<[4], f32>
  // CSE: %add = call_function @aten.add.Tensor(%z, %x)
  // CSE: output(%add, %z)
  %add_ = call_function @aten.add_.Tensor(%z, %x) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%z, %z_1) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
}

// -----

// An in-place operator keeps the dtype of the tensor that it writes.
// CHECK-LABEL: fx.graph @dtype
fx.graph @dtype {
  %x = placeholder "x" : !fx.tensor<[4], f16>
  %y = placeholder "y" : !fx.tensor<[4], f32>
  // CHECK: %mul = call_function @aten.mul.Tensor(%x, %y) : {{.*}} -> !fx.tensor<[4], f32>
  // CHECK: %_to_copy = call_function @aten._to_copy.default(%mul, dtype = f16)
  %mul_ = call_function @aten.mul_.Tensor(%x, %y) : (!fx.tensor<[4], f16>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f16>
  // CHECK: output(%_to_copy, %_to_copy)
  output(%mul_) : (!fx.tensor<[4], f16>)
}

// -----

// CHECK-LABEL: fx.graph @batch_norm
fx.state @mean : !fx.tensor<[3], f32>
fx.state @var : !fx.tensor<[3], f32>
fx.graph @batch_norm {
  %m = placeholder "m" buffer @mean : !fx.tensor<[3], f32>
  %v = placeholder "v" buffer @var : !fx.tensor<[3], f32>
  %x = placeholder "x" : !fx.tensor<[2, 3, 4], f32>
  // CHECK: call_function @aten._native_batch_norm_legit_functional.default(%x, None, None, %m, %v, true, 0.1, 1.0e-05)
  %bn = call_function @aten.batch_norm.default(%x, None, None, %m, %v, true, 0.1, 1.0e-05, true) : (!fx.tensor<[2, 3, 4], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>) -> !fx.tensor<[2, 3, 4], f32>
  // CHECK: output(%bn_running_mean, %bn_running_var, %bn)
  output(%bn) : (!fx.tensor<[2, 3, 4], f32>)
}

// -----

// The overloads with saved statistics, in training and in evaluation.
// CHECK-LABEL: fx.graph @batch_norms
fx.state @mean : !fx.tensor<[3], f32>
fx.state @var : !fx.tensor<[3], f32>
fx.graph @batch_norms {
  %m = placeholder "m" buffer @mean : !fx.tensor<[3], f32>
  %v = placeholder "v" buffer @var : !fx.tensor<[3], f32>
  %x = placeholder "x" : !fx.tensor<[2, 3, 4], f32>
  // CHECK: %a, %b, %c, %a_running_mean, %a_running_var = call_function @aten._native_batch_norm_legit_functional.default(%x, None, None, %m, %v, true, 0.1, 1.0e-05)
  %a, %b, %c = call_function @aten._native_batch_norm_legit.default(%x, None, None, %m, %v, true, 0.1, 1.0e-05) : (!fx.tensor<[2, 3, 4], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>) -> (!fx.tensor<[2, 3, 4], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>)
  // CHECK: call_function @aten._native_batch_norm_legit_no_training.default(%x, None, None, %a_running_mean, %a_running_var, 0.1, 1.0e-05)
  %d, %e, %f = call_function @aten.native_batch_norm.default(%x, None, None, %m, %v, false, 0.1, 1.0e-05) : (!fx.tensor<[2, 3, 4], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>) -> (!fx.tensor<[2, 3, 4], f32>, !fx.tensor<[0], f32>, !fx.tensor<[0], f32>)
  output(%a, %b, %c, %d) : (!fx.tensor<[2, 3, 4], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>, !fx.tensor<[2, 3, 4], f32>)
}

// -----

// The overload that always trains. Without elements nothing is written.
// CHECK-LABEL: fx.graph @updating_batch_norm
fx.state @mean : !fx.tensor<[3], f32>
fx.state @var : !fx.tensor<[3], f32>
fx.graph @updating_batch_norm {
  %m = placeholder "m" buffer @mean : !fx.tensor<[3], f32>
  %v = placeholder "v" buffer @var : !fx.tensor<[3], f32>
  %x = placeholder "x" : !fx.tensor<[2, 3], f32>
  %e = placeholder "e" : !fx.tensor<[3, 0], f32>
  // CHECK: call_function @aten.batch_norm.default(%e, None, None, %m, %v, false, 0.1, 1.0e-05, true)
  %bn = call_function @aten.batch_norm.default(%e, None, None, %m, %v, true, 0.1, 1.0e-05, true) : (!fx.tensor<[3, 0], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>) -> !fx.tensor<[3, 0], f32>
  // CHECK: %a, %b, %c, %d, %a_running_mean, %a_running_var = call_function @aten._batch_norm_with_update_functional.default(%x, None, None, %m, %v, 0.1, 1.0e-05)
  %a, %b, %c, %d = call_function @aten._batch_norm_with_update.default(%x, None, None, %m, %v, 0.1, 1.0e-05) : (!fx.tensor<[2, 3], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>) -> (!fx.tensor<[2, 3], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>, !fx.tensor<[0], ui8>)
  // CHECK: output(%a_running_mean, %a_running_var, %a, %bn)
  output(%a, %bn) : (!fx.tensor<[2, 3], f32>, !fx.tensor<[3, 0], f32>)
}

// -----

// The running statistics move by the momentum towards the mean over the images.
// CHECK-LABEL: fx.graph @instance_norm
fx.state @mean : !fx.tensor<[3], f32>
fx.state @var : !fx.tensor<[3], f32>
fx.graph @instance_norm symbols [s0 in [2, 9]] {
  %m = placeholder "m" buffer @mean : !fx.tensor<[3], f32>
  %v = placeholder "v" buffer @var : !fx.tensor<[3], f32>
  %x = placeholder "x" : !fx.tensor<[s0, 3, 4, 5], f32>
  // CHECK: %mean = call_function @aten.mean.dim(%x, [2, 3]) {{.*}} -> !fx.tensor<[s0, 3], f32>
  // CHECK: %var = call_function @aten.var.correction(%x, [2, 3], correction = 1)
  // CHECK: call_function @aten.instance_norm.default(%x, None, None, None, None, true, 0.25, 1.0e-05, false)
  // CHECK: %mean_1 = call_function @aten.mean.dim(%mean, [0])
  // CHECK: %mul = call_function @aten.mul.Scalar(%m, 0.75)
  // CHECK: %add = call_function @aten.add.Tensor(%mul, %mean_1, alpha = 0.25)
  // CHECK: %mean_2 = call_function @aten.mean.dim(%var, [0])
  // CHECK: %mul_1 = call_function @aten.mul.Scalar(%v, 0.75)
  // CHECK: %add_1 = call_function @aten.add.Tensor(%mul_1, %mean_2, alpha = 0.25)
  %n = call_function @aten.instance_norm.default(%x, None, None, %m, %v, true, 0.25, 1.0e-05, false) : (!fx.tensor<[s0, 3, 4, 5], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>) -> !fx.tensor<[s0, 3, 4, 5], f32>
  // CHECK: output(%add, %add_1, %{{.*}})
  output(%n) : (!fx.tensor<[s0, 3, 4, 5], f32>)
}

// -----

// Dynamic sizes, a write to one part of a split, a squeeze in place.
// CHECK-LABEL: fx.graph @dynamic
fx.graph @dynamic symbols [s0 in [2, 9]] {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %v = call_function @aten.view.default(%x, [-1]) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[4*s0], f32>
  // CHECK: %relu = call_function @aten.relu.default(%v)
  // CHECK: %[[N:.*]] = call_function @aten.sym_size.int(%x, 0) : {{.*}} -> !fx.sym_int<s0>
  // CHECK: call_function @aten.reshape.default(%relu, [%[[N]], 4])
  %relu_ = call_function @aten.relu_.default(%v) : (!fx.tensor<[4*s0], f32>) -> !fx.tensor<[4*s0], f32>
  %a, %b = call_function @aten.split.Tensor(%x, 2, 1) : (!fx.tensor<[s0, 4], f32>) -> (!fx.tensor<[s0, 2], f32, #fx.meta<strides = [4, 1]>>, !fx.tensor<[s0, 2], f32, #fx.meta<strides = [4, 1], offset = 2>>)
  // CHECK: %mul = call_function @aten.mul.Tensor(%b, 2)
  // CHECK: call_function @aten.slice_scatter.default(%{{.*}}, %mul, 1, 2, 4, 1)
  %mul_ = call_function @aten.mul_.Tensor(%b, 2) : (!fx.tensor<[s0, 2], f32, #fx.meta<strides = [4, 1], offset = 2>>) -> !fx.tensor<[s0, 2], f32, #fx.meta<strides = [4, 1], offset = 2>>
  output(%a) : (!fx.tensor<[s0, 2], f32, #fx.meta<strides = [4, 1]>>)
}
