//===- View.h - typed views of nodes ----------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view reads the argument tree of a node by the argument names of its
// operator's schema:
//
//   if (auto add = dyn_cast<aten::AddTensor>(op)) {
//     Value self = add.self();             // null if it is no value
//     if (add.alpha().getInt() != 1) ...   // 1 is the default of the schema
//   }
//   auto sum = aten::AddTensor::create(b, loc, type, x, y);
//   auto cat = aten::Cat::createInferred(b, loc, {x, y}, /*dim=*/1);
//
// The classes are generated from the schemas, with one header for each operator
// name: `fx/Operators/aten/add.h` holds AddTensor, AddScalar, …. The names of
// classes are derived from targets:
//
//   aten.relu.default       aten::Relu
//   aten._softmax.default   aten::UnderSoftmax
//   aten.__and__.Tensor     aten::DunderAndTensor
//   aten.add_.Tensor        aten::Add_Tensor
//   _operator.mul           _operator::Mul
//   torch.sym_max           _torch::SymMax
//
// A tensor argument `x` has two accessors: `x()` returns the value, and
// `xArg()` returns the argument, which can also be None or a number.
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

/// A node whose arguments are resolved against a schema. A node that does not
/// fit the schema also has a view: a missing argument has no tree.
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

  /// Returns the argument at a position of the schema, or its default if it was
  /// not given.
  Argument getArg(unsigned position) const;
  /// Returns the argument `name`; without a tree if the schema does not have
  /// it.
  Argument getArg(ArgName name) const { return findArg(name); }
  /// As `getArg`, for a name that is not a literal.
  Argument findArg(llvm::StringRef name) const;
  /// Returns true if the operator's schema has an argument `name`.
  bool declares(ArgName name) const { return schema->findArgument(name) >= 0; }
  /// Returns false if the argument was not given.
  bool isGiven(unsigned position) const {
    return static_cast<bool>(given[position]);
  }
  unsigned getNumArgs() const { return given.size(); }

  /// Returns the value of the schema's result at `position`; null if it is a
  /// list or None.
  mlir::Value getResult(unsigned position = 0) const;
  mlir::ResultRange getResults() const { return getOperation()->getResults(); }

private:
  NodeOpInterface node;
  const OperatorSchema *schema = nullptr;
  llvm::SmallVector<Argument, 6> given;
};

/// Returns a view of `op` by the schema of its target; null if `op` is no node
/// or the operator is unknown.
OperatorView getOperatorView(mlir::Operation *op);

/// Returns the default of an argument as a tree; null if it has no default.
mlir::Attribute getDefault(const ArgumentSchema &argument,
                           mlir::MLIRContext *context);

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// An argument of a call to build: a value, an immediate, a list of these, or
/// nothing for the default. Does not own the data that it is constructed from;
/// use it as a function parameter only.
class ArgumentRef {
public:
  /// The default of the schema; None if there is none.
  ArgumentRef() = default;
  ArgumentRef(std::nullopt_t) : kind(Kind::None) {}
  /// None if null.
  ArgumentRef(mlir::Value value)
      : kind(value ? Kind::Value : Kind::None), value(value) {}
  /// Any tree without operands; None if null.
  ArgumentRef(mlir::Attribute attr)
      : kind(attr ? Kind::Attr : Kind::None), attr(attr) {}
  /// A dtype; None if null.
  ArgumentRef(mlir::Type dtype);
  ArgumentRef(std::same_as<bool> auto value)
      : kind(Kind::Bool), integer(value) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  ArgumentRef(T value) : kind(Kind::Int), integer(value) {}
  ArgumentRef(std::floating_point auto value)
      : kind(Kind::Float), real(value) {}
  ArgumentRef(llvm::StringRef text) : kind(Kind::String), text(text) {}
  ArgumentRef(const char *text) : kind(Kind::String), text(text) {}
  /// An argument of another node.
  ArgumentRef(const Argument &argument)
      : kind(Kind::Tree), attr(argument.tree), operands(argument.operands) {}

  ArgumentRef(llvm::ArrayRef<int64_t> list) : kind(Kind::Ints), ints(list) {}
  ArgumentRef(const llvm::SmallVectorImpl<int64_t> &list)
      : ArgumentRef(llvm::ArrayRef<int64_t>(list)) {}
  ArgumentRef(mlir::ValueRange list) : kind(Kind::Values), operands(list) {}
  ArgumentRef(llvm::ArrayRef<mlir::Value> list)
      : ArgumentRef(mlir::ValueRange(list)) {}
  ArgumentRef(const llvm::SmallVectorImpl<mlir::Value> &list)
      : ArgumentRef(mlir::ValueRange(list)) {}
  ArgumentRef(mlir::ResultRange list) : ArgumentRef(mlir::ValueRange(list)) {}
  /// A mixed list: `{size, -1}`.
  ArgumentRef(llvm::ArrayRef<ArgumentRef> list)
      : kind(Kind::List), list(list.data()), length(list.size()) {}
  ArgumentRef(const llvm::SmallVectorImpl<ArgumentRef> &list)
      : ArgumentRef(llvm::ArrayRef<ArgumentRef>(list)) {}
  ArgumentRef(std::initializer_list<ArgumentRef> list)
      : kind(Kind::List), list(list.begin()), length(list.size()) {}

  bool isDefault() const { return kind == Kind::Default; }
  /// Returns the tree and appends its values to `values`. Converts numbers to
  /// the Python type of the schema: an int 1 becomes 1.0 for a float.
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
  const ArgumentRef *list = nullptr;
  size_t length = 0;
};

/// Creates a call of the operator at `index` of `getAllOperators()`. The call
/// is in canonical form: arguments are in schema order, those with their
/// default value are left out, and those in front of the first of these are
/// positional.
CallFunctionOp createCall(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::TypeRange types, unsigned index,
                          llvm::ArrayRef<ArgumentRef> args);

/// As `createCall`, with the result types that the operator's shape rule
/// infers. Emits an error and returns null if the operator has no shape rule or
/// the arguments do not fit.
CallFunctionOp createInferredCall(mlir::OpBuilder &builder, mlir::Location loc,
                                  unsigned index,
                                  llvm::ArrayRef<ArgumentRef> args);

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
