//===- Custom.h - operators that users add ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operators of torch are built in. What a user adds to torch (by
// torch.library, or a library of TORCH_LIBRARY) imports as any other node and
// runs by fallback to ATen's dispatcher, where the user's library must be
// loaded. More is possible when more is known of it: register that here, from
// a plug-in (fx/Operators/Plugin.h), the C interface or Python.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_CUSTOM_H
#define FX_OPERATORS_CUSTOM_H

#include "fx/IR/FXDialect.h"
#include "fx/Operators/SchemaParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <string>

namespace fx {

/// What is known of an operator that torch does not have.
struct CustomOperator {
  /// `mylib.softcap.default`.
  std::string target;

  /// It writes to nothing and depends on nothing but its arguments. Without
  /// this a graph that calls it cannot be made functional, so that it is
  /// interpreted. Implied by a decomposition or a lowering.
  bool isPure = false;

  /// Gives the types of the results (fx-shape-prop).
  std::function<llvm::FailureOr<llvm::SmallVector<mlir::Type>>(
      NodeOpInterface call)>
      shape;

  /// A graph in text that computes the operator: `fx.graph @any { … }`. Its
  /// placeholders are the arguments, by position and by name, and may have
  /// defaults; types are `!fx.any`, inferred for each call. An argument that
  /// is an immediate goes to where its placeholder is used. Only operators
  /// with a shape rule may stand in it. Expanded by fx-decompose-custom.
  std::string decomposition;

  /// Builds linalg on tensors for the call, at the builder's place: its
  /// operands and results are builtin tensors and scalars. Gives one value of
  /// the same type for each result, or reports why not by an error. Called by
  /// fx-lower-custom, after convert-fx-to-linalg.
  std::function<llvm::FailureOr<llvm::SmallVector<mlir::Value>>(
      mlir::OpBuilder &builder, EagerOp call)>
      lower;

  /// What torch says of it: `mylib::push(Tensor(a!) to, Tensor x) -> ()`. One
  /// that writes is called on copies in a functional graph (fx-functionalize
  /// makes an `auto_functionalized` of it); without the schema nobody knows
  /// that it writes, since a `.pt2` does not say so.
  std::string schema;
};

/// Registers an operator for the whole process. What is registered already may
/// be registered again with more, but not otherwise. Errors: an operator of
/// torch's, no operator's name, a decomposition that is no graph of calls, a
/// schema that is none or another operator's, or writes where `isPure`.
llvm::Error registerCustomOperator(CustomOperator op);

/// What is known of `target`; null if nothing is. Stays valid.
const CustomOperator *lookupCustomOperator(llvm::StringRef target);

/// Says the schemas that nobody registered, as torch writes them. Attached to
/// the fx dialect; `registerTorchSchemas` (fx/Interpreter/Interpreter.h)
/// attaches one that asks LibTorch's dispatcher where it is in the process.
class SchemaSourceInterface
    : public mlir::DialectInterface::Base<SchemaSourceInterface> {
public:
  SchemaSourceInterface(mlir::Dialect *dialect) : Base(dialect) {}
  virtual std::optional<std::string>
  getSchema(llvm::StringRef target) const = 0;
};

/// The schema of the user's operator that `call` calls: as registered, else as
/// the context's source of schemas has it; null where neither knows it. Stays
/// valid.
const gen::Operator *lookupCustomSchema(CallFunctionOp call);

/// Whether the target is registered as pure.
bool isPureCustomOperator(llvm::StringRef target);

/// The module of a decomposition's text, which holds one graph of calls; else
/// `why` says what is wrong.
llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
parseDecomposition(mlir::MLIRContext *context, llvm::StringRef text,
                   std::string &why);

} // namespace fx

#endif // FX_OPERATORS_CUSTOM_H
