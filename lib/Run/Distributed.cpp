//===- Distributed.cpp - fx-run under torchrun ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Distributed.h"
#include "fx/Support/LocatedError.h"
#include "llvm/ADT/StringExtras.h"

namespace fx {

/// torchrun gives all ranks the same command line.
static void replaceRank(std::string &path, int rank) {
  static constexpr llvm::StringLiteral kRank = "{rank}";
  for (size_t at = 0; (at = path.find(kRank, at)) != std::string::npos;)
    path.replace(at, kRank.size(), std::to_string(rank));
}

SymbolValues getSymbolValues(mlir::ModuleOp module,
                             llvm::ArrayRef<HostValue> inputs) {
  llvm::Expected<GraphSignature> signature = GraphSignature::get(module);
  if (!signature) {
    llvm::consumeError(signature.takeError());
    return {};
  }
  llvm::Expected<SymbolValues> symbols = signature->check(inputs);
  if (symbols)
    return std::move(*symbols);
  // The run reports it.
  llvm::consumeError(symbols.takeError());
  return {};
}

std::vector<Collective> listWithSymbols(std::vector<Collective> collectives,
                                        const SymbolValues &symbols) {
  auto isLetter = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (Collective &collective : collectives) {
    std::string values;
    llvm::StringRef rest = collective.text;
    while (!rest.empty()) {
      rest = rest.drop_until(isLetter);
      llvm::StringRef word = rest.take_while(isLetter);
      rest = rest.drop_front(word.size());
      auto it = symbols.find(word);
      if (it != symbols.end() && llvm::isAlpha(word.front()))
        values += (values.empty() ? " with " : ", ") + word.str() + " = " +
                  std::to_string(it->second);
    }
    collective.text += values;
  }
  return collectives;
}

llvm::Expected<std::unique_ptr<DistributedSession>>
joinRanks(RunOptions &options) {
  std::vector<ProcessGroupOptions> groups;
  for (const std::string &text : options.groups) {
    llvm::Expected<ProcessGroupOptions> group = parseProcessGroup(text);
    if (!group)
      return makeLocatedError("fx-run",
                              "--group: " + llvm::toString(group.takeError()));
    groups.push_back(std::move(*group));
  }
  llvm::Expected<std::optional<DistributedOptions>> found =
      readDistributedEnvironment();
  if (!found)
    return found.takeError();
  if (!*found)
    return nullptr;
  DistributedOptions distributed = std::move(**found);
  distributed.groups = std::move(groups);
  distributed.timeout = options.timeout;
  for (std::string *path : {&options.model, &options.inputs, &options.outputs,
                            &options.report, &options.trace})
    replaceRank(*path, distributed.rank);
  if (!options.device.empty() && !llvm::StringRef(options.device).contains(':'))
    options.device += ":" + std::to_string(distributed.localRank);
  return joinProcessGroups(distributed);
}

} // namespace fx
