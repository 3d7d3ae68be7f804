//===- Arguments.h - argument trees to IValues ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node's arguments, as the interpreter and the run-time fallback both see
// them, and their conversion to what an operator's schema asks for. Everything
// in this library reports failure by throwing std::runtime_error; the
// boundaries (Interpreter.cpp, Fallback.cpp) catch.
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

/// A tree of arguments. Leaves are values of the run or immediates.
struct ArgTree {
  enum class Kind {
    Value, // index: which of the node's values
    Graph, // graph: a sub-graph
    None,
    Bool,
    Int,
    Float,
    Complex,
    String, // index, real, imag, text
    DType,
    Layout,
    MemoryFormat, // index: torch's enumerator
    Device,       // text, index (-1: none)
    Operator,     // text: the target
    Object,       // object: of a custom class
    List,
    Dict
  };
  Kind kind = Kind::None;
  int64_t index = 0;
  double real = 0, imag = 0;
  std::string text;
  const GraphPlan *graph = nullptr;
  c10::IValue object;
  std::vector<ArgTree> items;    // List, Dict
  std::vector<std::string> keys; // Dict

  bool isNone() const { return kind == Kind::None; }
  /// True where a leaf is a value of the run.
  bool hasValue() const;
};

/// The positional arguments and, as the last `kwnames.size()` of `args`, the
/// keyword arguments of a node.
struct ArgList {
  std::vector<ArgTree> args;
  std::vector<std::string> kwnames;

  size_t numPositional() const { return args.size() - kwnames.size(); }
  /// The keyword argument `name`, or null.
  const ArgTree *getKeyword(const std::string &name) const;
};

using Values = std::vector<c10::IValue>;

/// torch's scalar type of a dtype name ("float32"); throws on others.
c10::ScalarType parseDTypeName(const std::string &name);
/// torch's layout of "strided", "torch.strided" is not accepted.
c10::Layout parseLayoutName(const std::string &name);
c10::MemoryFormat parseMemoryFormatName(const std::string &name);

/// The argument as an IValue of its own kind, without a schema.
c10::IValue toIValue(const ArgTree &tree, const Values &values);
/// The argument as `type` asks. `listSize` is N of `int[N]`, where one int
/// stands for N of them.
c10::IValue toIValue(const ArgTree &tree, const Values &values,
                     const c10::Type &type,
                     std::optional<int32_t> listSize = std::nullopt);

/// A call of an operator with its arguments put in the schema's order.
class BoundCall {
public:
  BoundCall() = default;
  /// Throws where the arguments do not fit the schema.
  BoundCall(const Operator &op, const ArgList &args);

  /// The results, one for each return of the schema.
  void operator()(const Values &values, torch::jit::Stack &stack) const;
  const Operator &getOperator() const { return *op; }

private:
  struct Slot {
    const ArgTree *tree = nullptr; // null: `constant`
    const c10::Argument *argument = nullptr;
    c10::IValue constant;
  };
  const Operator *op = nullptr;
  std::vector<Slot> slots;
};

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_ARGUMENTS_H
