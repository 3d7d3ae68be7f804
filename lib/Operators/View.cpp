//===- View.cpp - typed views of nodes ------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Hooks.h"
#include "fx/Operators/TorchVersions.h"

#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace fx;

unsigned fx::detail::getHookIndex(StringRef target) {
  const OperatorSchema *schema = lookupOperator(target);
  if (!schema)
    llvm::report_fatal_error("a hook is registered for the unknown operator " +
                             target);
  return schema - getAllOperators().data();
}

void fx::detail::reportSecondHook(StringRef target) {
  llvm::report_fatal_error("two hooks of one kind are registered for " +
                           target);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

OperatorView::OperatorView(NodeOpInterface node, const OperatorSchema &schema)
    : node(node), schema(&schema) {
  given.resize(schema.numArguments);
  if (!node)
    return;
  SmallVector<Argument> arguments = getArguments(node);
  ArrayAttr names = node.getKwnames();
  size_t numNames = names ? names.size() : 0;
  if (numNames > arguments.size())
    return;
  size_t numPositional = arguments.size() - numNames;
  for (size_t i = 0; i < numPositional && i < given.size(); ++i)
    given[i] = arguments[i];
  for (size_t i = 0; i < numNames; ++i) {
    auto name = dyn_cast<StringAttr>(names[i]);
    int position = name ? schema.findArgument(name.getValue()) : -1;
    if (name && position < 0)
      position = findRenamedArgument(schema, name.getValue());
    if (position >= 0)
      given[position] = arguments[numPositional + i];
  }
}

Argument OperatorView::getArg(unsigned position) const {
  if (position >= given.size())
    return {};
  if (given[position] || !node)
    return given[position];
  return {getDefault(schema->getArguments()[position], getContext())};
}

Argument OperatorView::findArg(StringRef name) const {
  int position = schema->findArgument(name);
  return position < 0 ? Argument() : getArg(position);
}

Value OperatorView::getResult(unsigned position) const {
  ArrayAttr outs = NodeOpInterface(node).getOutsAttr();
  if (!outs)
    return position < node->getNumResults() ? node->getResult(position)
                                            : Value();
  if (position >= outs.size() || !isa<OperandAttr>(outs[position]))
    return {};
  unsigned index = 0;
  for (unsigned i = 0; i < position; ++i)
    index += countOperands(outs[i]);
  return index < node->getNumResults() ? node->getResult(index) : Value();
}

OperatorView fx::getOperatorView(Operation *op) {
  auto node = dyn_cast_if_present<NodeOpInterface>(op);
  const OperatorSchema *schema =
      node ? lookupOperator(node.getTargetName()) : nullptr;
  return schema ? OperatorView(node, *schema) : OperatorView();
}

const OperatorSchema *fx::lookupOperatorOf(Operation *op, StringRef target) {
  const OperatorSchema *builtIn = lookupOperator(target);
  if (!hasOtherSchema(target))
    return builtIn;
  StringAttr version;
  for (Operation *at = op; at && !version; at = at->getParentOp())
    version = at->getAttrOfType<StringAttr>("fx.torch_version");
  return lookupOperator(target, version ? version : getSchemaVersion());
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

/// Removes the escaping backslashes from a string of schema text.
static std::string unescape(StringRef text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size())
      ++i;
    result += text[i];
  }
  return result;
}

static Attribute parseDefault(StringRef text, const ArgumentSchema &argument,
                              Builder &b) {
  text = text.trim();
  if (text == "None")
    return NoneAttr::get(b.getContext());
  if (text.consume_front("[") && text.consume_back("]")) {
    SmallVector<Attribute> elements;
    while (!text.trim().empty()) {
      auto [head, tail] = text.split(',');
      elements.push_back(parseDefault(head, argument, b));
      text = tail;
    }
    return b.getArrayAttr(elements);
  }
  if (text == "True" || text == "False")
    return b.getBoolAttr(text == "True");
  if (text.consume_front("\"") && text.consume_back("\""))
    return b.getStringAttr(unescape(text));
  int64_t integer;
  double real;
  bool wantsFloat = argument.kind == SchemaKind::Float;
  if (!text.getAsInteger(10, integer) && !wantsFloat)
    return b.getI64IntegerAttr(integer);
  if (!text.getAsDouble(real))
    return b.getF64FloatAttr(real);
  return b.getStringAttr(text);
}

Attribute fx::getDefault(const ArgumentSchema &argument, MLIRContext *context) {
  Builder b(context);
  std::optional<StringRef> text = argument.getDefaultText();
  if (!text)
    return argument.isOptional() ? NoneAttr::get(context) : Attribute();
  Attribute value = parseDefault(*text, argument, b);
  // `int[2] padding=0` means [0, 0].
  if (argument.listSize && !isa<ArrayAttr, NoneAttr>(value))
    return b.getArrayAttr(SmallVector<Attribute>(argument.listSize, value));
  return value;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

ArgumentRef::ArgumentRef(Type dtype)
    : kind(dtype ? Kind::Attr : Kind::None),
      attr(dtype ? TypeAttr::get(dtype) : Attribute()) {}

Attribute ArgumentRef::getTree(MLIRContext *context, SchemaKind schemaKind,
                               SmallVectorImpl<Value> &values) const {
  Builder b(context);
  bool wantsFloat = schemaKind == SchemaKind::Float;
  switch (kind) {
  case Kind::Default:
  case Kind::None:
    return NoneAttr::get(context);
  case Kind::Value:
    values.push_back(value);
    return OperandAttr::get(context);
  case Kind::Attr:
    return attr;
  case Kind::Bool:
    return b.getBoolAttr(integer);
  case Kind::Int:
    return wantsFloat ? Attribute(b.getF64FloatAttr(integer))
                      : b.getI64IntegerAttr(integer);
  case Kind::Float:
    return b.getF64FloatAttr(real);
  case Kind::String:
    return b.getStringAttr(text);
  case Kind::Tree:
    llvm::append_range(values, operands);
    return attr ? attr : NoneAttr::get(context);
  case Kind::Ints:
    return b.getI64ArrayAttr(ints);
  case Kind::Values: {
    SmallVector<Attribute> leaves;
    for (Value element : operands) {
      if (element)
        values.push_back(element);
      leaves.push_back(element ? Attribute(OperandAttr::get(context))
                               : NoneAttr::get(context));
    }
    return b.getArrayAttr(leaves);
  }
  case Kind::List: {
    SmallVector<Attribute> elements;
    for (const ArgumentRef &element : ArrayRef<ArgumentRef>(list, length))
      elements.push_back(element.getTree(context, schemaKind, values));
    return b.getArrayAttr(elements);
  }
  }
  llvm_unreachable("covered switch");
}

CallFunctionOp fx::createCall(OpBuilder &builder, Location loc, TypeRange types,
                              unsigned index, ArrayRef<ArgumentRef> args) {
  const OperatorSchema &schema = getAllOperators()[index];
  assert(args.size() == schema.numArguments &&
         "one ArgumentRef for each argument of the schema");
  MLIRContext *context = builder.getContext();
  SmallVector<Attribute> trees, names;
  SmallVector<Value> values;
  bool byName = false;
  for (auto [arg, argument] : llvm::zip_equal(args, schema.getArguments())) {
    Attribute ifAbsent =
        argument.hasDefault() ? getDefault(argument, context) : Attribute();
    if (arg.isDefault() && ifAbsent) {
      byName = true;
      continue;
    }
    size_t numValues = values.size();
    Attribute tree = arg.getTree(context, argument.kind, values);
    if (tree == ifAbsent && values.size() == numValues) {
      byName = true;
      continue;
    }
    byName |= argument.isKwargOnly();
    trees.push_back(tree);
    if (byName)
      names.push_back(builder.getStringAttr(argument.getName()));
  }
  // A `Tensor[]` result is one entry of `outs` that holds all results.
  ArrayAttr outs;
  if (schema.numResults == 1 && schema.getResults().front().isList()) {
    SmallVector<Attribute> leaves(types.size(), OperandAttr::get(context));
    outs = builder.getArrayAttr(builder.getArrayAttr(leaves));
  }
  return CallFunctionOp::create(
      builder, loc, types, builder.getStringAttr(schema.getName()), values,
      builder.getArrayAttr(trees), builder.getArrayAttr(names), outs);
}
