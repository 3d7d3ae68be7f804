//===- CorrectTypes.h - types as eager gives them ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_CORRECTTYPES_H
#define FX_TRANSFORMS_CORRECTTYPES_H

#include "fx/IR/FXDialect.h"

namespace fx {

/// Gives the calls whose recorded types torch's shape functions got wrong
/// (`getMistakenType`) the types that eager's results have, and what is
/// computed of these the types that follow. False, and nothing is changed,
/// where not all of them can be told.
bool correctTypes(GraphOp graph);

} // namespace fx

#endif // FX_TRANSFORMS_CORRECTTYPES_H
