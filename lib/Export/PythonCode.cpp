//===- PythonCode.cpp - Python source as torch.fx generates it ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FXGraph.h"
#include "GraphWriter.h"
#include "Namespace.h"
#include "PythonLeaf.h"
#include "fx/Export/Text.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>

using namespace mlir;
using namespace fx;

/// Returns the format of the expression for a function of Python's operator
/// module, such as `{} + {}`; empty if there is no such expression.
static StringRef getFormat(StringRef function) {
  return llvm::StringSwitch<StringRef>(function)
      .Case("add", "{} + {}")
      .Case("sub", "{} - {}")
      .Case("mul", "{} * {}")
      .Case("floordiv", "{} // {}")
      .Case("truediv", "{} / {}")
      .Case("mod", "{} % {}")
      .Case("pow", "{} ** {}")
      .Case("lshift", "{} << {}")
      .Case("rshift", "{} >> {}")
      .Case("and_", "{} & {}")
      .Case("or_", "{} | {}")
      .Case("xor", "{} ^ {}")
      .Case("getitem", "{}[{}]")
      .Case("matmul", "{} @ {}")
      .Case("eq", "{} == {}")
      .Case("ne", "{} != {}")
      .Case("lt", "{} < {}")
      .Case("gt", "{} > {}")
      .Case("le", "{} <= {}")
      .Case("ge", "{} >= {}")
      .Case("pos", "+{}")
      .Case("neg", "-{}")
      .Case("invert", "~{}")
      .Default("");
}

namespace {
/// The functions to which the source gives a global name, by these names.
using Globals = std::map<std::string, std::string>;

/// Prints the `forward` of one graph. As in torch.fx, each function outside of
/// torch has a global name: `math_trunc` for `math.trunc`. The names of nodes
/// are also those of torch.fx's code. They hide no builtins and no globals: the
/// node of the argument `input` is `input_1`.
class ForwardPrinter {
public:
  ForwardPrinter(raw_ostream &os, FXGraph &graph, Globals &globals)
      : os(os), graph(graph) {
    for (FXNode &node : graph.getNodes()) {
      if (node.kind == FXNode::CallFunction)
        nameFunction(node.target, globals);
      if (node.kind != FXNode::Output)
        node.name = names.create(node.name);
    }
    // The code sets a value to None after its last use, to free its memory.
    const auto &nodes = graph.getNodes();
    std::vector<bool> seen(nodes.size());
    lastUses.resize(nodes.size());
    for (size_t i = nodes.size(); i-- > 0;)
      for (unsigned input : nodes[i].inputs)
        if (!seen[input]) {
          seen[input] = true;
          lastUses[i].push_back(input);
        }
  }

  void print() {
    os << "    def forward(self";
    for (const FXNode &node : graph.getNodes())
      if (node.kind == FXNode::Placeholder) {
        os << ", " << node.target;
        if (!node.args.empty())
          os << " = " << repr(node.args.front());
      }
    os << "):\n";
    for (auto [i, node] : llvm::enumerate(graph.getNodes()))
      print(i, node);
  }

private:
  /// Gives `function` a global name, unless it is a function of torch or is
  /// printed as an expression.
  void nameFunction(const std::string &function, Globals &globals) {
    StringRef target = function;
    if (target.starts_with("torch.") ||
        (target.consume_front("_operator.") && !getFormat(target).empty()) ||
        functions.contains(function))
      return;
    std::string name = function;
    if (target.contains('.'))
      do
        name = names.create(function);
      while (!globals.try_emplace(name, function).second &&
             globals[name] != function);
    functions[function] = name;
  }

  std::string repr(const FXArgument &argument) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    printRepr(stream, argument, graph, LeafStyle::Code);
    return text;
  }

  std::string arguments(const FXNode &node, size_t from = 0) {
    SmallVector<std::string> list;
    for (const FXArgument &argument : ArrayRef(node.args).drop_front(from))
      list.push_back(repr(argument));
    for (auto &[name, argument] : node.kwargs)
      list.push_back(name + " = " + repr(argument));
    return llvm::join(list, ", ");
  }

  /// Returns `base.step.step`, with getattr for steps that are not identifiers.
  static std::string getMember(std::string base, StringRef path) {
    for (StringRef step : llvm::split(path, '.')) {
      bool isIdentifier = !step.empty() && !llvm::isDigit(step.front()) &&
                          llvm::all_of(step, [](char c) {
                            return llvm::isAlnum(c) || c == '_';
                          });
      base = isIdentifier ? base + "." + step.str()
                          : "getattr(" + base + ", \"" + step.str() + "\")";
    }
    return base;
  }

  std::string getCall(const FXNode &node) {
    StringRef target = node.target;
    if (target.consume_front("_operator."))
      if (StringRef format = getFormat(target); !format.empty()) {
        std::string text;
        for (const FXArgument &argument : node.args) {
          auto [before, after] = format.split("{}");
          text += before.str() + repr(argument);
          format = after;
        }
        return text + format.str();
      }
    auto global = functions.find(node.target);
    std::string callee =
        global == functions.end() ? node.target : global->second;
    return callee + "(" + arguments(node) + ")";
  }

  void print(size_t index, const FXNode &node) {
    std::string value;
    switch (node.kind) {
    case FXNode::Placeholder:
      if (node.name != node.target)
        os << "        " << node.name << " = " << node.target << '\n';
      return;
    case FXNode::Output:
      os << "        return " << repr(node.args.front()) << '\n';
      return;
    case FXNode::GetAttr:
      value = getMember("self", node.target);
      break;
    case FXNode::CallMethod:
      value = (node.args.empty() ? std::string("self")
                                 : getMember(repr(node.args[0]), node.target)) +
              "(" + arguments(node, 1) + ")";
      break;
    case FXNode::CallModule:
      value = getMember("self", node.target) + "(" + arguments(node) + ")";
      break;
    case FXNode::CallFunction:
      value = getCall(node);
      break;
    }
    os << "        " << node.name << " = " << value;
    SmallVector<unsigned> done(lastUses[index].begin(), lastUses[index].end());
    if (node.numUsers == 0)
      done.push_back(index);
    if (!done.empty()) {
      os << ";  ";
      for (unsigned i : done)
        os << graph.getNodes()[i].name << " = ";
      os << "None";
    }
    os << '\n';
  }

  raw_ostream &os;
  const FXGraph &graph;
  Namespace names;
  llvm::StringMap<std::string> functions;
  std::vector<SmallVector<unsigned, 2>> lastUses;
};

/// Prints one class for each graph, sub-graphs before those that use them.
class ModulePrinter {
public:
  explicit ModulePrinter(const SymbolTable &symbols) : symbols(symbols) {}

  /// Prints the class of a graph, unless it has been printed, and returns its
  /// name. Fails after an error.
  FailureOr<std::string> print(GraphOp graph, StringRef wanted) {
    auto known = classes.find(graph);
    if (known != classes.end())
      return known->second;
    FXGraph nodes(graph, symbols);
    if (failed(checkPython(nodes)))
      return failure();
    SmallVector<std::pair<std::string, std::string>> members;
    for (const FXGraph::Subgraph &subgraph : nodes.getSubgraphs()) {
      FailureOr<std::string> type =
          print(subgraph.graph, (wanted + "_" + subgraph.name).str());
      if (failed(type))
        return failure();
      members.emplace_back(subgraph.name, *type);
    }
    std::string name = names.create(wanted);
    os << "\n\nclass " << name << "(torch.nn.Module):\n";
    if (!members.empty()) {
      os << "    def __init__(self):\n        super().__init__()\n";
      for (auto &[member, type] : members)
        os << "        self." << member << " = " << type << "()\n";
      os << '\n';
    }
    ForwardPrinter(os, nodes, globals).print();
    classes[graph] = name;
    return name;
  }

  void finish(raw_ostream &out) {
    SetVector<StringRef> modules;
    for (auto &[global, function] : globals)
      modules.insert(StringRef(function).rsplit('.').first);
    for (StringRef module : modules)
      if (!module.empty())
        out << "import " << module << '\n';
    out << "import torch\nfrom math import inf, nan\nfrom torch import "
           "device\n";
    if (!globals.empty())
      out << '\n';
    for (auto &[global, function] : globals)
      out << global << " = " << function << '\n';
    out << text;
  }

private:
  const SymbolTable &symbols;
  std::string text;
  llvm::raw_string_ostream os{text};
  Namespace names;
  llvm::DenseMap<GraphOp, std::string> classes;
  Globals globals;
};
} // namespace

LogicalResult fx::printPython(ModuleOp module, raw_ostream &os) {
  SymbolTable symbols(module);
  GraphOp graph = findGraph(module, symbols, "");
  if (!graph)
    return failure();
  ModulePrinter printer(symbols);
  if (failed(printer.print(graph, "GraphModule")))
    return failure();
  printer.finish(os);
  os << "\n\n#: The state that feeds an argument of GraphModule.forward.\n"
        "STATES = {\n";
  for (PlaceholderOp op : graph.getPlaceholders())
    if (FlatSymbolRefAttr target = op.getTargetAttr()) {
      auto state = symbols.lookup<StateOp>(target.getValue());
      os << "    ";
      printPythonString(os, op.getName());
      os << ": ";
      printPythonString(os, state ? ProgramContext::getName(state)
                                  : target.getValue());
      os << ",\n";
    }
  os << "}\n";
  return success();
}
