//===- Isolate.cpp - compile around nodes that break the compiler ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Isolate.h"

#include "fx/IR/FXDialect.h"
#include "fx/IR/Metadata.h"
#include "fx/IR/PythonStack.h"
#include "fx/Operators/Schema.h"

#include <optional>

using namespace mlir;
using namespace fx;

/// So many nodes are isolated one by one; after that the smallest front part
/// of the graph that holds all of them is.
static constexpr unsigned kMostNodes = 6;

void Isolation::apply(ModuleOp module, CompileReport &report) {
  nodes.clear();
  report.isolated.clear();
  for (GraphOp graph : module.getOps<GraphOp>())
    for (auto call : graph.getBlock().getOps<CallFunctionOp>()) {
      std::optional<StringRef> name = getNodeName(call);
      const OperatorSchema *schema = lookupOperator(call.getTarget());
      // ATen runs tensors; numbers are computed as ever.
      if (!name || !schema || schema->isSymbolic() ||
          !llvm::all_of(call->getResultTypes(), llvm::IsaPred<FakeTensorType>))
        continue;
      std::string key = (graph.getSymName() + ":" + *name).str();
      nodes.push_back(key);
      auto it = withoutNative.find(key);
      if (it == withoutNative.end())
        continue;
      call->setAttr("fx.no_native",
                    StringAttr::get(call.getContext(), it->second));
      std::string text = (*name + " (" + call.getTarget()).str();
      SmallVector<std::string> stack = getPythonStack(call.getLoc());
      if (!stack.empty())
        text += ", " + stack.front();
      report.isolated.push_back(text + "): " + it->second);
    }
}

namespace {
class Search {
public:
  using Attempt = function_ref<llvm::Expected<CompileReport>(Isolation &)>;
  using Set = std::map<std::string, std::string>;

  Search(Attempt attempt, StringRef input) : attempt(attempt), input(input) {}

  /// Null where the attempt failed; `error` says why.
  std::optional<CompileReport> compile(const Set &withoutNative) {
    Isolation isolation;
    isolation.withoutNative = withoutNative;
    llvm::Expected<CompileReport> report = attempt(isolation);
    nodes = std::move(isolation.nodes);
    if (report)
      return std::move(*report);
    error = llvm::toString(report.takeError());
    return std::nullopt;
  }

  /// The first node, by its graph's name, that the error names.
  std::string getNamed(const Set &known) const {
    for (const std::string &key : nodes) {
      StringRef node = StringRef(key).split(':').second;
      if (!known.contains(key) &&
          StringRef(error).contains((":" + node + ": ").str()))
        return key;
    }
    return "";
  }

  /// What is wrong, without the file and the node in front.
  std::string getReason(StringRef node = "") const {
    StringRef text = error;
    text.consume_front(input);
    if (size_t at = text.find((":" + node + ": ").str());
        !node.empty() && at != StringRef::npos)
      text = text.substr(at + node.size() + 3);
    text.consume_front(": ");
    return text.str();
  }

  /// `known` with the first `count` nodes.
  Set withFront(const Set &known, ArrayRef<std::string> all,
                size_t count) const {
    Set set = known;
    for (const std::string &key : all.take_front(count))
      set.try_emplace(key, getReason());
    return set;
  }

  Attempt attempt;
  StringRef input;
  std::vector<std::string> nodes;
  std::string error;
};
} // namespace

llvm::Expected<CompileReport> fx::compileAround(Search::Attempt attempt,
                                                StringRef input) {
  Search search(attempt, input);
  Search::Set found;
  if (auto report = search.compile(found))
    return std::move(*report);
  const std::string first = search.error;
  auto fail = [&] { return llvm::createStringError(first); };
  const std::vector<std::string> all = search.nodes;
  // Nobody can write where there is no place, and what ATen cannot do either
  // says so.
  auto isFinal = [](StringRef error) {
    return error.contains("cannot write") ||
           error.contains("has no native code");
  };
  if (all.empty())
    return fail();

  while (found.size() < kMostNodes) {
    if (isFinal(search.error))
      return fail();
    std::string key = search.getNamed(found);
    if (key.empty())
      break;
    found[key] = search.getReason(StringRef(key).split(':').second);
    if (auto report = search.compile(found))
      return std::move(*report);
  }

  // The last node of the smallest front part with which it works is one.
  bool isFirst = true;
  while (true) {
    std::string reason = search.getReason();
    size_t fails = 0, works = all.size();
    if (isFirst && !search.compile(search.withFront(found, all, works)))
      return fail();
    isFirst = false;
    while (works - fails > 1) {
      size_t middle = fails + (works - fails) / 2;
      if (search.compile(search.withFront(found, all, middle)))
        works = middle;
      else
        fails = middle;
    }
    if (found.size() >= kMostNodes) {
      if (auto report = search.compile(search.withFront(found, all, works)))
        return std::move(*report);
      return fail();
    }
    found[all[works - 1]] = reason;
    if (auto report = search.compile(found))
      return std::move(*report);
  }
}
