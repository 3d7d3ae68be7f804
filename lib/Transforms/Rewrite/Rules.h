//===- Rules.h - rules read from a file -------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_REWRITE_RULES_H
#define FX_LIB_TRANSFORMS_REWRITE_RULES_H

#include "fx/IR/FXDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace fx {

struct Rule {
  llvm::StringRef name;
  GraphOp pattern, replacement;
};

struct RuleFile {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::SmallVector<Rule> rules;
};

/// Reads and verifies the rules in the file `path`: pairs of graphs
/// `<name>.pattern` and `<name>.replacement`. Errors are located in the file,
/// or at `loc` if it cannot be read.
mlir::FailureOr<RuleFile> readRules(llvm::StringRef path, mlir::Location loc);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_REWRITE_RULES_H
