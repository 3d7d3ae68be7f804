/*===- distributed.c - a rank of a C program ----------------------* C -*--===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// distributed MODEL [TIMES]: runs a model of one input, f32 of [4, 8], and one
// output, and prints the first element of the output. test_distributed.py
// starts the ranks.
//
//===----------------------------------------------------------------------===*/

#include "fx-c/Distributed.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static FXError *error = NULL;

static void end(void) {
  fprintf(stderr, "error: %s\n", fxErrorGetMessage(error));
  fflush(NULL);
  _exit(1);
}

int main(int argc, char **argv) {
  const char *group = "pair=0,1";
  if (argc < 2)
    return 1;
  if (fxDistributedCompare(NULL, NULL, NULL) != 1 ||
      fxDistributedFail(NULL, NULL) != 1 || fxDistributedLeave(NULL, NULL) != 1)
    return 1;
  FXDistributed *ranks = fxDistributedJoin(&group, 1, 60, &error);
  if (!ranks)
    end();
  FXModel *model = fxModelLoad(argv[1], NULL, &error);
  if (!model || fxDistributedCompare(ranks, model, &error)) {
    fxDistributedFail(ranks, &error);
    end();
  }
  float values[32];
  for (int i = 0; i < 32; ++i)
    values[i] = (float)(fxDistributedGetRank(ranks) + 1);
  int64_t shape[] = {4, 8};
  DLTensor tensor = {values, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0};
  const DLTensor *inputs[] = {&tensor};
  float first = 0;
  for (int i = argc > 2 ? atoi(argv[2]) : 1; i > 0; --i) {
    DLManagedTensor *output = NULL;
    if (fxModelRun(model, inputs, 1, &output, 1, 1, &error)) {
      fxDistributedFail(ranks, &error);
      end();
    }
    first = *(float *)output->dl_tensor.data;
    output->deleter(output);
  }
  printf("rank %d (%d on this host) of %d: %g\n", fxDistributedGetRank(ranks),
         fxDistributedGetLocalRank(ranks), fxDistributedGetWorldSize(ranks),
         first);
  if (fxDistributedLeave(ranks, &error))
    end();
  fxModelDestroy(model);
  return 0;
}
