//===- Tuner.h - measure schedules of kernels -------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_TUNER_H
#define FX_LIB_PIPELINES_TUNER_H

#include "Codegen.h"
#include "fx/CodeGen/CPU/Backend.h"

namespace fx {

/// Measures schedules of the kernels of `formed`, which are formed but not
/// emitted, for about `options.tuneSeconds`. Adds the schedules that are faster
/// than the default to the file `options.tuneFile`, if all of them together
/// make the model faster. `onRun` is called after the first run, from which on
/// an error is not one of the options or the model.
llvm::Error tuneKernels(mlir::ModuleOp formed, const CompileOptions &options,
                        const cpu::CPUOptions &cpu, ErrorCatcher &errors,
                        llvm::function_ref<void()> onRun);

} // namespace fx

#endif // FX_LIB_PIPELINES_TUNER_H
