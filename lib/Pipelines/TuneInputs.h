//===- TuneInputs.h - inputs of the runs that tuning measures ---*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_TUNEINPUTS_H
#define FX_LIB_PIPELINES_TUNEINPUTS_H

#include "fx/CodeGen/CPU/Description.h"
#include "fx/Pipelines/Compile.h"

#include "llvm/ADT/StringMap.h"

namespace fx {

/// A tensor of the host.
struct TuneInput {
  std::vector<char> bytes;
  llvm::SmallVector<int64_t> sizes, strides;
};

/// Returns the values of the symbols of a model's inputs, which
/// `options.tuneSizes` gives. A symbol without a value, and a value without a
/// symbol, is an error.
llvm::Expected<llvm::StringMap<int64_t>>
getTuneSizes(const cpu::ModelDescription &model, const CompileOptions &options);

/// Creates an input: random floats from -1 to 1, zeros for other types, and the
/// value of a symbol.
llvm::Expected<TuneInput> makeTuneInput(const cpu::ValueDescription &value,
                                        const llvm::StringMap<int64_t> &sizes);

} // namespace fx

#endif // FX_LIB_PIPELINES_TUNEINPUTS_H
