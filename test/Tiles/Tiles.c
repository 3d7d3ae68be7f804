/*===- Tiles.c - a model of AMX -------------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the operation sections of LDTILECFG, TILELOADD, TILESTORED, TILEZERO,
// TDPBF16PS, TDPFP16PS and TDPB[SU][SU]D in Intel's Software Developer's
Manual.
// Rows and columns outside of a tile's configuration are zero. Floats are
// multiplied and added with one rounding to nearest, in two sums, of the even
// and of the odd terms. Subnormal results are zero, and so are subnormal
// operands, except terms of f16.
//
//===----------------------------------------------------------------------===*/

#include "Tiles.h"

#include <math.h>
#include <string.h>

const char *tile_ldtilecfg(TileState *s, const uint8_t memory[64]) {
  unsigned palette = memory[0];
  memset(s, 0, sizeof *s);
  if (palette == 0)
    return 0;
  if (palette != 1)
    return "ldtilecfg: a palette other than 0 and 1";
  if (memory[1])
    return "ldtilecfg: start_row is not 0";
  for (int i = 2; i < 64; ++i)
    if ((i < 16 || (i >= 32 && i < 48) || i >= 56) && memory[i])
      return "ldtilecfg: a reserved byte is not 0";
  for (int t = 0; t < 8; ++t) {
    unsigned rows = memory[48 + t],
             colsb = memory[16 + 2 * t] | memory[17 + 2 * t] << 8;
    if (rows > 16)
      return "ldtilecfg: more than 16 rows";
    if (colsb > 64)
      return "ldtilecfg: more than 64 bytes in a row";
    if ((rows == 0) != (colsb == 0))
      return "ldtilecfg: a tile with rows or columns, but not both";
    s->tile[t].rows = rows;
    s->tile[t].colsb = colsb;
  }
  s->configured = 1;
  return 0;
}

const char *tile_release(TileState *s) {
  memset(s, 0, sizeof *s);
  return 0;
}

static const char *check(const TileState *s, unsigned t) {
  if (!s->configured)
    return "no configuration of tiles is loaded";
  if (t > 7 || s->tile[t].rows == 0)
    return "a tile without configuration";
  return 0;
}

const char *tile_zero(TileState *s, unsigned dest) {
  const char *error = check(s, dest);
  if (!error)
    memset(s->tile[dest].data, 0, sizeof s->tile[dest].data);
  return error;
}

const char *tile_load(TileState *s, unsigned dest, const uint8_t *base,
                      int64_t stride) {
  const char *error = tile_zero(s, dest);
  if (error)
    return error;
  for (unsigned r = 0; r < s->tile[dest].rows; ++r)
    memcpy(s->tile[dest].data[r], base + r * stride, s->tile[dest].colsb);
  return 0;
}

const char *tile_store(const TileState *s, unsigned source, uint8_t *base,
                       int64_t stride) {
  const char *error = check(s, source);
  if (error)
    return error;
  for (unsigned r = 0; r < s->tile[source].rows; ++r)
    memcpy(base + r * stride, s->tile[source].data[r], s->tile[source].colsb);
  return 0;
}

/* Returns `x`, or a zero of its sign if it is subnormal. */
static float flush(float x) {
  return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

static float from_bf16(const uint8_t *p) {
  uint32_t bits = (uint32_t)(p[0] | p[1] << 8) << 16;
  float x;
  memcpy(&x, &bits, 4);
  return flush(x);
}

static float from_f16(const uint8_t *p) {
  unsigned bits = p[0] | p[1] << 8, exponent = bits >> 10 & 31,
           mantissa = bits & 1023;
  float x = exponent == 31 ? (mantissa ? NAN : INFINITY)
            : exponent     ? ldexpf(1024 + mantissa, (int)exponent - 25)
                           : ldexpf(mantissa, -24);
  return bits >> 15 ? -x : x;
}

/* FTZ is applied to the rounded result. A result that is subnormal before
 * rounding may round to the smallest normal number, which the CPU's rule for
 * tininess after rounding keeps, too. */
static float multiply_add(float x, float y, float sum) {
  return flush(fmaf(x, y, flush(sum)));
}

static float get_f32(const uint8_t *p) {
  float x;
  memcpy(&x, p, 4);
  return x;
}

static void multiply_floats(TileState *s, TileKind kind, unsigned dest,
                            unsigned left, unsigned right) {
  float (*get)(const uint8_t *) = kind == TILE_BF16 ? from_bf16 : from_f16;
  unsigned words = s->tile[left].colsb / 4, columns = s->tile[dest].colsb / 4;
  for (unsigned m = 0; m < s->tile[dest].rows; ++m)
    for (unsigned n = 0; n < columns; ++n) {
      float even = 0, odd = 0;
      for (unsigned k = 0; k < words; ++k) {
        const uint8_t *x = &s->tile[left].data[m][4 * k],
                      *y = &s->tile[right].data[k][4 * n];
        even = multiply_add(get(x), get(y), even);
        odd = multiply_add(get(x + 2), get(y + 2), odd);
      }
      uint8_t *to = &s->tile[dest].data[m][4 * n];
      float sum = flush(flush(get_f32(to)) + flush(even + odd));
      memcpy(to, &sum, 4);
    }
}

static void multiply_bytes(TileState *s, TileKind kind, unsigned dest,
                           unsigned left, unsigned right) {
  int is_left_signed = kind == TILE_SS || kind == TILE_SU,
      is_right_signed = kind == TILE_SS || kind == TILE_US;
  unsigned words = s->tile[left].colsb / 4, columns = s->tile[dest].colsb / 4;
  for (unsigned m = 0; m < s->tile[dest].rows; ++m)
    for (unsigned n = 0; n < columns; ++n) {
      uint8_t *to = &s->tile[dest].data[m][4 * n];
      uint32_t sum;
      memcpy(&sum, to, 4);
      for (unsigned k = 0; k < words; ++k)
        for (unsigned i = 0; i < 4; ++i) {
          uint8_t x = s->tile[left].data[m][4 * k + i],
                  y = s->tile[right].data[k][4 * n + i];
          int32_t a = is_left_signed ? (int8_t)x : x,
                  b = is_right_signed ? (int8_t)y : y;
          sum += (uint32_t)(a * b); /* wraps */
        }
      memcpy(to, &sum, 4);
    }
}

const char *tile_multiply(TileState *s, TileKind kind, unsigned dest,
                          unsigned left, unsigned right) {
  const unsigned used[3] = {dest, left, right};
  for (int i = 0; i < 3; ++i) {
    const char *error = check(s, used[i]);
    if (error)
      return error;
  }
  if (dest == left || dest == right || left == right)
    return "a multiplication uses a tile twice";
  if (s->tile[dest].colsb % 4 || s->tile[left].colsb % 4)
    return "a multiplication of rows that have no whole words";
  if (s->tile[dest].rows != s->tile[left].rows)
    return "a multiplication with different numbers of rows";
  if (s->tile[dest].colsb != s->tile[right].colsb)
    return "a multiplication with different numbers of columns";
  if (s->tile[left].colsb / 4 != s->tile[right].rows)
    return "a multiplication with different numbers of words";
  if (kind == TILE_BF16 || kind == TILE_FP16)
    multiply_floats(s, kind, dest, left, right);
  else
    multiply_bytes(s, kind, dest, left, right);
  /* Rows and columns outside of the destination were zero, and stay so: every
   * instruction that writes a tile keeps them. */
  return 0;
}
