//===- Passes.td - from linalg on tensors to kernels ----- -*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_GPU_PASSES
#define FX_GPU_PASSES

include "mlir/Pass/PassBase.td"

def FXGPURoundAttention : Pass<"fx-gpu-round-attention", "::mlir::ModuleOp"> {
  let summary = "multiply attention's probabilities in the dtype of the values";
  let description = [{
    Attention of bf16 or f16 (ops with `fx.attention`) keeps the exponentials of
    its scores in f32. Their sum stays so; where they multiply the values they
    are rounded to the values' dtype, as PyTorch's fused kernels do, so that the
    product is one for tensor cores, in the same kernel where
    `fx-form-kernels` makes one of both matmuls; else the tensor between takes
    half the memory.
    Matmuls that users wrote are not touched.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [Statistic<"numRounded", "num-rounded", "matmuls changed">];
}

def FXGPUEmitKernels : Pass<"fx-gpu-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "replace the body of every kernel by a launch of threads";
  let description = [{
    Takes the kernels that `fx-form-kernels` made and emits each as a
    function on memrefs: host code that computes sizes, then a `gpu.launch`. The
    schedule, which `fx_kernel.schedule` holds afterwards, is that of the first
    class of kernels that fits:

    - `attention`: softmax(Q K^T) V of bf16 or f16, on tensor cores, with a running
      maximum and sum of each row; scores stay in registers;
    - `warpgroup`: tiles for matmuls of bf16 or f16, on tensor cores of sm_90a,
      which read shared memory that tensor maps are copied to; and `tensorcore`,
      for other chips and for operands that begin elsewhere than at 16 bytes;
    - `tensorcore`: tiles for matmuls of bf16 or f16, on tensor cores, with
      operands copied to shared memory while earlier ones are multiplied;
    - `matmul`: tiles in shared memory and registers, for contractions in f32;
    - `rows`: a block for each row, for reductions along the last dimension;
    - `elements`: a thread for each element of the result.

    A kernel that cannot be emitted is inlined where it is invoked;
    `fx-gpu-lower-host` makes launches of what it held.
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "remark on kernels that are left to the general path">,
    Option<"tensorCores", "tensor-cores", "bool", "true",
           "use tensor cores and asynchronous copies of compute capability 8.0">,
    Option<"warpgroups", "warpgroups", "bool", "false",
           "use tensor cores and tensor maps of sm_90a where the device has them">,
    Option<"tiles", "tiles", "std::string", "\"\"",
           "the tiles of matmuls: warpgroup=COLUMNS:STAGES, "
           "tensorcore=M:N:K:WARPSM:WARPSN:STAGES, "
           "matmul=M:N:K:THREADM:THREADN, with commas">
  ];
  let dependentDialects = [
    "::fx::kernel::FXKernelDialect",
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let statistics = [
    Statistic<"numInlined", "num-inlined", "kernels left to the general path">
  ];
}

def FXGPULowerHost : Pass<"fx-gpu-lower-host", "::mlir::ModuleOp"> {
  let summary = "keep the host from touching the memory of the device";
  let description = [{
    After bufferization every buffer of `@main` lies on the device. Linalg ops
    become launches with a thread for each point of their parallel loops, copies
    become calls of the run-time or launches, single loads and stores calls that
    fetch or set one element, and constants are asked for on the device.

    ```mlir
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    // becomes
    call @fx_rt_gpu_copy(%b_address, %a_address, %c16) : (i64, i64, i64) -> ()
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def FXGPUOutline : Pass<"fx-gpu-outline", "::mlir::ModuleOp"> {
  let summary = "move the code of threads to gpu.module @kernels";
  let description = [{
    Every `gpu.launch` becomes a `gpu.func` and a `gpu.launch_func`. A kernel
    takes addresses and numbers, no descriptors: a buffer is passed as the
    address of its first element, with the sizes and strides that the kernel
    needs and that are not static. Tensor maps, pointers of the host, come first,
    by value. Functions of math become straight-line code.

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

def FXGPUBindLaunch : Pass<"fx-gpu-bind-launch", "::mlir::gpu::GPUModuleOp"> {
  let summary = "say what of a kernel the driver provides when it is launched";
  let description = [{
    In the LLVM dialect, because `gpu.func` has no words for it: tensor maps,
    pointers of no address space, are parameters passed by value that stay where
    the driver put them, and dynamic shared memory is not the module's own.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def FXGPUFixLaneRanges : Pass<"fx-gpu-fix-lane-ranges", "::mlir::gpu::GPUModuleOp"> {
  let summary = "forget a wrong range of numbers of threads in waves";
  let description = [{
    Upstream's conversion to the ROCDL dialect says of `rocdl.mbcnt.lo`, how many of
    the first 32 threads of the wave are in front of this one, that it is below 32:
    for the second half of a wave of 64 it is 32, and LLVM may take what is said
    for granted.
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect"];
}

def FXGPULaunchToRuntime : Pass<"fx-gpu-launch-to-runtime", "::mlir::ModuleOp"> {
  let summary = "turn launches into calls of the run-time";
  let description = [{
    `gpu.launch_func` becomes a call of `fx_rt_gpu_launch`, which gets the
    kernel's number in `gpu.module @kernels`, the geometry, the bytes of dynamic
    shared memory, the address of the arguments, 8 bytes each, and how many of
    the first ones are addresses of tensor maps. The `gpu.module` must be gone or ignored from
    here on.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
}

def FXGPUSPIRVMemory : Pass<"fx-gpu-spirv-memory", "::mlir::gpu::GPUModuleOp"> {
  let summary = "make the memory of kernels addresses and variables of SPIR-V";
  let description = [{
    Every `gpu.func` loses its parameters and becomes an entry point. The one push
    constant is the address of what it took, 8 bytes each; buffers are addresses
    there too, which `spirv.ConvertUToPtr` makes pointers to physical storage
    buffers of. Memory that a block shares is a variable of the module. What the
    threads of a warp exchange goes through such memory: devices differ in how
    many threads run in step. bf16 is read and written as i16. All else stays in
    upstream's dialects. Strided metadata must be expanded.

    ```mlir
    %x = memref.load %buffer[%i] : memref<?xf32, 1>
    // becomes
    %p = spirv.ConvertUToPtr %address : i64 to !spirv.ptr<f32, PhysicalStorageBuffer>
    %x = spirv.Load "PhysicalStorageBuffer" %p ["Aligned", 4] : f32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::gpu::GPUDialect", "::mlir::spirv::SPIRVDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def FXGPUSPIRVMath : Pass<"fx-gpu-spirv-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "compute what SPIR-V has no exact instruction for";
  let description = [{
    `math.fma` of float64, which drivers round twice: the result differs from what
    is rounded once in the last place at most; operands beyond 1e300 become NaN.
    What may be rounded twice (`fastmath<contract>`), and float32, stay.
    `math.roundeven` of float64, which drivers get wrong, `arith.remsi`, which
    upstream's conversion does, and `math.trunc`, which it lacks.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def FXGPUConvertToSPIRV
    : Pass<"fx-gpu-convert-to-spirv", "::mlir::ModuleOp"> {
  let summary = "make a spirv.module of a gpu.module";
  let description = [{
    After `fx-gpu-spirv-memory`: what is left of upstream's dialects is converted
    by upstream's patterns, for Vulkan 1.2 (SPIR-V 1.5).
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def FXGPUFinishSPIRV : Pass<"fx-gpu-finish-spirv", "::mlir::spirv::ModuleOp"> {
  let summary = "demand floating point as IEEE 754 has it, and capabilities";
  let description = [{
    Sums and products keep their order (`NoContraction`), and infinities, NaN and
    the sign of zero are what they are (`SignedZeroInfNanPreserve`). Comes after
    `spirv-update-vce`, and adds the capabilities that it does not see.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

#endif // FX_GPU_PASSES
