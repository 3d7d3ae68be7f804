// An operator without a schema may write to its arguments and return views of
// them, unless the option says otherwise.
// RUN: fx-opt %s -fx-functionalize 2>&1 | FileCheck %s
// RUN: fx-opt %s -fx-functionalize=assume-unknown-functional | FileCheck %s --check-prefix=ASSUME

// CHECK: remark: graph @custom stays as it is: the effects of 'mylib.foo.default' are not known
// CHECK: call_function @aten.add_.Tensor

// ASSUME-LABEL: fx.graph @custom attributes {functional}
// ASSUME: %y = call_function @mylib.foo.default(%x)
// ASSUME-NEXT: %add = call_function @aten.add.Tensor(%y, %x)
// ASSUME-NEXT: output(%add)
fx.graph @custom {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  %y = call_function @mylib.foo.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %add_ = call_function @aten.add_.Tensor(%y, %x) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  output(%add_) : (!fx.tensor<[4], f32>)
}
