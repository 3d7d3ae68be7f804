//===- Pch.h - the precompiled header of this conversion --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_PCH_H
#define FX_CONVERSION_FXTOLINALG_PCH_H

#include "fx/IR/FXDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#endif // FX_CONVERSION_FXTOLINALG_PCH_H
