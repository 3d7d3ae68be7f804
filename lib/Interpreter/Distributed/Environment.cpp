//===- Environment.cpp - the variables of torchrun ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Interpreter/Distributed.h"
#include "fx/Interpreter/Interpreter.h"
#include "fx/Support/LocatedError.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>

namespace fx {

DistributedSession::~DistributedSession() = default;

/// Reads a number in [least, most]. Keeps `value` if the variable is not set.
static llvm::Error readNumber(const char *name, int least, int most,
                              int &value) {
  const char *text = std::getenv(name);
  if (!text)
    return llvm::Error::success();
  int number;
  if (llvm::StringRef(text).getAsInteger(10, number) || number < least ||
      number > most)
    return makeLocatedError(
        name, "expected a number from " + llvm::Twine(least) + " to " +
                  llvm::Twine(most) + ", got '" + text + "'");
  value = number;
  return llvm::Error::success();
}

llvm::Expected<std::optional<DistributedOptions>> readDistributedEnvironment() {
  for (const char *name : {"MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE"})
    if (!std::getenv(name))
      return std::nullopt;
  DistributedOptions options;
  options.address = std::getenv("MASTER_ADDR");
  if (options.address.empty())
    return makeLocatedError("MASTER_ADDR", "expected a host, got ''");
  constexpr int kMostRanks = 1 << 20;
  llvm::Error error = readNumber("MASTER_PORT", 1, 65535, options.port);
  if (!error)
    error = readNumber("WORLD_SIZE", 1, kMostRanks, options.worldSize);
  if (!error)
    error = readNumber("RANK", 0, options.worldSize - 1, options.rank);
  options.localRank = options.rank;
  if (!error)
    error = readNumber("LOCAL_RANK", 0, kMostRanks, options.localRank);
  if (error)
    return std::move(error);
  // torchrun can open the store itself, and keeps it when it starts its
  // processes again after a failure.
  const char *agent = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  options.hasStore = agent && llvm::StringRef(agent) == "True";
  const char *attempt = std::getenv("TORCHELASTIC_RESTART_COUNT");
  options.prefix = "fx/" + std::string(attempt ? attempt : "0");
  return options;
}

llvm::Expected<ProcessGroupOptions> parseProcessGroup(llvm::StringRef text) {
  auto [name, list] = text.split('=');
  ProcessGroupOptions group;
  group.name = name.str();
  llvm::SmallVector<llvm::StringRef> parts;
  list.split(parts, ',');
  for (llvm::StringRef part : parts) {
    int rank;
    if (part.getAsInteger(10, rank) || rank < 0 ||
        llvm::is_contained(group.ranks, rank))
      return llvm::createStringError(
          "expected a group as NAME=0,1 with different ranks, got '" +
          text.str() + "'");
    group.ranks.push_back(rank);
  }
  if (name.empty() || name == "0")
    return llvm::createStringError(
        "expected a group as NAME=0,1 whose name is not '0', the group of all "
        "ranks, got '" +
        text.str() + "'");
  return group;
}

llvm::Expected<std::unique_ptr<DistributedSession>>
joinProcessGroups(const DistributedOptions &options,
                  mlir::MLIRContext *context) {
  llvm::Expected<const TorchLibrary *> library = loadTorchLibrary(context);
  if (!library)
    return library.takeError();
  return (*library)->joinProcessGroups(options);
}

} // namespace fx
