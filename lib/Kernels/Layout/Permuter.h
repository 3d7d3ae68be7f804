//===- Permuter.h - tensors in another order of dimensions ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_KERNELS_LAYOUT_PERMUTER_H
#define FX_LIB_KERNELS_LAYOUT_PERMUTER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace fx::kernel {

using Order = llvm::SmallVector<int64_t, 6>;

/// A transposed version of a tensor: its dimension k is dimension `order[k]` of
/// the original, as in `linalg.transpose`.
struct Permuted {
  mlir::Value value;
  Order order;
};

/// Walks code on tensors and rewrites each operation whose operands are held in
/// another order so that it reads them in that order; its results are then held
/// in another order, too. Transposes are created only for operations without a
/// rule.
class Permuter {
public:
  explicit Permuter(mlir::MLIRContext *ctx) : b(ctx) {}

  void run(mlir::Region &region);
  /// Erases the ops that `run` replaced.
  void finish(mlir::Operation *root);

  unsigned numConvolutions = 0, numTransposes = 0;

private:
  void visit(mlir::Operation *op);
  void visitOther(mlir::Operation *op);

  //===--- values (Permuter.cpp) ------------------------------------------===//
  /// Returns the tensor that holds `v`, and its order; `v` itself if it is not
  /// permuted.
  Permuted held(mlir::Value v);
  bool isPermuted(mlir::Value v) { return values.contains(v); }
  bool anyPermuted(mlir::ValueRange range);
  /// Records that `value` holds `v` in `order`. Replaces `v` if this is the
  /// identity.
  void hold(mlir::Value v, mlir::Value value, llvm::ArrayRef<int64_t> order);
  /// Returns `v` in the given order: the tensor that holds it, or the result of
  /// its defining op computed in that order, or a transpose.
  mlir::Value get(mlir::Value v, llvm::ArrayRef<int64_t> order);
  mlir::Value getOriginal(mlir::Value v);
  mlir::Value pull(mlir::Value v, llvm::ArrayRef<int64_t> order);
  mlir::Value transpose(mlir::Value v, llvm::ArrayRef<int64_t> permutation);
  /// Returns a reshape of `v` that is equal to its transpose by `permutation`;
  /// null if the permutation moves other than unit dimensions.
  mlir::Value moveUnits(mlir::Value v, llvm::ArrayRef<int64_t> permutation);

  //===--- linalg (PermuteLinalg.cpp) -------------------------------------===//
  bool visitConvolution(mlir::linalg::LinalgOp op);
  /// Returns false if there is no rule. `forced` is the order in which result 0
  /// is to be computed.
  bool visitLinalg(mlir::linalg::LinalgOp op,
                   std::optional<Order> forced = std::nullopt);
  bool visitTranspose(mlir::linalg::TransposeOp op);
  /// Returns the position of each loop in the tensor that determines the order
  /// of the loops: the result in its forced order, or the permuted operand that
  /// most loops walk.
  llvm::SmallVector<unsigned>
  findLoopPlaces(mlir::linalg::LinalgOp op, const std::optional<Order> &forced);
  /// Returns the operands in the orders for an op with its loops in the order
  /// `loops`. `keep` says that the loops keep their order.
  llvm::SmallVector<Permuted> permuteOperands(mlir::linalg::LinalgOp op,
                                              llvm::ArrayRef<unsigned> loops,
                                              bool keep);
  mlir::linalg::GenericOp rebuild(mlir::linalg::LinalgOp op,
                                  llvm::ArrayRef<unsigned> loops,
                                  llvm::ArrayRef<Permuted> operands);

  //===--- tensor (PermuteTensor.cpp) -------------------------------------===//
  bool visitPad(mlir::tensor::PadOp op,
                std::optional<Order> forced = std::nullopt);
  bool visitExtractSlice(mlir::tensor::ExtractSliceOp op);
  bool visitInsertSlice(mlir::tensor::InsertSliceOp op,
                        std::optional<Order> forced = std::nullopt);
  bool visitConcat(mlir::tensor::ConcatOp op);
  bool visitCollapse(mlir::tensor::CollapseShapeOp op);
  bool visitExpand(mlir::tensor::ExpandShapeOp op);
  bool visitCast(mlir::tensor::CastOp op);
  bool visitDim(mlir::tensor::DimOp op);
  bool visitExtract(mlir::tensor::ExtractOp op);

  mlir::IRRewriter b;
  llvm::DenseMap<mlir::Value, Permuted> values;
  /// The transposes created so far, so that none is created twice.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value> made;
  llvm::SmallPtrSet<mlir::Operation *, 32> replaced;
};

inline Order identityOrder(int64_t rank) {
  return llvm::to_vector<6>(llvm::seq<int64_t>(0, rank));
}
inline bool isIdentity(llvm::ArrayRef<int64_t> order) {
  for (auto [k, d] : llvm::enumerate(order))
    if (d != static_cast<int64_t>(k))
      return false;
  return true;
}
inline Order inverse(llvm::ArrayRef<int64_t> order) {
  Order result(order.size());
  for (auto [k, d] : llvm::enumerate(order))
    result[d] = k;
  return result;
}
/// Permutes `list`, which has an entry for each dimension of the original, to
/// `order`.
template <class T>
llvm::SmallVector<T> permute(llvm::ArrayRef<T> list,
                             llvm::ArrayRef<int64_t> order) {
  llvm::SmallVector<T> result;
  for (int64_t d : order)
    result.push_back(list[d]);
  return result;
}

} // namespace fx::kernel

#endif // FX_LIB_KERNELS_LAYOUT_PERMUTER_H
