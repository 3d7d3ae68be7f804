// The text format of FX: defaults, methods, modules, every kind of immediate.
// RUN: fx-translate --mlir-to-fx-text %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: fx-translate --mlir-to-fx-text --graph=body %s | FileCheck %s --check-prefix=BODY --match-full-lines --strict-whitespace
// RUN: not fx-translate --mlir-to-fx-text --graph=body.x %s 2>&1 | FileCheck %s --check-prefix=PATH
// RUN: not fx-translate --mlir-to-fx-text --graph=other %s 2>&1 | FileCheck %s --check-prefix=OTHER

//       CHECK:graph():
//  CHECK-NEXT:    %x : [num_users=3] = placeholder[target=x]
//  CHECK-NEXT:    %n : [num_users=0] = placeholder[target=n](default=3)
//  CHECK-NEXT:    %relu : [num_users=1] = call_method[target=relu](args = (%x,), kwargs = {})
//  CHECK-NEXT:    %conv : [num_users=1] = call_module[target=layer.0](args = (%relu,), kwargs = {})
//  CHECK-NEXT:    %f : [num_users=0] = call_function[target=my.function](args = (%conv, None, True, -7, 1e-05, inf, 1.0, hi there, [1, %x], {k: %x}, torch.float16, torch.channels_last, torch.strided, cuda:1, (1+2j), aten.add.Tensor), kwargs = {alpha: 2})
//  CHECK-NEXT:    %body : [num_users=1] = get_attr[target=body]
//  CHECK-NEXT:    %wrap : [num_users=1] = call_function[target=torch.ops.higher_order.wrap](args = (%body, %x), kwargs = {})
//  CHECK-NEXT:    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%wrap, 0), kwargs = {})
//  CHECK-NEXT:    return (getitem, None)
// BODY:graph():
// BODY-NEXT:    %y : [num_users=1] = placeholder[target=y]
// BODY-NEXT:    return y
// PATH: error: {{.*}}the graph 'body' has no sub-graph 'x'
// OTHER: error: {{.*}}the graph 'main' has no sub-graph 'other', only 'body'

fx.graph private @body attributes {fx.single_return} {
  %y = placeholder "y" : !fx.any
  output(%y) : (!fx.any)
}
fx.graph @main {
  %x = placeholder "x" : !fx.any
  %n = placeholder "n" default(3) : !fx.any
  %relu = call_method @relu(%x) : (!fx.any) -> !fx.any
  %conv = call_module @layer.0(%relu) : (!fx.any) -> !fx.any
  %f = call_function @my.function(%conv, None, true, -7, 1.0e-5, inf, 1.0, "hi there", [1, %x], {"k" = %x}, f16, #fx.memory_format<"channels_last">, #fx.layout<"strided">, #fx.device<"cuda", 1>, #fx.complex<1.0 : f64, 2.0 : f64>, #fx.operator<"aten.add.Tensor">, alpha = 2) {fx.function} : (!fx.any, !fx.any, !fx.any) -> !fx.any
  %body = get_attr @body : !fx.graph_ref
  %getitem = higher_order @wrap(%body, %x) : (!fx.graph_ref, !fx.any) -> !fx.any
  output(%getitem, None) : (!fx.any)
}
