/*===- Helpers.c - functions that lowered code calls by name --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of strided memrefs, and the conversions between floating-point types
// that LLVM lowers to calls on x86 without the newest extensions. The
// conversions round to nearest even and keep NaN.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <string.h>

typedef struct {
  int64_t rank;
  FXrtMemRef *memref;
} FXrtUnrankedMemRef;

/* A dimension of a copy; strides are in bytes. */
typedef struct {
  int64_t size, to, from;
} Dim;

#define COPY_ROW(type)                                                         \
  for (int64_t i = 0; i < d.size; ++i) {                                       \
    type x;                                                                    \
    memcpy(&x, from + i * d.from, sizeof x);                                   \
    memcpy(to + i * d.to, &x, sizeof x);                                       \
  }                                                                            \
  return

/* Copies `d.size` runs of `run` bytes. */
static void copy_row(char *to, const char *from, Dim d, int64_t run) {
  switch (run) {
  case 1:
    COPY_ROW(uint8_t);
  case 2:
    COPY_ROW(uint16_t);
  case 4:
    COPY_ROW(uint32_t);
  case 8:
    COPY_ROW(uint64_t);
  }
  for (int64_t i = 0; i < d.size; ++i)
    memmove(to + i * d.to, from + i * d.from, (size_t)run);
}

/* Copies `rank` dimensions, at least one; the last one is the innermost. */
static void copy_dims(char *to, const char *from, const Dim *dims, int64_t rank,
                      int64_t run) {
  if (rank == 1) {
    copy_row(to, from, dims[0], run);
    return;
  }
  for (int64_t i = 0; i < dims[0].size; ++i)
    copy_dims(to + i * dims[0].to, from + i * dims[0].from, dims + 1, rank - 1,
              run);
}

/* Implements memref.copy between layouts that are known at compile time: copies
 * `rank` dimensions, at least one, of runs of `run` bytes. */
void fx_rt_copy_runs(char *to, const char *from, int64_t run, int64_t rank,
                     const Dim *dims) {
  copy_dims(to, from, dims, rank, run);
}

/* Implements memref.copy between other layouts unless both are contiguous. */
void memrefCopy(int64_t size, FXrtUnrankedMemRef *src,
                FXrtUnrankedMemRef *dst) {
  FXrtMemRef *s = src->memref, *d = dst->memref;
  int64_t given = src->rank;
  const int64_t *sizes = s->sizes_and_strides;
  const int64_t *from = sizes + given, *to = d->sizes_and_strides + given;
  char *out = (char *)d->aligned + d->offset * size;
  const char *in = (const char *)s->aligned + s->offset * size;
  /* From the innermost dimension on: merge dimensions that are contiguous on
   * both sides into one run, and outer ones that are contiguous on both sides
   * into one dimension. */
  Dim dims[given + 1];
  int64_t first = given, run = size;
  for (int64_t i = given - 1; i >= 0; --i) {
    Dim here = {sizes[i], to[i] * size, from[i] * size};
    if (here.size == 0)
      return;
    if (here.size == 1)
      continue;
    if (first == given && here.to == run && here.from == run) {
      run *= here.size;
      continue;
    }
    Dim *inner = first == given ? 0 : &dims[first];
    if (inner && here.to == inner->to * inner->size &&
        here.from == inner->from * inner->size)
      inner->size *= here.size;
    else
      dims[--first] = here;
  }
  if (first == given)
    memmove(out, in, (size_t)run);
  else
    copy_dims(out, in, dims + first, given - first, run);
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

/* Converts a double to a float and rounds to odd. Rounding the result again, to
 * a 16-bit type, then gives the correctly rounded value. */
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

/* Compilers expect these functions to pass 16-bit types in vector registers. */
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
