//===- Moments.h - sums over the inputs of linear layers --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_QUANTIZE_MOMENTS_H
#define FX_LIB_QUANTIZE_MOMENTS_H

#include "fx/Quantize/Quantize.h"

namespace fx {

/// The sum of xᵀx over the rows x of the inputs of the layers that share a
/// weight: a symmetric matrix of `size` rows.
struct Moment {
  int64_t size = 0;
  std::vector<double> sums;

  /// Adds the rows of `values`.
  void add(llvm::ArrayRef<float> values);
};

/// The moments of the weights of linear layers, by the names of the nodes that
/// give the weights.
struct InputMoments {
  llvm::StringMap<Moment> byWeight;

  /// Returns the moment of the weight that `value` is, or null.
  const Moment *find(mlir::Value value) const;
};

/// Runs the samples and sums the inputs of the linear layers that are marked to
/// be quantized. Returns the number of samples.
llvm::Expected<unsigned> collectMoments(mlir::ModuleOp module,
                                        llvm::StringRef folder,
                                        unsigned maxSamples,
                                        InputMoments &moments);

} // namespace fx

#endif // FX_LIB_QUANTIZE_MOMENTS_H
