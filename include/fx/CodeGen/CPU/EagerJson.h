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
/// The text that fx/Runtime/fallback.h describes. Fails, with an error at the
/// op, for an argument that the text cannot say.
mlir::FailureOr<std::string> getEagerJson(EagerOp op);

/// The type of operand or result `i`: what `fx.operand_types` or
/// `fx.result_types` says, else the builtin type.
mlir::Type getEagerType(EagerOp op, bool isResult, unsigned i);
} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_EAGERJSON_H
