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

/// Builds what a node is replaced by. After a call whose types could not be
/// inferred every further one gives null, so a decomposition checks its last
/// value only.
class Decomposer {
public:
  Decomposer(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  /// The first result of a new call of View's operator.
  template <class View, class... Args>
  mlir::Value call(const Args &...args) {
    if (failed)
      return {};
    CallFunctionOp op = View::createInferred(b, loc, args...);
    failed = !op || op->getNumResults() == 0;
    return failed ? mlir::Value() : op->getResult(0);
  }

  static FakeTensorType type(mlir::Value tensor) {
    return llvm::cast<FakeTensorType>(tensor.getType());
  }
  static int64_t rank(mlir::Value tensor) { return type(tensor).getRank(); }
  /// The same of any operator.
  mlir::Value call(const OperatorSchema &schema, llvm::ArrayRef<Arg> args);
  /// The size of `dim` as an argument: an integer, or a new sym_size.
  Arg size(mlir::Value tensor, int64_t dim);
  /// The size of `dim` if it is an integer.
  static std::optional<int64_t> staticSize(mlir::Value tensor, int64_t dim) {
    return type(tensor).getSizes()[dim].getInteger();
  }
  /// `dim` counted from the front, or nullopt if it is out of range.
  static std::optional<int64_t> wrap(int64_t dim, int64_t rank);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  bool failed = false;
};

/// Replaces a node by others: gives one value for each of its results, or
/// fails, having perhaps built nodes that nothing uses, which are removed.
struct Decomposition {
  using Function = mlir::LogicalResult (*)(
      const OperatorView &, Decomposer &, llvm::SmallVectorImpl<mlir::Value> &);
  static void registerAll(HookTable<Decomposition> &hooks);
};

/// The families, each in the file of its name.
void registerArithmeticDecompositions(HookTable<Decomposition> &hooks);
void registerEinsumDecompositions(HookTable<Decomposition> &hooks);
void registerRearrangeDecompositions(HookTable<Decomposition> &hooks);
void registerSamplingDecompositions(HookTable<Decomposition> &hooks);

/// An operator on a list of tensors, `_foreach_add.List`, and its calls for
/// each of them.
bool isForeach(llvm::StringRef target);
mlir::LogicalResult decomposeForeach(const OperatorView &op, Decomposer &d,
                                     llvm::SmallVectorImpl<mlir::Value> &);

/// The target under which hooks and lowerings know an operator that has two
/// names, "aten.abs.default" for "aten.absolute.default".
std::optional<std::string> getUsualTarget(llvm::StringRef target);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_DECOMPOSE_DECOMPOSE_H
