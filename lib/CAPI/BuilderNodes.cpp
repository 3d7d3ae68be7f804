//===- BuilderNodes.cpp - nodes through the C interface -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builder.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace fx;
using namespace fx::capi;

//===----------------------------------------------------------------------===//
// Arguments and locations
//===----------------------------------------------------------------------===//

static constexpr int maxDepth = 64;
static constexpr size_t maxFrames = 256;

llvm::Expected<Attribute> FXBuilder::getTree(ArrayRef<BuilderItem> &rest,
                                             NodeArguments &arguments,
                                             int depth) {
  if (rest.empty())
    return llvm::createStringError("expected an argument, got none");
  if (depth > maxDepth)
    return llvm::createStringError("arguments are nested deeper than " +
                                   llvm::Twine(maxDepth));
  MLIRContext *ctx = state->context;
  const BuilderItem &item = rest.consume_front();
  switch (item.kind) {
  case BuilderItem::Value:
    if (item.integer < 0 || item.integer >= int64_t(values.size()))
      return llvm::createStringError(
          "expected a value of this graph, got number " +
          llvm::Twine(item.integer));
    arguments.operands.push_back(values[item.integer]);
    return OperandAttr::get(ctx);
  case BuilderItem::Int:
    return b.getI64IntegerAttr(item.integer);
  case BuilderItem::Float:
    return b.getF64FloatAttr(item.real);
  case BuilderItem::Bool:
    return b.getBoolAttr(item.integer);
  case BuilderItem::None:
    return fx::NoneAttr::get(ctx);
  case BuilderItem::String:
    return b.getStringAttr(item.text);
  case BuilderItem::Attr: {
    // The attribute parser also reads the type of a dtype.
    Attribute attr = parseAttribute(item.text, ctx);
    if (!attr)
      return llvm::createStringError("cannot parse the attribute '" +
                                     item.text + "'");
    return attr;
  }
  case BuilderItem::List:
  case BuilderItem::Dict: {
    SmallVector<Attribute> keys, elements;
    while (!rest.empty() && rest.front().kind != BuilderItem::End) {
      if (item.kind == BuilderItem::Dict) {
        if (rest.front().kind != BuilderItem::Key)
          return llvm::createStringError(
              "expected a key before each value of a dict");
        keys.push_back(b.getStringAttr(rest.consume_front().text));
      }
      llvm::Expected<Attribute> element = getTree(rest, arguments, depth + 1);
      if (!element)
        return element.takeError();
      elements.push_back(*element);
    }
    if (rest.empty())
      return llvm::createStringError("a list or dict has no end");
    rest.consume_front();
    if (item.kind == BuilderItem::Dict)
      return DictAttr::get(ctx, b.getArrayAttr(keys), b.getArrayAttr(elements));
    return b.getArrayAttr(elements);
  }
  case BuilderItem::Key:
  case BuilderItem::End:
  case BuilderItem::Keyword:
    break;
  }
  return llvm::createStringError(
      "expected an argument, got a key, an end or a keyword");
}

llvm::Error FXBuilder::push(NodeArguments &arguments) {
  ArrayRef<BuilderItem> rest = items;
  while (!rest.empty()) {
    if (rest.front().kind == BuilderItem::Keyword)
      arguments.keywords.push_back(b.getStringAttr(rest.consume_front().text));
    else if (!arguments.keywords.empty())
      return llvm::createStringError(
          "a positional argument behind a keyword argument");
    llvm::Expected<Attribute> tree = getTree(rest, arguments, 0);
    if (!tree)
      return tree.takeError();
    arguments.trees.push_back(*tree);
  }
  for (auto &[name, text] : attributes) {
    Attribute value = parseAttribute(text, state->context);
    // Discardable attributes have a dot in their names, the operation's own
    // attributes have none.
    if (!value || !StringRef(name).contains('.'))
      return llvm::createStringError("cannot parse the attribute '" + name +
                                     " = " + text + "' of a node");
    arguments.extra.push_back(b.getNamedAttr(name, value));
  }
  return llvm::Error::success();
}

llvm::Expected<Type> FXBuilder::getType(StringRef text) {
  Type &cached = types[text];
  if (!cached)
    cached = parseType(text, state->context);
  if (!cached)
    return llvm::createStringError("cannot parse the type '" + text + "'");
  return cached;
}

Location FXBuilder::getLocation(StringRef names) {
  MLIRContext *ctx = state->context;
  LocationAttr loc;
  // MLIR walks locations recursively, so bound the depth of the stack. The
  // innermost frames come last.
  ArrayRef<BuilderFrame> innermost = frames;
  if (innermost.size() > maxFrames)
    innermost = innermost.take_back(maxFrames);
  for (const BuilderFrame &frame : innermost) {
    LocationAttr one = FileLineColLoc::get(ctx, frame.file, frame.line, 0);
    if (!frame.function.empty())
      one = NameLoc::get(b.getStringAttr(frame.function), Location(one));
    loc = loc ? LocationAttr(CallSiteLoc::get(Location(one), Location(loc)))
              : one;
  }
  if (!loc)
    loc = UnknownLoc::get(ctx);
  if (!names.empty())
    loc = NameLoc::get(b.getStringAttr(names), Location(loc));
  NamedAttrList entries;
  for (auto &[key, value] : metadata)
    entries.set(key, b.getStringAttr(value));
  if (!entries.empty())
    loc = FusedLoc::get({Location(loc)}, entries.getDictionary(ctx), ctx);
  return loc;
}

llvm::Error FXBuilder::create(OperationState &operation, FXValue *results) {
  if (!graph)
    return llvm::createStringError("a node outside of a graph");
  if (operation.types.size() && !results)
    return llvm::createStringError("expected room for " +
                                   llvm::Twine(operation.types.size()) +
                                   " results, got null");
  Operation *op = b.create(operation);
  for (mlir::Value result : op->getResults()) {
    *results++ = values.size();
    values.push_back(result);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Runs `fn` on the pushed arguments, and clears them even if it fails.
static int buildNode(FXBuilder *builder, FXError **error, const char *function,
                     llvm::function_ref<llvm::Error(NodeArguments &)> fn) {
  int failed = build(builder, error, function, [&]() -> llvm::Error {
    NodeArguments arguments;
    if (llvm::Error e = builder->push(arguments))
      return e;
    return fn(arguments);
  });
  if (builder)
    builder->clearNode();
  return failed;
}

int fxBuilderPlaceholder(FXBuilder *builder, const char *name, const char *kind,
                         const char *target, const char *type, FXValue *result,
                         FXError **error) {
  if (!name || !type || !result)
    return failNull(error, "fxBuilderPlaceholder",
                    !name   ? "name"
                    : !type ? "type"
                            : "result");
  return buildNode(
      builder, error, "fxBuilderPlaceholder",
      [&](NodeArguments &arguments) -> llvm::Error {
        MLIRContext *ctx = builder->state->context;
        llvm::Expected<Type> parsed = builder->getType(type);
        if (!parsed)
          return parsed.takeError();
        OperationState op(builder->getLocation(name),
                          PlaceholderOp::getOperationName());
        op.addAttribute("name", builder->b.getStringAttr(name));
        if (kind) {
          std::optional<InputKind> symbolized = symbolizeInputKind(kind);
          if (!symbolized)
            return llvm::createStringError(
                llvm::Twine("expected the kind of an input, got '") + kind +
                "'");
          op.addAttribute("kind", InputKindAttr::get(ctx, *symbolized));
        }
        if (target)
          op.addAttribute("target", FlatSymbolRefAttr::get(ctx, target));
        if (arguments.trees.size() > 1 || !arguments.operands.empty() ||
            !arguments.keywords.empty())
          return llvm::createStringError(
              "expected one immediate as the default value");
        if (!arguments.trees.empty())
          op.addAttribute("default_value", arguments.trees.front());
        op.addAttributes(arguments.extra);
        op.addTypes(*parsed);
        return builder->create(op, result);
      });
}

int fxBuilderGetAttr(FXBuilder *builder, const char *name, const char *target,
                     const char *type, FXValue *result, FXError **error) {
  if (!name || !target || !type || !result)
    return failNull(error, "fxBuilderGetAttr",
                    !name     ? "name"
                    : !target ? "target"
                    : !type   ? "type"
                              : "result");
  return buildNode(
      builder, error, "fxBuilderGetAttr",
      [&](NodeArguments &arguments) -> llvm::Error {
        if (!arguments.trees.empty())
          return llvm::createStringError("expected no arguments, got " +
                                         llvm::Twine(arguments.trees.size()));
        llvm::Expected<Type> parsed = builder->getType(type);
        if (!parsed)
          return parsed.takeError();
        OperationState op(builder->getLocation(name),
                          GetAttrOp::getOperationName());
        op.addAttribute(
            "target", FlatSymbolRefAttr::get(builder->state->context, target));
        op.addAttributes(arguments.extra);
        op.addTypes(*parsed);
        return builder->create(op, result);
      });
}

int fxBuilderNode(FXBuilder *builder, const char *op, const char *target,
                  const char *names, const char *const *types, int nTypes,
                  const char *outs, FXValue *results, FXError **error) {
  if (!op || !names || (nTypes > 0 && (!types || !results)))
    return failNull(error, "fxBuilderNode",
                    !op      ? "op"
                    : !names ? "names"
                    : !types ? "types"
                             : "results");
  if (nTypes < 0)
    return fail(error, "fxBuilderNode: expected a number of types, got " +
                           llvm::Twine(nTypes));
  for (int i = 0; i < nTypes; ++i)
    if (!types[i])
      return failNull(error, "fxBuilderNode",
                      ("types[" + llvm::Twine(i) + "]").str().c_str());
  return buildNode(
      builder, error, "fxBuilderNode",
      [&](NodeArguments &arguments) -> llvm::Error {
        MLIRContext *ctx = builder->state->context;
        std::string opName = std::string("fx.") + op;
        auto known = RegisteredOperationName::lookup(opName, ctx);
        if (!known || !known->hasInterface<NodeOpInterface>())
          return llvm::createStringError(
              llvm::Twine("expected a node of the fx dialect, got '") + op +
              "'");
        OperationState state(builder->getLocation(names), *known);
        bool hasTarget =
            llvm::is_contained(known->getAttributeNames(), "target");
        if (hasTarget != (target != nullptr))
          return llvm::createStringError(
              llvm::Twine(op) +
              (hasTarget ? ": expected a target" : ": has no target"));
        if (target)
          state.addAttribute("target", builder->b.getStringAttr(target));
        state.addOperands(arguments.operands);
        state.addAttributes(arguments.extra);
        state.addAttribute("args", builder->b.getArrayAttr(arguments.trees));
        if (!arguments.keywords.empty())
          state.addAttribute("kwnames",
                             builder->b.getArrayAttr(arguments.keywords));
        if (outs) {
          auto tree = dyn_cast_if_present<ArrayAttr>(parseAttribute(outs, ctx));
          if (!tree)
            return llvm::createStringError(
                llvm::Twine("expected an array of results, got '") + outs +
                "'");
          state.addAttribute("outs", tree);
        }
        for (int i = 0; i < nTypes; ++i) {
          llvm::Expected<Type> type = builder->getType(types[i]);
          if (!type)
            return type.takeError();
          state.addTypes(*type);
        }
        return builder->create(state, results);
      });
}

int fxBuilderOutput(FXBuilder *builder, FXError **error) {
  return buildNode(
      builder, error, "fxBuilderOutput",
      [&](NodeArguments &arguments) -> llvm::Error {
        if (!arguments.keywords.empty())
          return llvm::createStringError("an output has no keyword arguments");
        OperationState op(builder->getLocation(""),
                          OutputOp::getOperationName());
        op.addOperands(arguments.operands);
        op.addAttributes(arguments.extra);
        op.addAttribute("args", builder->b.getArrayAttr(arguments.trees));
        if (llvm::Error e = builder->create(op, nullptr))
          return e;
        builder->graph = nullptr;
        return llvm::Error::success();
      });
}
