//===- Passes.td - from linalg on tensors to kernels ----- -*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_GPU_PASSES
#define FX_GPU_PASSES

include "fx/Kernels/MatrixUnit.td"

include "mlir/Pass/PassBase.td"

def FXGPURoundAttention : Pass<"fx-gpu-round-attention", "::mlir::ModuleOp"> {
  let summary = "round attention probabilities to the dtype of the values";
  let description = [{
    Attention of bf16 or f16 (ops with `fx.attention`) keeps the exponentials of
    its scores in f32. The pass rounds them to the dtype of the values in front
    of the matmul with the values, as PyTorch's fused kernels do, so that this
    matmul is one of two equal types, which kernels for matmuls can compute. The
    sum of the exponentials remains in f32.
    If `fx-form-kernels` does not put both matmuls into one kernel, the tensor
    between them takes half of the memory. Other matmuls are not changed.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [Statistic<"numRounded", "num-rounded", "matmuls changed">];
}

def FXGPUPackWeights : Pass<"fx-gpu-pack-weights", "::mlir::ModuleOp"> {
  let summary = "pack weights of four bits for matmuls of few rows";
  let description = [{
    A matmul of few rows is limited by the memory traffic of its weight. If only
    the low four bits of the weight's bytes are used (`(p << 4) >> 4`), the pass
    joins two of them in a byte. The matmul reads them through
    `fx_kernel.unpack`, and its kernel dequantizes them in registers:

    ```mlir
    %p = linalg.generic ... ins(%w, %w) // low | high << 4
      -> tensor<64x16x4xi8>
    %q = fx_kernel.unpack %p outer_dims_perm = [0, 1] inner_dims_pos = [1]
           inner_tiles = [4] nibbles : tensor<64x16x4xi8> -> tensor<64x128xi8>
    ```

    Four bytes hold eight successive elements of the weight's last dimension:
    byte b has element b in its low half and element b + 4 in its high half.
    This dimension must be static and a multiple of eight, and the weight must
    depend on `fx.state` arguments and constants alone.

    Views between such a matmul and the ops that dequantize its weight, of
    nibbles or bytes, are moved to the inputs of these ops first.

    Each such matmul gets its own copies of the ops that dequantize the weight,
    merged to one op. Other users, such as a matmul of more rows, keep theirs.
    The memory of the packed weight is shared by all matmuls of few rows.
    Without matrix instructions, nothing is packed.
    `fx-hoist-prepare` moves the packing to `@prepare`.
  }];
  let options = [MatrixUnitOption<"MMA">];
  let dependentDialects = [
    "::fx::kernel::FXKernelDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numPacked", "num-packed", "matmuls that read packed weights">
  ];
}

def FXGPUEmitKernels : Pass<"fx-gpu-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "replace the body of every kernel by a launch of threads";
  let description = [{
    Emits each kernel of `fx-form-kernels` as a function on memrefs: host code
    that computes sizes, then a `gpu.launch`. The pass uses the first class of
    kernels that fits and sets `fx_kernel.schedule` to its schedule. The classes
    are:

    - `attention`: softmax(Q K^T) V of bf16 or f16 on tensor cores, with a
      running maximum and sum of each row. The scores stay in registers. If
      there are few rows, several blocks share their keys, and a second launch
      combines their results.
    - `warpgroup`: tiles for matmuls of bf16, f16, bytes or, with the option
      `tf32`, f32 on tensor cores of sm_90a, which read shared memory that is
      copied by tensor maps. The kernel also has `tensorcore` code for other
      chips and for operands that are not aligned to 16 bytes.
    - `tensorcore`: tiles for matmuls of bf16, f16, bytes or f32 (as three
      products of TF32, or one with the option `tf32`) on tensor cores.
      Operands are copied to shared memory while earlier ones are multiplied.
      If there are few tiles, several blocks share their K, and a second launch
      combines their results.
    - `matrixcore`: tiles for matmuls of bf16, f16, f32 or signed bytes on AMD's
      matrix cores. Operands are loaded to registers while earlier ones are
      multiplied, and then stored to shared memory. K is shared as by
      `tensorcore`.
    - `gemv`: matmuls of up to 16 rows, which read the right operand once.
    - `matmul`: tiles in shared memory and registers, for contractions in f32
      without matrix instructions.
    - `rows`: threads of a block share a row, for reductions along the last
      dimension. Rows of static size stay in registers.
    - `columns`: threads of a block share columns, for reductions over other
      dimensions. If there are few columns, several blocks share them, and a
      second launch combines their results.
    - `transpose`: tiles in shared memory, for pointwise kernels with operands
      in another order.
    - `elements`: a thread for each run of elements of the result.

    Where the host code finds that sizes and addresses permit it, threads load
    and store runs of elements in vectors of 16 bytes. A second version of the
    kernel does so one by one.

    A kernel that cannot be emitted is inlined where it is invoked.
    `fx-gpu-lower-host` then lowers its ops to launches.
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "remark on kernels that are left to the general path">,
    MatrixUnitOption<"MMA">,
    Option<"tiles", "tiles", "std::string", "\"\"",
           "the tiles of matmuls and the parts of the keys of attention: "
           "warpgroup=COLUMNS:STAGES[:PARTS[:WARPGROUPS]], "
           "tensorcore=M:N:K:WARPSM:WARPSN:STAGES[:PARTS], "
           "matrixcore=M:N:K:WAVESM:WAVESN[:PARTS], "
           "matmul=M:N:K:THREADM:THREADN, attention=PARTS, with commas">,
    Option<"roundsToTF32", "tf32", "bool", "false",
           "tensor cores multiply numbers of f32 rounded to TF32">
  ];
  let dependentDialects = [
    "::fx::kernel::FXKernelDialect",
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::ROCDL::ROCDLDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"
  ];
  let statistics = [
    Statistic<"numInlined", "num-inlined", "kernels left to the general path">
  ];
}

def FXGPUWidenFloat8 : Pass<"fx-gpu-widen-float8", "::mlir::ModuleOp"> {
  let summary = "convert eight-bit floats in pairs";
  let description = [{
    Expands `arith.extf` of f8E4M3FN and f8E5M2, the bits of a byte, to
    arithmetic that converts two of them to f16 at a time. Bytes that are
    elements of a vector share it:

    ```mlir
    %b = vector.extract %bytes[3] : i8 from vector<8xi8>
    %x = arith.bitcast %b : i8 to f8E4M3FN
    %y = arith.extf %x : f8E4M3FN to f32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def FXGPULowerHost : Pass<"fx-gpu-lower-host", "::mlir::ModuleOp"> {
  let summary = "replace host accesses to device memory";
  let description = [{
    After bufferization every buffer of `@main` is on the device. Linalg ops
    become launches with a thread for each point of their parallel loops. Copies
    become calls of the run-time or launches, in which a thread copies up to 16
    bytes. Single loads and stores become
    calls that read or write one element. Constants are replaced by copies that
    the run-time keeps on the device.

    ```mlir
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    // becomes
    call @fx_rt_gpu_copy(%b_address, %a_address, %c16) : (i64, i64, i64) -> ()
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def FXGPUOutline : Pass<"fx-gpu-outline", "::mlir::ModuleOp"> {
  let summary = "move the code of threads to gpu.module @kernels";
  let description = [{
    Every `gpu.launch` becomes a `gpu.func` and a `gpu.launch_func`. A kernel
    takes addresses and numbers, not descriptors: a buffer is passed as the
    address of its first element and the dynamic sizes and strides that the
    kernel needs. Tensor maps, which are pointers of the host, are the first
    arguments and passed by value. Math functions become straight-line code.

    In front of a launch, `fx_rt_gpu_access(address, bytes, writes)` is called
    for each range of memory that it accesses: the arguments of a kernel, or the
    buffers that threads load or store. Launches whose ranges are not known have
    no such call.

    ```mlir
    gpu.func @kernel_0(%x: !llvm.ptr<1> {llvm.noalias}, %n: index) kernel
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect"
  ];
  let statistics = [Statistic<"numLaunches", "num-launches", "launches outlined">];
}

def FXGPULaunchToRuntime : Pass<"fx-gpu-launch-to-runtime", "::mlir::ModuleOp"> {
  let summary = "lower launches to calls of the run-time";
  let description = [{
    Replaces `gpu.launch_func` by a call of `fx_rt_gpu_launch`. Its arguments
    are the number of the kernel in `gpu.module @kernels`, the sizes of the grid
    and of the block, the bytes of dynamic shared memory, the address of the
    kernel's arguments, 8 bytes each, and the number of leading arguments that
    are addresses of tensor maps. Later passes must remove or ignore the
    `gpu.module`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
}

#endif // FX_GPU_PASSES
