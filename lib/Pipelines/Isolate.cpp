//===- Isolate.cpp - compile around nodes that break the compiler ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Isolate.h"
#include "fx/Pipelines/CompileError.h"

#include "fx/IR/FXDialect.h"
#include "fx/IR/Metadata.h"
#include "fx/IR/PythonStack.h"
#include "fx/Operators/Schema.h"

#include <optional>

using namespace mlir;
using namespace fx;

/// The maximal number of nodes that are isolated one by one. If more nodes
/// fail, the shortest prefix of the graph that contains all of them is
/// isolated.
static constexpr unsigned kMostNodes = 6;

void Isolation::apply(ModuleOp module, StringRef method,
                      CompileReport &report) {
  std::string prefix = method.empty() ? "" : method.str() + ".";
  for (GraphOp graph : module.getOps<GraphOp>())
    for (auto call : graph.getBlock().getOps<CallFunctionOp>()) {
      std::optional<StringRef> name = getNodeName(call);
      const OperatorSchema *schema = lookupOperator(call.getTarget());
      // Only operators on tensors can run on ATen. Symbolic scalars stay
      // native.
      if (!name || !schema || schema->isSymbolic() ||
          !llvm::all_of(call->getResultTypes(), llvm::IsaPred<FakeTensorType>))
        continue;
      std::string key = (prefix + graph.getSymName() + ":" + *name).str();
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
/// The search for the nodes that make the compilation fail. A `Set` maps nodes
/// without native code to the reason.
class Search {
public:
  using Attempt = function_ref<llvm::Expected<CompileReport>(Isolation &)>;
  using Set = std::map<std::string, std::string>;

  explicit Search(Attempt attempt) : attempt(attempt) {}

  /// Attempts to compile. Returns nullopt and sets `error` on failure.
  std::optional<CompileReport> compile(const Set &withoutNative) {
    Isolation isolation;
    isolation.withoutNative = withoutNative;
    llvm::Expected<CompileReport> report = attempt(isolation);
    nodes = std::move(isolation.nodes);
    if (report)
      return std::move(*report);
    llvm::handleAllErrors(report.takeError(),
                          [&](const CompileError &e) { error = e; });
    return std::nullopt;
  }

  /// Returns the first node ("graph:node") that the error names and that is not
  /// in `known`; empty if there is none.
  std::string getNamed(const Set &known) const {
    for (const std::string &key : nodes)
      if (!known.contains(key) &&
          StringRef(key).split(':').second == error.place)
        return key;
    return "";
  }

  /// Returns the text of the error with its place, which need not be that of
  /// the node that causes it.
  std::string getReason() const {
    return (error.place.empty() ? "" : error.place + ": ") + error.message;
  }

  /// Returns the union of `known` and the first `count` nodes of `all`.
  Set withFront(const Set &known, ArrayRef<std::string> all,
                size_t count) const {
    Set set = known;
    for (const std::string &key : all.take_front(count))
      set.try_emplace(key, getReason());
    return set;
  }

  Attempt attempt;
  std::vector<std::string> nodes;
  CompileError error{CompileError::Kind::Code, "", ""};
};
} // namespace

llvm::Expected<CompileReport> fx::compileAround(Search::Attempt attempt) {
  Search search(attempt);
  Search::Set found;
  if (auto report = search.compile(found))
    return std::move(*report);
  const CompileError first = search.error;
  auto fail = [&] { return llvm::make_error<CompileError>(first); };
  const std::vector<std::string> all = search.nodes;
  if (all.empty())
    return fail();

  while (found.size() < kMostNodes) {
    // Isolating nodes does not help if an option is refused, if the output
    // cannot be written, or if ATen cannot run the operator either.
    if (search.error.kind == CompileError::Kind::Input ||
        search.error.kind == CompileError::Kind::Output ||
        search.error.kind == CompileError::Kind::NoNativeCode)
      return fail();
    std::string key = search.getNamed(found);
    if (key.empty())
      break;
    found[key] = search.error.message;
    if (auto report = search.compile(found))
      return std::move(*report);
  }

  // Bisect for the shortest prefix of nodes without native code for which the
  // compilation succeeds. The last node of that prefix is one that fails.
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
    // `found` grows each time if attempts are deterministic. Give up if not:
    // the search would not end.
    if (!found.try_emplace(all[works - 1], reason).second)
      return fail();
    if (auto report = search.compile(found))
      return std::move(*report);
  }
}
