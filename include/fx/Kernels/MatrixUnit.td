//===- MatrixUnit.td - the option for matrix instructions -- -*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_MATRIXUNIT_TD
#define FX_KERNELS_MATRIXUNIT_TD

include "mlir/Pass/PassBase.td"

/// The option of passes for GPUs that says which instructions the device has.
class MatrixUnitOption<string default>
    : Option<"matrixUnit", "matrix-unit", "::fx::kernel::MatrixUnit",
             "::fx::kernel::MatrixUnit::" # default,
             "the matrix instructions of the device", [{::llvm::cl::values(
             clEnumValN(::fx::kernel::MatrixUnit::None, "none", "none"),
             clEnumValN(::fx::kernel::MatrixUnit::MFMA, "mfma",
                        "matrix cores of AMD's CDNA 3 and newer"),
             clEnumValN(::fx::kernel::MatrixUnit::MMA, "mma",
                        "tensor cores of compute capability 8.0"),
             clEnumValN(::fx::kernel::MatrixUnit::WGMMA, "wgmma",
                        "tensor cores of compute capability 8.0, and those of "
                        "sm_90a where the device has them"))}]>;

#endif // FX_KERNELS_MATRIXUNIT_TD
