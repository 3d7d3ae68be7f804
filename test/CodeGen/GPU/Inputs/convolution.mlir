#x = affine_map<(n, h, w, f, r, s, c) -> (n, h + r, w + s, c)>
#y = affine_map<(n, h, w, f, r, s, c) -> (r, s, c, f)>
#p = affine_map<(n, h, w, f, r, s, c) -> (n, h, w, f)>
#all = affine_map<(n, h, w, f) -> (n, h, w, f)>
func.func @main(%x: tensor<16x30x30x128xbf16> {fx.name = "x", fx.type = !fx.tensor<[16, 30, 30, 128], bf16>, fx.kind = "user_input"},
                %w: tensor<3x3x128x128xbf16> {fx.name = "w", fx.type = !fx.tensor<[3, 3, 128, 128], bf16>, fx.kind = "user_input"})
    -> (tensor<16x28x28x128xbf16> {fx.name = "y", fx.type = !fx.tensor<[16, 28, 28, 128], bf16>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x28x28x128xf32>
  %h = tensor.empty() : tensor<16x28x28x128xbf16>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x28x28x128xf32>) -> tensor<16x28x28x128xf32>
  %p = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<16x30x30x128xbf16>, tensor<3x3x128x128xbf16>) outs(%f : tensor<16x28x28x128xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %c : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<16x28x28x128xf32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%p : tensor<16x28x28x128xf32>) outs(%h : tensor<16x28x28x128xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %0 = arith.maximumf %a, %zero : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<16x28x28x128xbf16>
  return %s : tensor<16x28x28x128xbf16>
}
