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

/// Builds the body of a pointwise operator: gets the operands' elements in the
/// compute type and returns the element of the result.
using ScalarFn = llvm::function_ref<mlir::Value(Scalars &, mlir::ValueRange)>;
/// The same for a body that also gets the indices of the element along the
/// PyTorch tensor's dimensions.
using IndexedFn = llvm::function_ref<mlir::Value(Scalars &, mlir::ValueRange,
                                                 llvm::ArrayRef<mlir::Value>)>;

/// Returns the indices of the element to read, given the operands' elements and
/// the result's indices.
using PlaceFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    Scalars &, mlir::ValueRange, llvm::ArrayRef<mlir::Value>)>;

/// An operand of a contraction: loop `loops[i]` indexes dimension `i` of the
/// PyTorch tensor.
struct Access {
  Tensor tensor;
  llvm::SmallVector<unsigned, 6> loops;
};

class Builder;

/// A Python number that a scalar body uses: a constant that is created in the
/// body, or a value that is computed before it.
class Hoisted {
public:
  Hoisted(Builder &b, const Number &n, mlir::Type dtype);
  /// Returns the number as a value in a body.
  mlir::Value in(Scalars &s) const;
  bool isConstant() const;
  /// Returns the constant; requires isConstant().
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
  /// Returns the number as a value of `dtype`'s signless type.
  mlir::Value number(const Number &n, mlir::Type dtype);

  //===--- whole tensors -------------------------------------------------===//
  mlir::Value empty(llvm::ArrayRef<ExprAttr> sizes, mlir::Type dtype);
  /// Returns a tensor whose elements are all `v`, a scalar of `dtype`'s
  /// signless type.
  mlir::Value filled(llvm::ArrayRef<ExprAttr> sizes, mlir::Type dtype,
                     mlir::Value v);
  /// Returns a constant tensor with the elements `values` in row-major order:
  /// i64, or floats of `dtype` (f32 or f64).
  Tensor constant(llvm::ArrayRef<int64_t> values,
                  llvm::ArrayRef<ExprAttr> sizes);
  Tensor constant(llvm::ArrayRef<double> values, llvm::ArrayRef<ExprAttr> sizes,
                  mlir::Type dtype);
  /// Returns a builtin tensor with the shape and the dimension order of `t`.
  /// Copies, transposes or reshapes where `t` is a view.
  mlir::Value materialize(const Tensor &t);
  /// Returns `t` as a tensor whose `value` has its shape and dimension order.
  Tensor contiguous(const Tensor &t);
  /// Casts `v` to the builtin tensor type of `sizes` and `dtype`: sizes that
  /// are integers become static.
  mlir::Value withType(mlir::Value v, llvm::ArrayRef<ExprAttr> sizes,
                       mlir::Type dtype);
  /// Returns the only element of `t`, a scalar of its signless type.
  mlir::Value element(const Tensor &t);
  /// Returns a 0-d tensor of `dtype` with the element `v`.
  Tensor fromElement(mlir::Value v, mlir::Type dtype);

  //===--- pointwise -----------------------------------------------------===//
  /// Builds one `linalg.generic` over `sizes`. Operands are broadcast as in
  /// PyTorch (aligned at the right, size 1 stretched) and converted to
  /// `compute` for `fn`; without `compute`, they keep their own dtypes. The
  /// value that `fn` returns has dtype `from` (by default `compute`, or else
  /// `dtype`) and is converted to `dtype`. The result has the dimension order
  /// of the first operand without broadcast dimensions.
  Tensor pointwise(llvm::ArrayRef<Tensor> operands,
                   llvm::ArrayRef<ExprAttr> sizes, mlir::Type dtype,
                   mlir::Type compute, ScalarFn fn,
                   mlir::Type from = mlir::Type());
  /// Like `pointwise`, over the sizes that the operands broadcast to, in
  /// `dtype`'s compute type.
  Tensor map(llvm::ArrayRef<Tensor> operands, mlir::Type dtype, ScalarFn fn);
  /// Returns the sizes that the operands broadcast to.
  Sizes broadcast(llvm::ArrayRef<Tensor> operands);
  /// Like `pointwise`, for bodies that use the indices of the element. The
  /// dimensions of the result are in natural order.
  Tensor indexed(llvm::ArrayRef<Tensor> operands,
                 llvm::ArrayRef<ExprAttr> sizes, mlir::Type dtype,
                 mlir::Type compute, IndexedFn fn,
                 mlir::Type from = mlir::Type());
  /// Returns a tensor of `sizes` whose elements are read from `x` at the
  /// indices that `at` returns.
  Tensor read(const Tensor &x, llvm::ArrayRef<Tensor> operands,
              llvm::ArrayRef<ExprAttr> sizes, PlaceFn at);
  /// Returns `t` with each element replaced by what `body` returns, of `dtype`.
  /// The result is the same view of the new elements.
  Tensor mapElements(const Tensor &t, mlir::Type dtype, ScalarFn body);
  /// Returns the bits of `t` as elements of `dtype`, which has the same size.
  Tensor reinterpret(const Tensor &t, mlir::Type dtype);
  /// Returns `t` converted to `dtype`.
  Tensor cast(const Tensor &t, mlir::Type dtype);

  //===--- reductions ----------------------------------------------------===//
  /// Reduces `dims` (kept as size 1 if `keepDim`) with
  /// `combine(accumulator, x)`, starting from `init`. Elements are converted to
  /// `acc`, which is the dtype of the result too; `map`, if given, is applied
  /// to each of them first.
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

  /// Builds the contraction of two operands over `numLoops` loops. Loops 0 to
  /// n-1 are the n dimensions of the result, of `sizes`; the others are
  /// reduction loops. Accumulates in `dtype`'s compute type (f32 for f16 and
  /// bf16) and returns a tensor of `dtype`.
  Tensor contract(const Access &x, const Access &y,
                  llvm::ArrayRef<ExprAttr> sizes, unsigned numLoops,
                  mlir::Type dtype,
                  llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

  //===--- views: no data moves ------------------------------------------===//
  Tensor permute(const Tensor &t, llvm::ArrayRef<int64_t> order);
  Tensor unsqueeze(const Tensor &t, int64_t dim);
  /// Drops dimension `dim`, of size 1.
  Tensor squeeze(const Tensor &t, int64_t dim);
  /// Returns `t`, a vector over dimension `axis` of a tensor of `rank`, as a
  /// view that broadcasts to the tensor.
  Tensor alongAxis(Tensor t, int64_t axis, int64_t rank);
  /// Broadcasts `t` to `sizes` (aligned at the right).
  Tensor expand(const Tensor &t, llvm::ArrayRef<ExprAttr> sizes);
  /// Returns `length` elements of `dim` from `start`, `step` apart.
  Tensor slice(const Tensor &t, int64_t dim, ExprAttr start, ExprAttr length,
               ExprAttr step);
  /// Selects index `at` of `dim` and drops the dimension.
  Tensor select(const Tensor &t, int64_t dim, mlir::OpFoldResult at);
  /// Returns the same elements in another shape. Copies only where no view
  /// exists.
  Tensor reshape(const Tensor &t, llvm::ArrayRef<ExprAttr> sizes);
  /// Splits `dim` into dimensions of the sizes `parts`; always a view.
  Tensor split(const Tensor &t, int64_t dim, llvm::ArrayRef<ExprAttr> parts);

  //===--- assembling ----------------------------------------------------===//
  /// Inserts `part`, of `sizes`, into `whole` at `offsets` with `strides`.
  mlir::Value insert(mlir::Value part, mlir::Value whole,
                     llvm::ArrayRef<mlir::OpFoldResult> offsets,
                     llvm::ArrayRef<mlir::OpFoldResult> sizes,
                     llvm::ArrayRef<mlir::OpFoldResult> strides);
  /// Concatenates `parts` along `dim`; the result has `sizes`.
  Tensor concat(llvm::ArrayRef<Tensor> parts, int64_t dim,
                llvm::ArrayRef<ExprAttr> sizes);
  /// Pads `t` with `value`: `low[i]` elements before and `high[i]` elements
  /// after those of dimension i. Negative constants crop.
  Tensor pad(const Tensor &t, llvm::ArrayRef<ExprAttr> low,
             llvm::ArrayRef<ExprAttr> high, mlir::Value value);

  /// Emits an assertion that `condition`, an i1, is true. Where it is false,
  /// the program stops with `message` and the node's source location.
  void check(mlir::Value condition, llvm::StringRef message);
  /// Emits an assertion that all elements of the integer tensor lie in
  /// [-size, size), or in [0, size) unless `allowNegative`.
  void checkIndices(const Tensor &t, ExprAttr size, llvm::StringRef message,
                    bool allowNegative = true);

  /// Returns the indexing map of `t.value` where loop `loops[i]` indexes
  /// dimension `i` of `t`.
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

/// Builds a nest of loops over `sizes` that carries one tensor, which starts as
/// `init`. `body` gets the indices and the carried tensor and returns the next
/// one. Returns the tensor after the last iteration.
mlir::Value loopNest(
    Builder &b, llvm::ArrayRef<ExprAttr> sizes, mlir::Value init,
    llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>, mlir::Value)>
        body);

/// The body of a scan: gets the index, the slices of the operands and the
/// carried tensors, and returns the next carried tensors.
using ScanFn = llvm::function_ref<llvm::SmallVector<Tensor>(
    mlir::Value, llvm::ArrayRef<Tensor>, llvm::ArrayRef<Tensor>)>;

/// Builds a loop along `dim`, of size `length`, over the slices of the operands
/// (from the last to the first if `reverse`). `step` is its body. The carried
/// tensors start as `start` and keep their sizes and dtypes. Returns the first
/// `numWhole` carried tensors of all iterations, collected along `dim`, then
/// all carried tensors of the last iteration.
llvm::SmallVector<Tensor> scan(Builder &b, llvm::ArrayRef<Tensor> operands,
                               int64_t dim, ExprAttr length,
                               llvm::ArrayRef<Tensor> start, unsigned numWhole,
                               ScanFn step, bool reverse = false);

/// Returns the maximum (if `max`) or minimum along a dimension, and the i64
/// index of its first occurrence. A NaN is more extreme than any number.
std::pair<Tensor, Tensor> extreme(Builder &b, const Tensor &t, int64_t dim,
                                  bool keepDim, bool max);

/// Returns the permutation that sorts the rows along the last dimension of `x`
/// stably: for each place of the sorted row, the index in `x` of its element.
/// `x` must be contiguous. The result is i64 and has the sizes of `x`.
Tensor sortedOrder(Builder &b, const Tensor &x, bool descending = false);

/// Reverses the elements along `dims`.
Tensor flip(Builder &b, const Tensor &x, llvm::ArrayRef<int64_t> dims);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_BUILDER_H
