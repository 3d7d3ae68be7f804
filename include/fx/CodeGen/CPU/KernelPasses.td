//===- KernelPasses.td - linalg on tensors to kernels ------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CPU_KERNEL_PASSES
#define FX_CPU_KERNEL_PASSES

include "mlir/Pass/PassBase.td"

def FXCPUFlattenGroups : Pass<"fx-cpu-flatten-groups", "::mlir::ModuleOp"> {
  let summary = "keep weights with scales by group two-dimensional";
  let description = [{
    Weights whose rows have a scale for each group of elements are dequantized
    with the groups as a dimension, and given to a matmul without it. The groups
    go into the scales' indexing map, so that the shapes of what surrounds the
    matmul are not split for their sake:

    ```mlir
    %p3 = tensor.expand_shape %p [[0], [1, 2]] : tensor<64x128xi8> into tensor<64x4x32xi8>
    %w3 = linalg.generic ... ins(%p3, %t : tensor<64x4x32xi8>, tensor<64x4xf32>)
    %w = tensor.collapse_shape %w3 [[0], [1, 2]] : tensor<64x4x32xf32> into tensor<64x128xf32>
    // becomes
    %w = linalg.generic ... ins(%p, %t : tensor<64x128xi8>, tensor<64x4xf32>)
                                     // (n, k), (n, k floordiv 32)
    ```

    `fx-cpu-integer-contractions` takes them from there, and splits again what
    no contraction of integers reads.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FXCPUIntegerContractions
    : Pass<"fx-cpu-integer-contractions", "::mlir::ModuleOp"> {
  let summary = "multiply quantized tensors as integers";
  let description = [{
    A contraction of two dequantized tensors, activations `(q - z) s` and
    weights `p t` (of `fx.state` arguments; signed, without zero point, `t` a
    number or a scale for each column), becomes one of 8-bit integers that
    accumulates in 32 bits:

    ```mlir
    %sum = linalg.generic ... ins(%q, %p : tensor<?x64xi8>, tensor<32x64xi8>)
             outs(%zeros : tensor<?x32xi32>)   // out + zext(q) * sext(p)
    %y = linalg.generic ... ins(%sum, %total, %t : ...)
                                     // sitofp(sum - z * total) * (t * s)
    ```

    `%total` is the sum of the weights of each column, which is known before the
    run. Signed activations are made unsigned by an offset of 128. The terms are
    padded to a multiple of four: hardware multiplies four at a time.

    Large weights of activations that are no integers stay bytes too, which
    become floats where they are used: `%y = t * (x * sitofp(p))`.

    Where so many terms of a column have a scale of their own (`t` by
    fx-cpu-flatten-groups), the sum is one of floats, of products that are each
    scaled. Its code adds up integers within a group:

    ```mlir
    %sum = linalg.generic ... ins(%q, %p, %t) // out + sitofp(zext(q) * sext(p)) * t
    %y = ... (%sum - z * %total) * s          // total: the sum of p * t
    ```

    Left as they are: contractions with batches (grouped convolutions), whose
    activations do not have their terms in a row, or of more terms than fit 32
    bits.
  }];
  let statistics = [
    Statistic<"numRewritten", "num-rewritten", "contractions of integers made">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FXCPUWidenHalves : Pass<"fx-cpu-widen-halves", "::mlir::ModuleOp"> {
  let summary = "make the left operand of matmuls of bf16 and f16 f32";
  let description = [{
    Without vdpbf16ps, a kernel multiplies f32. It converts a vector of the right
    operand to f32 after it loads it, for all rows of a tile, so that weights stay
    in 16 bits in memory. It loads one element of the left operand for each row
    and step. This pass converts the left operand to f32 once, in the op that
    computes it if that op is part of a kernel. The products and their sums are
    exact f32, as PyTorch's are.

    A contraction whose right operand `fx-cpu-pack-weights` has packed in pairs
    stays as it is: the hardware multiplies its operands as bf16.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FXCPUPackWeights : Pass<"fx-cpu-pack-weights", "::mlir::ModuleOp"> {
  let summary = "pack the constant operands of contractions into panels";
  let description = [{
    A contraction reads a weight (anything computed from `fx.state` arguments
    and constants alone) along its columns. The weight is packed by
    `linalg.pack` into panels `[N/P][K...][P]`, P columns wide and padded with
    zeros, and the contraction reads it through `linalg.unpack`:

    ```mlir
    %p = linalg.pack %w padding_value(%zero : f32) inner_dims_pos = [0]
           inner_tiles = [32] into %e : tensor<100x64xf32> -> tensor<4x64x32xf32>
    %u = linalg.unpack %p inner_dims_pos = [0] inner_tiles = [32] into %f
           : tensor<4x64x32xf32> -> tensor<100x64xf32>
    ```

    Named linalg ops are generalized first, fills excepted.

    Of 8-bit integers four terms of a column lie together, `inner_tiles = [32,
    4]`. With `bf16`, the same holds for two terms of bf16 operands, `inner_tiles =
    [32, 2]`, if the terms of the left operand are contiguous and even in number.
    Those of which only four bits are kept (`(p << 4) >> 4`) lie two in a
    byte, the term four places on in the upper half: `[N/P][K/8][P][4]`. A
    generic in front of the unpacking makes bytes of them. The scales of groups
    are packed by columns, too.

    `fx-form-kernels` takes the unpacking into the kernel, whose code reads
    the panels; `fx-hoist-prepare` moves the packing to `@prepare`.
    No canonicalization may run in between: it would fold the pair away.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "16", "f32 lanes of a vector register">,
    Option<"bf16", "bf16", "bool", "false",
           "pack operands of bf16 for vdpbf16ps">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FXCPUStartFallbacks : Pass<"fx-cpu-start-fallbacks", "::mlir::ModuleOp"> {
  let summary = "start asynchronous fallbacks early and await them late";
  let description = [{
    An `fx.eager` of @main that is marked `fx.async` and has no effects gets a
    number, `fx.slot`, and a `fx_kernel.start_eager` in front of what does not
    lead to it; it itself, and what needs its results, moves behind what does
    not. Kernels in between run while ATen works. What has effects keeps its
    order.

    ```mlir
    %a = fx_kernel.invoke @k0 ins(%x ...)
    %b = fx_kernel.invoke @k1 ins(%x ...)
    %y = fx.eager @mylib.slow.default(%a) {fx.async, fx.pure}
    %z = fx_kernel.invoke @k2 ins(%y ...)
    %c = fx_kernel.invoke @k3 ins(%b ...)
    // becomes
    %a = fx_kernel.invoke @k0 ins(%x ...)
    fx_kernel.start_eager 0 (%a)
    %b = fx_kernel.invoke @k1 ins(%x ...)
    %c = fx_kernel.invoke @k3 ins(%b ...)
    %y = fx.eager @mylib.slow.default(%a) {fx.async, fx.pure, fx.slot = 0}
    %z = fx_kernel.invoke @k2 ins(%y ...)
    ```
  }];
  let dependentDialects = ["::fx::kernel::FXKernelDialect"];
  let statistics = [Statistic<"numStarted", "started", "Operators started early">];
}

def FXCPUSelectSchedules
    : Pass<"fx-cpu-select-schedules", "::mlir::ModuleOp"> {
  let summary = "choose a schedule for the root op of every kernel";
  let description = [{
    Puts `fx_kernel.schedule` on the root op of each kernel function: the
    schedule of the class of kernels that matches. Of a contraction these are
    the numbers of `#fx_kernel.contraction`; those of other classes have none. A
    schedule that is already there is kept.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "16", "f32 lanes of a vector register">
  ];
  let dependentDialects = ["::fx::kernel::FXKernelDialect"];
}

def FXCPUEmitKernels : Pass<"fx-cpu-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "replace the body of every kernel by its scheduled code";
  let description = [{
    Emits each kernel function on memrefs with one-dimensional vectors, as its
    `fx_kernel.schedule` says. The outermost loops are `scf.forall` where iterations
    are independent. Odd sizes are handled by smaller register tiles and masks.
    A kernel that cannot be emitted is inlined where it is invoked.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "16", "f32 lanes of a vector register">,
    Option<"vnni", "vnni", "bool", "false",
           "multiply 8-bit integers by vpdpbusd, of vectors as wide as the lanes">,
    Option<"bf16", "bf16", "bool", "false",
           "multiply packed pairs of bf16 by vdpbf16ps, of vectors as wide as the lanes">,
    Option<"report", "report", "bool", "false",
           "remark on kernels that are left to the general path">
  ];
  let dependentDialects = [
    "::fx::kernel::FXKernelDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
  let statistics = [
    Statistic<"numInlined", "num-inlined", "kernels left to the general path">
  ];
}

#endif // FX_CPU_KERNEL_PASSES
