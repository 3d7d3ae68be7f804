// The contents of the frozen files: an example of everything that the dialect
// can express.
module attributes {fx.torch_version = "2.13.0"} {
  fx.state @w : !fx.tensor<[2, 3], f32, #fx.meta<requires_grad>> = dense<1> : tensor<24xui8>
  fx.state @far : !fx.tensor<[3], bf16> = #fx.external<"m.pt2", offset = 64, size = 6, crc32 = 7>
  fx.graph private @yes attributes {fx.single_return} {
    %y = placeholder "y" : !fx.tensor<[s0, 3], f32>
    output(%y) : (!fx.tensor<[s0, 3], f32>)
  }
  fx.graph @main symbols [s0 in [2, 9], u0 in [0, ?]] attributes {functional} {
    %w = placeholder "w" parameter @w : !fx.tensor<[2, 3], f32>
    %x = placeholder "x" : !fx.tensor<[s0, 3], f32>
    %n = placeholder "n" default(3) : !fx.any
    guard "L['x'].size()[0] > 3" : gt(s0, 3)
    %g = get_attr @yes : !fx.graph_ref
    %s = call_function @aten.sym_size.int(%x, 0) : (!fx.tensor<[s0, 3], f32>) -> !fx.sym_int<s0>
    %m = call_function @_operator.mul(%s, 2) : (!fx.sym_int<s0>) -> !fx.sym_int<2*s0>
    %a, %b = call_function @aten.split.Tensor(%x, 2, 1) outs [[#fx.operand, #fx.operand]] : (!fx.tensor<[s0, 3], f32>) -> (!fx.tensor<[s0, 2], f32>, !fx.tensor<[s0, 1], f32>)
    %t = call_function @my.f(%a, [%b, None], {"k" = 0.5}, "text", bf16, true, #fx.device<"cuda", 1>, #fx.layout<"strided">, #fx.memory_format<"channels_last">, #fx.operator<"aten.add.Tensor">, last = [1, -2]) {fx.function} : (!fx.tensor<[s0, 2], f32>, !fx.tensor<[s0, 1], f32>) -> !fx.any
    %r = call_method @relu(%t) : (!fx.any) -> !fx.any
    %c = call_module @layer.0(%r) : (!fx.any) -> !fx.any
    %h = higher_order @invoke_subgraph(%g, "id", %x) : (!fx.graph_ref, !fx.tensor<[s0, 3], f32>) -> !fx.tensor<[s0, 3], f32>
    output(%h, %m, %c, None, 4) signature [#fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>] : (!fx.tensor<[s0, 3], f32>, !fx.sym_int<2*s0>, !fx.any)
  }
}
