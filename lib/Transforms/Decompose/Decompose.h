//===- Decompose.h - decompositions of operators ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_DECOMPOSE_DECOMPOSE_H
#define FX_LIB_TRANSFORMS_DECOMPOSE_DECOMPOSE_H

#include "fx/Operators/Hooks.h"
#include "fx/Operators/View.h"

#include "mlir/IR/Builders.h"

namespace fx {

class NodeNamer;

/// Builds the nodes that replace a node. If the types of a call cannot be
/// inferred, this call and all later ones return null, so a decomposition needs
/// to check its last value only.
class Decomposer {
public:
  Decomposer(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  /// Creates a call of the operator of `View` and returns its first result.
  template <class View, class... Args>
  mlir::Value call(const Args &...args) {
    if (failed)
      return {};
    CallFunctionOp op = View::createInferred(b, loc, args...);
    failed = !op || op->getNumResults() == 0;
    return failed ? mlir::Value() : op->getResult(0);
  }

  /// Lets this and all later calls return null.
  mlir::Value fail() {
    failed = true;
    return {};
  }

  static FakeTensorType type(mlir::Value tensor) {
    return llvm::cast<FakeTensorType>(tensor.getType());
  }
  static int64_t rank(mlir::Value tensor) { return type(tensor).getRank(); }
  /// Creates a call of the operator `schema` and returns its first result.
  mlir::Value call(const OperatorSchema &schema,
                   llvm::ArrayRef<ArgumentRef> args);
  /// Returns the size of `dim` as an argument: an integer, or a new sym_size.
  ArgumentRef size(mlir::Value tensor, int64_t dim);
  /// Returns the size of `dim` if it is static.
  static std::optional<int64_t> staticSize(mlir::Value tensor, int64_t dim) {
    return type(tensor).getSizes()[dim].getInteger();
  }
  /// Returns `dim` counted from the front, or nullopt if it is out of range.
  static std::optional<int64_t> wrap(int64_t dim, int64_t rank);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  bool failed = false;
};

/// Builds the nodes that replace the results of a node. Fails if it stays.
using BuildFn = llvm::function_ref<mlir::LogicalResult(
    Decomposer &, llvm::SmallVectorImpl<mlir::Value> &)>;
/// Replaces `op` by the nodes that `build` creates, and returns these. If it
/// fails, erases what it has created.
mlir::FailureOr<llvm::SmallVector<mlir::Operation *>>
replaceNode(mlir::Operation *op, NodeNamer &namer, BuildFn build);

/// A hook that replaces a node by other nodes. It adds one value for each
/// result of the node, or fails. If it fails, the caller erases the nodes that
/// it has created.
struct Decomposition {
  using Fn = mlir::LogicalResult (*)(const OperatorView &, Decomposer &,
                                     llvm::SmallVectorImpl<mlir::Value> &);
  static void registerAll(HookTable<Decomposition> &hooks);
};

/// Each function registers the decompositions in the file of its name.
void registerArithmeticDecompositions(HookTable<Decomposition> &hooks);
void registerEinsumDecompositions(HookTable<Decomposition> &hooks);
void registerQuantizationDecompositions(HookTable<Decomposition> &hooks);
void registerRearrangeDecompositions(HookTable<Decomposition> &hooks);
void registerSamplingDecompositions(HookTable<Decomposition> &hooks);

/// Returns true for an operator on lists of tensors, such as
/// `_foreach_add.List`.
bool isForeach(llvm::StringRef target);
/// Decomposes such an operator into one call for each tensor.
mlir::LogicalResult decomposeForeach(const OperatorView &op, Decomposer &d,
                                     llvm::SmallVectorImpl<mlir::Value> &);

/// Returns the target under which hooks and lowerings know an operator with
/// several names: "aten.abs.default" for "aten.absolute.default". Returns
/// nullopt if `target` is no such alias.
std::optional<std::string> getUsualTarget(llvm::StringRef target);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_DECOMPOSE_DECOMPOSE_H
