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

/// Corrects the types of calls for which torch's shape function records another
/// type than eager computes (`getMistakenType`), and of the values that are
/// computed from their results. Returns false and changes nothing if one of
/// these types cannot be determined.
bool correctTypes(GraphOp graph);

} // namespace fx

#endif // FX_TRANSFORMS_CORRECTTYPES_H
