//===- LayoutPasses.td - passes that choose layouts --------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CPU_LAYOUT_PASSES
#define FX_CPU_LAYOUT_PASSES

include "mlir/Pass/PassBase.td"

def FXCPUChannelsLast : Pass<"fx-cpu-channels-last", "::mlir::ModuleOp"> {
  let summary = "hold the images between convolutions channels-last";
  let description = [{
    Turns every convolution (named or generic, of any number of spatial
    dimensions, strided, dilated, grouped or depthwise) into a `linalg.generic`
    whose operands lie as the schedules want them. For N, H, W and C being
    batch, image and channels, G groups, F output channels and KH, KW the
    filter:

    ```
                 image          filter            result         loops
    plain        N H W C        KH KW C F         N H W F        n h w f kh kw c
    grouped      N H W G C      G KH KW C F       N H W G F      n h w g f kh kw c
    depthwise    N H W G        KH KW G           N H W G        n h w g kh kw
    ```

    (unit channels of a depthwise convolution, if any, stand before G.) The
    image is read at `h * stride + kh * dilation`; padding stays a `tensor.pad`
    in front of it, on H and W only:

    ```mlir
    linalg.generic {indexing_maps = [
        affine_map<(n, h, w, f, kh, kw, c) -> (n, h * 2 + kh, w * 2 + kw, c)>,
        affine_map<(n, h, w, f, kh, kw, c) -> (kh, kw, c, f)>,
        affine_map<(n, h, w, f, kh, kw, c) -> (n, h, w, f)>], ...}
      ins(%image, %filter : tensor<1x230x230x3xf32>, tensor<7x7x3x64xf32>)
      outs(%zero : tensor<1x112x112x64xf32>)
    ```

    Everything that reads a result takes it as it lies: pointwise generics and
    reductions (their loops follow), pooling, `tensor.pad`, slices, concat,
    reshapes, casts and transposes; other operands of such an op are made in
    that order where they are defined or transposed. Only what has no rule (a
    `return`, a call, a reshape that really mixes dimensions) reads a
    `linalg.transpose`. A transpose that moves unit dimensions only is a
    reshape. Transposes of weights depend on states alone and move to
    `@prepare`. Without convolutions nothing changes.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numConvolutions", "convolutions", "Convolutions found">,
    Statistic<"numTransposes", "transposes", "Transposes that remain">
  ];
}

#endif // FX_CPU_LAYOUT_PASSES
