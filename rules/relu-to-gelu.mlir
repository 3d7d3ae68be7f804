// Every form of relu becomes gelu.
//
// fx-opt -fx-rewrite=patterns=relu-to-gelu.mlir

fx.graph @relu.pattern {
  %x = placeholder "x" : !fx.any
  %y = call_function @aten.relu.default(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @relu.replacement {
  %x = placeholder "x" : !fx.any
  %y = call_function @aten.gelu.default(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}

fx.graph @relu_in_place.pattern {
  %x = placeholder "x" : !fx.any
  %y = call_function @aten.relu_.default(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @relu_in_place.replacement {
  %x = placeholder "x" : !fx.any
  %y = call_function @aten.gelu.default(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}

fx.graph @torch_relu.pattern {
  %x = placeholder "x" : !fx.any
  %y = call_function @torch.relu(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @torch_relu.replacement {
  %x = placeholder "x" : !fx.any
  %y = call_function @aten.gelu.default(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}

fx.graph @functional_relu.pattern {
  %x = placeholder "x" : !fx.any
  %y = call_function @torch.nn.functional.relu(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @functional_relu.replacement {
  %x = placeholder "x" : !fx.any
  %y = call_function @aten.gelu.default(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}

fx.graph @functional_relu_flag.pattern {
  %x = placeholder "x" : !fx.any
  %y = call_function @torch.nn.functional.relu(%x, inplace = false) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @functional_relu_flag.replacement {
  %x = placeholder "x" : !fx.any
  %y = call_function @aten.gelu.default(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}

fx.graph @method_relu.pattern {
  %x = placeholder "x" : !fx.any
  %y = call_method @relu(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
fx.graph @method_relu.replacement {
  %x = placeholder "x" : !fx.any
  %y = call_function @aten.gelu.default(%x) : (!fx.any) -> !fx.any
  output(%y) : (!fx.any)
}
