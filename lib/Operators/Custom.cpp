//===- Custom.cpp - the operators that users added ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Custom.h"
#include "fx/Operators/Dialect.h"
#include "fx/Operators/Schema.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

using namespace mlir;
using namespace fx;

namespace {
struct Registry {
  std::shared_mutex lock;
  /// Readers use an operator without the lock, so an operator never changes
  /// and is never removed. A registration that adds to one makes another.
  std::vector<std::unique_ptr<const CustomOperator>> all;
  /// The newest of each target.
  llvm::StringMap<const CustomOperator *> operators;
  /// Schemas of operators, including operators that are not registered.
  llvm::StringMap<gen::OperatorDeclaration> schemas;

  /// Returns the operator, or null. The caller holds `lock`.
  const CustomOperator *find(StringRef target) const {
    return operators.lookup(target);
  }

  static Registry &get() {
    static Registry registry;
    return registry;
  }
};
} // namespace

FailureOr<OwningOpRef<ModuleOp>>
fx::parseDecomposition(MLIRContext *context, StringRef text, std::string &why) {
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (why.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      why = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(context), "decomposition");
  if (!module)
    return failure();
  auto graphs = module->getOps<GraphOp>();
  if (!llvm::hasSingleElement(graphs)) {
    why = "expected one graph, got " +
          std::to_string(std::distance(graphs.begin(), graphs.end()));
    return failure();
  }
  for (Operation &op : (*graphs.begin()).getBlock())
    if (!isa<PlaceholderOp, CallFunctionOp, OutputOp>(op)) {
      why = "expected calls of functions, got '" +
            op.getName().getStringRef().str() + "'";
      return failure();
    }
  return std::move(module);
}

/// Returns an error if the text of the decomposition is invalid. Parses it in a
/// separate context.
static llvm::Error checkDecomposition(const CustomOperator &op) {
  if (op.decomposition.empty())
    return llvm::Error::success();
  DialectRegistry registry;
  registerFXDialect(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  std::string why;
  if (failed(parseDecomposition(&context, op.decomposition, why)))
    return llvm::createStringError("decomposition of '" + op.target +
                                   "': " + why);
  return llvm::Error::success();
}

/// Returns true if `target` is three or more names, separated by dots.
static bool isTarget(StringRef target) {
  SmallVector<StringRef> names;
  target.split(names, '.');
  return names.size() >= 3 && llvm::all_of(names, [](StringRef name) {
           return !name.empty() && llvm::all_of(name, [](char c) {
             return llvm::isAlnum(c) || c == '_';
           });
         });
}

static llvm::Expected<gen::OperatorDeclaration>
checkSchema(const CustomOperator &op) {
  llvm::Expected<gen::OperatorDeclaration> schema = gen::parseSchema(op.schema);
  if (!schema)
    return llvm::createStringError("schema of '" + op.target +
                                   "': " + llvm::toString(schema.takeError()));
  if (schema->target != op.target)
    return llvm::createStringError("schema of '" + op.target +
                                   "': expected one of this operator, got '" +
                                   schema->target + "'");
  return schema;
}

/// Returns true if the registrations of an operator say different things.
static bool conflict(const CustomOperator &a, const CustomOperator &b) {
  return (a.shape && b.shape) || (a.lower && b.lower) ||
         (!a.decomposition.empty() && !b.decomposition.empty() &&
          a.decomposition != b.decomposition);
}

/// Returns true if `op` has something that `known` lacks.
static bool isNews(const CustomOperator &op, const CustomOperator &known) {
  return op.shape || op.lower || (op.isPure && !known.isPure) ||
         (!op.decomposition.empty() && known.decomposition.empty()) ||
         (!op.schema.empty() && op.schema != known.schema);
}

/// Adds what `known` has and `op` lacks to `op`.
static void addKnown(CustomOperator &op, const CustomOperator &known) {
  op.isPure |= known.isPure;
  if (!op.shape)
    op.shape = known.shape;
  if (!op.lower)
    op.lower = known.lower;
  if (op.decomposition.empty())
    op.decomposition = known.decomposition;
  if (op.schema.empty())
    op.schema = known.schema;
}

llvm::Error fx::registerCustomOperator(CustomOperator op) {
  if (!isTarget(op.target))
    return llvm::createStringError(
        "expected an operator as 'namespace.name.overload', got '" + op.target +
        "'");
  if (lookupOperator(op.target))
    return llvm::createStringError("'" + op.target +
                                   "' is an operator of torch");
  if (llvm::Error e = checkDecomposition(op))
    return e;
  op.isPure |= !op.decomposition.empty() || op.lower;
  std::optional<gen::OperatorDeclaration> schema;
  if (!op.schema.empty()) {
    llvm::Expected<gen::OperatorDeclaration> parsed = checkSchema(op);
    if (!parsed)
      return parsed.takeError();
    schema = std::move(*parsed);
  }
  Registry &registry = Registry::get();
  std::unique_lock<std::shared_mutex> guard(registry.lock);
  const CustomOperator *same = registry.find(op.target);
  auto before = registry.schemas.find(op.target);
  bool isPure = op.isPure || (same && same->isPure);
  bool writes =
      schema ? schema->isMutating()
             : before != registry.schemas.end() && before->second.isMutating();
  if (isPure && writes)
    return llvm::createStringError(
        "'" + op.target +
        "' writes to its arguments: expected it to be neither "
        "pure nor decomposed nor lowered");
  if (schema && before != registry.schemas.end() &&
      before->second.text != schema->text)
    return llvm::createStringError("'" + op.target +
                                   "' is registered otherwise already");
  if (same && conflict(*same, op))
    return llvm::createStringError("'" + op.target +
                                   "' is registered otherwise already");
  // Nothing is stored before the last check.
  if (schema)
    registry.schemas.try_emplace(op.target, std::move(*schema));
  if (same && !isNews(op, *same))
    return llvm::Error::success();
  if (same)
    addKnown(op, *same);
  auto made = std::make_unique<const CustomOperator>(std::move(op));
  registry.operators[made->target] = made.get();
  registry.all.push_back(std::move(made));
  return llvm::Error::success();
}

const CustomOperator *fx::lookupCustomOperator(StringRef target) {
  Registry &registry = Registry::get();
  std::shared_lock<std::shared_mutex> guard(registry.lock);
  return registry.find(target);
}

const gen::OperatorDeclaration *fx::lookupCustomSchema(CallFunctionOp call) {
  return lookupCustomSchema(call.getContext(), call.getTarget());
}

const gen::OperatorDeclaration *fx::lookupCustomSchema(MLIRContext *context,
                                                       StringRef target) {
  Registry &registry = Registry::get();
  {
    std::shared_lock<std::shared_mutex> guard(registry.lock);
    auto it = registry.schemas.find(target);
    if (it != registry.schemas.end())
      return &it->second;
  }
  const auto *source = context->getLoadedDialect<FXDialect>()
                           ->getRegisteredInterface<SchemaSourceInterface>();
  if (lookupOperator(target) || !source)
    return nullptr;
  // Failures are not cached: the operator may become known later.
  std::optional<std::string> text = source->getSchema(target);
  if (!text)
    return nullptr;
  llvm::Expected<gen::OperatorDeclaration> schema = gen::parseSchema(*text);
  if (!schema || schema->target != target) {
    llvm::consumeError(schema.takeError());
    return nullptr;
  }
  std::unique_lock<std::shared_mutex> guard(registry.lock);
  return &registry.schemas.try_emplace(target, std::move(*schema))
              .first->second;
}

bool fx::isPureCustomOperator(StringRef target) {
  const CustomOperator *known = lookupCustomOperator(target);
  return known && known->isPure;
}
