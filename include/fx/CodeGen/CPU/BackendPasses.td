//===- BackendPasses.td - from tensors to LLVM on CPU ------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CPU_BACKEND_PASSES
#define FX_CPU_BACKEND_PASSES

include "mlir/Pass/PassBase.td"

def FXCPUFinalizeBoundary : Pass<"fx-cpu-finalize-boundary", "::mlir::ModuleOp"> {
  let summary = "convert @main to the signature of an artefact's entry";
  let description = [{
    Converts all arguments and results of `@main` to tensors: scalars become 0-d
    tensors. Marks an argument as writable only if the model mutates it
    (`fx.mutates`, `fx.mutates_input`), so that bufferization can compute its
    new value in place. Such an argument also gets `fx.written`, which remains
    after bufferization.

    ```mlir
    func.func @main(%n: i64, %s: tensor<4xf32> {fx.state = @s, fx.mutable})
        -> (tensor<4xf32> {fx.mutates = @s})
    // becomes
    func.func @main(%n: tensor<i64> {bufferization.writable = false},
                    %s: tensor<4xf32> {fx.state = @s, fx.mutable, fx.written,
                                      bufferization.writable = true})
        -> (tensor<4xf32> {fx.mutates = @s})
    ```
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FXCPUBufferizeInserts
    : Pass<"fx-cpu-bufferize-inserts", "::mlir::ModuleOp"> {
  let summary = "bufferize long chains of tensor.insert_slice";
  let description = [{
    One-shot bufferization compares each write to a tensor with all others. The
    time for a concatenation of n pieces grows with the third to fourth power
    of n: 20 s for 150 steps of a recurrence that are stacked. The pass
    replaces a chain of more than 32 `tensor.insert_slice` ops, of which each
    alone uses the result of the one before, by a `memref.alloc` to which the
    pieces are copied. One-shot bufferization sees only reads of the pieces.

    Pieces of such a chain are copied, and so is its first tensor, unless that
    is empty. Those of a shorter chain may be computed in the memory of the
    result. Chains that begin with an argument, such as a cache, and those in
    loops are left, as their tensors may be written in place.
  }];
  let statistics = [Statistic<"numChains", "chains",
                              "number of chains that were bufferized">];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def FXCPUSeparateEmptyTensors
    : Pass<"fx-cpu-separate-empty-tensors", "::mlir::ModuleOp"> {
  let summary = "create a separate empty tensor for each use";
  let description = [{
    CSE merges equal `tensor.empty` ops. If `eliminate-empty-tensors` then
    replaces one of them by the memory of a result, all its uses would use this
    memory. The pass therefore clones each `tensor.empty` for each use. An
    initial value of a loop becomes a `bufferization.alloc_tensor`, which is
    never replaced by the memory of a result. Otherwise bufferization would
    assume that the whole loop reads it, and would find a conflict with the
    write to the result that no copy can resolve.

    The pass also replaces a `tensor.collapse_shape` of a tensor without
    elements to a dynamic size by an empty tensor, because
    `memref.collapse_shape` would infer another type.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect"];
}

def FXCPUBufferize : Pass<"fx-cpu-bufferize", "::mlir::ModuleOp"> {
  let summary = "one-shot bufferization with identity layouts at functions";
  let description = [{
    Runs upstream's one-shot bufferization with the options that code generation
    requires: identity layouts at function boundaries, new buffers for the
    results of `fx.eager`, and `memref.copy` for copies.
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"
  ];
}

def FXCPUPlaceOutputs : Pass<"fx-cpu-place-outputs", "::mlir::ModuleOp"> {
  let summary = "allocate the results of @main by the run-time";
  let description = [{
    A buffer that `@main` allocates and returns once is allocated by the
    run-time call `fx_rt_output`, and the caller owns it. Any other result (a
    view, an argument, a buffer that is returned twice, the result of a branch)
    is copied to such a buffer.

    Results that are written back to arguments are removed from the signature. A
    result that is already in the memory of its argument needs no copy. A result
    with an allocation of its own is computed in the argument instead, if
    nothing uses the argument from the first use of the allocation on. Any other
    result is copied to the argument after all outputs are computed; a result
    that aliases a written argument is first copied to a temporary.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def FXPlanArena : Pass<"fx-plan-arena", "::mlir::ModuleOp"> {
  let summary = "put the temporaries of @main into one planned block";
  let description = [{
    Every `memref.alloc` of `@main` whose size can be computed from the
    arguments becomes a view of one block, which one run-time call,
    `fx_rt_arena`, returns. Buffers that are never live at the same time share
    bytes.

    Sizes are compared as symbolic expressions. Static buffers are packed at
    static offsets. Dynamic buffers are grouped by the expression that remains
    after integer factors are removed (`768*4*s17` and `3072*4*s17` are in the
    group `s17`). They are packed at static multiples of this expression, so
    that the sharing is decided at compile time and is valid for every size.

    A buffer whose size depends on data, or that is carried by a loop, remains a
    `memref.alloc`, which the run-time allocates.

    ```mlir
    %total = ... : index
    %arena = call @fx_rt_arena(%total) : (index) -> memref<?xi8>
    %a = memref.view %arena[%c0][] : memref<?xi8> to memref<16x64xf32>
    %b = memref.view %arena[%c4096][] : memref<?xi8> to memref<16x64xf32>
    ```
  }];
  let dependentDialects = [
    "::fx::FXDialect",
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect"
  ];
  let statistics = [
    Statistic<"numPlanned", "num-planned", "buffers placed in the arena">,
    Statistic<"numLeft", "num-left", "buffers left to the run-time">
  ];
}

def FXCPUFreeTemporaries : Pass<"fx-cpu-free-temporaries", "::mlir::ModuleOp"> {
  let summary = "free the remaining allocations after their last uses";
  let description = [{
    Adds a `memref.dealloc` after the last use of each `memref.alloc` that does
    not leave its block. The run-time frees other buffers at the end of the run.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def FXCPUStreamOutputs : Pass<"fx-cpu-stream-outputs", "::mlir::ModuleOp"> {
  let summary = "store large outputs of kernels past the caches";
  let description = [{
    Makes the stores of whole vectors to an output non-temporal if the output
    has at least `least-bytes` bytes, the kernel does not read it, and its
    vectors are aligned. The kernel must be pointwise, one of rows, or a
    contraction whose results have 32 bits or more. The run-time orders such
    stores before the accesses of other threads.
  }];
  let options = [
    Option<"leastBytes", "least-bytes", "int64_t", "kLeastStreamedBytes",
           "the least number of bytes of an output">
  ];
  let dependentDialects = ["::mlir::vector::VectorDialect"];
}

def FXCPUParallelToRuntime : Pass<"fx-cpu-parallel-to-runtime", "::mlir::ModuleOp"> {
  let summary = "lower outermost parallel loops to run-time calls";
  let description = [{
    Outlines the body of an outermost `scf.forall` (or `scf.parallel` without
    reductions) into a function over a range of its linearized iterations, and
    replaces the loop by a call `fx_rt_parallel_for(n, grain, body, captures)`.
    The attribute `fx.grain` of the loop is the least number of iterations for a
    thread (default 1). Inner parallel loops become `scf.for`.

    Buffers are passed to the outlined function as noalias arguments, as for
    kernels.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"
  ];
}

def FXCPUCopyToRuntime : Pass<"fx-cpu-copy-to-runtime", "::mlir::ModuleOp"> {
  let summary = "lower copies with static layouts to run-time calls";
  let description = [{
    Upstream lowers `memref.copy` to a call of `memrefCopy` with two descriptors
    in memory, which determines at run time which elements are contiguous. If
    both layouts are static, this pass lowers it to a `memmove`, or to a call
    with a constant table: for each dimension its size and both strides in
    bytes.

    ```mlir
    memref.copy %a, %b : memref<8x4x16xf32> to memref<8x4x16xf32, strided<[128, 32, 1], offset: 16>>
    // becomes
    call @fx_rt_copy_runs(%b_address, %a_address, %c64, %c1, %table)  // 32 runs of 64 bytes
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
}

def FXCPUPassAddresses : Pass<"fx-cpu-pass-addresses", "::mlir::ModuleOp"> {
  let summary = "pass addresses to kernels instead of descriptors";
  let description = [{
    Replaces each memref argument of a kernel (a function with `fx.kernel`, or
    with `fx.export` if it belongs to another module of the program) by its
    address and its dynamic sizes and strides. `@main` gets the address of an
    array with the addresses of all descriptors. It loads the fields of a
    descriptor where they are used, since otherwise thousands of weights would
    be live at the same time.

    ```mlir
    call @kernel_0(%x, %y) : (memref<8x4xf32>, memref<?x4xf32>) -> ()
    // becomes
    call @kernel_0(%x_address, %y_address, %y_rows) : (!llvm.ptr, !llvm.ptr, i64) -> ()
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
}

def FXCPUEagerToRuntime : Pass<"fx-cpu-eager-to-runtime", "::mlir::ModuleOp"> {
  let summary = "lower bufferized fx.eager ops to calls of the fallback";
  let description = [{
    Packs the operands in the form of fx_rt_eager (lib/Runtime/Artefact/Eager.c)
    and reads the descriptors of the results. The JSON text of each op becomes a
    global.
  }];
  let dependentDialects = [
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def FXCPURandomToRuntime : Pass<"fx-cpu-random-to-runtime", "::mlir::ModuleOp"> {
  let summary = "lower fx_kernel.random to calls of the run-time";
  let description = [{
    The run-time owns the generator. Each instance of the model has one.

    ```mlir
    fx_kernel.random "uniform" of f32 (%low, %high : f64) outs(%m : memref<4xf32>)
    // becomes
    call @fx_rt_random(%distribution, %low_bits, %high_bits, %rank, %code, %bits, %descriptor)
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def FXCPUAssertToRuntime : Pass<"fx-cpu-assert-to-runtime", "::mlir::ModuleOp"> {
  let summary = "lower cf.assert to run-time errors";
  let description = [{
    Upstream's lowering of `cf.assert` ends the process. With this pass a failed
    assertion leaves the compiled code, and run() returns the message.

    ```mlir
    cf.assert %ok, "index out of range"
    // becomes
    scf.if %not_ok { call @fx_rt_assert_fail(%text) }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"
  ];
}

def FXCPULowerMath : Pass<"fx-cpu-lower-math", "::mlir::ModuleOp"> {
  let summary = "expand math functions";
  let description = [{
    Replaces exp, expm1, log, log1p, log2, tanh and erf of f32, and of f16 and
    bf16 through f32, by straight-line code. This applies to vectors and also to
    scalars, so that LLVM can vectorize the loops around them. The other
    functions (sin, atan2, pow, ...) of vectors are computed in f64 and rounded,
    except for angles from 2^51 on. libm computes these functions of scalars,
    and all functions of f64. Functions of vectors without an LLVM intrinsic are
    unrolled:

    ```mlir
    %y = math.asinh %x : vector<2xf64>
    // becomes
    %x0 = vector.extract %x[0] : f64 from vector<2xf64>
    %y0 = math.asinh %x0 : f64
    ...
    ```

    Maxima and minima of f32 and f64 become comparisons in the order of x86's
    instructions, which return their second operand if one is NaN. Remainders of
    vectors of f32 are computed in f64, or by fmodf if a quotient is 2^29 or
    more. f16 and bf16 are rounded to integers as f32.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def FXCPULowerVectors : Pass<"fx-cpu-lower-vectors", "::mlir::ModuleOp"> {
  let summary = "lower multi-dimensional vector code";
  let description = [{
    Lowers contractions to sequences of vector.fma. Unrolls multi-dimensional
    transfers to rank 1 and converts them to vector.load and vector.store.
  }];
  let options = [
    Option<"lowerTransfers", "lower-transfers", "bool", "false",
           "only turn rank-1 transfers into loads and stores">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def FXCPUKernelAttributes : Pass<"fx-cpu-kernel-attributes", "::mlir::ModuleOp"> {
  let summary = "set LLVM attributes of kernels and other functions";
  let description = [{
    Works on the LLVM dialect. Adds noalias to the pointer arguments of kernels
    (`kernel_<n>`, and functions with `fx.kernel`), whose outputs do not overlap
    any other argument. Sets the preferred vector width of all functions.
    Private functions get internal linkage. Branches get the annotations of
    their loops.
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "unsigned", "512", "preferred width of vectors in bits">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def FXCPUExpandDynamicShapes : Pass<"fx-cpu-expand-dynamic-shapes", "::mlir::ModuleOp"> {
  let summary = "lower memref.expand_shape with several dynamic sizes in a group";
  let description = [{
    Upstream's `expand-strided-metadata` supports at most one dynamic size in a
    group and crashes if there are more. This pass replaces such an expansion by
    a `memref.reinterpret_cast`. Its sizes are the operands; each stride is the
    product of the stride and the size of the next dimension.

    ```mlir
    %e = memref.expand_shape %x [[0, 1], [2]] output_shape [%b, %s, 8]
      : memref<?x8xf32> into memref<?x?x8xf32>
    // becomes
    %base, %offset, %size:2, %stride:2 = memref.extract_strided_metadata %x
    %t = arith.muli %s, %c8
    %e = memref.reinterpret_cast %base to offset: [0], sizes: [%b, %s, 8],
      strides: [%t, 8, 1] : memref<f32> to memref<?x?x8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def FXCPUProfileKernels
    : Pass<"fx-cpu-profile-kernels", "::mlir::ModuleOp"> {
  let summary = "measure the time of each call of a kernel and of an operator";
  let description = [{
    Calls the run-time before and after each call of a kernel in `@main`. The
    run-time gets the number of the kernel, which is the N of `kernel_N`, the
    bytes of all operands, and the operations (`fx.flops`), or 0 if they are not
    known. Operators that ATen runs are measured alike, if they have a
    `fx.report_index`: the number of index I is -1 - I.

    ```mlir
    %start = call @fx_rt_profile_begin() : () -> i64
    call @kernel_3(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
    call @fx_rt_profile_end(%start, %c3, %c32, %c4)
        : (i64, index, index, index) -> ()
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def FXDropStates : Pass<"fx-drop-states", "::mlir::ModuleOp"> {
  let summary = "remove the states of a bufferized module";
  let description = [{
    After bufferization the states are not needed: the weights are arguments of
    `@main`, and `fx-compile` has assigned their bytes to offsets in the file of
    the model.
  }];
}

#endif // FX_CPU_BACKEND_PASSES
