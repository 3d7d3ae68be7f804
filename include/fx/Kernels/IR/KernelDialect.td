//===- KernelDialect.td - the dialect fx_kernel ------------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNEL_DIALECT
#define FX_KERNEL_DIALECT

include "mlir/IR/DialectBase.td"

def FXKernel_Dialect : Dialect {
  let name = "fx_kernel";
  let cppNamespace = "::fx::kernel";
  let summary = "calls and schedules of kernels";
  let description = [{
    Operations that programs on tensors need in addition to linalg: calls of
    kernels, asynchronous fallbacks and random numbers. The schedules of kernels
    are attributes of the dialect. The dialect verifies three discardable
    attributes:

    | attribute            | attached to              | value                            |
    |----------------------|--------------------------|----------------------------------|
    | `fx_kernel.schedule` | a kernel, or an op in it | a schedule                       |
    | `fx_kernel.problem`  | a kernel                 | `#fx_kernel.problem`             |
    | `fx_kernel.tiles`    | a kernel                 | an array of schedules to be used |
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect"
  ];
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

#endif // FX_KERNEL_DIALECT
