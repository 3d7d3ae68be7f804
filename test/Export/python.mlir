// Python source: functions outside of torch, module paths, defaults.
// RUN: split-file %s %t
// RUN: fx-translate --mlir-to-python %t/good.mlir | FileCheck %s --match-full-lines --strict-whitespace
// RUN: fx-translate --mlir-to-python %t/good.mlir > %t/good.py && %python -m py_compile %t/good.py

//      CHECK:import math
// CHECK-NEXT:import my
// CHECK-NEXT:import torch
// CHECK-NEXT:from math import inf, nan
// CHECK-NEXT:from torch import device
//      CHECK:math_trunc = math.trunc
// CHECK-NEXT:my_function = my.function
//      CHECK:class GraphModule_body(torch.nn.Module):
// CHECK-NEXT:    def forward(self, y):
// CHECK-NEXT:        return y
//      CHECK:class GraphModule(torch.nn.Module):
// CHECK-NEXT:    def __init__(self):
// CHECK-NEXT:        super().__init__()
// CHECK-NEXT:        self.body = GraphModule_body()
//      CHECK:    def forward(self, w, x, n = 3):
// CHECK-NEXT:        relu = x.relu()
// CHECK-NEXT:        conv = getattr(self.layer, "0").conv(relu);  relu = None
// CHECK-NEXT:        sub = x - -1
// CHECK-NEXT:        trunc = math_trunc(sub);  sub = trunc = None
// CHECK-NEXT:        f = my_function(conv, [inf, 1e-05], {'k"\n': x}, device(type='cuda', index=1), torch.channels_last, torch.ops.aten.add.Tensor, dtype = torch.float16);  conv = f = None
// CHECK-NEXT:        body = self.body
// CHECK-NEXT:        wrap = torch.ops.higher_order.wrap(body, x);  body = x = None
// CHECK-NEXT:        getitem = wrap[0];  wrap = None
// CHECK-NEXT:        return (getitem, None)
//      CHECK:STATES = {
// CHECK-NEXT:    'w': 'net."w\'',
// CHECK-NEXT:}

// No generated name shadows a builtin or another function.
// RUN: fx-translate --mlir-to-python %t/names.mlir | FileCheck %s --check-prefix=NAMES --match-full-lines --strict-whitespace
//      NAMES:my_b_c = my_b.c
// NAMES-NEXT:my_b_c_2 = my.b_c
//      NAMES:    def forward(self, input):
// NAMES-NEXT:        input_1 = input
// NAMES-NEXT:        my_b_c_1 = my_b_c(input_1);  input_1 = None
// NAMES-NEXT:        sum_1 = my_b_c_2(my_b_c_1, my_b_c_1);  my_b_c_1 = None

// The source is meant to be executed, so no name may contain code.
// RUN: not fx-translate --mlir-to-python %t/target.mlir 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not fx-translate --mlir-to-python %t/keyword.mlir 2>&1 | FileCheck %s --check-prefix=KEYWORD
// RUN: not fx-translate --mlir-to-python %t/layout.mlir 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: not fx-translate --mlir-to-python %t/module.mlir 2>&1 | FileCheck %s --check-prefix=MODULE
// TARGET: error: {{.*}}expected the target of a node to be Python identifiers, got 'f(exit()).g'
// KEYWORD: error: {{.*}}expected the name of a node to be Python identifiers, got 'lambda'
// LAYOUT: error: {{.*}}expected the parts of an argument to be Python identifiers, got 'strided, exit()'
// MODULE: error: {{.*}}expected the target of a node to be Python identifiers, got 'a")(exit()).b'

//--- names.mlir
fx.graph @main {
  %input = placeholder "input" : !fx.any
  %my_b_c = call_function @my_b.c(%input) {fx.function} : (!fx.any) -> !fx.any
  %sum = call_function @my.b_c(%my_b_c, %my_b_c) {fx.function} : (!fx.any, !fx.any) -> !fx.any
  output(%sum) : (!fx.any)
}
//--- good.mlir
fx.state @w : !fx.tensor<[2], f32> {fx.fqn = "net.\22w'"}
fx.graph private @body attributes {fx.single_return} {
  %y = placeholder "y" : !fx.any
  output(%y) : (!fx.any)
}
fx.graph @main {
  %w = placeholder "w" parameter @w : !fx.tensor<[2], f32>
  %x = placeholder "x" : !fx.any
  %n = placeholder "n" default(3) : !fx.any
  %relu = call_method @relu(%x) : (!fx.any) -> !fx.any
  %conv = call_module @layer.0.conv(%relu) : (!fx.any) -> !fx.any
  %sub = call_function @_operator.sub(%x, -1) : (!fx.any) -> !fx.any
  %trunc = call_function @math.trunc(%sub) : (!fx.any) -> !fx.any
  %f = call_function @my.function(%conv, [inf, 1.0e-5], {"k\22\0A" = %x}, #fx.device<"cuda", 1>, #fx.memory_format<"channels_last">, #fx.operator<"aten.add.Tensor">, dtype = f16) {fx.function} : (!fx.any, !fx.any) -> !fx.any
  %body = get_attr @body : !fx.graph_ref
  %getitem = higher_order @wrap(%body, %x) : (!fx.graph_ref, !fx.any) -> !fx.any
  output(%getitem, None) : (!fx.any)
}
//--- target.mlir
fx.graph @main {
  %x = placeholder "x" : !fx.any
  %f = call_function @"f(exit()).g"(%x) {fx.function} : (!fx.any) -> !fx.any
  output(%f) : (!fx.any)
}
//--- keyword.mlir
fx.graph @main {
  %x = placeholder "lambda" : !fx.any
  output(%x) : (!fx.any)
}
//--- layout.mlir
fx.graph @main {
  %x = placeholder "x" : !fx.any
  %f = call_function @my.f(%x, #fx.layout<"strided, exit()">) {fx.function} : (!fx.any) -> !fx.any
  output(%f) : (!fx.any)
}
//--- module.mlir
fx.graph @main {
  %x = placeholder "x" : !fx.any
  %f = call_module @"a\22)(exit()).b"(%x) : (!fx.any) -> !fx.any
  output(%f) : (!fx.any)
}
