//===- KernelPasses.td - linalg on tensors to kernels ------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CPU_KERNEL_PASSES
#define FX_CPU_KERNEL_PASSES

include "mlir/Pass/PassBase.td"

defvar NeonOption = Option<
    "neon", "neon", "bool", "false",
    "vectors are those of AArch64's NEON, with 32 registers">;
defvar TilesOption = Option<
    "tiles", "tiles", "::fx::kernel::TileKinds", "::fx::kernel::TileKinds()",
    "what is multiplied in AMX tiles, of int8, bf16 and f16">;

def FXCPUFoldKeys : Pass<"fx-cpu-fold-keys", "::mlir::ModuleOp"> {
  let summary = "let attentions read keys and values where they are";
  let description = [{
    The keys and values of an attention may be extended to f32 from a cache of
    f16 or bf16, and the heads of a cache may be repeated for several heads of
    queries. The pass lets both matmuls read the cache itself: the extension moves
    into their bodies, and the repetition into their indexing maps. Otherwise each
    step would copy the cache. Without `f16`, tensors of f16 are extended once, and
    not in each tile.
  }];
  let options = [Option<"f16", "f16", "bool", "false",
                        "the machine extends vectors of f16 to f32">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FXCPUWidenHalves : Pass<"fx-cpu-widen-halves", "::mlir::ModuleOp"> {
  let summary = "convert the left operands of bf16 and f16 matmuls to f32";
  let description = [{
    Without vdpbf16ps, matmul kernels multiply in f32. They convert vectors of the
    right operand after loading them, once for all rows of a tile, so that weights
    are stored in 16 bits. Of the left operand they load one scalar for each row
    and term. The pass converts the left operand to f32 before, so that this is
    done once; the conversion is fused into the kernel that computes the operand,
    if there is one. Products and sums are f32, as in PyTorch.

    A contraction whose right operand `fx-cpu-pack-weights` has packed in pairs
    stays as it is: the hardware multiplies its operands as bf16.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FXCPUWinograd : Pass<"fx-cpu-winograd", "::mlir::ModuleOp"> {
  let summary = "choose the convolutions that use Winograd's method";
  let description = [{
    Transforms the filters of 3 x 3 convolutions of f32 with stride and dilation
    1 whose filter is a weight, for F(`m` x `m`, 3 x 3) (Lavin and Gray, 2015).
    The convolution reads its filter through `fx_kernel.untransform`, and
    `fx-cpu-emit-kernels` computes it from the transformed filters, by
    (m + 2)^2 multiplications for m^2 results instead of 9 m^2. The transform is
    computed in f64, and its result is packed as by `fx-cpu-pack-weights`.
    `fx-hoist-prepare` moves all of this to `@prepare`. The pixels are padded to
    whole tiles.

    ```mlir
    %u = linalg.generic ... ins(%w ...) -> tensor<36x64x64xf32>
    %p = linalg.pack %u outer_dims_perm = [0, 2, 1] inner_dims_pos = [2]
           inner_tiles = [32] into %e : tensor<36x64x64xf32> -> tensor<36x2x64x32xf32>
    %v = fx_kernel.unpack %p outer_dims_perm = [0, 2, 1] inner_dims_pos = [2]
           inner_tiles = [32] : tensor<36x2x64x32xf32> -> tensor<36x64x64xf32>
    %f = fx_kernel.untransform %v tile = 4 : tensor<36x64x64xf32> -> tensor<3x3x64x64xf32>
    %y = linalg.generic ... ins(%x, %f : tensor<58x58x64xf32>, tensor<3x3x64x64xf32>)
    ```

    The mode `auto` chooses between a direct convolution, m = 2 and m = 4 by
    the estimated time. The sizes of images must be static, their number may be
    dynamic.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "16", "f32 lanes of a vector register">,
    NeonOption,
    Option<"mode", "mode", "WinogradMode", "WinogradMode::Auto",
           "for which convolutions", [{::llvm::cl::values(
             clEnumValN(WinogradMode::Auto, "auto", "those that gain from it"),
             clEnumValN(WinogradMode::Off, "off", "none"),
             clEnumValN(WinogradMode::F2, "f2", "all, by F(2 x 2, 3 x 3)"),
             clEnumValN(WinogradMode::F4, "f4", "all, by F(4 x 4, 3 x 3)"))}]>,
    Option<"cpu", "cpu", "std::string", "", "the CPU, as LLVM names it">
  ];
  let dependentDialects = [
    "::fx::kernel::FXKernelDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numRewritten", "num-rewritten", "convolutions rewritten">
  ];
}

def FXCPUPackWeights : Pass<"fx-cpu-pack-weights", "::mlir::ModuleOp"> {
  let summary = "pack the constant operands of contractions into panels";
  let description = [{
    A contraction reads its weight (a value that depends on `fx.state` arguments
    and constants alone) by columns. The pass packs the weight by `linalg.pack`
    into panels `[N/P][K...][P]` of P columns, padded with zeros. The
    contraction reads it through `fx_kernel.unpack`:

    ```mlir
    %p = linalg.pack %w padding_value(%zero : f32) inner_dims_pos = [0]
           inner_tiles = [32] into %e : tensor<100x64xf32> -> tensor<4x64x32xf32>
    %u = fx_kernel.unpack %p outer_dims_perm = [0, 1] inner_dims_pos = [0]
           inner_tiles = [32] : tensor<4x64x32xf32> -> tensor<100x64xf32>
    ```

    Named linalg ops except fills are generalized first.

    For 8-bit integers, four terms of a column are contiguous: `inner_tiles =
    [32, 4]`. So they are for weights of bytes that f32 is multiplied by, with
    `vnni`, if the terms are blocks of 32, and are multiplied as integers. With
    `bf16`, two terms of bf16 operands are contiguous, `inner_tiles = [32, 2]`, if
    the terms of the left operand are contiguous and their number is even. If only
    the low four bits of integers are used (`(p << 4) >> 4`), a byte holds two
    terms: term k in the lower half and term k + 4 in the upper half, in the layout
    `[N/P][K/8][P][4]`, and the unpacking is marked with `nibbles`. The scales of
    groups are packed by columns, too. Scales that are extended from bf16,
    or with `f16` from f16, are packed before the extension.

    `fx-form-kernels` copies the unpacking into the kernel, whose code reads the
    panels. `fx-hoist-prepare` moves the packing to `@prepare`.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "16", "f32 lanes of a vector register">,
    Option<"vnni", "vnni", "bool", "false",
           "pack signed bytes that f32 is multiplied by for vpdpbusd">,
    Option<"bf16", "bf16", "bool", "false",
           "pack operands of bf16 for vdpbf16ps">,
    Option<"f16", "f16", "bool", "false",
           "the machine extends vectors of f16 to f32">,
    TilesOption
  ];
  let dependentDialects = [
    "::fx::kernel::FXKernelDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FXCPUStartFallbacks : Pass<"fx-cpu-start-fallbacks", "::mlir::ModuleOp"> {
  let summary = "start asynchronous fallbacks early and await them late";
  let description = [{
    For each `fx.eager` of @main with `fx.async` and without effects, the pass
    creates a `fx_kernel.start_eager` with the same number `fx.slot`. Ops that
    the `fx.eager` does not depend on move behind the start. The `fx.eager`
    itself, and the ops that depend on its results, move behind the other ops.
    The kernels in between run while ATen runs. Ops with effects keep their
    order.

    A collective (`fx.collective`) starts a communication and does not wait for
    its end. It moves like a start, and the `fx.eager` that waits for it moves
    like one with `fx.async`. Collectives keep their order.

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
    Sets `fx_kernel.schedule` of the root op of each kernel function to the
    schedule of the class of kernels that matches. A schedule that is already
    set is kept.

    With `tune-file`, the file gives the schedules of the kernels that were
    measured on `cpu` with `features` (a hash) and `threads`. A warning names an
    entry whose schedule the class does not list for the kernel; then the class
    chooses the schedule.

    A signature is a hash of what a kernel computes, without names.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "16", "f32 lanes of a vector register">,
    Option<"bf16", "bf16", "bool", "false",
           "multiply packed pairs of bf16 by vdpbf16ps, of vectors as wide as the lanes">,
    Option<"tuneFile", "tune-file", "std::string", "", "a tuning file">,
    Option<"cpu", "cpu", "std::string", "", "the CPU, as LLVM names it">,
    Option<"features", "features", "std::string", "",
           "the hash of the features of the CPU">,
    Option<"threads", "threads", "int64_t", "1", "the threads of a run">,
    Option<"candidate", "candidate", "int64_t", "0",
           "for tests: use candidate N of each kernel, from 1; 0: the schedule "
           "that the class chooses">,
    Option<"report", "report", "bool", "false",
           "emit a remark with the signature and the schedules of each kernel">,
    NeonOption, TilesOption
  ];
  let dependentDialects = ["::fx::kernel::FXKernelDialect"];
}

def FXCPUCountFlops : Pass<"fx-cpu-count-flops", "::mlir::ModuleOp"> {
  let summary = "count the floating-point operations of kernels";
  let description = [{
    Sets `fx.flops` of each kernel with static loops: the number of arithmetic
    and mathematical ops on floats or integers that all iterations execute. A
    step of a matmul has two; conversions and comparisons do not count.
  }];
}

def FXCPUEmitKernels : Pass<"fx-cpu-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "replace the body of every kernel by its scheduled code";
  let description = [{
    Emits each kernel function on memrefs, with one-dimensional vectors and by
    its `fx_kernel.schedule`. The outermost loops are `scf.forall` if their
    iterations are independent. Remainders of sizes are handled by smaller
    register tiles and masks. Contractions with `tiles` in their schedule use
    AMX. A kernel that cannot be emitted is inlined where
    it is invoked.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "16", "f32 lanes of a vector register">,
    Option<"vnni", "vnni", "bool", "false",
           "multiply 8-bit integers by vpdpbusd, of vectors as wide as the lanes; "
           "with `neon` by sdot">,
    Option<"bf16", "bf16", "bool", "false",
           "multiply packed pairs of bf16 by vdpbf16ps, of vectors as wide as the lanes; "
           "with `neon` by bfdot">,
    Option<"byteProducts", "byte-products", "bool", "true",
           "vpmaddubsw exists for vectors as wide as the lanes">,
    Option<"report", "report", "bool", "false",
           "remark on kernels that are left to the general path">,
    Option<"mixedDot", "mixed-dot", "bool", "false",
           "with `neon` and `vnni`: usdot exists, besides sdot">,
    NeonOption, TilesOption
  ];
  let dependentDialects = [
    "::fx::kernel::FXKernelDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"
  ];
  let statistics = [
    Statistic<"numInlined", "num-inlined", "kernels left to the general path">
  ];
}

#endif // FX_CPU_KERNEL_PASSES
