/*===- Helpers.c - functions that lowered code calls by name --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of strided memrefs, and the conversions between floating-point types
// that x86 without the newest extensions does by a call. All round to nearest
// even and keep NaN.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <string.h>

typedef struct {
  int64_t rank;
  FXrtMemRef *memref;
} FXrtUnrankedMemRef;

/* Copies runs of `run` bytes; the strides count elements of `size` bytes. */
static void copy_dims(char *to, const char *from, int64_t rank,
                      const int64_t *sizes, const int64_t *to_strides,
                      const int64_t *from_strides, int64_t size, int64_t run) {
  if (rank == 0) {
    memmove(to, from, (size_t)run);
    return;
  }
  for (int64_t i = 0; i < sizes[0]; ++i)
    copy_dims(to + i * to_strides[0] * size, from + i * from_strides[0] * size,
              rank - 1, sizes + 1, to_strides + 1, from_strides + 1, size, run);
}

/* memref.copy between layouts that are not both contiguous. */
void memrefCopy(int64_t size, FXrtUnrankedMemRef *src,
                FXrtUnrankedMemRef *dst) {
  FXrtMemRef *s = src->memref, *d = dst->memref;
  int64_t rank = src->rank;
  const int64_t *sizes = s->sizes_and_strides;
  const int64_t *from = sizes + rank, *to = d->sizes_and_strides + rank;
  for (int64_t i = 0; i < rank; ++i)
    if (sizes[i] == 0)
      return;
  /* Inner dimensions that are contiguous on both sides are one run. */
  int64_t outer = rank, run = 1;
  while (outer > 0 && (sizes[outer - 1] == 1 ||
                       (from[outer - 1] == run && to[outer - 1] == run))) {
    run *= sizes[outer - 1];
    --outer;
  }
  copy_dims((char *)d->aligned + d->offset * size,
            (const char *)s->aligned + s->offset * size, outer, sizes, to, from,
            size, run * size);
}

static uint32_t bits_of(float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  return u;
}

static uint16_t float_to_bf16(float f) {
  uint32_t u = bits_of(f);
  if ((u & 0x7fffffff) > 0x7f800000)
    return (uint16_t)(u >> 16 | 0x40);
  return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/* A double as a float rounded to odd: rounding it once more is then exact. */
static float to_float_odd(double d) {
  float f = (float)d;
  if ((double)f == d || d != d)
    return f;
  uint32_t u = bits_of(f);
  int away = (double)(f < 0 ? -f : f) > (d < 0 ? -d : d);
  u = away ? u - 1 : u;
  u |= 1;
  memcpy(&f, &u, 4);
  return f;
}

static uint16_t float_to_half(float f) {
  uint32_t u = bits_of(f), sign = u >> 16 & 0x8000, mag = u & 0x7fffffff;
  if (mag > 0x7f800000)
    return (uint16_t)(sign | 0x7e00 | (mag >> 13 & 0x3ff));
  if (mag >= 0x477ff000)
    return (uint16_t)(sign | 0x7c00);
  if (mag < 0x33000001) /* below half of the least subnormal, or a tie at it */
    return (uint16_t)sign;
  uint32_t exponent = mag >> 23, mantissa = (mag & 0x7fffff) | 0x800000,
           shift = 13;
  uint32_t h = 0;
  if (exponent < 113)
    shift = 126 - exponent;
  else
    h = (exponent - 113) << 10;
  uint32_t half = 1u << (shift - 1), rest = mantissa & ((1u << shift) - 1);
  h += mantissa >> shift;
  if (rest > half || (rest == half && (h & 1)))
    ++h;
  return (uint16_t)(sign | h);
}

static float half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff,
           u;
  if (e == 31)
    u = sign | 0x7f800000 | m << 13;
  else if (e != 0)
    u = sign | (e + 112) << 23 | m << 13;
  else {
    float f = (float)m * 0x1p-24f;
    u = sign | bits_of(f);
  }
  float f;
  memcpy(&f, &u, 4);
  return f;
}

/* The types pass in vector registers, as compilers expect of these names. */
#define RESULT(type, bits)                                                     \
  uint16_t raw = bits;                                                         \
  type out;                                                                    \
  memcpy(&out, &raw, 2);                                                       \
  return out
__bf16 __truncsfbf2(float f) { RESULT(__bf16, float_to_bf16(f)); }
__bf16 __truncdfbf2(double d) {
  RESULT(__bf16, float_to_bf16(to_float_odd(d)));
}
_Float16 __truncsfhf2(float f) { RESULT(_Float16, float_to_half(f)); }
_Float16 __truncdfhf2(double d) {
  RESULT(_Float16, float_to_half(to_float_odd(d)));
}
float __extendhfsf2(_Float16 h) {
  uint16_t raw;
  memcpy(&raw, &h, 2);
  return half_to_float(raw);
}
