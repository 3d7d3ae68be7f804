// A program that obeys every rule, in both dialects of the Export IR.
// RUN: fx-opt %s --fx-verify-export -o /dev/null
// Rule 11 applies only in strict mode: a name does not tell the origin of a
// node.
// RUN: not fx-opt %s --fx-verify-export=strict -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: {{.*}}rule 11: expected a stack_trace, nn_module_stack, from_node or torch_fn of the node
// CHECK-NOT: error:

module attributes {fx.verifiers = ["TRAINING"]} {
  fx.state @w : !fx.tensor<[4], f32>
  fx.state @b : !fx.tensor<[4], f32>
  fx.state @thing : !fx.object<"my.Thing">
  fx.graph private @g {
    %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
    %y = call_function @aten.relu.default(%x) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32> loc("y")
    output(%y) : (!fx.tensor<[s0, 4], f32>)
  }
  fx.graph @main symbols [s0 in [2, 8]] attributes {fx.module_call_graph = [{fqn = "", inputs = ["x"], outputs = ["r"]}, "net"]} {
    %t = placeholder "t" token : !fx.token
    %p = placeholder "p" parameter @w : !fx.tensor<[4], f32>
    %c = placeholder "c" buffer @b non_persistent : !fx.tensor<[4], f32>
    %o = placeholder "o" custom_obj @thing : !fx.object<"my.Thing">
    %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
    %k = placeholder "k" constant_input value(3) : !fx.sym_int<3>
    guard "L['x'].size()[0] > 3" : gt(s0, 3)
    %g = get_attr @g : !fx.graph_ref
    %r = higher_order @wrap(%g, %x) : (!fx.graph_ref, !fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
    %l = call_function @aten.sum.default(%r) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[], f32>
    %b = call_function @aten.add_.Tensor(%c, 1) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
    output(%t, %b, %p, %x, %l, %p, %x, %r, 5)
      signature [#fx.output_spec<token>, #fx.output_spec<buffer_mutation, "b">, #fx.output_spec<parameter_mutation, "w">,
                 #fx.output_spec<user_input_mutation, "x">, #fx.output_spec<loss_output>, #fx.output_spec<gradient_to_parameter, "w">,
                 #fx.output_spec<gradient_to_user_input, "x">, #fx.output_spec<user_output>, #fx.output_spec<user_output>]
      : (!fx.token, !fx.tensor<[4], f32>, !fx.tensor<[4], f32>, !fx.tensor<[s0, 4], f32>, !fx.tensor<[], f32>,
         !fx.tensor<[4], f32>, !fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>)
  }
}
