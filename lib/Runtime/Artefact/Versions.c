/*===- Versions.c - the version of the model for the CPU ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artefact has one version of the model for each CPU that it was compiled
// for. The process uses the first one that its CPU can run; the compiler sorts
// the versions so that the most demanding ones are first.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const feature_names[] = {
#if defined(__aarch64__)
#define FX_AARCH64_FEATURE(ID, NAME, WORD, BIT) NAME,
#else
#define FX_X86_FEATURE(ID, NAME, WORD, BIT, STATE) NAME,
#endif
#include "fx/Runtime/CpuFeatures.def"
};

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

_Atomic(const FXrtModel *) fx_rt_chosen;

static int64_t get_missing(const FXrtModel *model) {
  return model->cpu_features & ~fx_rt_cpu_features();
}

/* Returns nonzero if the system lets the process use the tiles of `model`. Only
 * files with another version ask here, where a refusal is no error. */
static int may_use_tiles(const FXrtModel *model) {
  char err[1];
  return !fx_rt_needs_tiles(model) || fx_rt_versions.n == 1 ||
         !fx_rt_request_tiles(err, sizeof err);
}

/* The last version demands the least. If the process can run none, it describes
 * the model, and fx_rt_check_cpu refuses to make an instance. */
static const FXrtModel *choose(void) {
  const FXrtVersions *versions = &fx_rt_versions;
  const char *forced = getenv("FX_RUN_CPU");
  for (int64_t v = 0; v < versions->n; ++v) {
    const FXrtModel *model = versions->models[v];
    if (forced ? !strcmp(forced, model->info->cpu)
               : !get_missing(model) && may_use_tiles(model))
      return model;
  }
  return versions->models[versions->n - 1];
}

void fx_rt_choose_version(void) {
  const FXrtModel *none = 0;
  if (!atomic_load_explicit(&fx_rt_chosen, memory_order_relaxed))
    atomic_compare_exchange_strong(&fx_rt_chosen, &none, choose());
}

/* Appends to a text of `size` bytes; cuts what does not fit. */
static void append_text(char *text, size_t size, const char *separator,
                        const char *more) {
  size_t n = strnlen(text, size);
  if (n < size)
    snprintf(text + n, size - n, "%s%s", n ? separator : "", more);
}

int fx_rt_check_cpu(char *err, size_t err_size) {
  const FXrtVersions *versions = &fx_rt_versions;
  const char *forced = getenv("FX_RUN_CPU");
  char cpus[256] = "", lacks[256] = "";
  for (int64_t v = 0; v < versions->n; ++v)
    append_text(cpus, sizeof cpus, ", ", versions->models[v]->info->cpu);
  const FXrtModel *chosen = &fx_rt_model;
  if (forced && versions->n > 1 && strcmp(forced, chosen->info->cpu)) {
    snprintf(err, err_size, "FX_RUN_CPU: expected one of %s, got '%s'", cpus,
             forced);
    return 1;
  }
  int64_t missing = get_missing(chosen);
  if (!missing)
    return 0;
  for (size_t f = 0; f < sizeof feature_names / sizeof *feature_names; ++f)
    if (missing >> f & 1)
      append_text(lacks, sizeof lacks, ", ", feature_names[f]);
  snprintf(err, err_size,
           "the model was compiled for %s; for %s, this CPU lacks %s", cpus,
           chosen->info->cpu, lacks);
  return 1;
}
