//===- EagerJson.h - the JSON text of an fx.eager ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_EAGERJSON_H
#define FX_CODEGEN_CPU_EAGERJSON_H

#include "fx/IR/FXDialect.h"

namespace fx::cpu {
/// Returns the JSON text of a call, in the format of fx/Runtime/fallback.h.
/// Emits an error and fails if the format cannot represent an argument.
mlir::FailureOr<std::string> getEagerJson(EagerOp op);

/// Returns the type of operand or result `i` from `fx.operand_types` or
/// `fx.result_types`, or else the builtin type.
mlir::Type getEagerType(EagerOp op, bool isResult, unsigned i);
} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_EAGERJSON_H
