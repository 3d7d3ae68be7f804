//===- Resampling.h - the parts of resampling -------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_RESAMPLING_H
#define FX_CONVERSION_FXTOLINALG_RESAMPLING_H

#include "Node.h"

namespace fx::lin {

void registerAntialias(Registry &);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_RESAMPLING_H
