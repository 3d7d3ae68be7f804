func.func @main(%x: tensor<8xf32> {fx.name = "x", fx.type = !fx.tensor<[8], f32>, fx.kind = "user_input"})
    -> (tensor<8xf32> {fx.name = "y", fx.type = !fx.tensor<[8], f32>}) {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.fptosi %a : f32 to i32
    %0 = math.fpowi %a, %n : f32, i32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
