/*===- Tiles.h - a model of AMX -----------------------------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#ifndef FX_TEST_TILES_TILES_H
#define FX_TEST_TILES_TILES_H

#include <stdint.h>

/* The tiles of a thread and their configuration. `rows` and `colsb` are 0 for a
 * tile without configuration. */
typedef struct {
  int configured;
  struct {
    unsigned rows, colsb;
    uint8_t data[16][64];
  } tile[8];
} TileState;

/* The kinds of multiplication. */
typedef enum {
  TILE_BF16,
  TILE_FP16,
  TILE_SS, /* the left operand's bytes are signed, and the right one's */
  TILE_SU,
  TILE_US,
  TILE_UU
} TileKind;

/* Each function executes one instruction. Returns null, or the reason for which
 * the CPU would raise an exception. */
const char *tile_ldtilecfg(TileState *s, const uint8_t memory[64]);
const char *tile_release(TileState *s);
const char *tile_zero(TileState *s, unsigned dest);
const char *tile_load(TileState *s, unsigned dest, const uint8_t *base,
                      int64_t stride);
const char *tile_store(const TileState *s, unsigned source, uint8_t *base,
                       int64_t stride);
const char *tile_multiply(TileState *s, TileKind kind, unsigned dest,
                          unsigned left, unsigned right);

#endif /* FX_TEST_TILES_TILES_H */
