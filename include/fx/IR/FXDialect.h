//===- FXDialect.h - the fx dialect -----------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_FXDIALECT_H
#define FX_IR_FXDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "fx/IR/FXDialect.h.inc"
#include "fx/IR/FXEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fx/IR/FXAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "fx/IR/FXTypes.h.inc"

#include "fx/IR/FXInterfaces.h.inc"

#define GET_OP_CLASSES
#include "fx/IR/FXOps.h.inc"

#endif // FX_IR_FXDIALECT_H
