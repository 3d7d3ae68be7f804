fx.graph @main attributes {functional, fx.quantization = {group_size = 0 : i64, mode = "static", observer = "min-max", per_channel = true, symmetric = false, weight_bits = 8 : i64}} {
  %x = placeholder "x" {fx.observers = array<i64: 0, 1>} : !fx.tensor<[2, 2], f32>
  output(%x) : (!fx.tensor<[2, 2], f32>)
}
