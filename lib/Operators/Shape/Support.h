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
/// The families, each in the file of its name.
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

/// Notes why torch refuses the arguments whatever the values of tensors and
/// symbols are; the rule fails then. `why` is called only where one listens.
void noteRefusal(llvm::function_ref<std::string()> why);
/// The same, as the result of a rule.
inline InferredTypes refuse(const llvm::Twine &why) {
  noteRefusal([&] { return why.str(); });
  return llvm::failure();
}

/// A size: an expression, or unknown. What is computed with an unknown size,
/// or overflows, is unknown.
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
  /// This over `b` where it is known to be without remainder.
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

/// The tensor type of a value or argument; null if it is none.
FakeTensorType getTensor(mlir::Value value);
FakeTensorType getTensor(const Argument &argument);
/// The tensor types of a list; nothing if an element is none.
std::optional<llvm::SmallVector<FakeTensorType>>
getTensors(const Argument &argument);

/// `dim` counted from the front; nothing if it is out of range. A 0-d tensor
/// counts as one of rank 1.
std::optional<int64_t> wrapDim(std::optional<int64_t> dim, int64_t rank);
std::optional<int64_t> wrapDim(const Argument &dim, int64_t rank);
/// A list of dims, each wrapped; None or an empty list means all.
std::optional<llvm::SmallVector<int64_t>> wrapDims(const Argument &dims,
                                                   int64_t rank);

/// A list of `n` sizes; one is taken n times. Nothing if one is unknown.
std::optional<Sizes> getSizes(const Argument &argument, size_t n);

/// False where the argument is a list of another length than `n`: not all
/// operators take one number for several.
bool hasLength(const OperatorView &call, llvm::StringRef name, size_t n);

/// The sizes that two tensors broadcast to; nothing if they provably do not.
std::optional<Sizes> broadcast(llvm::ArrayRef<ExprAttr> a,
                               llvm::ArrayRef<ExprAttr> b);

/// The number of elements.
Size getNumElements(mlir::MLIRContext *context, llvm::ArrayRef<ExprAttr> sizes);

/// `[2, s0]`, for messages.
std::string toText(llvm::ArrayRef<ExprAttr> sizes);
std::string toText(ExprAttr size);

/// A result on the device of `like`; null if a size is or `dtype` is.
mlir::Type makeTensor(FakeTensorType like, llvm::ArrayRef<ExprAttr> sizes,
                      mlir::Type dtype);
inline mlir::Type makeTensor(FakeTensorType like,
                             llvm::ArrayRef<ExprAttr> sizes) {
  return makeTensor(like, sizes, like.getDtype());
}

/// The same on a device; a null `device` is the CPU.
mlir::Type makeTensorOn(mlir::StringAttr device, llvm::ArrayRef<ExprAttr> sizes,
                        mlir::Type dtype);

/// The device an argument names, as a tensor type has it (null for the CPU);
/// `fallback` if it names none.
mlir::StringAttr getDevice(const Argument &argument,
                           mlir::StringAttr fallback = {});

/// More results than this are taken for a mistake: sizes come from the user.
inline constexpr int64_t maxResults = 1 << 16;

/// Failure if one of the types is null.
InferredTypes results(llvm::ArrayRef<mlir::Type> types);
inline InferredTypes result(mlir::Type type) { return results(type); }

/// The type of the first tensor argument, strides dropped.
InferredTypes sameAsFirst(const OperatorView &call);

} // namespace fx::shape

#endif // FX_LIB_OPERATORS_SHAPE_SUPPORT_H
