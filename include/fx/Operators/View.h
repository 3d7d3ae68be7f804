//===- View.h - typed views of nodes ----------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view reads a node's argument tree by the names of its operator's schema:
//
//   if (auto add = dyn_cast<aten::AddTensor>(op)) {
//     Value self = add.self();                   // null unless it is a value
//     if (add.alpha().getInt() != 1) ...         // the default is filled in
//   }
//   auto sum = aten::AddTensor::create(b, loc, type, x, y);
//   auto cat = aten::Cat::createInferred(b, loc, {x, y}, /*dim=*/1);
//
// The classes are generated from the schemas, one header an operator name:
// `fx/Operators/aten/add.h` holds AddTensor, AddScalar …. `relu.default` is
// aten::Relu, `_softmax.default` aten::UnderSoftmax, `__and__.Tensor`
// aten::DunderAndTensor, `add_.Tensor` aten::Add_Tensor, `_operator.mul`
// _operator::Mul, `torch.sym_max` _torch::SymMax. A tensor argument `x` has two
// accessors: `x()` gives the value and `xArg()` the argument, which may also be
// None or a number.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_VIEW_H
#define FX_OPERATORS_VIEW_H

#include "fx/IR/Arguments.h"
#include "fx/Operators/ArgName.h"
#include "fx/Operators/Schema.h"
#include "mlir/IR/Builders.h"

#include <concepts>
#include <initializer_list>

namespace fx {

/// A node whose arguments are resolved against a schema. Never fails on a node
/// that does not fit it: what is missing is an argument without a tree.
class OperatorView {
public:
  OperatorView() = default;
  OperatorView(NodeOpInterface node, const OperatorSchema &schema);

  explicit operator bool() const { return node; }
  NodeOpInterface getNode() const { return node; }
  mlir::Operation *getOperation() const { return node; }
  mlir::Operation *operator->() const { return node; }
  operator mlir::Operation *() const { return node; }
  mlir::Location getLoc() const { return getOperation()->getLoc(); }
  mlir::MLIRContext *getContext() const { return getOperation()->getContext(); }
  const OperatorSchema &getSchema() const { return *schema; }

  /// The argument at a position of the schema, defaults filled in.
  Argument getArg(unsigned position) const;
  /// The argument of that name; without a tree if the operator has none.
  Argument getArg(ArgName name) const { return findArg(name); }
  /// The same for a name that is known only when the compiler runs.
  Argument findArg(llvm::StringRef name) const;
  /// Whether the operator's schema has an argument of that name.
  bool declares(ArgName name) const { return schema->findArgument(name) >= 0; }
  /// False where the argument has its default because it was left out.
  bool isGiven(unsigned position) const {
    return static_cast<bool>(given[position]);
  }
  unsigned getNumArgs() const { return given.size(); }

  /// The value of the schema's i-th result; null if it is a list or None.
  mlir::Value getResult(unsigned position = 0) const;
  mlir::ResultRange getResults() const { return getOperation()->getResults(); }

private:
  NodeOpInterface node;
  const OperatorSchema *schema = nullptr;
  llvm::SmallVector<Argument, 6> given;
};

/// The node as a view of its own operator; null if the operator is unknown.
OperatorView getOperatorView(mlir::Operation *op);

/// The value that an argument has when it is left out, as a tree; null if it
/// must be given.
mlir::Attribute getDefault(const ArgumentSchema &argument,
                           mlir::MLIRContext *context);

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// What a builder takes for one argument: a value, an immediate, a list of
/// them, or nothing for the default. Refers to what it was made from: use it
/// as a parameter only.
class Arg {
public:
  /// The default; None where there is none.
  Arg() = default;
  Arg(std::nullopt_t) : kind(Kind::None) {}
  /// None if null.
  Arg(mlir::Value value)
      : kind(value ? Kind::Value : Kind::None), value(value) {}
  /// Any tree without operands; None if null.
  Arg(mlir::Attribute attr)
      : kind(attr ? Kind::Attr : Kind::None), attr(attr) {}
  /// A dtype; None if null.
  Arg(mlir::Type dtype);
  Arg(std::same_as<bool> auto value) : kind(Kind::Bool), integer(value) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Arg(T value) : kind(Kind::Int), integer(value) {}
  Arg(std::floating_point auto value) : kind(Kind::Float), real(value) {}
  Arg(llvm::StringRef text) : kind(Kind::String), text(text) {}
  Arg(const char *text) : kind(Kind::String), text(text) {}
  /// An argument of another node, as it is.
  Arg(const Argument &argument)
      : kind(Kind::Tree), attr(argument.tree), operands(argument.operands) {}

  Arg(llvm::ArrayRef<int64_t> list) : kind(Kind::Ints), ints(list) {}
  Arg(const llvm::SmallVectorImpl<int64_t> &list)
      : Arg(llvm::ArrayRef<int64_t>(list)) {}
  Arg(mlir::ValueRange list) : kind(Kind::Values), operands(list) {}
  Arg(llvm::ArrayRef<mlir::Value> list) : Arg(mlir::ValueRange(list)) {}
  Arg(const llvm::SmallVectorImpl<mlir::Value> &list)
      : Arg(mlir::ValueRange(list)) {}
  Arg(mlir::ResultRange list) : Arg(mlir::ValueRange(list)) {}
  /// A mixed list: `{size, -1}`.
  Arg(llvm::ArrayRef<Arg> list)
      : kind(Kind::List), list(list.data()), length(list.size()) {}
  Arg(const llvm::SmallVectorImpl<Arg> &list)
      : Arg(llvm::ArrayRef<Arg>(list)) {}
  Arg(std::initializer_list<Arg> list)
      : kind(Kind::List), list(list.begin()), length(list.size()) {}

  bool isDefault() const { return kind == Kind::Default; }
  /// The tree; values are appended to `values`. Numbers take the Python type
  /// that the schema wants: the int 1 for a float is 1.0.
  mlir::Attribute getTree(mlir::MLIRContext *context, SchemaKind schemaKind,
                          llvm::SmallVectorImpl<mlir::Value> &values) const;

private:
  enum class Kind : uint8_t {
    Default,
    None,
    Value,
    Attr,
    Bool,
    Int,
    Float,
    String,
    Tree,
    Ints,
    Values,
    List
  };
  Kind kind = Kind::Default;
  mlir::Value value;
  mlir::Attribute attr;
  int64_t integer = 0;
  double real = 0;
  llvm::StringRef text;
  llvm::ArrayRef<int64_t> ints;
  mlir::ValueRange operands;
  const Arg *list = nullptr;
  size_t length = 0;
};

/// Makes the call of the operator at `index` of the table, in normal form:
/// arguments in schema order, by position up to the first that is left out,
/// defaults left out.
CallFunctionOp createCall(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::TypeRange types, unsigned index,
                          llvm::ArrayRef<Arg> args);

/// The same, with the result types that the operator's shape rule gives. Emits
/// an error and returns null if it has none or the arguments do not fit.
CallFunctionOp createInferredCall(mlir::OpBuilder &builder, mlir::Location loc,
                                  unsigned index, llvm::ArrayRef<Arg> args);

//===----------------------------------------------------------------------===//
// Base of the generated classes
//===----------------------------------------------------------------------===//

template <class Derived>
class ViewBase : public OperatorView {
public:
  ViewBase() = default;
  ViewBase(std::nullptr_t) {}
  explicit ViewBase(mlir::Operation *op)
      : OperatorView(llvm::cast_if_present<NodeOpInterface>(op),
                     getAllOperators()[Derived::index]) {}

  /// `view` must be of the same operator.
  explicit ViewBase(const OperatorView &view) : OperatorView(view) {}

  static bool classof(mlir::Operation *op) {
    auto node = llvm::dyn_cast<NodeOpInterface>(op);
    return node && node.getTargetName() == Derived::target;
  }
};

} // namespace fx

#endif // FX_OPERATORS_VIEW_H
