//===- CollectiveList.cpp - the collectives of a program ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/Arguments.h"
#include "fx/IR/FXDialect.h"
#include "fx/Interpreter/Distributed.h"
#include "fx/Operators/Collectives.h"
#include "fx/Operators/View.h"
#include "fx/Support/HostTensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace json = llvm::json;

namespace fx {

/// Returns true for operators whose sizes may differ from rank to rank.
static bool hasOwnSizes(llvm::StringRef target) {
  return target.contains(".all_to_all_single.") || target.contains("send.") ||
         target.contains("recv.") || target.contains("p2p");
}

namespace {
/// Joins the parts of a text.
struct Description {
  explicit Description(llvm::StringRef target) : target(target) {}

  /// Adds argument `i`, whose name is `keyword` unless it is positional.
  void addArgument(size_t i, llvm::StringRef keyword,
                   const std::string &value) {
    const OperatorSchema *schema = lookupOperator(target);
    if (keyword.empty() && schema && i < schema->numArguments)
      keyword = schema->getArguments()[i].getName();
    if (keyword == "group_name")
      collective.group = value;
    else if (!hasOwnSizes(target) && !value.empty())
      arguments.push_back(value);
  }
  void addResult(llvm::StringRef dtype, llvm::ArrayRef<std::string> sizes) {
    std::string text = dtype.str();
    if (!hasOwnSizes(target))
      text += " [" + llvm::join(sizes, ", ") + "]";
    results.push_back(std::move(text));
  }
  Collective take() {
    llvm::StringRef name = target.split('.').second.rsplit('.').first;
    collective.text = name.str() + "(" + llvm::join(arguments, ", ") + ") " +
                      llvm::join(results, ", ");
    return std::move(collective);
  }

  llvm::StringRef target;
  Collective collective;
  std::vector<std::string> arguments, results;
};
} // namespace

/// Returns an immediate argument; empty for tensors and lists.
static std::string toText(const json::Value &value) {
  if (std::optional<int64_t> integer = value.getAsInteger())
    return std::to_string(*integer);
  const json::Object *object = value.getAsObject();
  return object ? object->getString("str").value_or("").str() : "";
}

static std::string toText(const Argument &argument) {
  if (std::optional<llvm::StringRef> text = argument.getString())
    return text->str();
  if (std::optional<int64_t> integer = argument.getInt())
    return std::to_string(*integer);
  return "";
}

std::vector<Collective>
listCollectives(llvm::ArrayRef<const char *> fallbacks) {
  std::vector<Collective> found;
  for (const char *text : fallbacks) {
    llvm::Expected<json::Value> parsed = json::parse(text);
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
      continue;
    }
    const json::Object *call = parsed->getAsObject();
    std::optional<llvm::StringRef> target =
        call ? call->getString("target") : std::nullopt;
    if (!target || !isCollective(*target))
      continue;
    Description description(*target);
    const json::Array *args = call->getArray("args"),
                      *names = call->getArray("kwnames");
    size_t named = names ? names->size() : 0;
    for (size_t i = 0, n = args ? args->size() : 0; i < n; ++i)
      description.addArgument(
          i,
          i + named < n ? ""
                        : (*names)[i + named - n].getAsString().value_or(""),
          toText((*args)[i]));
    if (const json::Array *outs = call->getArray("outs"))
      for (const json::Value &value : *outs) {
        const json::Object *out = value.getAsObject();
        if (!out)
          continue;
        std::vector<std::string> sizes;
        if (const json::Array *list = out->getArray("sizes"))
          for (const json::Value &size : *list)
            sizes.push_back(size.getAsString() ? size.getAsString()->str()
                                               : toText(size));
        description.addResult(
            out->getString(out->get("work") ? "work" : "tensor").value_or(""),
            sizes);
      }
    found.push_back(description.take());
  }
  return found;
}

std::vector<Collective> listCollectives(mlir::ModuleOp module) {
  std::vector<Collective> found;
  module.walk([&](CallFunctionOp call) {
    if (!isCollective(call.getTarget()))
      return;
    Description description(call.getTarget());
    llvm::SmallVector<Argument> arguments = getArguments(call);
    size_t n = arguments.size(), named = call.getKwnames().size();
    for (size_t i = 0; i < n; ++i)
      description.addArgument(
          i,
          i + named < n
              ? ""
              : llvm::cast<mlir::StringAttr>(call.getKwnames()[i + named - n])
                    .getValue(),
          toText(arguments[i]));
    for (mlir::Type type : call->getResultTypes()) {
      auto tensor = llvm::dyn_cast<FakeTensorType>(type);
      if (!tensor)
        continue;
      std::vector<std::string> sizes;
      for (ExprAttr size : tensor.getSizes()) {
        llvm::raw_string_ostream os(sizes.emplace_back());
        size.printInfix(os);
      }
      std::optional<DType> dtype = getDType(tensor.getDtype());
      description.addResult(dtype ? fx::getName(*dtype) : "", sizes);
    }
    found.push_back(description.take());
  });
  return found;
}

} // namespace fx
