func.func @main(%x: tensor<4096x4096xbf16> {fx.name = "x", fx.type = !fx.tensor<[4096, 4096], bf16>, fx.kind = "user_input"},
                %w: tensor<4096x4096xbf16> {fx.name = "w", fx.type = !fx.tensor<[4096, 4096], bf16>, fx.kind = "user_input"},
                %b: tensor<4096xbf16> {fx.name = "b", fx.type = !fx.tensor<[4096], bf16>, fx.kind = "user_input"})
    -> (tensor<4096x4096xbf16> {fx.name = "y", fx.type = !fx.tensor<[4096, 4096], bf16>}) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.707106769 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %h = tensor.empty() : tensor<4096x4096xbf16>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) outs(%f : tensor<4096x4096xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %c : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4096x4096xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%p, %b : tensor<4096x4096xf32>, tensor<4096xbf16>) outs(%h : tensor<4096x4096xbf16>) {
  ^bb0(%a: f32, %c: bf16, %o: bf16):
    %0 = arith.extf %c : bf16 to f32
    %1 = arith.addf %a, %0 : f32
    %2 = arith.mulf %1, %root : f32
    %3 = math.erf %2 : f32
    %4 = arith.addf %3, %one : f32
    %5 = arith.mulf %1, %half : f32
    %6 = arith.mulf %4, %5 : f32
    %7 = arith.truncf %6 : f32 to bf16
    linalg.yield %7 : bf16
  } -> tensor<4096x4096xbf16>
  return %s : tensor<4096x4096xbf16>
}
