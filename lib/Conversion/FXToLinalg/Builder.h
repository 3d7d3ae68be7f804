//===- Builder.h - tensor code with PyTorch's semantics ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_BUILDER_H
#define FX_CONVERSION_FXTOLINALG_BUILDER_H

#include "Scalars.h"
#include "Symbols.h"
#include "Values.h"

#include "mlir/IR/AffineMap.h"

namespace fx::lin {

/// The body of a pointwise operator: its operands in the compute type.
using ScalarFn = llvm::function_ref<mlir::Value(Scalars &, mlir::ValueRange)>;
/// A body that also sees the indices of the PyTorch tensor's dimensions.
using IndexedFn = llvm::function_ref<mlir::Value(Scalars &, mlir::ValueRange,
                                                 llvm::ArrayRef<mlir::Value>)>;

/// Where an element of a result is read: the places for the operands' elements
/// and the result's indices.
using PlaceFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    Scalars &, mlir::ValueRange, llvm::ArrayRef<mlir::Value>)>;

/// An operand of a contraction or a reduction: which loop walks each of the
/// PyTorch tensor's dimensions.
struct Access {
  Tensor tensor;
  llvm::SmallVector<unsigned, 6> loops;
};

class Builder;

/// A Python number for a scalar body: a constant there, or a value computed
/// before.
class Hoisted {
public:
  Hoisted(Builder &b, const Number &n, mlir::Type dtype);
  mlir::Value in(Scalars &s) const;
  bool isConstant() const;
  double constant() const;

private:
  Number n;
  mlir::Value value;
};

/// Builds linalg, tensor and arith code for values with PyTorch's semantics.
/// Nothing here fails: callers check ranks, sizes and dtypes first.
class Builder {
public:
  Builder(mlir::OpBuilder &b, mlir::Location loc, Symbols &symbols)
      : b(b), loc(loc), symbols(symbols) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  Symbols &symbols;

  mlir::MLIRContext *context() const { return b.getContext(); }

  //===--- sizes ---------------------------------------------------------===//
  ExprAttr expr(int64_t v) { return ExprAttr::integer(context(), v); }
  mlir::Value index(ExprAttr e) { return symbols.integer(b, loc, e); }
  mlir::Value index(int64_t v) { return index(expr(v)); }
  mlir::OpFoldResult fold(ExprAttr e) { return symbols.fold(b, loc, e); }
  llvm::SmallVector<mlir::OpFoldResult> fold(llvm::ArrayRef<ExprAttr> sizes);
  ExprAttr product(llvm::ArrayRef<ExprAttr> sizes);
  /// The number as a value of `dtype`'s signless type.
  mlir::Value number(const Number &n, mlir::Type dtype);

  //===--- whole tensors -------------------------------------------------===//
  mlir::Value empty(llvm::ArrayRef<ExprAttr> sizes, mlir::Type dtype);
  /// All elements `v`, a scalar of `dtype`.
  mlir::Value filled(llvm::ArrayRef<ExprAttr> sizes, mlir::Type dtype,
                     mlir::Value v);
  /// A constant of i64s, or of floats as `dtype` (f64 or f32), in row-major
  /// order.
  Tensor constant(llvm::ArrayRef<int64_t> values,
                  llvm::ArrayRef<ExprAttr> sizes);
  Tensor constant(llvm::ArrayRef<double> values, llvm::ArrayRef<ExprAttr> sizes,
                  mlir::Type dtype);
  /// A builtin tensor that is `t` dimension for dimension.
  mlir::Value materialize(const Tensor &t);
  /// `t` with a builtin tensor of its own shape and order.
  Tensor contiguous(const Tensor &t);
  /// `v` with the static sizes that `sizes` knows, in order.
  mlir::Value withType(mlir::Value v, llvm::ArrayRef<ExprAttr> sizes,
                       mlir::Type dtype);
  /// The only element of `t`, a scalar of its signless type.
  mlir::Value element(const Tensor &t);
  /// A 0-d tensor.
  Tensor fromElement(mlir::Value v, mlir::Type dtype);

  //===--- pointwise -----------------------------------------------------===//
  /// One `linalg.generic` over `sizes`. Operands are broadcast as PyTorch does
  /// (aligned at the right, size 1 stretched) and given to `fn` as `compute`;
  /// what `fn` gives, of dtype `from`, is stored as `dtype`. Without `compute`
  /// operands come in their own dtypes. The result's
  /// order of dimensions is the first full operand's.
  Tensor pointwise(llvm::ArrayRef<Tensor> operands,
                   llvm::ArrayRef<ExprAttr> sizes, mlir::Type dtype,
                   mlir::Type compute, ScalarFn fn,
                   mlir::Type from = mlir::Type());
  /// The same over the sizes that the operands broadcast to, in `dtype`'s
  /// compute type.
  Tensor map(llvm::ArrayRef<Tensor> operands, mlir::Type dtype, ScalarFn fn);
  /// The sizes that tensors broadcast to.
  Sizes broadcast(llvm::ArrayRef<Tensor> operands);
  /// The same for code that uses indices; the result is in natural order.
  Tensor indexed(llvm::ArrayRef<Tensor> operands,
                 llvm::ArrayRef<ExprAttr> sizes, mlir::Type dtype,
                 mlir::Type compute, IndexedFn fn,
                 mlir::Type from = mlir::Type());
  /// A tensor of `sizes` whose elements are read from `x` where `at` says.
  Tensor read(const Tensor &x, llvm::ArrayRef<Tensor> operands,
              llvm::ArrayRef<ExprAttr> sizes, PlaceFn at);
  /// `t` with another dtype.
  Tensor cast(const Tensor &t, mlir::Type dtype);

  //===--- reductions ----------------------------------------------------===//
  /// Reduces `dims` (kept as size 1 if `keepDim`) with `combine(acc, x)`
  /// starting from `init`, in `acc`, the dtype of the result. `map` is applied
  /// to each element first.
  Tensor
  reduce(const Tensor &t, llvm::ArrayRef<int64_t> dims, bool keepDim,
         mlir::Type acc, llvm::function_ref<mlir::Value(Scalars &)> init,
         llvm::function_ref<mlir::Value(Scalars &, mlir::Value, mlir::Value)>
             combine,
         llvm::function_ref<mlir::Value(Scalars &, mlir::Value)> map = nullptr);
  Tensor sum(const Tensor &t, llvm::ArrayRef<int64_t> dims, bool keepDim,
             mlir::Type acc);
  Tensor mean(const Tensor &t, llvm::ArrayRef<int64_t> dims, bool keepDim,
              mlir::Type acc);

  /// The contraction of two operands over all loops that the result does
  /// not have: loops 0 to n-1 are the result's dimensions, of `sizes`.
  /// Accumulates in f32 for short floats, gives `dtype`.
  Tensor contract(const Access &x, const Access &y,
                  llvm::ArrayRef<ExprAttr> sizes, unsigned numLoops,
                  mlir::Type dtype,
                  llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

  //===--- views: no data moves ------------------------------------------===//
  Tensor permute(const Tensor &t, llvm::ArrayRef<int64_t> order);
  Tensor unsqueeze(const Tensor &t, int64_t dim);
  /// Drops dimension `dim`, of size 1.
  Tensor squeeze(const Tensor &t, int64_t dim);
  /// `t` broadcast to `sizes` (aligned at the right).
  Tensor expand(const Tensor &t, llvm::ArrayRef<ExprAttr> sizes);
  /// `length` elements of `dim` from `start`, `step` apart.
  Tensor slice(const Tensor &t, int64_t dim, ExprAttr start, ExprAttr length,
               ExprAttr step);
  Tensor select(const Tensor &t, int64_t dim, mlir::OpFoldResult at);
  /// The same elements in another shape. Copies only where no view exists.
  Tensor reshape(const Tensor &t, llvm::ArrayRef<ExprAttr> sizes);
  /// Splits `dim` into `parts`; always a view.
  Tensor split(const Tensor &t, int64_t dim, llvm::ArrayRef<ExprAttr> parts);

  //===--- assembling ----------------------------------------------------===//
  /// `part` written into `whole` at `offsets`, `strides` apart.
  mlir::Value insert(mlir::Value part, mlir::Value whole,
                     llvm::ArrayRef<mlir::OpFoldResult> offsets,
                     llvm::ArrayRef<mlir::OpFoldResult> sizes,
                     llvm::ArrayRef<mlir::OpFoldResult> strides);
  Tensor concat(llvm::ArrayRef<Tensor> parts, int64_t dim,
                llvm::ArrayRef<ExprAttr> sizes);
  /// Constant padding of the materialized tensor, `low` and `high` by
  /// dimension; negative amounts crop.
  Tensor pad(const Tensor &t, llvm::ArrayRef<ExprAttr> low,
             llvm::ArrayRef<ExprAttr> high, mlir::Value value);

  /// Stops the program with `message` and the node's place unless `condition`,
  /// an i1.
  void check(mlir::Value condition, llvm::StringRef message);
  /// Checks that all elements of the integer tensor lie in [-size, size), or
  /// [0, size).
  void checkIndices(const Tensor &t, ExprAttr size, llvm::StringRef message,
                    bool allowNegative = true);

  /// The indexing map of `t` where loop `loops[i]` walks its dimension i.
  mlir::AffineMap map(const Tensor &t, llvm::ArrayRef<unsigned> loops,
                      unsigned numLoops);

private:
  Tensor mergeUnit(const Tensor &t, int64_t dim);
  bool canMerge(const Tensor &t, int64_t first, int64_t last);
  Tensor merge(const Tensor &t, int64_t first, int64_t last);
  Tensor generic(llvm::ArrayRef<Tensor> operands,
                 llvm::ArrayRef<ExprAttr> sizes, mlir::Type dtype,
                 mlir::Type compute, IndexedFn fn, mlir::Type from,
                 bool followLayout);
};

/// A nest of loops over `sizes` that carries one tensor.
mlir::Value loopNest(
    Builder &b, llvm::ArrayRef<ExprAttr> sizes, mlir::Value init,
    llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>, mlir::Value)>
        body);

/// What a scan does with the slices of its operands and what it carries.
using ScanFn = llvm::function_ref<llvm::SmallVector<Tensor>(
    mlir::Value, llvm::ArrayRef<Tensor>, llvm::ArrayRef<Tensor>)>;

/// A loop along `dim`, of `length`, over the slices of the operands (from the
/// last to the first if `reverse`). `step` gets the index, the slices and what
/// is carried, tensors like `start`, and gives the next ones. Results: the
/// first `numWhole` of these collected along `dim`, then the last of each.
llvm::SmallVector<Tensor> scan(Builder &b, llvm::ArrayRef<Tensor> operands,
                               int64_t dim, ExprAttr length,
                               llvm::ArrayRef<Tensor> start, unsigned numWhole,
                               ScanFn step, bool reverse = false);

/// The extreme value along a dimension and where it first stands; a NaN is
/// more extreme than any number.
std::pair<Tensor, Tensor> extreme(Builder &b, const Tensor &t, int64_t dim,
                                  bool keepDim, bool max);

/// Which element stands where when the rows along the last dimension of `x`, a
/// tensor of its own shape and order, are sorted stably: i64, like `x`.
Tensor sortedOrder(Builder &b, const Tensor &x, bool descending = false);

/// The elements of `dims` in the opposite order.
Tensor flip(Builder &b, const Tensor &x, llvm::ArrayRef<int64_t> dims);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_BUILDER_H
