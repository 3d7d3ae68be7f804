/*===- fx-c/Distributed.h - process groups of models --------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process that torchrun has started joins the others before it runs a model
// with collectives:
//
//   FXDistributed *ranks = fxDistributedJoin(0, 0, 300, &error);
//   if (!ranks || fxDistributedCompare(ranks, model, &error))
//     ...
//   if (fxModelRun(model, ..., &error))
//     fxDistributedFail(ranks, &error);  // names the rank that is the cause
//   fxDistributedLeave(ranks, &error);
//
// A process has one FXDistributed at a time. docs/Distributed.md describes what
// the ranks must have in common.
//
//===----------------------------------------------------------------------===*/

#ifndef FX_C_DISTRIBUTED_H
#define FX_C_DISTRIBUTED_H

#include "fx-c/Run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The process groups of this process. */
typedef struct FXDistributed FXDistributed;

/* Reads MASTER_ADDR, MASTER_PORT, RANK, WORLD_SIZE and LOCAL_RANK, joins the
 * other ranks, and makes the group "0" of all ranks and `n_groups` others, each
 * given as "NAME=0,1" with its ranks. Those without this rank are ignored. A
 * rank waits `timeout` seconds for others, here and in collectives. Loads
 * libFXTorch.so. Returns null with an error if the variables are not set. */
FX_CAPI FXDistributed *fxDistributedJoin(const char *const *groups,
                                         size_t n_groups, double timeout,
                                         FXError **error);

FX_CAPI int fxDistributedGetRank(const FXDistributed *ranks);
FX_CAPI int fxDistributedGetLocalRank(const FXDistributed *ranks);
FX_CAPI int fxDistributedGetWorldSize(const FXDistributed *ranks);

/* Compares the collectives of the model with those of the models of the other
 * ranks. Every rank must call it once. The error names the rank and the first
 * collective that differs. */
FX_CAPI int fxDistributedCompare(FXDistributed *ranks, const FXModel *model,
                                 FXError **error);

/* Tells the other ranks of *error, which a run of this rank gave, and replaces
 * it if it is a consequence of the failure of another rank, whose number the
 * new error has. Returns 1. The process cannot use its groups afterwards. It
 * must end by _exit: groups wait for other ranks when they are destroyed. */
FX_CAPI int fxDistributedFail(FXDistributed *ranks, FXError **error);

/* Waits until all ranks have called it, destroys the groups and `ranks`. After
 * an error, the process must end by _exit. */
FX_CAPI int fxDistributedLeave(FXDistributed *ranks, FXError **error);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_DISTRIBUTED_H */
