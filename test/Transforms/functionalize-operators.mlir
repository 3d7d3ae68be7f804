// Operators of a library. Torch's dispatcher has their schemas once the library
// is loaded:
//   fn_with_input_mutation(Tensor(a!) t0, Tensor t1, Tensor(b!) t2) -> (Tensor, Tensor)
//   fn_out_variant_without_return(Tensor x, Tensor(a!) out) -> ()
// REQUIRES: libtorch
// RUN: env FX_OPERATOR_LIBRARIES=%torch_lib/libaoti_custom_ops.so fx-opt %s -fx-functionalize 2>&1 | FileCheck %s
// RUN: fx-opt %s -fx-functionalize 2>&1 | FileCheck %s --check-prefix=UNKNOWN

!v = !fx.tensor<[4], f32>
!w = !fx.tensor<[3], f32, #fx.meta<offset = 1>>

// UNKNOWN: @two stays as it is: the effects of 'aoti_custom_ops.fn_with_input_mutation.default' are not known

// CHECK-DAG: graph @same stays as it is: 'aoti_custom_ops.fn_with_input_mutation.default' writes what it also has by another name
// CHECK-DAG: graph @many stays as it is: 'aoti_custom_ops.fn_out_variant_without_return.default' takes 2 arguments, got 3
// CHECK-DAG: graph @name stays as it is: 'aoti_custom_ops.fn_out_variant_without_return.default' has no argument 'y'

// CHECK-LABEL: fx.graph @two attributes {functional}
// CHECK: %[[r:.*]], %{{.*}}, %[[x:.*]], %[[b:.*]] = higher_order @auto_functionalized(#fx.operator<"aoti_custom_ops.fn_with_input_mutation.default">, t0 = %x, t1 = %y, t2 = %b)
// CHECK-NEXT: %add = call_function @aten.add.Tensor(%[[x]], %[[b]])
// CHECK-NEXT: output(%[[b]], %[[x]], %add, %[[r]]) signature [#fx.output_spec<buffer_mutation, "b">, #fx.output_spec<user_input_mutation, "x">,
fx.state @b : !v
fx.graph @two {
  %b = placeholder "b" buffer @b : !v
  %x = placeholder "x" : !v
  %y = placeholder "y" : !v
  %p, %q = call_function @aoti_custom_ops.fn_with_input_mutation.default(%x, %y, t2 = %b) : (!v, !v, !v) -> (!v, !v)
  %add = call_function @aten.add.Tensor(%x, %b) : (!v, !v) -> !v
  output(%add, %p) : (!v, !v)
}

// An operator without results, on a view.
// CHECK-LABEL: fx.graph @view attributes {functional}
// CHECK: %[[s:.*]] = call_function @aten.slice.Tensor(%x, 0, 1
// CHECK: %[[w:.*]] = higher_order @auto_functionalized(#fx.operator<"aoti_custom_ops.fn_out_variant_without_return.default">, x = %y, out = %[[s]]) outs [#fx.none, #fx.operand]
// CHECK: %[[all:.*]] = call_function @aten.slice_scatter.default(%x, %[[w]], 0, 1
// CHECK: output(%[[all]], %[[all]])
fx.graph @view {
  %x = placeholder "x" : !v
  %y = placeholder "y" : !fx.tensor<[3], f32>
  %s = call_function @aten.slice.Tensor(%x, 0, 1, 4) : (!v) -> !w
  call_function @aoti_custom_ops.fn_out_variant_without_return.default(%y, %s) : (!fx.tensor<[3], f32>, !w) -> ()
  output(%x) : (!v)
}

fx.graph @same {
  %x = placeholder "x" : !v
  %p, %q = call_function @aoti_custom_ops.fn_with_input_mutation.default(%x, %x, %x) : (!v, !v, !v) -> (!v, !v)
  output(%p) : (!v)
}

fx.graph @many {
  %x = placeholder "x" : !v
  call_function @aoti_custom_ops.fn_out_variant_without_return.default(%x, %x, %x) : (!v, !v, !v) -> ()
  output(%x) : (!v)
}

fx.graph @name {
  %x = placeholder "x" : !v
  call_function @aoti_custom_ops.fn_out_variant_without_return.default(%x, y = %x) : (!v, !v) -> ()
  output(%x) : (!v)
}
