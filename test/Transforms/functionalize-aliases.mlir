// RUN: fx-opt %s -split-input-file -fx-functionalize -fx-verify-functional | FileCheck %s

// A view of an in-place operator's result is a view of the tensor that it
// wrote: a later write to the same storage changes the view.
// CHECK-LABEL: fx.graph @stale
// CHECK: %[[F:.*]] = call_function @aten.fill.Scalar
// CHECK: %[[P:.*]] = call_function @aten.add.Tensor(%[[F]], 1)
// CHECK: %[[V:.*]] = call_function @aten.mT.default(%[[P]])
// CHECK: call_function @aten.mul.Tensor(%[[V]], 2)
fx.graph @stale {
  %x = placeholder "x" : !fx.tensor<[2, 2], f32>
  %b = call_function @aten.clone.default(%x) : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  %f = call_function @aten.fill_.Scalar(%b, -2) : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  %v = call_function @aten.mT.default(%f) : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32, #fx.meta<strides = [1, 2]>>
  %p = call_function @aten.add_.Tensor(%b, 1) : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  %m = call_function @aten.mul.Tensor(%v, 2) : (!fx.tensor<[2, 2], f32, #fx.meta<strides = [1, 2]>>) -> !fx.tensor<[2, 2], f32>
  output(%m) : (!fx.tensor<[2, 2], f32>)
}

// -----

// The strides refer to the memory of the operand.
// CHECK-LABEL: fx.graph @strided
// CHECK: %[[X:.*]] = placeholder "x"
// CHECK: call_function @aten.as_strided.default(%[[X]], [2, 3], [3, 1], 0)
fx.graph @strided {
  %x = placeholder "x" : !fx.tensor<[4, 8], f32>
  %t = call_function @aten.t.default(%x) : (!fx.tensor<[4, 8], f32>) -> !fx.tensor<[8, 4], f32, #fx.meta<strides = [1, 8]>>
  %v = call_function @aten.as_strided.default(%t, [2, 3], [3, 1]) : (!fx.tensor<[8, 4], f32, #fx.meta<strides = [1, 8]>>) -> !fx.tensor<[2, 3], f32>
  output(%v) : (!fx.tensor<[2, 3], f32>)
}

// -----

// An input in channels-last format: its memory in order is a permuted view.
// CHECK-LABEL: fx.graph @channels_last
// CHECK: %[[P:.*]] = call_function @aten.permute.default(%{{.*}}, [0, 2, 3, 1])
// CHECK: %[[C:.*]] = call_function @aten.clone.default(%[[P]], memory_format
// CHECK: call_function @aten.as_strided.default(%[[C]], [2, 3], [3, 1], 0)
fx.graph @channels_last {
  %x = placeholder "x" : !fx.tensor<[1, 3, 4, 4], f32, #fx.meta<strides = [48, 1, 12, 3]>>
  %v = call_function @aten.as_strided.default(%x, [2, 3], [3, 1]) : (!fx.tensor<[1, 3, 4, 4], f32, #fx.meta<strides = [48, 1, 12, 3]>>) -> !fx.tensor<[2, 3], f32>
  output(%v) : (!fx.tensor<[2, 3], f32>)
}

// -----

// A view without an inverse operator: the same view of the elements' indices
// gives the place of each element.
// CHECK-LABEL: fx.graph @unfold
// CHECK: %[[N:.*]] = call_function @aten.arange.default(6)
// CHECK: %[[NS:.*]] = call_function @aten.reshape.default(%[[N]], [6])
// CHECK: %[[U:.*]] = call_function @aten.unfold.default(%[[NS]], 0, 2, 2)
// CHECK: %[[I:.*]] = call_function @aten.reshape.default(%[[U]], [-1])
// CHECK: call_function @aten.scatter.src(%{{.*}}, 0, %[[I]], %{{.*}})
fx.graph @unfold {
  %x = placeholder "x" : !fx.tensor<[6], f32>
  %u = call_function @aten.unfold.default(%x, 0, 2, 2) : (!fx.tensor<[6], f32>) -> !fx.tensor<[3, 2], f32>
  %a = call_function @aten.add_.Tensor(%u, 1) : (!fx.tensor<[3, 2], f32>) -> !fx.tensor<[3, 2], f32>
  output(%x) : (!fx.tensor<[6], f32>)
}

// -----

// A written tensor keeps its dtype. The `out=` argument is written.
// CHECK-LABEL: fx.graph @dtypes
// CHECK: %[[X:.*]] = placeholder "x"
// CHECK: %[[G:.*]] = call_function @aten.gt.Scalar(%[[X]], 0) {{.*}} -> !fx.tensor<[4], i1>
// CHECK: %[[C:.*]] = call_function @aten._to_copy.default(%[[G]], dtype = f32)
// CHECK: %[[S:.*]] = call_function @aten.add.Tensor(%[[C]], %[[C]])
// CHECK: output(%[[C]], %[[S]], %[[S]]) signature [#fx.output_spec<user_input_mutation, "x">, #fx.output_spec<user_input_mutation, "z">
fx.graph @dtypes {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %z = placeholder "z" : !fx.tensor<[4], f32>
  %g = call_function @aten.gt_.Scalar(%x, 0) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %s = call_function @aten.add.out(%x, %g, out = %z) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%s) : (!fx.tensor<[4], f32>)
}
