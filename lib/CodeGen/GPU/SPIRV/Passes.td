//===- Passes.td - passes for Vulkan --------------------- -*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_GPU_SPIRV_PASSES
#define FX_GPU_SPIRV_PASSES

include "mlir/Pass/PassBase.td"

def FXGPUSPIRVMemory : Pass<"fx-gpu-spirv-memory", "::mlir::gpu::GPUModuleOp"> {
  let summary = "lower kernel memory to addresses and variables of SPIR-V";
  let description = [{
    Every `gpu.func` becomes an entry point without parameters. The only push
    constant is the address of the arguments, 8 bytes each. Buffers are passed
    as addresses, which `spirv.ConvertUToPtr` converts to pointers to physical
    storage buffers. Shared memory of a block becomes a variable of the module.
    Shuffles between the threads of a warp use such memory, because devices have
    different subgroup sizes. bf16 is loaded and stored as i16. All other ops
    stay in upstream's dialects. Strided metadata must be expanded before.

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
  let summary = "expand math ops that SPIR-V does not support exactly";
  let description = [{
    Expands:

    - `math.fma` of float64, which drivers round twice. The result of the
      expansion differs from the correctly rounded one by at most one unit in
      the last place; operands beyond 1e300 give NaN. `math.fma` with
      `fastmath<contract>` and of float32 is not changed.
    - `math.roundeven` of float64, which drivers compute wrongly.
    - `arith.remsi`, which upstream's conversion lowers wrongly for the smallest
      integer.
    - `math.trunc`, which upstream's conversion does not support.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def FXGPUConvertToSPIRV
    : Pass<"fx-gpu-convert-to-spirv", "::mlir::ModuleOp"> {
  let summary = "convert a gpu.module to a spirv.module";
  let description = [{
    Runs after `fx-gpu-spirv-memory`. Converts the remaining ops of upstream's
    dialects by upstream's patterns, for Vulkan 1.2 (SPIR-V 1.5).
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def FXGPUFinishSPIRV : Pass<"fx-gpu-finish-spirv", "::mlir::spirv::ModuleOp"> {
  let summary = "require IEEE 754 arithmetic and add capabilities";
  let description = [{
    Forbids the contraction of additions and multiplications (`NoContraction`),
    and requires that infinities, NaN and signed zeros are preserved
    (`SignedZeroInfNanPreserve`). Runs after `spirv-update-vce` and adds the
    capabilities that this pass does not find.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

#endif // FX_GPU_SPIRV_PASSES
