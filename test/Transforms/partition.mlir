// RUN: fx-opt %s -fx-partition=report=%t.report -split-input-file | FileCheck %s
// RUN: FileCheck %s --check-prefix=LAST < %t.report
// RUN: fx-opt %s -fx-partition='min-size=2 prefix=part' -split-input-file | FileCheck %s --check-prefix=SIZE
// RUN: fx-opt %s -fx-partition=dry-run -split-input-file | FileCheck %s --check-prefix=DRY
// RUN: fx-opt %s -fx-partition=by=annotation -split-input-file | FileCheck %s --check-prefix=NOTE
// RUN: fx-opt %s -fx-partition=by=device -split-input-file | FileCheck %s --check-prefix=DEVICE
// RUN: fx-opt %s -fx-partition='by=cost parts=2 sizes=s0=8' -split-input-file | FileCheck %s --check-prefix=COST
// Inlining the bodies restores the graph.
// RUN: fx-opt %s -fx-partition -fx-resolve-calls -split-input-file | FileCheck %s --check-prefix=BACK

// `%o` has no native code, and `%d` needs it: a block of `%a` and `%d` would be
// in a cycle. `%e` needs neither and joins the block of `%a`. The body has its
// own placeholders for states.

// CHECK-LABEL: fx.state @w
// CHECK: fx.graph private @main.submod_0 symbols [s0 in [2, 64]] attributes {functional} {
// CHECK-NEXT: %w = placeholder "w" parameter @w : !fx.tensor<[4], f32>
// CHECK-NEXT: %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
// CHECK-NEXT: %a = call_function @aten.mul.Tensor(%x, %w)
// CHECK-NEXT: %e = call_function @aten.exp.default(%x)
// CHECK-NEXT: output(%a, %e)
// CHECK: fx.graph private @main.submod_1 symbols [s0 in [2, 64]] attributes {functional} {
// CHECK-NEXT: %[[O:.*]] = placeholder "o"
// CHECK-NEXT: %[[A:.*]] = placeholder "a"
// CHECK-NEXT: %d = call_function @aten.add.Tensor(%[[O]], %[[A]])
// CHECK-NEXT: output(%d)
// CHECK: fx.graph @main
// CHECK: %a, %e = call_module @submod_0(%x) {fx.body = @main.submod_0}
// CHECK-NEXT: %o = call_function @custom.odd.default(%a)
// CHECK-NEXT: %submod_1 = call_module @submod_1(%o, %a) {fx.body = @main.submod_1}
// CHECK-NEXT: output(%submod_1, %e)

// The second block is too small.
// SIZE: fx.graph private @main.part_0
// SIZE-NOT: private
// SIZE: fx.graph @main
// SIZE: call_module @part_0
// SIZE: %d = call_function @aten.add.Tensor(%o, %a)

// DRY: @main by native: 2 blocks of 3 nodes, 1 nodes left
// DRY-NEXT: block submod_0: native, 2 nodes, 1 inputs of 16*s0 bytes, 2 outputs of 32*s0 bytes
// DRY-NEXT: block submod_1: native, 1 nodes, 2 inputs of 32*s0 bytes, 1 outputs of 16*s0 bytes
// DRY-NEXT: left o: custom.odd.default, {{.+}}
// DRY: fx.graph @main
// DRY-NOT: call_module

// BACK-NOT: private
// BACK: fx.graph @main
// BACK: %a = call_function @aten.mul.Tensor(%x, %w)
// BACK-NEXT: %e = call_function @aten.exp.default(%x)
// BACK-NEXT: %o = call_function @custom.odd.default(%a)
// BACK-NEXT: %d = call_function @aten.add.Tensor(%o, %a)
// BACK-NEXT: output(%d, %e)
fx.state @w : !fx.tensor<[4], f32>
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[4], f32>
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %a = call_function @aten.mul.Tensor(%x, %w) {fx.partition = "a"} : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[s0, 4], f32>
  %o = call_function @custom.odd.default(%a) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  %d = call_function @aten.add.Tensor(%o, %a) {fx.partition = "b.c"} : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  %e = call_function @aten.exp.default(%x) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  output(%d, %e) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>)
}

// -----

// Annotated blocks. Arithmetic on sizes does not split a block.

// NOTE: fx.graph private @main.submod_0
// NOTE: aten.mul.Tensor
// NOTE: fx.graph private @main.submod_1
// NOTE: aten.add.Tensor
// NOTE: fx.graph private @main.submod_0
// NOTE-NEXT: %x = placeholder "x"
// NOTE-NEXT: %a = call_function @aten.exp
// NOTE-NEXT: %n = call_function @aten.sym_size.int(%a, 0)
// NOTE-NEXT: %v = call_function @aten.view.default(%a, [%n, 2, 2])
// NOTE-NEXT: output(%v)
// NOTE: fx.graph private @main.submod_1
// NOTE: @aten.sin
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %a = call_function @aten.exp.default(%x) {fx.partition = "a"} : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  %n = call_function @aten.sym_size.int(%a, 0) : (!fx.tensor<[s0, 4], f32>) -> !fx.sym_int<s0>
  %v = call_function @aten.view.default(%a, [%n, 2, 2]) {fx.partition = "a"} : (!fx.tensor<[s0, 4], f32>, !fx.sym_int<s0>) -> !fx.tensor<[s0, 2, 2], f32>
  %b = call_function @aten.sin.default(%x) {fx.partition = "b.c"} : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  output(%v, %b) : (!fx.tensor<[s0, 2, 2], f32>, !fx.tensor<[s0, 4], f32>)
}

// -----

// LAST: @main by native: 1 blocks of 4 nodes, 1 nodes left
// LAST-NEXT: block submod_0: native, 4 nodes, 2 inputs of 257 bytes, 1 outputs of 256 bytes
// LAST-NEXT: left a: aten.poisson.default, the operator has no lowering

// Partitions by device and by cost. Random numbers are drawn in order. A
// sub-graph is referred to from the body that calls it.

// DEVICE-LABEL: fx.graph private @true
// DEVICE: fx.graph private @main.submod_0
// DEVICE-NEXT: %x = placeholder
// DEVICE-NEXT: %a = call_function @aten.poisson
// DEVICE-NEXT: output(%a)
// DEVICE: fx.graph private @main.submod_1
// DEVICE: %b = call_function @aten._to_copy
// DEVICE-NEXT: %c = call_function @aten.mm
// DEVICE-NEXT: output(%c)
// DEVICE: fx.graph private @main.submod_2
// DEVICE: %[[G:.*]] = get_attr @true
// DEVICE: %d = call_function @aten._to_copy
// DEVICE: %f = cond(%p, %[[G]], %[[G]], [%d])
// COST-LABEL: fx.graph private @true
// COST: fx.graph private @main.submod_0
// COST: @aten.poisson
// COST-NEXT: @aten._to_copy
// COST-NEXT: output(%b)
// COST: fx.graph private @main.submod_1
// COST: @aten.mm
fx.graph private @true attributes {functional} {
  %y = placeholder "y" : !fx.tensor<[8, 8], f32>
  %n = call_function @aten.neg.default(%y) : (!fx.tensor<[8, 8], f32>) -> !fx.tensor<[8, 8], f32>
  output(%n) : (!fx.tensor<[8, 8], f32>)
}
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[8, 8], f32>
  %p = placeholder "p" : !fx.tensor<[], i1>
  %true = get_attr @true : !fx.graph_ref
  %a = call_function @aten.poisson.default(%x) : (!fx.tensor<[8, 8], f32>) -> !fx.tensor<[8, 8], f32>
  %b = call_function @aten._to_copy.default(%a, device = #fx.device<"cuda", 0>) : (!fx.tensor<[8, 8], f32>) -> !fx.tensor<[8, 8], f32, "cuda:0">
  %c = call_function @aten.mm.default(%b, %b) : (!fx.tensor<[8, 8], f32, "cuda:0">, !fx.tensor<[8, 8], f32, "cuda:0">) -> !fx.tensor<[8, 8], f32, "cuda:0">
  %d = call_function @aten._to_copy.default(%c, device = #fx.device<"cpu">) : (!fx.tensor<[8, 8], f32, "cuda:0">) -> !fx.tensor<[8, 8], f32>
  %f = cond(%p, %true, %true, [%d]) : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.graph_ref, !fx.tensor<[8, 8], f32>) -> !fx.tensor<[8, 8], f32>
  output(%f) : (!fx.tensor<[8, 8], f32>)
}
