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

static const char *cpu_of(int64_t v) {
  return fx_rt_methods_of(v)[0]->info->cpu;
}

/* Returns the features that some method of version `v` needs and the CPU lacks.
 */
static int64_t get_missing(int64_t v) {
  int64_t missing = 0;
  for (int64_t m = 0; m < fx_rt_versions.n_methods; ++m)
    missing |= fx_rt_methods_of(v)[m]->cpu_features & ~fx_rt_cpu_features();
  return missing;
}

/* Returns nonzero if the system lets the process use the tiles of version `v`.
 * Only files with another version ask here, where a refusal is no error. */
static int may_use_tiles(int64_t v) {
  char err[1];
  return !fx_rt_needs_tiles(v) || fx_rt_versions.n == 1 ||
         !fx_rt_request_tiles(err, sizeof err);
}

/* The last version demands the least. If the process can run none, it describes
 * the model, and fx_rt_check_cpu refuses to make an instance. */
static int64_t choose(void) {
  const char *forced = getenv("FX_RUN_CPU");
  for (int64_t v = 0; v < fx_rt_versions.n; ++v)
    if (forced ? !strcmp(forced, cpu_of(v))
               : !get_missing(v) && may_use_tiles(v))
      return v;
  return fx_rt_versions.n - 1;
}

int64_t fx_rt_version(void) {
  static _Atomic int64_t chosen = -1;
  int64_t v = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (v >= 0)
    return v;
  int64_t choice = choose();
  return atomic_compare_exchange_strong(&chosen, &v, choice) ? choice : v;
}

/* Appends to a text of `size` bytes; cuts what does not fit. */
static void append_text(char *text, size_t size, const char *separator,
                        const char *more) {
  size_t n = strnlen(text, size);
  if (n < size)
    snprintf(text + n, size - n, "%s%s", n ? separator : "", more);
}

int fx_rt_check_cpu(char *err, size_t err_size) {
  const char *forced = getenv("FX_RUN_CPU");
  char cpus[256] = "", lacks[256] = "";
  for (int64_t v = 0; v < fx_rt_versions.n; ++v)
    append_text(cpus, sizeof cpus, ", ", cpu_of(v));
  int64_t chosen = fx_rt_version();
  if (forced && fx_rt_versions.n > 1 && strcmp(forced, cpu_of(chosen))) {
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
           cpu_of(chosen), lacks);
  return 1;
}
