//===- Passes.td - passes for AMD GPUs ------------------- -*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_GPU_ROCDL_PASSES
#define FX_GPU_ROCDL_PASSES

include "mlir/Pass/PassBase.td"

def FXGPUFixLaneRanges : Pass<"fx-gpu-fix-lane-ranges", "::mlir::gpu::GPUModuleOp"> {
  let summary = "remove the wrong range of rocdl.mbcnt.lo";
  let description = [{
    `rocdl.mbcnt.lo` is the number of threads in front of this one among the
    first 32 threads of the wave. Upstream's conversion to the ROCDL dialect
    annotates a range of less than 32. The result is 32 in the second half of a
    wave of 64 threads, and LLVM may miscompile the code because of the wrong
    range.
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect"];
}

#endif // FX_GPU_ROCDL_PASSES
