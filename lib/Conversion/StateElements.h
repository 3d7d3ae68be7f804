//===- StateElements.h - the elements of a state ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CONVERSION_STATEELEMENTS_H
#define FX_LIB_CONVERSION_STATEELEMENTS_H

#include "fx/IR/ExternalData.h"
#include "fx/IR/FXDialect.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace fx {

/// Returns the elements of a state, in row-major order, as a dense attribute of
/// the builtin type `type`, which has the state's sizes. The messages of errors
/// do not name the state.
llvm::Expected<mlir::DenseElementsAttr>
readStateElements(StateOp state, mlir::RankedTensorType type,
                  ExternalData &files);

} // namespace fx

#endif // FX_LIB_CONVERSION_STATEELEMENTS_H
