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
  let summary = "give @main the boundary that an artefact's entry has";
  let description = [{
    Every argument and result of `@main` becomes a tensor: scalars turn into
    0-d tensors. Arguments are marked writable (and `fx.written`, which outlives
    bufferization) only where the model mutates them (`fx.mutates`,
    `fx.mutates_input`), so that bufferization can compute their new values in
    place.

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

def FXCPUSeparateEmptyTensors
    : Pass<"fx-cpu-separate-empty-tensors", "::mlir::ModuleOp"> {
  let summary = "give each use of an empty tensor one of its own";
  let description = [{
    CSE makes one of equal `tensor.empty`. Where one becomes the memory of a
    result (`eliminate-empty-tensors`), all its uses would. Loops start from a
    `bufferization.alloc_tensor` instead, which never becomes that of a result:
    bufferization takes what a loop starts from as read by all of it, and sees a
    conflict with the write to the result that no copy can fix.

    Views of tensors without elements whose size is not known become empty
    tensors: `memref.collapse_shape` has no type for them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect"];
}

def FXCPUBufferize : Pass<"fx-cpu-bufferize", "::mlir::ModuleOp"> {
  let summary = "one-shot bufferization with identity layouts at functions";
  let description = [{
    Upstream's one-shot bufferization with the options that code generation
    relies on: function boundaries with identity layouts, `fx.eager` results
    as new buffers, copies as `memref.copy`.
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"
  ];
}

def FXCPUPlaceOutputs : Pass<"fx-cpu-place-outputs", "::mlir::ModuleOp"> {
  let summary = "make every result of @main a new buffer of its own";
  let description = [{
    A returned buffer that `@main` allocated and returns once is allocated
    through the run-time call `fx_rt_output`, for the caller to own. Any other
    result (a view, an argument, a buffer returned twice, the result of a
    branch) is copied to such a buffer.

    Results that are written back are dropped. One that is in its argument's
    memory stays there. One in a buffer of its own is computed in the argument
    where nothing uses that from the buffer's first use on. Any other one is
    copied to the argument behind all outputs, by way of a temporary where it
    lies in an argument that is written.
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
    arguments becomes a view of one block, got by one run-time call
    `fx_rt_arena`. Buffers that are never live at the same time share bytes.

    Sizes are compared as symbolic expressions. Static buffers are packed at
    static offsets. Dynamic ones are grouped by the expression that remains
    when integer factors are taken out (`768*4*s17` and `3072*4*s17` are in the
    group `s17`) and packed at static multiples of it, so that sharing is
    decided at compile time and holds for every size.

    A buffer whose size depends on data, or that a loop carries from one iteration
    to the next, stays a `memref.alloc` and is allocated by the run-time.

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
  let summary = "free what is allocated at run time after its last use";
  let description = [{
    Adds a `memref.dealloc` behind the last use of each `memref.alloc` that
    does not leave its block. What does leave it is freed when the run ends.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def FXCPUParallelToRuntime : Pass<"fx-cpu-parallel-to-runtime", "::mlir::ModuleOp"> {
  let summary = "turn outermost parallel loops into run-time calls";
  let description = [{
    The body of an outermost `scf.forall` (or `scf.parallel` without
    reductions) is outlined into a function over a range of its linearized
    iterations, and the loop becomes a call
    `fx_rt_parallel_for(n, grain, body, captures)`. `fx.grain` on the loop gives
    the least number of iterations worth a thread (default 1). Inner parallel
    loops become `scf.for`.

    Buffers are passed to the outlined function as arguments marked noalias, as
    those of a kernel are.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"
  ];
}

def FXCPUCopyToRuntime : Pass<"fx-cpu-copy-to-runtime", "::mlir::ModuleOp"> {
  let summary = "turn copies of static layout into run-time calls";
  let description = [{
    Upstream's call of `memrefCopy` takes two descriptors in memory, and the
    run-time finds out what lies together. Where the types know, a
    `memref.copy` is a `memmove`, or a call with a constant: for each dimension
    its size and both strides in bytes.

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
  let summary = "pass addresses to kernels in the place of descriptors";
  let description = [{
    A memref becomes an address to a kernel (functions marked `fx.kernel`, and
    those of other modules of the program, `fx.export`), with the sizes and
    strides that its type does not know. `@main` takes the address of an array
    of descriptors' addresses, and reads of each what it needs, where it needs
    it: thousands of weights would be as many values that are alive at a time.

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
  let summary = "turn bufferized fx.eager ops into calls of the fallback";
  let description = [{
    Packs operands as fx_rt_eager (lib/Runtime/Artefact/Eager.c) takes them and
    reads the results' descriptors back. The JSON text of each op becomes a
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
    The run-time holds the generator: an instance of the model has one.

    ```mlir
    fx_kernel.random "uniform" of f32 (%low, %high : f64) outs(%m : memref<4xf32>)
    // becomes
    call @fx_rt_random(%distribution, %low_bits, %high_bits, %rank, %code, %bits, %descriptor)
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def FXCPUAssertToRuntime : Pass<"fx-cpu-assert-to-runtime", "::mlir::ModuleOp"> {
  let summary = "let a failed cf.assert end the run with an error";
  let description = [{
    Upstream's lowering of `cf.assert` ends the process. Here the run-time
    leaves the compiled code and run() returns the message.

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
  let summary = "polynomials for the math functions that are accurate in f32";
  let description = [{
    exp, expm1, log, log1p, log2, tanh, erf of f32 (f16 and bf16 through f32)
    become straight-line code, on vectors and, so that LLVM can vectorize the
    loops around them, on scalars. Vectors of the others (sin, atan2, pow, ...)
    are computed in f64 and rounded, but for angles above 2^51. f64, and scalars
    of those others, are left to libm; vectors that LLVM has no intrinsic for
    are taken apart:

    ```mlir
    %y = math.asinh %x : vector<2xf64>
    // becomes
    %x0 = vector.extract %x[0] : f64 from vector<2xf64>
    %y0 = math.asinh %x0 : f64
    ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def FXCPULowerVectors : Pass<"fx-cpu-lower-vectors", "::mlir::ModuleOp"> {
  let summary = "lower what vector code is still of more than one dimension";
  let description = [{
    Contractions become rows of vector.fma, multi-dimensional transfers are
    unrolled to rank 1 and become vector.load and vector.store.
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
  let summary = "tell LLVM what it may assume of kernels";
  let description = [{
    On the LLVM dialect: pointer arguments of kernels (`kernel_<n>`, and functions marked
    `fx.kernel`) get noalias (a kernel's outputs overlap none of its other arguments), every
    function the vector width it prefers, and private functions internal
    linkage.
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "unsigned", "512", "preferred width of vectors in bits">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def FXCPUExpandDynamicShapes : Pass<"fx-cpu-expand-dynamic-shapes", "::mlir::ModuleOp"> {
  let summary = "lower memref.expand_shape with several dynamic sizes in a group";
  let description = [{
    Upstream's `expand-strided-metadata` takes at most one dynamic size in a
    group and crashes on more. Such an expansion becomes a
    `memref.reinterpret_cast`: its sizes are operands, each stride is the next
    one times the next size.

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

def FXDropStates : Pass<"fx-drop-states", "::mlir::ModuleOp"> {
  let summary = "remove the states of a bufferized module";
  let description = [{
    `@main` takes the weights as arguments, and `fx-compile` has placed their
    bytes in the file of the model. Code is made of what is left.
  }];
}

#endif // FX_CPU_BACKEND_PASSES
