//===- Rules.cpp - rules read from a file ---------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace fx;

/// Verifies that each node leads to an output: matching starts at the outputs.
static LogicalResult verifyPattern(GraphOp pattern) {
  OutputOp output = pattern.getOutput();
  if (output.getOperands().empty())
    return output.emitError("expected a pattern with an output");
  llvm::SetVector<Operation *> reached;
  for (Value value : output.getOperands()) {
    if (isa<PlaceholderOp>(value.getDefiningOp()))
      return output.emitError(
          "expected the outputs of a pattern to be made by its nodes");
    reached.insert(value.getDefiningOp());
  }
  for (unsigned i = 0; i < reached.size(); ++i)
    for (Value operand : reached[i]->getOperands())
      reached.insert(operand.getDefiningOp());
  for (Operation &op : pattern.getBlock())
    if (!isa<GuardOp, OutputOp>(op) && !reached.contains(&op))
      return op.emitError("no output of the pattern needs this");
  return success();
}

static LogicalResult verifyRule(Rule rule) {
  size_t wanted = rule.pattern.getPlaceholders().size();
  size_t got = rule.replacement.getPlaceholders().size();
  if (got != wanted)
    return rule.replacement.emitError("expected ")
           << wanted << " placeholders as in the pattern, got " << got;
  wanted = rule.pattern.getOutput()->getNumOperands();
  got = rule.replacement.getOutput()->getNumOperands();
  if (got != wanted)
    return rule.replacement.getOutput().emitError("expected ")
           << wanted << " outputs as in the pattern, got " << got;
  return verifyPattern(rule.pattern);
}

FailureOr<RuleFile> fx::readRules(StringRef path, Location loc) {
  if (path.empty())
    return emitError(loc, "expected a file of rules, as 'patterns=FILE'");
  if (!llvm::sys::fs::exists(path))
    return emitError(loc, "cannot open '") << path << "': no such file";
  RuleFile file;
  ParserConfig config(loc.getContext());
  file.module = parseSourceFile<ModuleOp>(path, config);
  if (!file.module)
    return emitError(loc, "cannot read rules from '") << path << "'";
  for (auto graph : file.module->getOps<GraphOp>()) {
    auto [name, part] = graph.getSymName().rsplit('.');
    if (part == "replacement" &&
        file.module->lookupSymbol<GraphOp>((name + ".pattern").str()))
      continue;
    if (part != "pattern")
      return graph.emitError("expected a graph '")
             << name << ".pattern' or '" << name << ".replacement', got '"
             << graph.getSymName() << "'";
    auto replacement =
        file.module->lookupSymbol<GraphOp>((name + ".replacement").str());
    if (!replacement)
      return graph.emitError("expected a graph '")
             << name << ".replacement' for this pattern";
    file.rules.push_back({name, graph, replacement});
    if (failed(verifyRule(file.rules.back())))
      return failure();
  }
  if (file.rules.empty())
    return emitError(loc, "expected rules in '") << path << "', got none";
  return file;
}
