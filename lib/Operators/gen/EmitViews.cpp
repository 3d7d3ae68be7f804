//===- EmitViews.cpp - writes the typed views -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <set>

using namespace fx;
using namespace fx::gen;
using llvm::StringRef;

/// Converts `name` to camel case: `native_layer_norm` becomes NativeLayerNorm.
/// Keeps names distinct by spelling out the underscores at both ends:
/// `_softmax` becomes UnderSoftmax, `__and__` DunderAnd and `add_` Add_.
static std::string camelCase(StringRef name) {
  std::string result;
  if (name.starts_with("__") && name.ends_with("__") && name.size() > 4) {
    result = "Dunder";
    name = name.drop_front(2).drop_back(2);
  }
  while (name.consume_front("_"))
    result += "Under";
  bool upper = true;
  for (size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    if (c == '_') {
      // Keep an underscore at the end and between digits: `1_1` is not `11`.
      if (i + 1 == name.size() ||
          (i && llvm::isDigit(name[i - 1]) && llvm::isDigit(name[i + 1])))
        result += '_';
      upper = true;
      continue;
    }
    result += upper ? llvm::toUpper(c) : c;
    upper = false;
  }
  return result;
}

static bool hasOverload(const OperatorDeclaration &op) {
  return !op.overload.empty() && op.overload != "default";
}

/// Returns the base name followed by the overload name. If another operator has
/// this class name, puts `Overload` between them: `quantized.add.out` becomes
/// `AddOverloadOut` because `quantized.add_out` is `AddOut`.
static std::string getClassName(const OperatorDeclaration &op,
                                const llvm::StringSet<> &baseNames) {
  std::string name = camelCase(op.base);
  if (!hasOverload(op))
    return name;
  std::string overload = camelCase(op.overload);
  return name +
         (baseNames.contains(op.nameSpace + "." + name + overload) ? "Overload"
                                                                   : "") +
         overload;
}

llvm::StringSet<>
fx::gen::getBaseNames(llvm::ArrayRef<OperatorDeclaration> operators) {
  llvm::StringSet<> names;
  for (const OperatorDeclaration &op : operators)
    names.insert(op.nameSpace + "." + camelCase(op.base));
  return names;
}

std::string fx::gen::getViewNamespace(const OperatorDeclaration &op) {
  // `fx::math` and `fx::torch` would hide mlir::math and ::torch.
  if (op.flags & OperatorSchema::Symbolic && op.nameSpace[0] != '_')
    return "_" + op.nameSpace;
  // A keyword of C++.
  if (op.nameSpace == "export")
    return "_export";
  return op.nameSpace;
}

static std::string getMemberName(StringRef name) {
  static const llvm::StringSet<> keywords = {
      "auto",   "bool",     "break",   "case",     "char",   "class",
      "const",  "continue", "default", "delete",   "do",     "double",
      "else",   "enum",     "false",   "float",    "for",    "if",
      "inline", "int",      "long",    "new",      "not",    "operator",
      "or",     "private",  "public",  "register", "return", "short",
      "signed", "sizeof",   "static",  "struct",   "switch", "template",
      "this",   "true",     "type",    "typename", "union",  "unsigned",
      "using",  "void",     "while",   "create",   "target", "index"};
  return keywords.contains(name) ? (name + "_").str() : name.str();
}

static void emitParameters(const OperatorDeclaration &op,
                           llvm::raw_ostream &os) {
  // Parameters after one with a default argument need default arguments too.
  bool hasDefault = false;
  for (const ArgumentDeclaration &argument : op.arguments) {
    hasDefault |= (argument.flags & ArgumentSchema::HasDefault) != 0;
    os << ", const ::fx::ArgumentRef &" << getMemberName(argument.name)
       << (hasDefault ? " = {}" : "");
  }
}

static void emitCreate(const OperatorDeclaration &op, StringRef name,
                       StringRef types, StringRef call, llvm::raw_ostream &os) {
  os << "  static ::fx::CallFunctionOp " << name
     << "(::mlir::OpBuilder &builder_, ::mlir::Location loc_" << types;
  emitParameters(op, os);
  os << ") {\n";
  if (op.arguments.empty()) {
    os << "    return " << call << ", {});\n  }\n";
    return;
  }
  os << "    const ::fx::ArgumentRef args_[] = {";
  llvm::interleaveComma(op.arguments, os,
                        [&](const ArgumentDeclaration &argument) {
                          os << getMemberName(argument.name);
                        });
  os << "};\n    return " << call << ", args_);\n  }\n";
}

static void emitView(const OperatorDeclaration &op, StringRef name,
                     unsigned index, llvm::raw_ostream &os) {
  os << "/// " << op.text << "\n";
  os << "class " << name << " : public ::fx::ViewBase<" << name
     << "> {\npublic:\n"
     << "  static constexpr ::llvm::StringLiteral target = \"" << op.target
     << "\";\n"
     << "  static constexpr unsigned index = " << index << ";\n"
     << "  using ViewBase::ViewBase;\n";
  llvm::StringSet<> members;
  for (auto [i, argument] : llvm::enumerate(op.arguments)) {
    std::string member = getMemberName(argument.name);
    members.insert(member);
    if (argument.isTensor()) {
      os << "  ::mlir::Value " << member << "() const { return getArg(" << i
         << ").getValue(); }\n";
      member += "Arg";
      members.insert(member);
    }
    os << "  ::fx::Argument " << member << "() const { return getArg(" << i
       << "); }\n";
  }
  for (auto [i, result] : llvm::enumerate(op.results)) {
    if (result.name.empty() ||
        !members.insert(getMemberName(result.name)).second || result.listDepth)
      continue;
    os << "  ::mlir::Value " << getMemberName(result.name)
       << "() const { return getResult(" << i << "); }\n";
  }
  emitCreate(op, "create", ", ::mlir::TypeRange types_",
             "::fx::createCall(builder_, loc_, types_, index", os);
  emitCreate(op, "createInferred", "",
             "::fx::createInferredCall(builder_, loc_, index", os);
  os << "};\n\n";
}

void fx::gen::emitHeader(llvm::ArrayRef<OperatorDeclaration> operators,
                         llvm::ArrayRef<unsigned> indices,
                         const llvm::StringSet<> &baseNames,
                         llvm::raw_ostream &os) {
  const OperatorDeclaration &first = operators[indices.front()];
  std::string nameSpace = getViewNamespace(first);
  std::string guard =
      llvm::StringRef("FX_OPERATORS_" + nameSpace + "_" + first.base).upper() +
      "_H";
  os << "// Typed views of " << first.nameSpace << "." << first.base
     << ", made by fx-schema-gen.\n\n#ifndef " << guard << "\n#define " << guard
     << "\n\n#include \"fx/Operators/View.h\"\n\nnamespace fx::" << nameSpace
     << " {\n\n";
  for (unsigned index : indices)
    emitView(operators[index], getClassName(operators[index], baseNames), index,
             os);
  os << "} // namespace fx::" << nameSpace << "\n\n#endif // " << guard << "\n";
}

void fx::gen::emitArgumentNames(llvm::ArrayRef<OperatorDeclaration> operators,
                                llvm::raw_ostream &os) {
  std::set<StringRef> names;
  for (const OperatorDeclaration &op : operators)
    for (const ArgumentDeclaration &argument : op.arguments)
      names.insert(argument.name);
  for (StringRef name : names)
    os << "\"" << name << "\",\n";
}
