//===- FXDialect.cpp - the fx dialect -------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/FXDialect.h"
#include "Bytecode.h"
#include "fx/IR/OperatorInterface.h"

using namespace mlir;
using namespace fx;

void FXDialect::initialize() {
  registerAttributes();
  registerTypes();
  addBytecodeInterface(*this);
  declarePromisedInterface<OperatorDialectInterface, FXDialect>();
  addOperations<
#define GET_OP_LIST
#include "fx/IR/FXOps.cpp.inc"
      >();
}

#include "fx/IR/FXDialect.cpp.inc"
#include "fx/IR/FXEnums.cpp.inc"
#include "fx/IR/FXInterfaces.cpp.inc"
