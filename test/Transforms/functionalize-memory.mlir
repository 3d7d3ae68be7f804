// RUN: fx-opt %s --fx-functionalize --fx-verify-functional 2>&1 | FileCheck %s

// Writes through views that show elements several times, through memory with
// gaps, and to diagonals.

// CHECK: remark: graph @unknown stays as it is: a view by strides of a tensor whose place in its storage is not known

// Two views, the first of which shows each element three times: one scatter, at
// the indices that both views give.
// CHECK-LABEL: fx.graph @overlapping attributes {functional}
// CHECK: %[[NUMBERS:.*]] = call_function @aten.arange.default(4)
// CHECK: %[[WHOLE:.*]] = call_function @aten.reshape.default(%[[NUMBERS]], [1, 4])
// CHECK: %[[E:.*]] = call_function @aten.expand.default(%[[WHOLE]], [3, 4])
// CHECK: %[[R:.*]] = call_function @aten.select.int(%[[E]], 0, 1)
// CHECK: %[[AT:.*]] = call_function @aten.reshape.default(%[[R]], [-1])
// CHECK: call_function @aten.scatter.src({{.*}}, 0, %[[AT]],
// CHECK-NOT: select_scatter
fx.graph @overlapping {
  %x = placeholder "x" : !fx.tensor<[1, 4], f32>
  %e = call_function @aten.expand.default(%x, [3, 4]) : (!fx.tensor<[1, 4], f32>) -> !fx.tensor<[3, 4], f32, #fx.meta<strides = [0, 1]>>
  %r = call_function @aten.select.int(%e, 0, 1) : (!fx.tensor<[3, 4], f32, #fx.meta<strides = [0, 1]>>) -> !fx.tensor<[4], f32>
  %m = call_function @aten.mul_.Tensor(%r, 2) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[1, 4], f32>)
}

// The memory from the first element to the last becomes a vector. Afterwards
// the elements are a view of it.
// CHECK-LABEL: fx.graph @gaps attributes {functional}
// CHECK: %[[X:.*]] = placeholder "x"
// CHECK: call_function @aten.zeros.default([7]
// CHECK: %[[M:.*]] = call_function @aten.as_strided_scatter.default({{.*}}, %[[X]], [2, 2], [4, 2], 0)
// CHECK: %[[V:.*]] = call_function @aten.as_strided.default({{.*}}, [2], [2], 0) : (!fx.tensor<[7], f32>)
// CHECK: %[[MUL:.*]] = call_function @aten.mul.Tensor(%[[V]], 2)
// CHECK: call_function @aten.as_strided_scatter.default({{.*}}, %[[MUL]], [2], [2], 0)
// CHECK: call_function @aten.as_strided.default({{.*}}, [2, 2], [4, 2], 0)
fx.graph @gaps {
  %x = placeholder "x" : !fx.tensor<[2, 2], f32, #fx.meta<strides = [4, 2]>>
  %v = call_function @aten.as_strided.default(%x, [2], [2], 0) : (!fx.tensor<[2, 2], f32, #fx.meta<strides = [4, 2]>>) -> !fx.tensor<[2], f32, #fx.meta<strides = [2]>>
  %m = call_function @aten.mul_.Tensor(%v, 2) : (!fx.tensor<[2], f32, #fx.meta<strides = [2]>>) -> !fx.tensor<[2], f32, #fx.meta<strides = [2]>>
  output(%x) : (!fx.tensor<[2, 2], f32, #fx.meta<strides = [4, 2]>>)
}

// Address 1 is in a gap between the elements.
// CHECK-LABEL: fx.graph @unknown attributes {fx.reason = "{{.*}}"} {
// CHECK: aten.mul_.Tensor
fx.graph @unknown {
  %x = placeholder "x" : !fx.tensor<[2, 2], f32, #fx.meta<strides = [4, 2]>>
  %v = call_function @aten.as_strided.default(%x, [2], [1], 0) : (!fx.tensor<[2, 2], f32, #fx.meta<strides = [4, 2]>>) -> !fx.tensor<[2], f32>
  %m = call_function @aten.mul_.Tensor(%v, 2) : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%x) : (!fx.tensor<[2, 2], f32, #fx.meta<strides = [4, 2]>>)
}

// fill_diagonal_ with wrap continues below the square part of a tall matrix.
// CHECK-LABEL: fx.graph @diagonal attributes {functional}
// CHECK: %[[FIRST:.*]] = call_function @aten.arange.start_step(0, 4, 3)
// CHECK: %[[FILLED:.*]] = call_function @aten.index_fill.int_Scalar({{.*}}, 0, %[[FIRST]], 3)
// CHECK: %[[SECOND:.*]] = call_function @aten.arange.start_step(6, 10, 3)
// CHECK: call_function @aten.index_fill.int_Scalar(%[[FILLED]], 0, %[[SECOND]], 3)
fx.graph @diagonal {
  %x = placeholder "x" : !fx.tensor<[5, 2], f32>
  %m = call_function @aten.fill_diagonal_.default(%x, 3, true) : (!fx.tensor<[5, 2], f32>) -> !fx.tensor<[5, 2], f32>
  output(%m) : (!fx.tensor<[5, 2], f32>)
}
