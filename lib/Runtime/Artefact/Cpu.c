/*===- Cpu.c - the CPU, and the version of the model for it ---------------===//
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
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#if defined(__x86_64__)
typedef enum { ECX1, EBX7, ECX7, EDX7, EAX71, EDX71, ECX81 } FXrtCpuidWord;

static void cpuid(unsigned leaf, unsigned subleaf, unsigned out[4]) {
  __asm__("cpuid"
          : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
          : "a"(leaf), "c"(subleaf));
}

int64_t fx_rt_cpu_features(void) {
  unsigned r[4], words[7] = {0}, state = 0, high;
  cpuid(1, 0, r);
  words[ECX1] = r[2];
  if (r[2] & (1u << 27)) /* OSXSAVE: xgetbv exists */
    __asm__("xgetbv" : "=a"(state), "=d"(high) : "c"(0));
  cpuid(0, 0, r);
  if (r[0] >= 7) {
    cpuid(7, 0, r);
    unsigned subleaves = r[0];
    words[EBX7] = r[1];
    words[ECX7] = r[2];
    words[EDX7] = r[3];
    if (subleaves >= 1) {
      cpuid(7, 1, r);
      words[EAX71] = r[0];
      words[EDX71] = r[3];
    }
  }
  cpuid(0x80000000u, 0, r);
  if (r[0] >= 0x80000001u) {
    cpuid(0x80000001u, 0, r);
    words[ECX81] = r[2];
  }
  int64_t features = 0;
#define FX_X86_FEATURE(ID, NAME, WORD, BIT, STATE)                             \
  if ((words[WORD] >> BIT & 1) && (state & STATE) == STATE)                    \
    features |= INT64_C(1) << FX_X86_##ID;
#include "fx/Runtime/CpuFeatures.def"
  return features;
}
#elif defined(__aarch64__)
int64_t fx_rt_cpu_features(void) {
  int64_t features = 0;
#define FX_AARCH64_FEATURE(ID, NAME, WORD, BIT)                                \
  if (getauxval(WORD) >> BIT & 1)                                              \
    features |= INT64_C(1) << FX_AARCH64_##ID;
#include "fx/Runtime/CpuFeatures.def"
  return features;
}
#else
#error "no features of this architecture"
#endif

static const char *const feature_names[] = {
#if defined(__x86_64__)
#define FX_X86_FEATURE(ID, NAME, WORD, BIT, STATE) NAME,
#else
#define FX_AARCH64_FEATURE(ID, NAME, WORD, BIT) NAME,
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

/* The last version demands the least. If the process can run none, it describes
 * the model, and fx_rt_check_cpu refuses to make an instance. */
static const FXrtModel *choose(void) {
  const FXrtVersions *versions = &fx_rt_versions;
  const char *forced = getenv("FX_RUN_CPU");
  for (int64_t v = 0; v < versions->n; ++v) {
    const FXrtModel *model = versions->models[v];
    if (forced ? !strcmp(forced, model->info->cpu) : !get_missing(model))
      return model;
  }
  return versions->models[versions->n - 1];
}

void fx_rt_choose_version(void) {
  const FXrtModel *none = 0;
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
