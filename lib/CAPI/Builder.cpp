//===- Builder.cpp - graphs through the C interface -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "fx/IR/ExternalPaths.h"
#include "fx/Import/SymbolicText.h"
#include "fx/Operators/Verify.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace fx;
using namespace fx::capi;

int fx::capi::build(FXBuilder *builder, FXError **error, const char *function,
                    llvm::function_ref<llvm::Error()> fn) {
  if (!builder)
    return failNull(error, function, "builder");
  return protect(error, builder->state.get(), [&](FXError &) { return fn(); });
}

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
    // Insert states before the graphs, as import does.
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
        if (failed(verify(*builder->module)) ||
            failed(verifyResultTypes(*builder->module)))
          return llvm::createStringError("the module is invalid");
        handle->state = builder->state;
        handle->folder = folder ? folder : "";
        handle->module = std::move(builder->module);
        makeExternalPathsAbsolute(*handle->module, handle->folder);
        builder->reset();
        return llvm::Error::success();
      }))
    return nullptr;
  return handle.release();
}

//===----------------------------------------------------------------------===//
// Pushed items
//===----------------------------------------------------------------------===//

void fxBuilderPushFrame(FXBuilder *builder, const char *file, int line,
                        const char *function) {
  if (builder && file)
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

static void pushItem(FXBuilder *builder, BuilderItem item) {
  if (builder)
    builder->items.push_back(std::move(item));
}

void fxBuilderPushValue(FXBuilder *b, FXValue value) {
  pushItem(b, {BuilderItem::Value, value});
}
void fxBuilderPushInt(FXBuilder *b, int64_t value) {
  pushItem(b, {BuilderItem::Int, value});
}
void fxBuilderPushFloat(FXBuilder *b, double value) {
  pushItem(b, {BuilderItem::Float, 0, value});
}
void fxBuilderPushBool(FXBuilder *b, int value) {
  pushItem(b, {BuilderItem::Bool, value != 0});
}
void fxBuilderPushNone(FXBuilder *b) { pushItem(b, {BuilderItem::None}); }
void fxBuilderPushString(FXBuilder *b, const char *value) {
  pushItem(b, {BuilderItem::String, 0, 0, value ? value : ""});
}
void fxBuilderPushAttribute(FXBuilder *b, const char *text) {
  pushItem(b, {BuilderItem::Attr, 0, 0, text ? text : ""});
}
void fxBuilderPushList(FXBuilder *b) { pushItem(b, {BuilderItem::List}); }
void fxBuilderPushDict(FXBuilder *b) { pushItem(b, {BuilderItem::Dict}); }
void fxBuilderPushKey(FXBuilder *b, const char *key) {
  pushItem(b, {BuilderItem::Key, 0, 0, key ? key : ""});
}
void fxBuilderPushEnd(FXBuilder *b) { pushItem(b, {BuilderItem::End}); }
void fxBuilderPushKeyword(FXBuilder *b, const char *name) {
  pushItem(b, {BuilderItem::Keyword, 0, 0, name ? name : ""});
}
