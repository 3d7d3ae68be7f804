//===- Passes.td - passes for NVIDIA GPUs ---------------- -*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_GPU_NVVM_PASSES
#define FX_GPU_NVVM_PASSES

include "mlir/Pass/PassBase.td"

def FXGPUBindLaunch : Pass<"fx-gpu-bind-launch", "::mlir::gpu::GPUModuleOp"> {
  let summary = "mark tensor maps and dynamic shared memory of kernels";
  let description = [{
    Works on the LLVM dialect, because `gpu.func` cannot express these
    properties. Tensor maps, which are pointers without an address space, become
    grid constants: parameters that are passed by value and not copied. Dynamic
    shared memory becomes an external global, whose size the launch determines.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

#endif // FX_GPU_NVVM_PASSES
