//===- Session.cpp - the process groups of this process -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "../TorchBoundary.h"
#include "Gloo.h"
#include "Peers.h"
#include "fx/Support/LocatedError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <c10/util/Logging.h>
#include <cstdlib>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

namespace fx::interp {

/// PyTorch's name of the group of all processes.
static constexpr const char *kWorld = "0";

static llvm::Error makeError(const std::string &text) {
  return makeLocatedError("", toOneLine(text));
}

namespace {
class Session final : public DistributedSession {
public:
  explicit Session(const DistributedOptions &options)
      : options(options), peers(options) {}
  ~Session() override;

  void makeGroups();
  llvm::Error compare(llvm::ArrayRef<Collective> collectives) override;
  llvm::Error fail(llvm::Error error) override;
  llvm::Error leave() override;

private:
  void makeGroup(const std::string &name, const std::vector<int> &ranks);
  std::string findDifference(const ProcessGroupOptions &group,
                             llvm::ArrayRef<Collective> collectives);
  void dropGroups();

  DistributedOptions options;
  Peers peers;
  /// The groups that this rank belongs to.
  std::vector<ProcessGroupOptions> groups;
  /// c10d's registry does not own them.
  std::vector<c10::intrusive_ptr<c10d::ProcessGroup>> handles;
};
} // namespace

void Session::dropGroups() {
  for (const ProcessGroupOptions &group : groups)
    c10d::unregister_process_group(group.name);
  groups.clear();
  handles.clear();
}

Session::~Session() { dropGroups(); }

void Session::makeGroup(const std::string &name,
                        const std::vector<int> &ranks) {
  auto place = std::find(ranks.begin(), ranks.end(), options.rank);
  if (place == ranks.end())
    return;
  auto store =
      c10::make_intrusive<c10d::PrefixStore>("group/" + name, peers.getStore());
  auto timeout =
      std::chrono::milliseconds(static_cast<int64_t>(options.timeout * 1000));
  handles.push_back(
      makeGlooGroup(name, store, static_cast<int>(place - ranks.begin()),
                    static_cast<int>(ranks.size()), timeout, peers.isLocal()));
  c10d::register_process_group(name, handles.back());
  groups.push_back({name, ranks});
}

void Session::makeGroups() {
  std::vector<int> all;
  for (int rank = 0; rank < options.worldSize; ++rank)
    all.push_back(rank);
  makeGroup(kWorld, all);
  for (const ProcessGroupOptions &group : options.groups) {
    for (int rank : group.ranks)
      if (rank >= options.worldSize)
        throw std::runtime_error("group '" + group.name +
                                 "': expected ranks below " +
                                 std::to_string(options.worldSize) + ", got " +
                                 std::to_string(rank));
    for (const ProcessGroupOptions &other : groups)
      if (other.name == group.name)
        throw std::runtime_error("group '" + group.name +
                                 "' is given twice for rank " +
                                 std::to_string(options.rank));
    makeGroup(group.name, group.ranks);
  }
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Returns the collectives of a group, one a line.
static std::string getText(llvm::StringRef group,
                           llvm::ArrayRef<Collective> collectives) {
  std::string text;
  for (const Collective &collective : collectives)
    if (collective.group == group)
      text += collective.text + "\n";
  return text;
}

/// Returns how the collectives of this rank differ from those of the first rank
/// of the group; empty if they do not.
std::string Session::findDifference(const ProcessGroupOptions &group,
                                    llvm::ArrayRef<Collective> collectives) {
  int first = group.ranks.front();
  if (options.rank == first)
    return "";
  std::string key = "program/" + group.name + "/" + std::to_string(first);
  std::string own = getText(group.name, collectives);
  // Most programs are equal: their texts are not sent.
  if (peers.get(key + "/hash") == std::to_string(llvm::xxh3_64bits(own)))
    return "";
  std::string other = peers.get(key + "/text");
  llvm::SmallVector<llvm::StringRef> mine, theirs;
  llvm::StringRef(own).split(mine, '\n', -1, /*KeepEmpty=*/false);
  llvm::StringRef(other).split(theirs, '\n', -1, /*KeepEmpty=*/false);
  size_t i = 0;
  while (i < mine.size() && i < theirs.size() && mine[i] == theirs[i])
    ++i;
  if (i == mine.size() && i == theirs.size())
    return "";
  auto describe = [&](llvm::ArrayRef<llvm::StringRef> list) {
    return i < list.size() ? list[i].str() : std::string("missing");
  };
  return "rank " + std::to_string(options.rank) +
         " runs another program than rank " + std::to_string(first) +
         ": collective " + std::to_string(i + 1) + " of group '" + group.name +
         "' is " + describe(mine) + ", expected " + describe(theirs);
}

/// Returns the reason why the groups do not fit the program; empty if they do.
static std::string findUnknownGroup(llvm::ArrayRef<ProcessGroupOptions> groups,
                                    llvm::ArrayRef<Collective> collectives,
                                    int rank) {
  for (const Collective &collective : collectives)
    if (llvm::none_of(groups, [&](const ProcessGroupOptions &group) {
          return group.name == collective.group;
        }))
      return "rank " + std::to_string(rank) + " uses the process group '" +
             collective.group + "', which is not given (--group " +
             collective.group + "=RANKS)";
  return "";
}

llvm::Error Session::compare(llvm::ArrayRef<Collective> collectives) {
  try {
    std::string rank = std::to_string(options.rank);
    std::string problem = findUnknownGroup(groups, collectives, options.rank);
    for (const ProcessGroupOptions &group : groups) {
      if (!problem.empty())
        break;
      std::string text = getText(group.name, collectives);
      std::string key = "program/" + group.name + "/" + rank;
      if (options.rank == group.ranks.front()) {
        peers.set(key + "/text", text);
        peers.set(key + "/hash", std::to_string(llvm::xxh3_64bits(text)));
      }
    }
    peers.set("program/" + rank, "1");
    if (problem.empty()) {
      // Loading a model can take long, but not longer than the process lives.
      peers.waitForAll("program", /*hasLimit=*/false, "");
      for (const ProcessGroupOptions &group : groups)
        if (problem.empty())
          problem = findDifference(group, collectives);
    }
    if (!problem.empty()) {
      std::string first = peers.setFailure(problem);
      peers.linger();
      return makeError(first);
    }
    peers.set("compared/" + rank, "1");
    peers.waitForAll("compared", /*hasLimit=*/false, "");
    return llvm::Error::success();
  } catch (const std::exception &e) {
    std::string text = getMessage(e);
    peers.linger();
    return makeError(text);
  }
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

llvm::Error Session::fail(llvm::Error error) {
  std::string own = toOneLine(llvm::toString(std::move(error)));
  // A communication fails if another rank has failed. That one is to blame.
  bool isCommunication = own.find("c10d") != std::string::npos ||
                         own.find("gloo") != std::string::npos;
  std::string rank = "rank " + std::to_string(options.rank);
  std::string text =
      isCommunication ? peers.reportFailure(rank + " failed: " + own) : own;
  if (!isCommunication)
    peers.trySetFailure(rank + " failed: " + own);
  peers.linger();
  return makeError(text);
}

llvm::Error Session::leave() {
  try {
    peers.set("left/" + std::to_string(options.rank), "1");
    peers.waitForAll("left", /*hasLimit=*/false, "");
    peers.linger();
  } catch (const std::exception &e) {
    std::string text = getMessage(e);
    peers.linger();
    return makeError(text);
  }
  dropGroups();
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<DistributedSession>>
joinProcessGroups(const DistributedOptions &options) {
  // c10d logs what becomes an error here, with stacks of its functions.
  ::setenv("TORCH_CPP_LOG_LEVEL", "FATAL", /*overwrite=*/0);
  c10::initLogging();
  SilenceWarnings silence;
  std::unique_ptr<Session> session;
  try {
    session = std::make_unique<Session>(options);
  } catch (const std::exception &e) {
    return makeError(getMessage(e));
  }
  try {
    session->makeGroups();
  } catch (const std::exception &e) {
    return session->fail(makeError(getMessage(e)));
  }
  return session;
}

} // namespace fx::interp
