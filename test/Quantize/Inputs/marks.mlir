fx.state @w : !fx.tensor<[2, 2], f32> = dense<[0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64]> : tensor<16xui8>
fx.graph private @body attributes {functional} {
  %a = placeholder "a" : !fx.tensor<[2, 2], f32>
  %s = call_function @aten.sin.default(%a) {fx.layer = 77 : i64, fx.observers = array<i64: 5, 6>} : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  %t = call_function @aten.sin.default(%s) {fx.layer = "x", fx.shadow = "y"} : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  output(%t) : (!fx.tensor<[2, 2], f32>)
}
fx.graph @main attributes {functional, fx.quantization = {group_size = 0 : i64, mode = "static", observer = "min-max", per_channel = true, symmetric = false, weight_bits = 8 : i64}} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2, 2], f32>
  %x = placeholder "x" {fx.observers = "none"} : !fx.tensor<[2, 2], f32>
  %body = get_attr @body : !fx.graph_ref
  %c = cond(true, %body, %body, [%x]) : (!fx.graph_ref, !fx.graph_ref, !fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  %y = call_function @aten.linear.default(%c, %w) {fx.layer = -5 : i64, fx.shadow = 9 : i64} : (!fx.tensor<[2, 2], f32>, !fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  %z = call_function @aten.sin.default(%y) {fx.layer = 9000000000 : i64} : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2, 2], f32>
  output(%z) : (!fx.tensor<[2, 2], f32>)
}
