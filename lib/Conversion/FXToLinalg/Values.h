//===- Values.h - lowered forms of fx values --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_VALUES_H
#define FX_CONVERSION_FXTOLINALG_VALUES_H

#include "fx/IR/FXDialect.h"
#include "fx/Kernels/IR/Dtypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>

namespace fx::lin {

using Sizes = llvm::SmallVector<ExprAttr, 6>;

/// Returns true if a size is known to be 0. Slices of such a tensor are not
/// built: their offsets would be out of bounds.
inline bool isEmpty(llvm::ArrayRef<ExprAttr> sizes) {
  return llvm::any_of(sizes, [](ExprAttr e) { return e.getInteger() == 0; });
}

/// A PyTorch tensor during lowering: a builtin tensor and a view of it.
/// Dimension `i` of the PyTorch tensor has size `sizes[i]` and is dimension
/// `dims[i]` of `value`. If `dims[i]` is -1, dimension `i` is broadcast: every
/// index reads the same element. Transposition, unsqueeze and expand thus cost
/// nothing: the users' indexing maps absorb them. Each dimension of `value`
/// occurs in `dims` exactly once.
///
/// A dimension of `value` is static if and only if its size is an integer.
struct Tensor {
  mlir::Value value;
  Sizes sizes;
  llvm::SmallVector<int, 6> dims;
  /// The fx dtype, which carries the signedness: `ui8`, or `i1` for bool. The
  /// element type of `value` is its signless form.
  mlir::Type dtype;

  Tensor() = default;
  /// Creates a tensor whose dimensions are those of `value`, in order.
  Tensor(mlir::Value value, llvm::ArrayRef<ExprAttr> sizes, mlir::Type dtype)
      : value(value), sizes(sizes), dtype(dtype) {
    for (int i = 0, e = sizes.size(); i < e; ++i)
      dims.push_back(i);
  }

  explicit operator bool() const { return bool(value); }
  int64_t rank() const { return sizes.size(); }
  /// Returns true if `value` has the PyTorch tensor's shape and order of
  /// dimensions.
  bool isIdentity() const;
  /// Returns the dimension of the PyTorch tensor that is dimension `valueDim`
  /// of `value`.
  int logicalDim(int valueDim) const;
};

/// A Python number: `expr` if it is known as an expression over bound symbols,
/// else `value` (i64, f64 or i1).
struct Number {
  enum class Kind { Int, Float, Bool } kind = Kind::Int;
  ExprAttr expr;
  mlir::Value value;
  explicit operator bool() const { return expr || value; }
};

/// The lowered form of an fx value.
struct Lowered {
  enum class Kind {
    None,
    Tensor,
    Complex,
    Number,
    Graph,
    Object,
    Work
  } kind = Kind::None;
  /// The tensor, or the real part of a complex tensor. A complex tensor that is
  /// lowered to a pair of real ones is used only in the graph that creates it.
  Tensor tensor;
  std::shared_ptr<const Tensor> imaginary;
  Number number;
  /// The number of a collective that has been started, an i64.
  mlir::Value work;
  GraphOp graph;
  /// The symbol of the state that holds an object of a custom class.
  mlir::FlatSymbolRefAttr object;

  Lowered() = default;
  Lowered(Tensor t) : kind(Kind::Tensor), tensor(std::move(t)) {}
  Lowered(Tensor real, Tensor imaginary)
      : kind(Kind::Complex), tensor(std::move(real)),
        imaginary(std::make_shared<Tensor>(std::move(imaginary))) {}
  Lowered(Number n) : kind(Kind::Number), number(n) {}
  static Lowered fromWork(mlir::Value work) {
    Lowered lowered;
    lowered.kind = Kind::Work;
    lowered.work = work;
    return lowered;
  }
  Lowered(GraphOp g) : kind(Kind::Graph), graph(g) {}
  Lowered(mlir::FlatSymbolRefAttr object)
      : kind(Kind::Object), object(object) {}
};

/// Returns the type that represents `dtype` in generated code: signless for
/// integers, else `dtype` itself.
mlir::Type signless(mlir::Type dtype);
/// Returns the builtin tensor type with `sizes` and the signless form of
/// `dtype`. Sizes that are not integers are dynamic.
mlir::RankedTensorType tensorType(llvm::ArrayRef<ExprAttr> sizes,
                                  mlir::Type dtype);
/// Returns true for the dtypes that the lowering supports: bool, integers of 8
/// to 64 bits, f16, bf16, f32 and f64.
bool isSupported(mlir::Type dtype);
using kernel::isFloat8;

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_VALUES_H
