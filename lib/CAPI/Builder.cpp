//===- Builder.cpp - builds graphs through the C interface -===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx-c/Builder.h"
#include "../Import/SymbolicText.h"
#include "Handles.h"
#include "fx/IR/FXDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace fx;
using namespace fx::capi;

namespace {
/// What was pushed; attributes are made when the node is.
struct Item {
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

struct Frame {
  std::string file, function;
  unsigned line;
};

/// The arguments of a node.
struct Arguments {
  SmallVector<Attribute> trees, keywords;
  SmallVector<mlir::Value> operands;
  /// Discardable attributes of the node.
  SmallVector<NamedAttribute> extra;
};
} // namespace

struct FXBuilder {
  explicit FXBuilder(std::shared_ptr<ContextState> shared)
      : state(std::move(shared)), b(state->context) {
    reset();
  }
  void reset() {
    module = ModuleOp::create(b.getUnknownLoc());
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

  llvm::Error push(Arguments &arguments);
  llvm::Expected<Attribute> getTree(ArrayRef<Item> &rest, Arguments &arguments,
                                    int depth);
  llvm::Expected<Type> getType(StringRef text);
  Location getLocation(StringRef names);
  llvm::Error create(OperationState &operation, FXValue *results);

  std::shared_ptr<ContextState> state;
  OpBuilder b;
  OwningOpRef<ModuleOp> module;
  GraphOp graph;
  std::vector<mlir::Value> values;
  std::vector<Item> items;
  std::vector<Frame> frames;
  std::vector<std::pair<std::string, std::string>> metadata, attributes;
  llvm::StringMap<Type> types;
};

//===----------------------------------------------------------------------===//
// Arguments and locations
//===----------------------------------------------------------------------===//

static constexpr int maxDepth = 64;

llvm::Expected<Attribute> FXBuilder::getTree(ArrayRef<Item> &rest,
                                             Arguments &arguments, int depth) {
  if (rest.empty())
    return llvm::createStringError("expected an argument, got none");
  if (depth > maxDepth)
    return llvm::createStringError("arguments are nested deeper than " +
                                   llvm::Twine(maxDepth));
  MLIRContext *ctx = state->context;
  const Item &item = rest.consume_front();
  switch (item.kind) {
  case Item::Value:
    if (item.integer < 0 || item.integer >= int64_t(values.size()))
      return llvm::createStringError(
          "expected a value of this graph, got number " +
          llvm::Twine(item.integer));
    arguments.operands.push_back(values[item.integer]);
    return OperandAttr::get(ctx);
  case Item::Int:
    return b.getI64IntegerAttr(item.integer);
  case Item::Float:
    return b.getF64FloatAttr(item.real);
  case Item::Bool:
    return b.getBoolAttr(item.integer);
  case Item::None:
    return fx::NoneAttr::get(ctx);
  case Item::String:
    return b.getStringAttr(item.text);
  case Item::Attr: {
    // A dtype is a type; the attribute parser takes it as one.
    Attribute attr = parseAttribute(item.text, ctx);
    if (!attr)
      return llvm::createStringError("cannot parse the attribute '" +
                                     item.text + "'");
    return attr;
  }
  case Item::List:
  case Item::Dict: {
    SmallVector<Attribute> keys, elements;
    while (!rest.empty() && rest.front().kind != Item::End) {
      if (item.kind == Item::Dict) {
        if (rest.front().kind != Item::Key)
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
    if (item.kind == Item::Dict)
      return DictAttr::get(ctx, b.getArrayAttr(keys), b.getArrayAttr(elements));
    return b.getArrayAttr(elements);
  }
  case Item::Key:
  case Item::End:
  case Item::Keyword:
    break;
  }
  return llvm::createStringError(
      "expected an argument, got a key, an end or a keyword");
}

llvm::Error FXBuilder::push(Arguments &arguments) {
  ArrayRef<Item> rest = items;
  while (!rest.empty()) {
    if (rest.front().kind == Item::Keyword)
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
    // A dot keeps them apart from what the operation itself has.
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
  for (const Frame &frame : frames) {
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

/// Makes the operation in the graph and numbers its results.
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
// Builders
//===----------------------------------------------------------------------===//

FXBuilder *fxBuilderCreate(FXContext *context) {
  return context ? new FXBuilder(context->state) : nullptr;
}

void fxBuilderDestroy(FXBuilder *builder) {
  if (!builder)
    return;
  std::shared_ptr<ContextState> state = builder->state;
  std::lock_guard<std::mutex> guard(state->lock);
  if (state->crashed)
    (void)builder->module.release();
  delete builder;
}

/// Runs `fn` on the builder; a node that fails takes what was pushed with it.
static int build(FXBuilder *builder, FXError **error, const char *function,
                 llvm::function_ref<llvm::Error()> fn) {
  if (!builder)
    return failNull(error, function, "builder");
  return protect(error, builder->state.get(), [&](FXError &) { return fn(); });
}

/// The same for what consumes the pushed arguments.
static int buildNode(FXBuilder *builder, FXError **error, const char *function,
                     llvm::function_ref<llvm::Error(Arguments &)> fn) {
  int failed = build(builder, error, function, [&]() -> llvm::Error {
    Arguments arguments;
    if (llvm::Error e = builder->push(arguments))
      return e;
    return fn(arguments);
  });
  if (builder)
    builder->clearNode();
  return failed;
}

int fxBuilderSetAttribute(FXBuilder *builder, const char *name,
                          const char *attribute, FXError **error) {
  if (!name || !attribute)
    return failNull(error, "fxBuilderSetAttribute",
                    name ? "attribute" : "name");
  return build(builder, error, "fxBuilderSetAttribute", [&]() -> llvm::Error {
    Attribute value = parseAttribute(attribute, builder->state->context);
    if (!value)
      return llvm::createStringError(
          llvm::Twine("cannot parse the attribute '") + attribute + "'");
    Operation *op = builder->graph ? builder->graph.getOperation()
                                   : builder->module->getOperation();
    op->setAttr(name, value);
    return llvm::Error::success();
  });
}

int fxBuilderState(FXBuilder *builder, const char *name, const char *type,
                   const char *path, uint64_t offset, uint64_t size,
                   uint32_t crc32, FXError **error) {
  if (!name || !type)
    return failNull(error, "fxBuilderState", name ? "type" : "name");
  return build(builder, error, "fxBuilderState", [&]() -> llvm::Error {
    llvm::Expected<Type> parsed = builder->getType(type);
    if (!parsed)
      return parsed.takeError();
    Attribute init;
    if (path)
      init =
          ExternalAttr::get(builder->state->context, path, offset, size, crc32);
    // Before the graphs, as import has them.
    OpBuilder b(builder->state->context);
    auto graphs = builder->module->getOps<GraphOp>();
    if (graphs.empty())
      b.setInsertionPointToEnd(builder->module->getBody());
    else
      b.setInsertionPoint(*graphs.begin());
    StateOp::create(b, b.getUnknownLoc(), name, *parsed, init);
    return llvm::Error::success();
  });
}

int fxBuilderBeginGraph(FXBuilder *builder, const char *name, int isPrivate,
                        FXError **error) {
  if (!name)
    return failNull(error, "fxBuilderBeginGraph", "name");
  return build(builder, error, "fxBuilderBeginGraph", [&]() -> llvm::Error {
    if (builder->graph)
      return llvm::createStringError("graph '" + builder->graph.getSymName() +
                                     "' has no output");
    builder->clearNode();
    builder->values.clear();
    builder->b.setInsertionPointToEnd(builder->module->getBody());
    builder->graph = GraphOp::create(builder->b, builder->b.getUnknownLoc(),
                                     name, isPrivate != 0);
    builder->b.setInsertionPointToEnd(&builder->graph.getBlock());
    return llvm::Error::success();
  });
}

int fxBuilderSymbol(FXBuilder *builder, const char *name, const int64_t *min,
                    const int64_t *max, FXError **error) {
  if (!name)
    return failNull(error, "fxBuilderSymbol", "name");
  return build(builder, error, "fxBuilderSymbol", [&]() -> llvm::Error {
    if (!builder->graph)
      return llvm::createStringError("a symbol outside of a graph");
    MLIRContext *ctx = builder->state->context;
    auto bound = [](const int64_t *value) {
      return value ? std::optional<int64_t>(*value) : std::nullopt;
    };
    SmallVector<Attribute> symbols(builder->graph.getSymbols().getValue());
    symbols.push_back(RangeAttr::get(ctx, ExprAttr::symbol(ctx, name),
                                     bound(min), bound(max)));
    builder->graph.setSymbolsAttr(builder->b.getArrayAttr(symbols));
    return llvm::Error::success();
  });
}

int fxBuilderExpression(FXBuilder *builder, const char *srepr, FXTextFn write,
                        void *userData, FXError **error) {
  if (!srepr || !write)
    return failNull(error, "fxBuilderExpression", srepr ? "write" : "srepr");
  return build(builder, error, "fxBuilderExpression", [&]() -> llvm::Error {
    llvm::Expected<ExprAttr> expr = parseSrepr(builder->state->context, srepr);
    if (!expr)
      return expr.takeError();
    CallbackStream os(write, userData);
    expr->printInfix(os);
    return llvm::Error::success();
  });
}

FXModule *fxBuilderFinish(FXBuilder *builder, const char *folder,
                          FXError **error) {
  auto handle = std::make_unique<FXModule>();
  if (build(builder, error, "fxBuilderFinish", [&]() -> llvm::Error {
        if (builder->graph)
          return llvm::createStringError(
              "graph '" + builder->graph.getSymName() + "' has no output");
        if (failed(verify(*builder->module)))
          return llvm::createStringError("the module is invalid");
        handle->state = builder->state;
        handle->folder = folder ? folder : "";
        handle->module = std::move(builder->module);
        builder->reset();
        return llvm::Error::success();
      }))
    return nullptr;
  return handle.release();
}

//===----------------------------------------------------------------------===//
// What is pushed
//===----------------------------------------------------------------------===//

void fxBuilderPushFrame(FXBuilder *builder, const char *file, int line,
                        const char *function) {
  // Locations are walked recursively: the rest of an absurd stack is left out.
  if (builder && file && builder->frames.size() < 256)
    builder->frames.push_back(
        {file, function ? function : "", unsigned(std::max(line, 0))});
}

void fxBuilderPushMetadata(FXBuilder *builder, const char *key,
                           const char *value) {
  if (builder && key && *key && value)
    builder->metadata.emplace_back(key, value);
}

void fxBuilderPushNodeAttribute(FXBuilder *builder, const char *name,
                                const char *attribute) {
  if (builder)
    builder->attributes.emplace_back(name ? name : "",
                                     attribute ? attribute : "");
}

static void pushItem(FXBuilder *builder, Item item) {
  if (builder)
    builder->items.push_back(std::move(item));
}

void fxBuilderPushValue(FXBuilder *b, FXValue value) {
  pushItem(b, {Item::Value, value});
}
void fxBuilderPushInt(FXBuilder *b, int64_t value) {
  pushItem(b, {Item::Int, value});
}
void fxBuilderPushFloat(FXBuilder *b, double value) {
  pushItem(b, {Item::Float, 0, value});
}
void fxBuilderPushBool(FXBuilder *b, int value) {
  pushItem(b, {Item::Bool, value != 0});
}
void fxBuilderPushNone(FXBuilder *b) { pushItem(b, {Item::None}); }
void fxBuilderPushString(FXBuilder *b, const char *value) {
  pushItem(b, {Item::String, 0, 0, value ? value : ""});
}
void fxBuilderPushAttribute(FXBuilder *b, const char *text) {
  pushItem(b, {Item::Attr, 0, 0, text ? text : ""});
}
void fxBuilderPushList(FXBuilder *b) { pushItem(b, {Item::List}); }
void fxBuilderPushDict(FXBuilder *b) { pushItem(b, {Item::Dict}); }
void fxBuilderPushKey(FXBuilder *b, const char *key) {
  pushItem(b, {Item::Key, 0, 0, key ? key : ""});
}
void fxBuilderPushEnd(FXBuilder *b) { pushItem(b, {Item::End}); }
void fxBuilderPushKeyword(FXBuilder *b, const char *name) {
  pushItem(b, {Item::Keyword, 0, 0, name ? name : ""});
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

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
      [&](Arguments &arguments) -> llvm::Error {
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
        if (arguments.trees.size() > 1 || !arguments.operands.empty())
          return llvm::createStringError(
              "expected one immediate as the default value");
        if (!arguments.trees.empty())
          op.addAttribute("default_value", arguments.trees.front());
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
      builder, error, "fxBuilderGetAttr", [&](Arguments &) -> llvm::Error {
        llvm::Expected<Type> parsed = builder->getType(type);
        if (!parsed)
          return parsed.takeError();
        OperationState op(builder->getLocation(name),
                          GetAttrOp::getOperationName());
        op.addAttribute(
            "target", FlatSymbolRefAttr::get(builder->state->context, target));
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
      [&](Arguments &arguments) -> llvm::Error {
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
          llvm::Expected<Type> type =
              builder->getType(types[i] ? types[i] : "");
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
      [&](Arguments &arguments) -> llvm::Error {
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
