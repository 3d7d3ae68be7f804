//===- Passes.td - what is one kernel ----------------------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_PASSES_TD
#define FX_KERNELS_PASSES_TD

include "fx/Kernels/MatrixUnit.td"

include "mlir/Pass/PassBase.td"

def ChannelsLastPass : Pass<"fx-channels-last", "::mlir::ModuleOp"> {
  let summary = "convert convolutions to channels-last layout";
  let description = [{
    Converts every convolution (named or generic, with any number of spatial
    dimensions, strided, dilated, grouped or depthwise) to a `linalg.generic`
    whose operands have the layout that the schedules need. N is the batch, H
    and W the image, C the input channels, G the groups, F the output channels,
    KH and KW the filter:

    ```
                 image          filter            result         loops
    plain        N H W C        KH KW C F         N H W F        n h w f kh kw c
    grouped      N H W G C      G KH KW C F       N H W G F      n h w g f kh kw c
    depthwise    N H W G        KH KW G           N H W G        n h w g kh kw
    ```

    (Unit channels of a depthwise convolution, if any, are in front of G.) The
    image is indexed by `h * stride + kh * dilation`. Padding remains a
    `tensor.pad` of the image, on H and W only:

    ```mlir
    linalg.generic {indexing_maps = [
        affine_map<(n, h, w, f, kh, kw, c) -> (n, h * 2 + kh, w * 2 + kw, c)>,
        affine_map<(n, h, w, f, kh, kw, c) -> (kh, kw, c, f)>,
        affine_map<(n, h, w, f, kh, kw, c) -> (n, h, w, f)>], ...}
      ins(%image, %filter : tensor<1x230x230x3xf32>, tensor<7x7x3x64xf32>)
      outs(%zero : tensor<1x112x112x64xf32>)
    ```

    The users of a result are converted to this layout as well: pointwise
    generics and reductions (whose loops are permuted), pooling, `tensor.pad`,
    slices, concatenations, reshapes, casts and transposes. The other operands
    of such a user are computed in this layout or transposed. A
    `linalg.transpose` is only inserted in front of an op without a rule (a
    `return`, a call, a reshape that mixes dimensions). A transpose that moves
    only unit dimensions becomes a reshape. Transposes of weights depend on
    states alone and move to `@prepare`. A function without convolutions is not
    changed.
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
  let summary = "remove reshapes between linalg ops";
  let description = [{
    Drops unit dimensions of linalg ops. Then moves `tensor.expand_shape` up and
    `tensor.collapse_shape` down through generics, whose loops are split for
    this, until the reshapes cancel or reach the boundary of the function. After
    that, for example, a matmul on `[batch * length, features]` can be fused
    with pointwise ops on `[batch, length, features]`. Pointwise ops on the
    result of a convolution keep its shape, because its loops cannot be split.
    A matmul and the pointwise ops behind it also keep theirs if its columns would
    be divided into fewer than 16, as those of channels in groups are.
    Reshapes of slices become reshapes of whole tensors where the slice has all
    elements of the dimensions that change, so that kernels read and write the
    slice in place.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CopyMasksPass : Pass<"fx-copy-masks", "::mlir::ModuleOp"> {
  let summary = "let each attention compute its mask";
  let description = [{
    The layers of a model share a mask, which then is a tensor in memory. If it
    bounds the keys that a row sees, as `key <= position` does, each attention
    gets a copy of the ops that compute the mask, so that its kernel finds the
    bounds and does not read the keys beyond them. An op without inputs, such as
    `arange`, is copied for each use in the mask. Masks of other forms, and
    those that cost more than a few operations for each score, stay shared.
  }];
  let options = [
    Option<"minRows", "min-rows", "int64_t", /*default=*/"0",
           "the least number of rows of an attention, if it is static">,
    Option<"gpu", "gpu", "bool", /*default=*/"true",
           "attention of bf16 and f16, for which GPUs have kernels; otherwise, "
           "attention that is one kernel of the CPU, and masks whose bounds "
           "depend on rows">
  ];
  let statistics = [
    Statistic<"numCopied", "copied", "Attentions that got a mask of their own">
  ];
}

def FoldGathersPass : Pass<"fx-fold-gathers", "::mlir::ModuleOp"> {
  let summary = "let attention read keys and values through a table";
  let description = [{
    Keys and values of a paged cache are gathered by a table of pages, and then
    the pages and the positions in them become one dimension. This pass gives
    the gather the shape of the keys, so that its loops are those of the
    attention: coordinate `s` of the keys is position `s mod size` in page
    `table[s / size]`. Copies between the gather and the attention, as of a
    permuted view, become a part of the gather, too. Pointwise ops between them,
    which expand the integers of a quantized cache, keep their shape.

    ```mlir
    %pages = linalg.generic ... ins(%table : tensor<8x64xi64>) {
      // cache[table[b, p], o, h, e]
    } -> tensor<8x64x16x4x128xbf16>
    %keys = tensor.collapse_shape %pages [[0], [1, 2], [3], [4]]
      : tensor<8x64x16x4x128xbf16> into tensor<8x1024x4x128xbf16>
    ```

    becomes

    ```mlir
    %keys = linalg.generic ... {
      // cache[table[b, s / 16], s mod 16, h, e]
    } -> tensor<8x1024x4x128xbf16>
    ```

    `fx-form-kernels` adds such a gather to the kernel of the attention.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numFolded", "folded", "Views and copies that were folded">
  ];
}

def CollapseReductionsPass
    : Pass<"fx-collapse-reductions", "::mlir::ModuleOp"> {
  let summary = "give each reduction one reduction loop";
  let description = [{
    Row kernels have one reduction loop, over the last dimension. The pass
    merges reduction loops that are adjacent in every operand, in the reduction
    and in the pointwise ops that will share its kernel. If loops cannot be
    merged, as for a mean over the first and the last dimension, it splits the
    reduction into steps with one reduction loop each, the innermost loop first.
    It also splits a reduction of a large tensor to less than `rows` / 2
    elements: the outer dimensions become rows of a first step, which gives more
    parallel tasks. The pass changes the order in which sums are added up.

    Contractions, windows, reductions that keep the last dimension, and bodies
    that read indices are not changed.
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

def LowerPrecisionPass : Pass<"fx-lower-precision", "::mlir::ModuleOp"> {
  let summary = "round the operands of f32 matmuls and convolutions";
  let description = [{
    Rounds the f32 operands of matmuls and convolutions to bf16. The products and
    the sums stay in f32, as do all other computations. This is what `fx-compile
    --precision=bf16` does. CPUs with AVX512-BF16 and tensor cores multiply bf16
    several times as fast as f32, and weights in bf16 take half of the memory.

    ```mlir
    // linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x5xf32>) becomes
    %a = linalg.generic ... ins(%x) { arith.truncf %in : f32 to bf16 }
    %b = linalg.generic ... ins(%w) { arith.truncf %in : f32 to bf16 }
    %y = linalg.generic ... ins(%a, %b : tensor<4x8xbf16>, tensor<8x5xbf16>)
           outs(%zero : tensor<4x5xf32>) {
      %p = arith.extf %in ; %q = arith.extf %in_0 ; mulf, addf in f32
    }
    ```

    Pointwise operations that read the image of a convolution read the rounded one,
    too, so that the sum of a residual block is stored once.

    Contractions that use an element of an operand once or a few times are not
    changed (depthwise convolutions, dot products, the caches of a decoder),
    except for weights, which are rounded before the run. Contractions of
    quantized weights are not changed either, nor are ops with `fx.keep_f32`,
    which convert-fx-to-linalg puts on attention that the CPU computes in one
    kernel. Such kernels round the operands themselves where the CPU has
    vdpbf16ps: the products in the bodies get `fx_kernel.bf16`. So the rounded
    keys and values of a cache, and rounded weights, are never stored. The pass
    removes `fx.keep_f32`.

    With `int8`, the f32 operand of a contraction with quantized weights may be
    rounded to 8 bits, as engines for language models do (llama.cpp's Q8_0,
    "dynamic quantization" of OpenVINO): the products get `fx_kernel.int8`. The
    kernel then multiplies integers. It rounds a block of 32 terms of a row to
    integers from -127 to 127 with one scale, the block's largest magnitude over
    127. An infinity or a NaN in a row makes the results of the row NaN. A kernel
    for which a CPU has no instructions computes in f32.
  }];
  let options = [
    Option<"bf16", "bf16", "bool", "true", "Round to bf16">,
    Option<"int8", "int8", "bool", "false",
           "Let kernels with quantized weights round to 8 bits">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numMatMuls", "matmuls", "Matmuls and convolutions changed">
  ];
}

def GeneralizeOpsPass : Pass<"fx-generalize-ops", "::mlir::ModuleOp"> {
  let summary = "convert named linalg ops to generics";
  let description = [{
    Converts every named linalg op except `linalg.fill` to a `linalg.generic`,
    which is the only form that the later passes handle. In the bodies,
    `affine.apply` becomes arithmetic.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"
  ];
}

def LowerFloat8Pass : Pass<"fx-lower-float8", "::mlir::ModuleOp"> {
  let summary = "hold eight-bit floats as bytes";
  let description = [{
    Tensors of f8E4M3FN, f8E4M3FNUZ, f8E5M2 and f8E5M2FNUZ become tensors of i8.
    `arith.extf` and `arith.truncf` of scalars become arithmetic on integers,
    with the results that LLVM's APFloat has: `truncf` rounds to nearest, ties to
    even, and a number that is too large becomes infinite in f8E5M2, and NaN in
    the others. Where PyTorch has the largest number instead, the lowering to
    linalg limits the operand.

    With `products`, matmuls of f8E4M3FN and f8E5M2 stay, for tensor cores:
    those of bf16 with `fx_kernel.float8`, which those of `aten._scaled_mm`
    have, if both operands are converted from these types, their terms are
    contiguous and a multiple of 16, and there are more rows than kernels for
    few rows have. The operands are bytes, which the body reads as floats:

    ```mlir
    %x = arith.bitcast %byte : i8 to f8E4M3FN
    %f = arith.extf %x : f8E4M3FN to f32
    ```

    The other conversions from these types stay in the same form, because
    kernels convert two at a time (`fx-gpu-widen-float8`). Without the option,
    the pass expands them all, also where it has run before.
  }];
  let options = [
    Option<"products", "products", "bool", "false",
           "keep matmuls of f8E4M3FN and f8E5M2">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"
  ];
}

def TransposeWeightsPass : Pass<"fx-transpose-weights", "::mlir::ModuleOp"> {
  let summary = "store weights of f32 along the terms of their sums";
  let description = [{
    `wgmma` of compute capability 9.0a reads operands of TF32 along K only. This
    pass transposes the right operands of f32 contractions that depend on states
    alone, and that are stored otherwise. The transposition runs when the model
    is compiled. The dimensions along K get the order of the left operand: a
    filter KH KW C F becomes F KH KW C. Grouped convolutions and matmuls of a
    static number of rows below 128 have other kernels, and keep their weights.
    The op must be a `linalg.generic`.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numTransposed", "num-transposed", "transposed weights">
  ];
}

def PadChannelsPass : Pass<"fx-pad-channels", "::mlir::ModuleOp"> {
  let summary = "give convolutions whole chunks of channels";
  let description = [{
    Kernels for tensor cores of GPUs copy 16 bytes at a time, and instructions of
    CPUs multiply two elements of bf16 at a time. If the channels of a
    convolution's image are no multiple of such a chunk, and the image is padded
    for this convolution alone, the padding also adds channels of zeros, at most
    two for each channel. The weight gets zeros, too. The op must be a
    `linalg.generic` of channels-last images.

    If that needs fewer zeros, the columns of the window and the channels become
    one dimension: an image of 3 channels gets a fourth, and rows of 7 columns
    become 32 elements, not 7 times 8. This needs bf16 or f16, a window without
    dilation, and a stride whose columns fill chunks.
  }];
  let options = [
    Option<"pairs", "pairs", "bool", "false",
           "Chunks are two elements of bf16 instead of 16 bytes.">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numPadded", "num-padded", "convolutions with more channels">
  ];
}

def FlattenGroupsPass : Pass<"fx-flatten-groups", "::mlir::ModuleOp"> {
  let summary = "collapse the group dimension of weights with grouped scales";
  let description = [{
    Weights whose rows have a scale for each group of elements are dequantized
    in a shape with a dimension for the groups, and then collapsed for the
    matmul. The pass collapses the dequantization instead and expresses the
    groups in the indexing map of the scales. So the expanded shape does not
    propagate to the ops around the matmul:

    ```mlir
    %p3 = tensor.expand_shape %p [[0], [1, 2]] : tensor<64x128xi8> into tensor<64x4x32xi8>
    %w3 = linalg.generic ... ins(%p3, %t : tensor<64x4x32xi8>, tensor<64x4xf32>)
    %w = tensor.collapse_shape %w3 [[0], [1, 2]] : tensor<64x4x32xf32> into tensor<64x128xf32>
    // becomes
    %w = linalg.generic ... ins(%p, %t : tensor<64x128xi8>, tensor<64x4xf32>)
                                     // (n, k), (n, k floordiv 32)
    ```

    `fx-integer-contractions` matches this form. It expands it again if no
    integer contraction reads the weights.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def IntegerContractionsPass
    : Pass<"fx-integer-contractions", "::mlir::ModuleOp"> {
  let summary = "multiply quantized tensors as integers";
  let description = [{
    Rewrites a contraction of two dequantized tensors to a contraction of 8-bit
    integers that accumulates in 32 bits. The activations are `(q - z) s`. The
    weights are `p t`, with signed `p` computed from `fx.state` arguments,
    without a zero point; `t` is a scalar or has a scale for each column:

    ```mlir
    %sum = linalg.generic ... ins(%q, %p : tensor<?x64xi8>, tensor<32x64xi8>)
             outs(%zeros : tensor<?x32xi32>)   // out + zext(q) * sext(p)
    %y = linalg.generic ... ins(%sum, %total, %t : ...)
                                     // sitofp(sum - z * total) * (t * s)
    ```

    `%total` is the sum of the weights of each column, which is computed before
    the run. Signed activations are made unsigned by an offset of 128. The terms
    are padded to a multiple of four, since the hardware multiplies four terms
    at a time.

    If the activations are not quantized, large weights are still stored as
    bytes, which the kernel converts to floats: `%y = t * (x * sitofp(p))`.

    If each group of terms of a column has a scale (the form of
    fx-flatten-groups), the contraction is a sum of floats whose terms are
    scaled products. The code of the kernel adds up integers within a group:

    ```mlir
    %sum = linalg.generic ... ins(%q, %p, %t) // out + sitofp(zext(q) * sext(p)) * t
    %y = ... (%sum - z * %total) * s          // total: the sum of p * t
    ```

    The pass does not rewrite contractions with groups of terms and batches,
    contractions with batches whose contiguous terms would be padded, those
    whose activations do not have contiguous terms, and those with so many
    terms that 32 bits could overflow.

    With a `matrix-unit`, it rewrites only contractions of two tensors of bytes,
    and of more rows than `gemv` kernels have. The terms are padded to a
    multiple of 16, and follow each other in both operands. Both operands may
    depend on the inputs. For `mfma`, activations are signed.
  }];
  let options = [MatrixUnitOption<"None">];
  let statistics = [
    Statistic<"numRewritten", "num-rewritten", "contractions of integers made">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FormKernelsPass : Pass<"fx-form-kernels", "::mlir::ModuleOp"> {
  let summary = "group linalg ops and outline each group as a kernel";
  let description = [{
    Groups the linalg ops of every public function. A group is:

    - two matmuls and the softmax between them, with tensor cores
      (`matrix-unit`) or `attention`;
    - a contraction and the pointwise ops that use its result;
    - reductions over rows and the pointwise ops before and after them;
    - a tree of pointwise ops.

    A group becomes a private function `kernel_<n>` in destination-passing
    style, which `fx_kernel.invoke` calls. Structurally identical groups share
    one function. Ops for which there is no schedule are not changed.
  }];
  let options = [
    Option<"gpu", "gpu", "bool", "false",
           "group what a GPU's kernels compute">,
    MatrixUnitOption<"None">,
    Option<"attention", "attention", "bool", "false",
           "group only the ops of attentions that a CPU computes faster "
           "in one kernel">
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
    Moves the ops of `@main` that depend only on constants and on `fx.state`
    arguments without `fx.mutable` to a new function `@prepare`. Its arguments
    are the states that it reads, with the same argument attributes, and its
    results are the tensors that `@main` needs. `@main` gets these tensors as
    additional arguments after all others. Their attribute `fx.prepared = i` is
    the number of the result of `@prepare`. A state that `@main` no longer reads
    remains an argument. If there is nothing to move, no `@prepare` is created.

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
    Removes the function `@prepare` of `fx-hoist-prepare`. `@main` keeps the
    arguments for its results. When `fx-compile` compiles a model for a GPU, it
    compiles `@prepare` for the host; the remaining module is compiled for the
    GPU.
  }];
}

#endif // FX_KERNELS_PASSES_TD
