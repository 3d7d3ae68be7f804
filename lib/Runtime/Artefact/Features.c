/*===- Features.c - what the CPU and the system provide -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdio.h>

int64_t fx_rt_cpu_features(void) {
  int64_t f = 0;
#if defined(__x86_64__)
  unsigned a, b, c, d, xcr0 = 0, hi;
  __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(1), "c"(0));
  unsigned c1 = c;
  if (c1 & (1u << 27))
    __asm__("xgetbv" : "=a"(xcr0), "=d"(hi) : "c"(0));
  __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0), "c"(0));
  if (a < 7)
    return 0;
  __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
  unsigned leaves = a, b7 = b, c7 = c, d7 = d, a71 = 0;
  if (leaves >= 1) {
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(1));
    a71 = a;
  }
  if ((xcr0 & 6) == 6 && (b7 & (1u << 5)) && (c1 & (1u << 12)))
    f |= FX_CPU_AVX2_FMA;
  unsigned avx512 =
      (1u << 16) | (1u << 17) | (1u << 28) | (1u << 30) | (1u << 31);
  if ((xcr0 & 0xe6) == 0xe6 && (b7 & avx512) == avx512) {
    f |= FX_CPU_AVX512;
    if (c7 & (1u << 11))
      f |= FX_CPU_AVX512_VNNI;
    if (a71 & (1u << 5))
      f |= FX_CPU_AVX512_BF16;
  }
  /* The system must save the tiles and their configuration. */
  if ((xcr0 & 0x60000) == 0x60000 && (d7 & (1u << 24))) {
    f |= FX_CPU_AMX;
    if (d7 & (1u << 25))
      f |= FX_CPU_AMX_INT8;
    if (d7 & (1u << 22))
      f |= FX_CPU_AMX_BF16;
    if (a71 & (1u << 21))
      f |= FX_CPU_AMX_FP16;
  }
#endif
  return f;
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
