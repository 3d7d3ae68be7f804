//===- Passes.td - what is one kernel ----------------------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_PASSES_TD
#define FX_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChannelsLastPass : Pass<"fx-channels-last", "::mlir::ModuleOp"> {
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

def AlignShapesPass : Pass<"fx-align-shapes", "::mlir::ModuleOp"> {
  let summary = "let linalg ops follow each other without reshapes between them";
  let description = [{
    Drops unit dimensions of linalg ops, then moves `tensor.expand_shape` up and
    `tensor.collapse_shape` down through generics, whose loops are split for it,
    until they cancel or reach the function's boundary. Only then can a matmul
    on `[batch * length, features]` take along what reads
    `[batch, length, features]`.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CollapseReductionsPass
    : Pass<"fx-collapse-reductions", "::mlir::ModuleOp"> {
  let summary = "give each reduction one reduction loop";
  let description = [{
    A kernel reduces rows: the last dimension, by one loop. Reduction loops that
    lie together in every operand become one, in the reduction and in the
    pointwise ops that will share its kernel. Of loops that stay apart, as those
    of a mean over the first and the last dimension, the innermost is reduced
    first, to a tensor that keeps the others, and so on: each step is a
    reduction over one loop. So is a large tensor that is reduced to less than
    half of `rows` numbers: its outer dimensions are rows of a first step, for
    as many tasks. Sums are added up in another order than before.

    Contractions, windows, reductions that keep the last dimension, and bodies
    that read indices stay as they are.
  }];
  let options = [
    Option<"rows", "rows", "int64_t", /*default=*/"16",
           "rows that give every multiprocessor work">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def GeneralizeOpsPass : Pass<"fx-generalize-ops", "::mlir::ModuleOp"> {
  let summary = "make generics of named linalg ops";
  let description = [{
    Makes a `linalg.generic` of every named linalg op, the one form that the
    passes after this one know. `linalg.fill` stays.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def FormKernelsPass : Pass<"fx-form-kernels", "::mlir::ModuleOp"> {
  let summary = "group linalg ops and outline each group as a kernel";
  let description = [{
    Groups the linalg ops of every public function: with `tensor-cores` two
    matmuls and the softmax between them, a contraction with the pointwise ops
    that consume it, reductions over rows with the pointwise ops around them,
    and trees of pointwise ops. A group becomes a private function
    `kernel_<n>` in destination-passing style, called by `fx_kernel.invoke`.
    Structurally identical groups share one function. What no schedule covers
    stays as it is.
  }];
  let options = [
    Option<"gpu", "gpu", "bool", "false",
           "group what a GPU's kernels compute">,
    Option<"tensorCores", "tensor-cores", "bool", "false",
           "the GPU has tensor cores: attention is one group">
  ];
  let dependentDialects = [
    "::fx::kernel::FXKernelDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "kernels outlined">,
    Statistic<"numShared", "num-shared", "groups that share a kernel">
  ];
}

def HoistPreparePass : Pass<"fx-hoist-prepare", "::mlir::ModuleOp"> {
  let summary = "move computations on states alone to @prepare";
  let description = [{
    What `@main` computes from its `fx.state` arguments (not `fx.mutable`) and
    constants alone is moved to `@prepare`, which takes the states it needs
    (same argument attributes) and returns the tensors that `@main` needs.
    `@main` takes them as further arguments, after all others, with the
    attribute `fx.prepared = i`, i being the result of `@prepare`. A state that
    `@main` no longer reads keeps its argument. Without anything to move there
    is no `@prepare`.

    ```mlir
    func.func @prepare(%w: tensor<4x8xf32> {fx.state = @w}) -> tensor<8x4xf32>
    func.func @main(%x: ..., %w: ... {fx.state = @w},
                    %p: tensor<8x4xf32> {fx.prepared = 0 : i64})
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def DropPreparePass : Pass<"fx-drop-prepare", "::mlir::ModuleOp"> {
  let summary = "remove @prepare";
  let description = [{
    Removes what `fx-hoist-prepare` made, beside an `@main` that takes its
    results. `fx-compile` runs `@prepare` on the host when it compiles a model;
    the rest of a module for a GPU is code for that GPU.
  }];
}

#endif // FX_KERNELS_PASSES_TD
