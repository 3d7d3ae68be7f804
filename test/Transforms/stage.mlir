// RUN: fx-opt %s --fx-stage="stage=0 stages=2" | FileCheck %s --check-prefix=FIRST
// RUN: fx-opt %s --fx-stage="stage=1 stages=2" | FileCheck %s --check-prefix=SECOND
// RUN: fx-opt %s --fx-stage="stage=1 stages=3" | FileCheck %s --check-prefix=MIDDLE

// Fewer bytes cross behind the sum than in front of it.
fx.state @v : !fx.tensor<[64, 64], f32>
fx.state @w : !fx.tensor<[64, 64], f32>

// FIRST: fx.state @v
// FIRST-NOT: fx.state @w
// FIRST: %a = call_function @aten.mm.default(%x, %p_v)
// FIRST: %s = call_function @aten.sum.dim_IntList(%a, [0], true)
// FIRST-NEXT: %[[B:.*]] = call_function @_c10d_functional.broadcast.default(%s, 0, "0")
// FIRST-NEXT: call_function @_c10d_functional.wait_tensor.default(%[[B]])
// FIRST: %[[E:.*]] = call_function @aten.full.default([64, 64], 0.0{{.*}}, dtype = f32)
// FIRST: %[[C:.*]] = call_function @_c10d_functional.broadcast.default(%[[E]], 1, "0")
// FIRST: %[[O:.*]] = call_function @_c10d_functional.wait_tensor.default(%[[C]])
// FIRST: output(%[[O]])

// SECOND-NOT: fx.state @v
// SECOND: fx.state @w
// SECOND: %[[E:.*]] = call_function @aten.full.default([1, 64], 0.0{{.*}}, dtype = f32)
// SECOND: %[[B:.*]] = call_function @_c10d_functional.broadcast.default(%[[E]], 0, "0")
// SECOND: %[[S:.*]] = call_function @_c10d_functional.wait_tensor.default(%[[B]])
// SECOND: %e = call_function @aten.mul.Tensor(%x, %[[S]])
// SECOND: %b = call_function @aten.mm.default(%e, %p_w)
// SECOND: %[[C:.*]] = call_function @_c10d_functional.broadcast.default(%b, 1, "0")

// MIDDLE: broadcast.default(%{{.*}}, 0, "stages.0")
// MIDDLE: broadcast.default(%{{.*}}, 0, "stages.1")
// MIDDLE: broadcast.default(%{{.*}}, 2, "0")
fx.graph @main attributes {functional} {
  %p_v = placeholder "p_v" parameter @v : !fx.tensor<[64, 64], f32>
  %p_w = placeholder "p_w" parameter @w : !fx.tensor<[64, 64], f32>
  %x = placeholder "x" : !fx.tensor<[64, 64], f32>
  %a = call_function @aten.mm.default(%x, %p_v) : (!fx.tensor<[64, 64], f32>, !fx.tensor<[64, 64], f32>) -> !fx.tensor<[64, 64], f32>
  %s = call_function @aten.sum.dim_IntList(%a, [0], true) : (!fx.tensor<[64, 64], f32>) -> !fx.tensor<[1, 64], f32>
  %e = call_function @aten.mul.Tensor(%x, %s) : (!fx.tensor<[64, 64], f32>, !fx.tensor<[1, 64], f32>) -> !fx.tensor<[64, 64], f32>
  %b = call_function @aten.mm.default(%e, %p_w) : (!fx.tensor<[64, 64], f32>, !fx.tensor<[64, 64], f32>) -> !fx.tensor<[64, 64], f32>
  output(%b) : (!fx.tensor<[64, 64], f32>)
}
