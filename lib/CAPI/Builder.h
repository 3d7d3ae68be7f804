//===- Builder.h - what the handle of a builder holds -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CAPI_BUILDER_H
#define FX_LIB_CAPI_BUILDER_H

#include "Handles.h"
#include "fx-c/Builder.h"
#include "fx/IR/FXDialect.h"

#include "llvm/ADT/StringMap.h"

namespace fx::capi {

/// A pushed item. Its attribute is created together with the node.
struct BuilderItem {
  enum Kind {
    Value,
    Int,
    Float,
    Bool,
    None,
    String,
    Attr,
    List,
    Dict,
    Key,
    End,
    Keyword
  } kind;
  int64_t integer = 0;
  double real = 0;
  std::string text = {};
};

struct BuilderFrame {
  std::string file, function;
  unsigned line;
};

/// The arguments of a node.
struct NodeArguments {
  llvm::SmallVector<mlir::Attribute> trees, keywords;
  llvm::SmallVector<mlir::Value> operands;
  /// Discardable attributes of the node.
  llvm::SmallVector<mlir::NamedAttribute> extra;
};

} // namespace fx::capi

struct FXBuilder {
  explicit FXBuilder(std::shared_ptr<fx::capi::ContextState> shared)
      : state(std::move(shared)), b(state->context) {
    reset();
  }
  void reset() {
    module = mlir::ModuleOp::create(b.getUnknownLoc());
    graph = nullptr;
    values.clear();
    clearNode();
  }
  void clearNode() {
    items.clear();
    frames.clear();
    metadata.clear();
    attributes.clear();
  }

  /// Converts the pushed items and attributes to the arguments of a node.
  llvm::Error push(fx::capi::NodeArguments &arguments);
  /// Removes the items of one argument from the front of `rest`. Returns its
  /// tree and appends its operands to `arguments`.
  llvm::Expected<mlir::Attribute>
  getTree(llvm::ArrayRef<fx::capi::BuilderItem> &rest,
          fx::capi::NodeArguments &arguments, int depth);
  llvm::Expected<mlir::Type> getType(llvm::StringRef text);
  mlir::Location getLocation(llvm::StringRef names);
  /// Creates the operation in the graph and stores the numbers of its results
  /// in `results`. The number of a result is its index in `values`.
  llvm::Error create(mlir::OperationState &operation, FXValue *results);

  std::shared_ptr<fx::capi::ContextState> state;
  mlir::OpBuilder b;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  fx::GraphOp graph;
  std::vector<mlir::Value> values;
  std::vector<fx::capi::BuilderItem> items;
  std::vector<fx::capi::BuilderFrame> frames;
  std::vector<std::pair<std::string, std::string>> metadata, attributes;
  llvm::StringMap<mlir::Type> types;
};

namespace fx::capi {

/// Runs `fn` under the protection of the builder's context. `function` is the
/// name of the C function that calls it, for errors.
int build(FXBuilder *builder, FXError **error, const char *function,
          llvm::function_ref<llvm::Error()> fn);

} // namespace fx::capi

#endif // FX_LIB_CAPI_BUILDER_H
