//===- Values.h - what an fx value becomes ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_VALUES_H
#define FX_CONVERSION_FXTOLINALG_VALUES_H

#include "fx/IR/FXDialect.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>

namespace fx::lin {

using Sizes = llvm::SmallVector<ExprAttr, 6>;

/// A PyTorch tensor in the course of lowering: a builtin tensor and a view of
/// it. Dimension `i` of the PyTorch tensor has size `sizes[i]` and is dimension
/// `dims[i]` of `value`, or, where that is -1, every index reads the same
/// element. Transposition, unsqueeze and expand thus cost nothing: the users'
/// indexing maps absorb them. Every dimension of `value` is in `dims` once.
///
/// A dimension of `value` is static exactly where its size is an integer.
struct Tensor {
  mlir::Value value;
  Sizes sizes;
  llvm::SmallVector<int, 6> dims;
  /// As fx has it: `ui8`, `i1` for bool. `value` has its signless form.
  mlir::Type dtype;

  Tensor() = default;
  /// The tensor that `value` is, dimension for dimension.
  Tensor(mlir::Value value, llvm::ArrayRef<ExprAttr> sizes, mlir::Type dtype)
      : value(value), sizes(sizes), dtype(dtype) {
    for (int i = 0, e = sizes.size(); i < e; ++i)
      dims.push_back(i);
  }

  explicit operator bool() const { return bool(value); }
  int64_t rank() const { return sizes.size(); }
  /// True if `value` has the PyTorch tensor's shape and order.
  bool isIdentity() const;
  /// The dimension of the PyTorch tensor that `valueDim` of `value` is.
  int logicalDim(int valueDim) const;
};

/// A Python number: `expr` where it is a known expression over bound symbols,
/// else `value` (i64, f64 or i1).
struct Number {
  enum class Kind { Int, Float, Bool } kind = Kind::Int;
  ExprAttr expr;
  mlir::Value value;
  explicit operator bool() const { return expr || value; }
};

/// What an fx value became.
struct Lowered {
  enum class Kind {
    None,
    Tensor,
    Complex,
    Number,
    Graph,
    Object
  } kind = Kind::None;
  /// Of a complex tensor in two: the real part. Such a pair does not leave the
  /// graph that it was made in.
  Tensor tensor;
  std::shared_ptr<const Tensor> imaginary;
  Number number;
  GraphOp graph;
  /// The state that an object of a custom class is.
  mlir::FlatSymbolRefAttr object;

  Lowered() = default;
  Lowered(Tensor t) : kind(Kind::Tensor), tensor(std::move(t)) {}
  Lowered(Tensor real, Tensor imaginary)
      : kind(Kind::Complex), tensor(std::move(real)),
        imaginary(std::make_shared<Tensor>(std::move(imaginary))) {}
  Lowered(Number n) : kind(Kind::Number), number(n) {}
  Lowered(GraphOp g) : kind(Kind::Graph), graph(g) {}
  Lowered(mlir::FlatSymbolRefAttr object)
      : kind(Kind::Object), object(object) {}
};

/// The builtin type that stands for `dtype` in generated code.
mlir::Type signless(mlir::Type dtype);
/// The builtin tensor type with `sizes` in order.
mlir::RankedTensorType tensorType(llvm::ArrayRef<ExprAttr> sizes,
                                  mlir::Type dtype);
/// True for the dtypes the lowering computes with: bool, 8 to 64 bit integers,
/// f16, bf16, f32, f64.
bool isSupported(mlir::Type dtype);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_VALUES_H
