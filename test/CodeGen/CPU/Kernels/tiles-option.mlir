// One option names what a target multiplies in AMX tiles, for each pass and for the pipeline.
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16 tiles=bf16})' | FileCheck %s --check-prefix=TILES
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16 tiles=int8,bf16,f16})' | FileCheck %s --check-prefix=TILES
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16 tiles=int8,f16})' | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --pass-pipeline='builtin.module(fx-cpu-kernels{lanes=16})' | FileCheck %s --check-prefix=NONE
// TILES: -> tensor<1x32x32x2xbf16>
// TILES: tdpbf16ps
// NONE-NOT: tdp

// A pipeline that is printed can be parsed again.
// RUN: fx-opt %s --fx-cpu-pack-weights='lanes=16 tiles=f16,int8' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PRINT
// PRINT: fx-cpu-pack-weights{bf16=false f16=false lanes=16 tiles=int8,f16 vnni=false}
// RUN: not fx-opt %s --fx-cpu-pack-weights='tiles=bf16,fp8' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: expected int8, bf16 or f16, got 'fp8'

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @main(%x: tensor<64x64xbf16>, %w: tensor<32x64xbf16> {fx.state = @w}) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<64x64xbf16>, tensor<32x64xbf16>) outs(%f : tensor<64x32xf32>) {
  ^bb0(%i: bf16, %j: bf16, %o: f32):
    %0 = arith.extf %i : bf16 to f32
    %1 = arith.extf %j : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
