//===- GraphView.cpp - what drawings of a graph show ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphView.h"
#include "GraphNames.h"
#include "PythonLeaf.h"

#include "fx/IR/Metadata.h"
#include "fx/IR/PythonStack.h"
#include "fx/Support/HostTensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

/// Returns true if the JSON text nests too deeply for llvm::json, which parses
/// by recursion.
static bool isTooDeep(StringRef text) {
  constexpr unsigned maxDepth = 64;
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > maxDepth)
        return true;
    } else if ((c == ']' || c == '}') && depth) {
      --depth;
    }
  }
  return false;
}

static llvm::Expected<OperatorMarks> readReport(StringRef path) {
  auto fail = [&](const Twine &message) {
    return llvm::createStringError(path + ": " + message);
  };
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail(buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  if (isTooDeep(text))
    return fail("expected a report, got JSON nested deeper than 64");
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return fail(llvm::toString(value.takeError()));
  const llvm::json::Object *report = value->getAsObject();
  const llvm::json::Array *operators =
      report ? report->getArray("operators") : nullptr;
  OperatorMarks marks;
  // A report of fx-cost has a list of nodes, with estimates of their times.
  if (const llvm::json::Array *nodes =
          report && !operators ? report->getArray("nodes") : nullptr) {
    for (const llvm::json::Value &entry : *nodes) {
      const llvm::json::Object *node = entry.getAsObject();
      std::optional<StringRef> name =
          node ? node->getString("name") : std::nullopt;
      if (!name)
        return fail("expected a 'name' of each of the 'nodes'");
      marks[("main:" + *name).str()].seconds = node->getNumber("seconds");
    }
    return marks;
  }
  if (!operators)
    return fail("expected a report of fx-compile, with a list 'operators', or "
                "one of fx-cost, with a list 'nodes'");
  for (const llvm::json::Value &entry : *operators) {
    const llvm::json::Object *op = entry.getAsObject();
    std::optional<StringRef> node = op ? op->getString("node") : std::nullopt;
    if (!node)
      return fail("expected a 'node' of each of the 'operators'");
    StringRef graph = op->getString("graph").value_or("main");
    OperatorMark &mark = marks[(graph + ":" + *node).str()];
    mark.isNative = op->getBoolean("native").value_or(true);
    mark.reason = op->getString("reason").value_or("").str();
    mark.seconds = op->getNumber("seconds");
    if (const llvm::json::Array *kernels = op->getArray("kernels"))
      for (const llvm::json::Value &kernel : *kernels)
        if (std::optional<StringRef> name = kernel.getAsString())
          mark.kernels.push_back(name->str());
  }
  return marks;
}

FailureOr<MarkedGraph> MarkedGraph::get(ModuleOp module, StringRef report) {
  MarkedGraph result{SymbolTable(module), {}, {}};
  result.graph = findGraph(module, result.symbols, "");
  if (!result.graph)
    return failure();
  if (report.empty())
    return result;
  llvm::Expected<OperatorMarks> read = readReport(report);
  if (!read)
    return emitError(UnknownLoc::get(module.getContext()))
           << llvm::toString(read.takeError());
  result.marks = std::move(*read);
  return result;
}

const OperatorMark *fx::findMark(const OperatorMarks &marks, const FXNode &node,
                                 const FXGraph &graph) {
  if (node.kind != FXNode::CallFunction || node.target == "_operator.getitem")
    return nullptr;
  std::string scope = (graph.getGraph().getSymName() + ":").str();
  auto it = marks.find(scope + node.name);
  // A report names a node with several results by the names of its results.
  if (it == marks.end())
    if (std::optional<StringRef> joined = getNodeName(node.op))
      it = marks.find(scope + joined->str());
  return it == marks.end() ? nullptr : &it->second;
}

//===----------------------------------------------------------------------===//
// Drawings
//===----------------------------------------------------------------------===//

double fx::getLongestTime(const OperatorMarks &marks) {
  double longest = 0;
  for (const auto &entry : marks)
    longest = std::max(longest, entry.second.seconds.value_or(0));
  return longest;
}

/// Returns a color between that of nodes without times, for share 0, and a dark
/// orange, for share 1.
static std::string getHeat(double share) {
  share = std::sqrt(std::clamp(share, 0.0, 1.0));
  auto mix = [&](int from, int to) {
    return int(std::lround(from + share * (to - from)));
  };
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(
      "#%02x%02x%02x", mix(0xdc, 0xf0), mix(0xe9, 0x8c), mix(0xf9, 0x32));
  return text;
}

NodeDrawing fx::drawNode(const FXNode &node, const FXGraph &graph,
                         const OperatorMarks &marks, double longest) {
  NodeDrawing drawing;
  drawing.color = "#dce9f9";
  drawing.lines.push_back(node.name);
  if (node.kind == FXNode::Placeholder) {
    InputKind kind = cast<PlaceholderOp>(node.op).getKind();
    bool isUser =
        kind == InputKind::UserInput || kind == InputKind::ConstantInput;
    drawing.shape = isUser ? NodeDrawing::UserInput : NodeDrawing::State;
    drawing.color = isUser ? "#d5f0d5" : "#eeeeee";
  } else if (node.kind == FXNode::Output) {
    drawing.shape = NodeDrawing::Output;
    drawing.color = "#d5f0d5";
  } else {
    drawing.lines.push_back(node.target);
  }
  if (std::string type = describeType(node); !type.empty())
    drawing.lines.push_back(type);
  if (const OperatorMark *mark = findMark(marks, node, graph)) {
    if (mark->seconds && longest > 0)
      drawing.color = getHeat(*mark->seconds / longest);
    if (!mark->isNative) {
      drawing.color = "#f9d5d5";
      drawing.lines.push_back("fallback: " + mark->reason);
    }
    if (mark->seconds) {
      llvm::raw_string_ostream(drawing.lines.emplace_back())
          << llvm::format("%.3f ms", *mark->seconds * 1000);
    }
  }
  drawing.modulePath = getModulePath(node.op->getLoc());
  return drawing;
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static std::string getDtypeAbbreviation(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() == 1 ? "b8"
                                   : (integer.isUnsigned() ? "u" : "i") +
                                         std::to_string(integer.getWidth());
  if (auto complex = dyn_cast<ComplexType>(type))
    return "c" +
           std::to_string(2 * complex.getElementType().getIntOrFloatBitWidth());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return llvm::StringRef(text).lower();
}

static std::string getText(ExprAttr expr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (expr)
    expr.printInfix(os);
  else
    os << '?';
  return text;
}

std::string fx::describeType(Type type) {
  if (auto tensor = dyn_cast<FakeTensorType>(type)) {
    SmallVector<std::string> sizes;
    for (ExprAttr size : tensor.getSizes())
      sizes.push_back(getText(size));
    return getDtypeAbbreviation(tensor.getDtype()) + "[" +
           llvm::join(sizes, ", ") + "]";
  }
  if (auto symbolic = dyn_cast<SymIntType>(type))
    return "Sym(" + getText(symbolic.getExpr()) + ")";
  if (auto symbolic = dyn_cast<SymFloatType>(type))
    return "Sym(" + getText(symbolic.getExpr()) + ")";
  if (auto symbolic = dyn_cast<SymBoolType>(type))
    return "Sym(" + getText(symbolic.getExpr()) + ")";
  if (auto object = dyn_cast<ObjectType>(type))
    return object.getClassName().str();
  if (isa<AnyType>(type))
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  StringRef name = text;
  name.consume_front("!fx.");
  return name.str();
}

std::string fx::describeType(const FXNode &node) {
  if (node.value)
    return describeType(node.value.getType());
  if (node.kind != FXNode::CallFunction || node.target == "_operator.getitem")
    return "";
  SmallVector<std::string> types;
  for (Value result : node.op->getResults())
    types.push_back(describeType(result.getType()));
  return types.empty() ? "" : "(" + llvm::join(types, ", ") + ")";
}

std::string fx::describeArguments(const FXNode &node, const FXGraph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::ListSeparator separator;
  for (const FXArgument &argument : node.args) {
    os << separator;
    printRepr(os, argument, graph, LeafStyle::Code);
  }
  for (auto &[name, argument] : node.kwargs) {
    os << separator << name << " = ";
    printRepr(os, argument, graph, LeafStyle::Code);
  }
  return text;
}
