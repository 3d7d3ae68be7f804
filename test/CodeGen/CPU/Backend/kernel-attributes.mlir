// RUN: fx-opt %s --fx-cpu-kernel-attributes=vector-width=256 | FileCheck %s

// The pointer arguments of a kernel become noalias. Only the C interface keeps
// external linkage. The fx attributes of the contract are removed.
// CHECK: llvm.func internal @kernel_0(%{{.+}}: !llvm.ptr {llvm.noalias}, %{{.+}}: i64, %{{.+}}: !llvm.ptr {llvm.noalias}) attributes {
// CHECK-NOT: fx.
// CHECK-SAME: prefer_vector_width = "256"
llvm.func @kernel_0(%a: !llvm.ptr {fx.name = "a"}, %n: i64, %b: !llvm.ptr) attributes {fx.kernel, fx_kernel.schedule = #fx_kernel.rows} {
  llvm.return
}

// CHECK: llvm.func internal @main(%{{.+}}: !llvm.ptr) attributes {
// CHECK-NOT: fx.
llvm.func @main(%a: !llvm.ptr {fx.state = @w}) attributes {fx.symbols = []} {
  llvm.return
}

// CHECK: llvm.func @_mlir_ciface_main
llvm.func @_mlir_ciface_main(%a: !llvm.ptr) {
  llvm.return
}

// The translation to LLVM IR reads the annotation of a branch only as a property.
// CHECK-LABEL: llvm.func internal @loop
// CHECK: llvm.br ^bb1 {loop_annotation = #{{.+}}}
#unroll = #llvm.loop_unroll<disable = true>
llvm.func @loop(%more: i1) {
  llvm.br ^bb1
^bb1:
  llvm.cond_br %more, ^bb2, ^bb3
^bb2:
  llvm.br ^bb1 {llvm.loop_annotation = #llvm.loop_annotation<unroll = #unroll>}
^bb3:
  llvm.return
}

// CHECK: llvm.func @external(!llvm.ptr)
// CHECK-NOT: prefer_vector_width
llvm.func @external(!llvm.ptr)
