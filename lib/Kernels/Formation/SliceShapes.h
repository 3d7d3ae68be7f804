//===- SliceShapes.h - reshapes outside of slices ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_KERNELS_FORMATION_SLICESHAPES_H
#define FX_LIB_KERNELS_FORMATION_SLICESHAPES_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace fx::kernel {

/// Adds patterns that move a reshape from a slice to the whole tensor, if the
/// slice has all elements of the dimensions that it merges or splits. A kernel
/// can then read or write the slice in place.
void populateSliceShapePatterns(mlir::RewritePatternSet &patterns);

} // namespace fx::kernel

#endif // FX_LIB_KERNELS_FORMATION_SLICESHAPES_H
