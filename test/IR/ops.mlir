// RUN: fx-opt %s | FileCheck %s
// RUN: fx-opt %s --verify-roundtrip -o /dev/null
// RUN: fx-opt %s --mlir-print-op-generic --mlir-print-debuginfo | fx-opt | FileCheck %s
// RUN: fx-opt %s --emit-bytecode | fx-opt | FileCheck %s

// CHECK: fx.state @l.weight : !fx.tensor<[4, 8], f32> = #fx.external<"/{{.*}}/m.pt2", offset = 64, size = 128, crc32 = 305419896>
fx.state @l.weight : !fx.tensor<[4, 8], f32> = #fx.external<"m.pt2", offset = 64, size = 128, crc32 = 305419896>
fx.state @running : !fx.tensor<[4], f32, #fx.meta<strides = [2], offset = 1>>

// CHECK-LABEL: fx.graph private @true_graph_0
fx.graph private @true_graph_0 {
  // CHECK: %[[X:.*]] = placeholder "x" : !fx.tensor<[4], f32>
  %x = placeholder "x" : !fx.tensor<[4], f32>
  // CHECK: output(%[[X]]) : (!fx.tensor<[4], f32>)
  output(%x) : (!fx.tensor<[4], f32>)
}

// CHECK-LABEL: fx.graph @main symbols [s17 in [2, 1024], 2*s17 in [?, ?]] attributes {functional} {
fx.graph @main symbols [s17 in [2, 1024], s17*2 in [?, ?]] attributes {functional} {
  // CHECK: %p_l_weight = placeholder "p_l_weight" parameter @l.weight : !fx.tensor<[4, 8], f32>
  %p_l_weight = placeholder "p_l_weight" parameter @l.weight : !fx.tensor<[4, 8], f32>
  // CHECK: %b_running = placeholder "b_running" buffer @running non_persistent
  %b_running = placeholder "b_running" buffer @running non_persistent : !fx.tensor<[4], f32, #fx.meta<strides = [2], offset = 1>>
  // CHECK: = placeholder "x" default(1.0e+10) : !fx.tensor<[s17, 8], f32, "cuda:0">
  %x = placeholder "x" default(1.0e10) : !fx.tensor<[s17, 8], f32, "cuda:0">
  %n = placeholder "n" constant_input value(None) : !fx.none_type
  %k = placeholder "k" : !fx.sym_int<s17 + 1>
  // CHECK: guard "L['x'].size()[0] > 3" : gt(s17, 3)
  guard "L['x'].size()[0] > 3" : gt(s17, 3)
  // CHECK: %add = call_function @aten.add.Tensor(%{{.*}}, 1, alpha = 2.5) : (!fx.tensor<[s17, 8], f32, "cuda:0">) -> !fx.tensor<[s17, 8], f32>
  %add = call_function @aten.add.Tensor(%x, 1, alpha = 2.5) : (!fx.tensor<[s17, 8], f32, "cuda:0">) -> !fx.tensor<[s17, 8], f32>
  // CHECK: call_function @custom.cat.default([%add, %{{.*}}, None], [-1, [true, "a"]], dtype = f16, device = #fx.device<"cuda", 0>)
  %cat = call_function @custom.cat.default([%add, %x, None], [-1, [true, "a"]], dtype = f16, device = #fx.device<"cuda", 0>) : (!fx.tensor<[s17, 8], f32>, !fx.tensor<[s17, 8], f32, "cuda:0">) -> !fx.tensor<[1 + 2*s17*2, 16], f16>
  // Keywords that are also types or immediates.
  // CHECK: call_function @foo("index" = %x, "f32" = 1, "nan" = 2, "si8" = 3, "tensor" = 4, i = 5, int = 6, "a b" = 7)
  %words = call_function @foo("index" = %x, "f32" = 1, "nan" = 2, "si8" = 3, "tensor" = 4, "i" = 5, int = 6, "a b" = 7) : (!fx.tensor<[s17, 8], f32, "cuda:0">) -> !fx.any

  // CHECK: call_function @foo(inf, neg_inf, nan, 1.0e-05, {"k" = %cat, "a" = [1]}, #fx.memory_format<"channels_last">, -3)
  // CHECK-SAME: !fx.tensor<[4*s17 + 1, 16], f16>
  %v, %i = call_function @foo(inf, neg_inf, nan, 1.0e-05, {"k" = %cat, "a" = [1]}, #fx.memory_format<"channels_last">, -3) outs [[#fx.operand, #fx.operand], #fx.none] : (!fx.tensor<[4*s17 + 1, 16], f16>) -> (!fx.tensor<[max(4, s17)], f32>, !fx.any)
  // CHECK: %relu = call_method @relu(%v)
  %relu = call_method @relu(%v) : (!fx.tensor<[max(s17, 4)], f32>) -> !fx.any
  // CHECK: call_module @layer1.0.conv1(%relu)
  %mod = call_module @layer1.0.conv1(%relu) : (!fx.any) -> !fx.any
  // A name that needs escapes.
  // CHECK: call_module @layer2(%relu) as "a\22b\\c" : (!fx.any) -> !fx.any
  %escaped = call_module @layer2(%relu) as "a\22b\\c" : (!fx.any) -> !fx.any
  %pred = call_function @p(%relu) : (!fx.any) -> !fx.tensor<[], i1>
  %y = call_function @q(%relu) : (!fx.any) -> !fx.tensor<[4], f32>
  %true_graph_0 = get_attr @true_graph_0 : !fx.graph_ref
  // CHECK: cond(%pred, %{{.*}}, %{{.*}}, [%y])
  %cond = cond(%pred, %true_graph_0, %true_graph_0, [%y]) : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK: higher_order @wrap(%{{.*}}, {{.*}}self = %cond)
  %w = higher_order @wrap(%true_graph_0, self = %cond) : (!fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  // CHECK: output(%w, [%cond, 1], None) signature [#fx.output_spec<buffer_mutation, "running">, #fx.output_spec<user_output>, #fx.output_spec<user_output>]
  output(%w, [%cond, 1], None) signature [#fx.output_spec<buffer_mutation, "running">, #fx.output_spec<user_output>, #fx.output_spec<user_output>] : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>)
}
