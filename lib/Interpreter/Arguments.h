//===- Arguments.h - argument trees to IValues ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments of a node in the interpreter and the run-time fallback, and
// their conversion to the types of an operator's schema. All functions of this
// library report errors by throwing std::runtime_error; the boundaries
// (Interpreter.cpp, Fallback.cpp) catch them.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_ARGUMENTS_H
#define FX_LIB_INTERPRETER_ARGUMENTS_H

#include "Operators.h"
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>
#include <string>
#include <vector>

namespace fx::interp {

struct GraphPlan;

/// The plan of an argument: a tree whose leaves are run-time values and
/// immediates. The comments name the fields that each kind uses.
struct ArgumentPlan {
  enum class Kind {
    Value, // index: position among the node's values
    Graph, // graph: a subgraph
    None,
    Bool,         // index
    Int,          // index
    Float,        // real
    Complex,      // real, imag
    String,       // text
    DType,        // index: PyTorch's enumerator
    Layout,       // index: PyTorch's enumerator
    MemoryFormat, // index: PyTorch's enumerator
    Device,       // text, index (-1: none)
    Operator,     // text: the target
    Object,       // object: of a custom class
    List,         // items
    Dict          // keys, items
  };
  Kind kind = Kind::None;
  int64_t index = 0;
  double real = 0, imag = 0;
  std::string text;
  const GraphPlan *graph = nullptr;
  c10::IValue object;
  std::vector<ArgumentPlan> items; // List, Dict
  std::vector<std::string> keys;   // Dict

  bool isNone() const { return kind == Kind::None; }
  /// Returns true if a leaf is a run-time value.
  bool hasValue() const;
};

/// The arguments of a call. The last `kwnames.size()` of `args` are keyword
/// arguments, the others are positional.
struct CallArguments {
  std::vector<ArgumentPlan> args;
  std::vector<std::string> kwnames;

  size_t numPositional() const { return args.size() - kwnames.size(); }
  /// Returns the keyword argument `name`, or null if it is absent.
  const ArgumentPlan *getKeyword(const std::string &name) const;
};

/// Returns PyTorch's scalar type of a dtype name ("float32"). Throws on unknown
/// names.
c10::ScalarType parseDTypeName(const std::string &name);
/// Returns PyTorch's layout of a name such as "strided". Throws on unknown
/// names, including names with the prefix "torch.".
c10::Layout parseLayoutName(const std::string &name);
c10::MemoryFormat parseMemoryFormatName(const std::string &name);

/// Converts an argument to an IValue according to its kind, without a schema.
c10::IValue toIValue(const ArgumentPlan &tree, const Values &values);
/// Converts an argument to `type`. `listSize` is N of `int[N]`, for which a
/// single int is repeated N times.
c10::IValue toIValue(const ArgumentPlan &tree, const Values &values,
                     const c10::Type &type,
                     std::optional<int32_t> listSize = std::nullopt);

/// A call of an operator with its arguments in the order of the schema.
class BoundCall {
public:
  BoundCall() = default;
  /// Throws if the arguments do not fit the schema. Keeps references to `op`
  /// and `args`.
  BoundCall(const Operator &op, const CallArguments &args);

  /// Runs the operator. Pushes its results to `stack`, one for each return of
  /// the schema.
  void operator()(const Values &values, torch::jit::Stack &stack) const;
  const Operator &getOperator() const { return *op; }

private:
  struct Slot {
    const ArgumentPlan *tree = nullptr; // null: `constant`
    const c10::Argument *argument = nullptr;
    c10::IValue constant;
  };
  const Operator *op = nullptr;
  std::vector<Slot> slots;
};

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_ARGUMENTS_H
