/*===- Features.c - what the CPU and the system provide -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdio.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#if defined(__x86_64__)
typedef enum {
  ECX1,
  EBX7,
  ECX7,
  EDX7,
  EAX71,
  EDX71,
  ECX81,
  WORDS
} FXrtCpuidWord;

static void cpuid(unsigned leaf, unsigned subleaf, unsigned out[4]) {
  __asm__("cpuid"
          : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
          : "a"(leaf), "c"(subleaf));
}

static int64_t find_features(void) {
  unsigned r[4], words[WORDS] = {0}, state = 0, high;
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
typedef enum { HWCAP, HWCAP2, WORDS } FXrtHwcapWord;

static int64_t find_features(void) {
  unsigned long words[WORDS] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
  int64_t features = 0;
#define FX_AARCH64_FEATURE(ID, NAME, WORD, BIT)                                \
  if (words[WORD] >> BIT & 1)                                                  \
    features |= INT64_C(1) << FX_AARCH64_##ID;
#include "fx/Runtime/CpuFeatures.def"
  return features;
}
#else
static int64_t find_features(void) { return 0; }
#endif

int64_t fx_rt_cpu_features(void) {
  /* A virtual machine takes long to execute cpuid. */
  static _Atomic int64_t known = -1;
  int64_t features = atomic_load_explicit(&known, memory_order_relaxed);
  if (features >= 0)
    return features;
  features = find_features();
  atomic_store_explicit(&known, features, memory_order_relaxed);
  return features;
}

/* arch_prctl of Linux, without the errno of libc's syscall. */
static long arch_prctl(long code, long argument) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(158l), "D"(code), "S"(argument)
                   : "rcx", "r11", "memory");
  return result;
#else
  (void)code, (void)argument;
  return -38;
#endif
}

int fx_rt_needs_tiles(int64_t v) {
#if defined(__x86_64__)
  for (int64_t m = 0; m < fx_rt_versions.n_methods; ++m)
    if (fx_rt_methods_of(v)[m]->cpu_features & FX_X86_TILES)
      return 1;
#else
  (void)v;
#endif
  return 0;
}

int fx_rt_request_tiles(char *err, size_t size) {
  /* ARCH_REQ_XCOMP_PERM and XFEATURE_XTILEDATA. The permission holds for all
   * threads, and a second request succeeds. */
  long result = arch_prctl(0x1023, 18);
  if (!result)
    return 0;
  /* -ENOSPC */
  const char *why = result == -28
                        ? "the alternate signal stack of a thread is too small"
                        : "AMX needs Linux 5.16, and a CPU and a virtual "
                          "machine that provide it";
  snprintf(err, size,
           "the model multiplies in tiles (AMX), which the system refuses with "
           "error %ld: %s",
           -result, why);
  return -1;
}
