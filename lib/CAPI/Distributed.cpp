//===- Distributed.cpp - process groups through the C interface -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx-c/Distributed.h"
#include "Handles.h"
#include "Model.h"
#include "fx/Interpreter/Distributed.h"

using namespace fx;
using namespace fx::capi;

struct FXDistributed {
  DistributedOptions options;
  std::unique_ptr<DistributedSession> session;
};

static llvm::Error join(FXDistributed &ranks, const char *const *groups,
                        size_t n, double timeout) {
  llvm::Expected<std::optional<DistributedOptions>> found =
      readDistributedEnvironment();
  if (!found)
    return found.takeError();
  if (!*found)
    return llvm::createStringError(
        "expected MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE in the "
        "environment, as torchrun sets them");
  ranks.options = std::move(**found);
  if (!(timeout > 0) || timeout > 1e6)
    return llvm::createStringError(
        "expected a timeout up to 1000000 seconds, got " +
        std::to_string(timeout));
  ranks.options.timeout = timeout;
  for (size_t i = 0; i < n; ++i) {
    llvm::Expected<ProcessGroupOptions> group =
        parseProcessGroup(groups[i] ? groups[i] : "");
    if (!group)
      return group.takeError();
    ranks.options.groups.push_back(std::move(*group));
  }
  llvm::Expected<std::unique_ptr<DistributedSession>> session =
      joinProcessGroups(ranks.options);
  if (!session)
    return session.takeError();
  ranks.session = std::move(*session);
  return llvm::Error::success();
}

FXDistributed *fxDistributedJoin(const char *const *groups, size_t nGroups,
                                 double timeout, FXError **error) {
  if (!groups && nGroups) {
    failNull(error, "fxDistributedJoin", "groups");
    return nullptr;
  }
  auto ranks = std::make_unique<FXDistributed>();
  if (protect(error, nullptr, [&](FXError &) {
        return join(*ranks, groups, nGroups, timeout);
      }))
    return nullptr;
  return ranks.release();
}

int fxDistributedGetRank(const FXDistributed *ranks) {
  return ranks ? ranks->options.rank : 0;
}
int fxDistributedGetLocalRank(const FXDistributed *ranks) {
  return ranks ? ranks->options.localRank : 0;
}
int fxDistributedGetWorldSize(const FXDistributed *ranks) {
  return ranks ? ranks->options.worldSize : 1;
}

int fxDistributedCompare(FXDistributed *ranks, const FXModel *model,
                         FXError **error) {
  if (!ranks || !model)
    return failNull(error, "fxDistributedCompare", ranks ? "model" : "ranks");
  return protect(error, nullptr, [&](FXError &) {
    const FXModelInfo &info = model->model->getInfo();
    return ranks->session->compare(
        listCollectives({info.fallbacks, size_t(info.n_fallbacks)}));
  });
}

int fxDistributedFail(FXDistributed *ranks, FXError **error) {
  if (!ranks)
    return failNull(error, "fxDistributedFail", "ranks");
  if (!error || !*error)
    return failNull(error, "fxDistributedFail", "error");
  std::string own = (*error)->message;
  FXError *cause = nullptr;
  protect(&cause, nullptr, [&](FXError &) {
    return ranks->session->fail(llvm::createStringError(own));
  });
  if (cause && cause->message == own) {
    fxErrorDestroy(cause); // the error has a place
  } else if (cause) {
    fxErrorDestroy(*error);
    *error = cause;
  }
  return 1;
}

int fxDistributedLeave(FXDistributed *ranks, FXError **error) {
  if (!ranks)
    return failNull(error, "fxDistributedLeave", "ranks");
  int failed = protect(error, nullptr,
                       [&](FXError &) { return ranks->session->leave(); });
  // After a failure the groups may wait for other ranks.
  if (failed)
    (void)ranks->session.release();
  delete ranks;
  return failed;
}
