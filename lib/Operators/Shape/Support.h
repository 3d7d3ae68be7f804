//===- Support.h - what shape rules are written with ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_OPERATORS_SHAPE_SUPPORT_H
#define FX_LIB_OPERATORS_SHAPE_SUPPORT_H

#include "fx/Operators/Shape.h"
#include "fx/Operators/TypePromotion.h"

namespace fx {
/// Each function registers the shape rules of the file with its name.
void registerCollectiveShapes(HookTable<ShapeRule> &hooks);
void registerCompositeShapes(HookTable<ShapeRule> &hooks);
void registerConvolutionShapes(HookTable<ShapeRule> &hooks);
void registerCopyShapes(HookTable<ShapeRule> &hooks);
void registerCreationShapes(HookTable<ShapeRule> &hooks);
void registerIndexingShapes(HookTable<ShapeRule> &hooks);
void registerMatMulShapes(HookTable<ShapeRule> &hooks);
void registerNormalizationShapes(HookTable<ShapeRule> &hooks);
void registerPointwiseShapes(HookTable<ShapeRule> &hooks);
void registerReductionShapes(HookTable<ShapeRule> &hooks);
void registerSymbolicShapes(HookTable<ShapeRule> &hooks);
void registerViewShapes(HookTable<ShapeRule> &hooks);
} // namespace fx

namespace fx::shape {

/// Records why PyTorch rejects the arguments for all values of the tensors and
/// symbols. The rule that calls this must fail. Only the first reason is
/// recorded, and only under inferOrRefuse; `why` is not called otherwise.
void noteRefusal(llvm::function_ref<std::string()> why);
/// Calls noteRefusal and returns failure.
inline InferredTypes refuse(const llvm::Twine &why) {
  noteRefusal([&] { return why.str(); });
  return llvm::failure();
}

/// A size: an expression, or null if it is unknown. An operation with an
/// unknown operand, or one that overflows, gives an unknown size.
class Size {
public:
  Size() = default;
  Size(ExprAttr expr) : expr(expr) {}

  explicit operator bool() const { return static_cast<bool>(expr); }
  operator ExprAttr() const { return expr; }
  ExprAttr get() const { return expr; }
  std::optional<int64_t> getInt() const {
    return expr ? expr.getInteger() : std::nullopt;
  }
  bool is(int64_t value) const { return getInt() == value; }

  friend Size operator+(Size a, Size b) { return a.sum(b); }
  friend Size operator+(Size a, int64_t b) { return a.sum(a.constant(b)); }
  friend Size operator-(Size a, Size b) { return a.sum(b * -1); }
  friend Size operator-(Size a, int64_t b) { return a - a.constant(b); }
  friend Size operator*(Size a, Size b) { return a.product(b); }
  friend Size operator*(Size a, int64_t b) { return a.product(a.constant(b)); }
  Size floorDiv(Size b) const { return call("floordiv", b); }
  Size floorDiv(int64_t b) const { return floorDiv(constant(b)); }
  Size ceilDiv(Size b) const { return (*this * -1).floorDiv(b) * -1; }
  Size ceilDiv(int64_t b) const { return ceilDiv(constant(b)); }
  Size min(Size b) const { return call("min", b); }
  Size max(Size b) const { return call("max", b); }
  /// Returns this size divided by `b`. The caller guarantees that the remainder
  /// is 0, so common factors cancel.
  Size exactDiv(Size b) const;
  Size constant(int64_t value) const;

private:
  Size sum(Size b) const;
  Size product(Size b) const;
  Size call(llvm::StringRef name, Size b) const;

  ExprAttr expr;
};

using Sizes = llvm::SmallVector<ExprAttr>;

Size makeSize(mlir::MLIRContext *context, int64_t value);

/// Returns the tensor type of a value or argument, or null if it is not a
/// tensor.
FakeTensorType getTensor(mlir::Value value);
FakeTensorType getTensor(const Argument &argument);
/// Returns the tensor type of the first argument, or null if it is not a
/// tensor.
inline FakeTensorType getSelf(const OperatorView &call) {
  return getTensor(call.getArg(0u));
}
/// Returns the argument `dtype`, or `fallback` if it is not given.
inline mlir::Type getDtypeOr(const OperatorView &call, mlir::Type fallback) {
  mlir::Type dtype = call.getArg("dtype").getDtype();
  return dtype ? dtype : fallback;
}
/// Returns the tensor types of a list, or std::nullopt if an element is not a
/// tensor.
std::optional<llvm::SmallVector<FakeTensorType>>
getTensors(const Argument &argument);

/// Returns `dim` counted from the front, or std::nullopt if it is unknown or
/// out of range. A 0-d tensor counts as a tensor of rank 1.
std::optional<int64_t> wrapDim(std::optional<int64_t> dim, int64_t rank);
std::optional<int64_t> wrapDim(const Argument &dim, int64_t rank);
/// Returns a list of dims, each wrapped. None or an empty list means all
/// dimensions. Returns std::nullopt if a dimension is unknown, out of range or
/// not unique.
std::optional<llvm::SmallVector<int64_t>> wrapDims(const Argument &dims,
                                                   int64_t rank);

/// Returns a list of `n` sizes. A single size is repeated n times. Returns
/// std::nullopt if a size is unknown or the list has another length.
std::optional<Sizes> getSizes(const Argument &argument, size_t n);

/// Returns false if the argument is a list whose length is not `n`. Not all
/// operators accept one number for n numbers.
bool hasLength(const OperatorView &call, llvm::StringRef name, size_t n);

/// Returns the sizes that two tensors broadcast to, or std::nullopt if they
/// provably do not broadcast.
std::optional<Sizes> broadcast(llvm::ArrayRef<ExprAttr> a,
                               llvm::ArrayRef<ExprAttr> b);

/// Returns the product of the sizes.
Size getNumElements(mlir::MLIRContext *context, llvm::ArrayRef<ExprAttr> sizes);

/// Prints sizes as `[2, s0]`, for messages.
std::string toText(llvm::ArrayRef<ExprAttr> sizes);
std::string toText(ExprAttr size);

/// Returns a tensor type on the device of `like`. Returns null if `like`, a
/// size or `dtype` is null, if a size is negative, or if the number of elements
/// overflows.
mlir::Type makeTensor(FakeTensorType like, llvm::ArrayRef<ExprAttr> sizes,
                      mlir::Type dtype);
inline mlir::Type makeTensor(FakeTensorType like,
                             llvm::ArrayRef<ExprAttr> sizes) {
  return makeTensor(like, sizes, like.getDtype());
}

/// Like makeTensor, but takes the device; null is the CPU.
mlir::Type makeTensorOn(mlir::StringAttr device, llvm::ArrayRef<ExprAttr> sizes,
                        mlir::Type dtype);

/// Returns the device of an argument in the form that tensor types use (null
/// for the CPU), or `fallback` if the argument is not a device.
mlir::StringAttr getDevice(const Argument &argument,
                           mlir::StringAttr fallback = {});

/// The maximum number of results of a call. The number depends on sizes that
/// the user gives, so a larger number is treated as an error.
inline constexpr int64_t maxResults = 1 << 16;

/// Returns the types, or failure if one of them is null.
InferredTypes results(llvm::ArrayRef<mlir::Type> types);
inline InferredTypes result(mlir::Type type) { return results(type); }

/// Returns the type of the first argument without its strides.
InferredTypes sameAsFirst(const OperatorView &call);

} // namespace fx::shape

#endif // FX_LIB_OPERATORS_SHAPE_SUPPORT_H
