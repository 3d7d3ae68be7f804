/*===- plain.c - loops for a compiler's vectorizer ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// plain CASE RUNS: runs the loops of a case. The innermost loops are those that
// vectorize best, and the compiler may reorder sums (-ffast-math).
//
//===----------------------------------------------------------------------===*/

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* y[m][n] = sum x[m][k] w[k][n] */
static void matmul(int M, int N, int K, const float *restrict x,
                   const float *restrict w, float *restrict y) {
  memset(y, 0, sizeof(float) * M * N);
  for (int m = 0; m < M; ++m)
    for (int k = 0; k < K; ++k)
      for (int n = 0; n < N; ++n)
        y[m * N + n] += x[m * K + k] * w[k * N + n];
}

/* As above, of bytes: y[m][n] = sum x[m][k] w[n][k]. */
static void matmul_int8(int M, int N, int K, const uint8_t *restrict x,
                        const int8_t *restrict w, int32_t *restrict y) {
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      int32_t sum = 0;
      for (int k = 0; k < K; ++k)
        sum += x[m * K + k] * w[n * K + k];
      y[m * N + n] = sum;
    }
}

/* A 3 x 3 convolution of padded pixels; channels are innermost. */
static void conv(int H, int W, int C, int O, const float *restrict x,
                 const float *restrict w, float *restrict y) {
  memset(y, 0, sizeof(float) * H * W * O);
  for (int h = 0; h < H; ++h)
    for (int q = 0; q < W; ++q)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          for (int c = 0; c < C; ++c)
            for (int o = 0; o < O; ++o)
              y[(h * W + q) * O + o] += x[((h + i) * (W + 2) + q + j) * C + c] *
                                        w[((i * 3 + j) * C + c) * O + o];
}

static void softmax(int M, int N, const float *restrict x, float *restrict y) {
  for (int m = 0; m < M; ++m, x += N, y += N) {
    float most = x[0], sum = 0;
    for (int n = 0; n < N; ++n)
      most = x[n] > most ? x[n] : most;
    for (int n = 0; n < N; ++n) {
      y[n] = expf(x[n] - most);
      sum += y[n];
    }
    for (int n = 0; n < N; ++n)
      y[n] /= sum;
  }
}

static void layer_norm(int M, int N, const float *restrict x,
                       const float *restrict g, const float *restrict b,
                       float *restrict y) {
  for (int m = 0; m < M; ++m, x += N, y += N) {
    float sum = 0, squares = 0;
    for (int n = 0; n < N; ++n)
      sum += x[n];
    float mean = sum / N;
    for (int n = 0; n < N; ++n)
      squares += (x[n] - mean) * (x[n] - mean);
    float scale = 1 / sqrtf(squares / N + 1e-5f);
    for (int n = 0; n < N; ++n)
      y[n] = (x[n] - mean) * scale * g[n] + b[n];
  }
}

static void *make(size_t bytes) {
  float *p = malloc(bytes);
  for (size_t i = 0; i < bytes / sizeof(float); ++i)
    p[i] = (float)(i % 13) / 13;
  return p;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 1;
  void *x = make(1 << 22), *w = make(1 << 22), *b = make(1 << 22),
       *y = make(1 << 22);
  for (int runs = atoi(argv[2]); runs > 0; --runs) {
    if (!strcmp(argv[1], "matmul"))
      matmul(128, 256, 256, x, w, y);
    else if (!strcmp(argv[1], "int8 matmul"))
      matmul_int8(128, 256, 256, x, w, y);
    else if (!strcmp(argv[1], "conv"))
      conv(28, 28, 64, 64, x, w, y);
    else if (!strcmp(argv[1], "softmax"))
      softmax(128, 256, x, y);
    else if (!strcmp(argv[1], "layer norm"))
      layer_norm(128, 768, x, w, b, y);
    else
      return 1;
    /* The compiler must not merge runs. */
    __asm__ volatile("" : : "r"(x), "r"(w), "r"(y) : "memory");
  }
  return 0;
}
