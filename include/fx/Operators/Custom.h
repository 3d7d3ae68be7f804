//===- Custom.h - operators that users add ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// torch's operators are built in. An operator that a user adds to torch (by
// torch.library or TORCH_LIBRARY) is imported like any other node and runs by
// the fallback to ATen's dispatcher, for which the user's library must be
// loaded. The functions below register more properties of such an operator.
// Plug-ins (fx/Operators/Plugin.h), the C interface and Python can call them.
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

/// The properties of an operator that does not belong to torch.
struct CustomOperator {
  /// `mylib.softcap.default`.
  std::string target;

  /// The operator does not write its arguments and depends on nothing else. A
  /// graph with an operator that is not known to be pure cannot be made
  /// functional and is interpreted. A decomposition or a lowering implies
  /// purity.
  bool isPure = false;

  /// Infers the types of the results (fx-shape-prop).
  std::function<llvm::FailureOr<llvm::SmallVector<mlir::Type>>(
      NodeOpInterface call)>
      shape;

  /// The text of a graph that computes the operator: `fx.graph @any { … }`. Its
  /// placeholders are the arguments, by position and by name, and may have
  /// defaults. Types are `!fx.any`; they are inferred for each call. An
  /// immediate argument replaces the uses of its placeholder. The graph may
  /// only call operators with a shape rule. fx-decompose-custom expands it.
  std::string decomposition;

  /// Builds linalg on tensors for the call at the insertion point of `builder`.
  /// Operands and results of the call are builtin tensors and scalars. Returns
  /// one value for each result, of the same type, or emits an error and fails.
  /// fx-lower-custom calls it after convert-fx-to-linalg.
  std::function<llvm::FailureOr<llvm::SmallVector<mlir::Value>>(
      mlir::OpBuilder &builder, EagerOp call)>
      lower;

  /// The schema in torch's notation: `mylib::push(Tensor(a!) to, Tensor x) ->
  /// ()`. fx-functionalize replaces a call that writes its arguments by an
  /// `auto_functionalized` call, which works on copies. Without the schema it
  /// is not known that the operator writes, since a `.pt2` does not record it.
  std::string schema;
};

/// Registers an operator for the whole process. An operator that is registered
/// already can get more properties by another call; a property that it has
/// cannot be changed. Fails if the target is not `namespace.name.overload` or
/// an operator of torch, if the decomposition is no graph of calls, if the
/// schema is invalid or belongs to another operator, or if the schema writes
/// arguments of a pure operator. Thread-safe.
llvm::Error registerCustomOperator(CustomOperator op);

/// Returns the registered properties of `target`, or null. The pointer stays
/// valid for the life of the process.
const CustomOperator *lookupCustomOperator(llvm::StringRef target);

/// A source of schemas that are not registered, in torch's notation. The
/// interface is attached to the fx dialect. `registerTorchSchemas`
/// (fx/Interpreter/Interpreter.h) attaches one that asks LibTorch's dispatcher
/// if LibTorch is loaded in the process.
class SchemaSourceInterface
    : public mlir::DialectInterface::Base<SchemaSourceInterface> {
public:
  SchemaSourceInterface(mlir::Dialect *dialect) : Base(dialect) {}
  virtual std::optional<std::string>
  getSchema(llvm::StringRef target) const = 0;
};

/// Returns the schema of the custom operator that `call` calls: the registered
/// one, or else the one of the context's SchemaSourceInterface; null if neither
/// has it. The pointer stays valid.
const gen::OperatorDeclaration *lookupCustomSchema(CallFunctionOp call);
const gen::OperatorDeclaration *lookupCustomSchema(mlir::MLIRContext *context,
                                                   llvm::StringRef target);

/// Returns true if `target` is registered as pure.
bool isPureCustomOperator(llvm::StringRef target);

/// Parses the text of a decomposition. Returns a module with one graph of
/// calls. On failure `why` is the reason.
llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
parseDecomposition(mlir::MLIRContext *context, llvm::StringRef text,
                   std::string &why);

} // namespace fx

#endif // FX_OPERATORS_CUSTOM_H
