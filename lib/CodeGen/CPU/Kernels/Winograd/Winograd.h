//===- Winograd.h - convolutions by Winograd's method -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_WINOGRAD_H
#define FX_LIB_CODEGEN_CPU_WINOGRAD_H

#include "fx/CodeGen/Common/KernelCode.h"
#include "fx/Kernels/Analysis.h"

namespace fx::cpu {

/// The loops of a 3 x 3 convolution of f32 with stride and dilation 1, whose
/// channels are the last dimension: y[image, h, w, column] is the sum of
/// x[image, h + kh, w + kw, channel] * filter[kh, kw, channel, column], with
/// the dimensions of the filter in any order.
struct Convolution {
  kernel::Contraction contraction;
  std::optional<unsigned> image; ///< none: a single image
  unsigned h = 0, w = 0, kh = 0, kw = 0, channel = 0, column = 0;
  int64_t size(unsigned loop) {
    return contraction.op.getStaticLoopRanges()[loop];
  }
};

/// Returns the contraction as a convolution; nullopt if it has another form, or
/// if a size other than the number of images is dynamic.
std::optional<Convolution> matchConvolution(const kernel::Contraction &c);

/// Returns the schedule of a convolution by F(`tile` x `tile`, 3 x 3).
kernel::WinogradAttr chooseWinograd(Convolution &conv, int64_t tile,
                                    const kernel::TargetInfo &target);

/// Emits the transform of the pixels of a tile, B^T d B. `pixels` are n x n
/// values by rows, which are replaced.
void transformPixels(codegen::KernelCode &code, int64_t tile,
                     llvm::SmallVectorImpl<mlir::Value> &pixels);

/// Emits the transform of the products of a tile, A^T m A. Replaces the n x n
/// values `products`, by rows, with `tile` x `tile` results.
void transformProducts(codegen::KernelCode &code, int64_t tile,
                       llvm::SmallVectorImpl<mlir::Value> &products);

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_WINOGRAD_H
