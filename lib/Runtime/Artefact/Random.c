/*===- Random.c - tensors of random numbers -------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fx_kernel.random is lowered to calls of fx_rt_random. Each distribution draws
// from the generator in the same order, and rounds in the same way, as
// PyTorch's kernels of the CPU, so that the same seed gives the same values as
// eager PyTorch. PyTorch's kernels are compiled with floating-point
// contraction; the calls of fma below reproduce it.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <math.h>
#include <string.h>

/* Functions that are inlined twice: into code for CPUs with fma instructions,
 * and into code for all CPUs. */
#define INLINE static inline __attribute__((always_inline))

enum { NORMAL_BLOCK = 16 };
static const double PI = 3.14159265358979323846;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

typedef enum { INT, F16, BF16, F32, F64, BOOL } Element;

/* The memory that is filled: `n` contiguous elements of one dtype. */
typedef struct {
  char *data;
  int64_t n;
  Element element;
  int bytes, is_unsigned;
} Target;

INLINE void store_float(const Target *t, int64_t i, float v) {
  if (t->element == F32) {
    memcpy(t->data + 4 * i, &v, 4);
  } else {
    uint16_t bits = t->element == F16 ? float_to_half(v) : float_to_bf16(v);
    memcpy(t->data + 2 * i, &bits, 2);
  }
}

INLINE void store_int(const Target *t, int64_t i, int64_t v) {
  if (t->element == INT) {
    memcpy(t->data + t->bytes * i, &v, (size_t)t->bytes);
  } else if (t->element == BOOL) {
    t->data[i] = v != 0;
  } else if (t->element == F64) {
    double d = (double)v;
    memcpy(t->data + 8 * i, &d, 8);
  } else {
    store_float(t, i, (float)v);
  }
}

INLINE void store_double(const Target *t, int64_t i, double v) {
  if (t->element == F64)
    memcpy(t->data + 8 * i, &v, 8);
  else if (t->element == INT || t->element == BOOL)
    store_int(t, i, (int64_t)v);
  else
    store_float(t, i, (float)v);
}

//===----------------------------------------------------------------------===//
// Real distributions
//===----------------------------------------------------------------------===//

INLINE void fill_uniform(FXGenerator *g, const Target *t, double from,
                         double to) {
  if (t->element == F64) {
    double *out = (double *)t->data, range = to - from;
    for (int64_t i = 0; i < t->n; ++i) {
      double v = fma(uniform_double(g), range, from);
      out[i] = v == to ? from : v;
    }
    return;
  }
  float low = (float)from, high = (float)to, range = high - low;
  if (t->element == F32) {
    float *out = (float *)t->data;
    for (int64_t i = 0; i < t->n; ++i) {
      float v = fmaf(uniform_float(g), range, low);
      out[i] = v == high ? low : v;
    }
    return;
  }
  /* A value that rounds up to the upper bound is replaced by the lower one. */
  uint16_t (*convert)(float) =
      t->element == F16 ? float_to_half : float_to_bf16;
  uint16_t first = convert(low), last = convert(high);
  for (int64_t i = 0; i < t->n; ++i) {
    uint16_t v = convert(fmaf(uniform_float(g), range, low));
    v = v == last ? first : v;
    memcpy(t->data + 2 * i, &v, 2);
  }
}

/* Draws one standard normal number. Numbers are computed in pairs; the
 * generator keeps the second one. */
INLINE double normal_double(FXGenerator *g) {
  if (g->has_normal) {
    g->has_normal = 0;
    return g->normal;
  }
  double u1 = uniform_double(g), u2 = uniform_double(g);
  double r = sqrt(-2.0 * log1p(-u2)), theta = 2.0 * PI * u1;
  g->normal = r * sin(theta);
  g->has_normal = 1;
  return r * cos(theta);
}

/* Turns 16 uniform numbers into normal ones, in eight pairs. */
INLINE void box_muller_double(double *x, double mean, double std) {
  for (int j = 0; j < 8; ++j) {
    double u1 = 1 - x[j], u2 = x[j + 8];
    double radius = sqrt(-2 * log(u1)), theta = 2.0f * PI * u2;
    x[j] = fma(radius * cos(theta), std, mean);
    x[j + 8] = fma(radius * sin(theta), std, mean);
  }
}

/* Does the same for floats in the way of PyTorch's vectorized code, with the
 * polynomials of Cephes' logf, sinf and cosf. */
INLINE void box_muller_float(float *x, float mean, float std) {
  for (int j = 0; j < 8; ++j) {
    float u = 1.0f - x[j], theta = 6.283185307179586f * x[j + 8], v;
    /* The logarithm of u, in [2^-24, 1], is e log(2) + log(1 + v). */
    uint32_t bits;
    memcpy(&bits, &u, 4);
    float e = (float)((int32_t)(bits >> 23) - 0x7f) + 1.0f;
    bits = (bits & 0x807fffffu) | 0x3f000000u;
    memcpy(&v, &bits, 4);
    int small = v < 0.707106781186547524f;
    float extra = small ? v : 0.0f;
    e -= small ? 1.0f : 0.0f;
    v = v - 1.0f + extra;
    float z = v * v, y = 7.0376836292E-2f;
    y = fmaf(y, v, -1.1514610310E-1f);
    y = fmaf(y, v, 1.1676998740E-1f);
    y = fmaf(y, v, -1.2420140846E-1f);
    y = fmaf(y, v, 1.4249322787E-1f);
    y = fmaf(y, v, -1.6668057665E-1f);
    y = fmaf(y, v, 2.0000714765E-1f);
    y = fmaf(y, v, -2.4999993993E-1f);
    y = fmaf(y, v, 3.3333331174E-1f);
    y = fmaf(y * v, z, e * -2.12194440e-4f);
    y = fmaf(-z, 0.5f, y);
    float radius = sqrtf(-2.0f * fmaf(e, 0.693359375f, v + y));

    /* Sine and cosine of theta, in [0, 2 pi): q is the number of multiples of
     * pi / 4 in theta, rounded up to an even number, and w = theta - q pi / 4.
     */
    int32_t q = ((int32_t)(theta * 1.27323954473516f) + 1) & ~1;
    float turns = (float)q, w = theta;
    w = fmaf(turns, -0.78515625f, w);
    w = fmaf(turns, -2.4187564849853515625e-4f, w);
    w = fmaf(turns, -3.77489497744594108e-8f, w);
    z = w * w;
    float c = fmaf(2.443315711809948E-005f, z, -1.388731625493765E-003f);
    c = fmaf(c, z, 4.166664568298827E-002f);
    c = fmaf(c * z, z, -(z * 0.5f)) + 1.0f;
    float s = fmaf(-1.9515295891E-4f, z, 8.3321608736E-3f);
    s = fmaf(s, z, -1.6666654611E-1f);
    s = fmaf(s * z, w, w);
    float sine = q & 2 ? c : s, cosine = q & 2 ? s : c;
    sine = q & 4 ? -sine : sine;
    cosine = (q - 2) & 4 ? cosine : -cosine;
    x[j] = fmaf(radius * cosine, std, mean);
    x[j + 8] = fmaf(radius * sine, std, mean);
  }
}

/* Fills blocks of 16 elements. The last block ends with the tensor and may
 * overlap the one before it; the elements in both are drawn again. */
INLINE void fill_normal_blocks(FXGenerator *g, const Target *t, double mean,
                               double std) {
  double d[NORMAL_BLOCK];
  float f[NORMAL_BLOCK];
  int64_t rest = t->n % NORMAL_BLOCK, whole = t->n - rest;
  for (int64_t at = 0; at < t->n; at += NORMAL_BLOCK) {
    int64_t start = at < whole ? at : t->n - NORMAL_BLOCK;
    /* For float32 and float64 PyTorch draws numbers for the remaining elements
     * before it draws those of the last block. */
    if (start != at && (t->element == F32 || t->element == F64))
      for (int64_t j = 0; j < rest; ++j)
        t->element == F64 ? (void)random64(g) : (void)random32(g);
    if (t->element == F64) {
      for (int j = 0; j < NORMAL_BLOCK; ++j)
        d[j] = uniform_double(g);
      box_muller_double(d, mean, std);
      memcpy(t->data + 8 * start, d, sizeof d);
      continue;
    }
    for (int j = 0; j < NORMAL_BLOCK; ++j)
      f[j] = uniform_float(g);
    box_muller_float(f, (float)mean, (float)std);
    for (int j = 0; j < NORMAL_BLOCK; ++j)
      store_float(t, start + j, f[j]);
  }
}

/* Fills tensors of fewer than 16 elements, and those that are not contiguous in
 * PyTorch. */
INLINE void fill_normal_pairs(FXGenerator *g, const Target *t, double mean,
                              double std) {
  for (int64_t i = 0; i < t->n; ++i)
    store_double(t, i, fma(normal_double(g), std, mean));
}

//===----------------------------------------------------------------------===//
// Bernoulli and exponential distributions
//===----------------------------------------------------------------------===//

static void fill_bernoulli(FXGenerator *g, const Target *t, double p) {
  for (int64_t i = 0; i < t->n; ++i)
    store_int(t, i, uniform_double(g) < p);
}

static void fill_exponential(FXGenerator *g, const Target *t, double rate) {
  for (int64_t i = 0; i < t->n; ++i)
    store_double(t, i, -1.0 / rate * log1p(-uniform_double(g)));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/* Returns the number n of digits of a floating-point dtype, which represents
 * all integers up to 2^n, or 0 for other dtypes. */
static int digits_of(Element e) {
  return e == F16 ? 11 : e == BF16 ? 8 : e == F32 ? 24 : e == F64 ? 53 : 0;
}

/* Returns `v` rounded to the dtype of `t`, as an integer. */
static int64_t rounded(const Target *t, int64_t v) {
  Target one = *t;
  union {
    uint16_t h;
    float f;
    double d;
  } u;
  one.data = (char *)&u;
  store_int(&one, 0, v);
  if (t->element == F64)
    return (int64_t)u.d;
  if (t->element == F32)
    return (int64_t)u.f;
  uint32_t bits = (uint32_t)u.h << 16;
  float f;
  memcpy(&f, &bits, 4);
  return (int64_t)(t->element == F16 ? half_to_float(u.h) : f);
}

static int log2_of(int64_t v) {
  int n = 0;
  for (v = v < 0 ? -v : v; v >>= 1;)
    ++n;
  return n;
}

/* Return the bounds, moved inwards if the integer next to a bound rounds to a
 * value outside of the bounds in the dtype of `t`. */
static int64_t first_of(const Target *t, int64_t from) {
  int64_t next = rounded(t, from + 1);
  if (next >= from)
    return from;
  return next + (1ll << (log2_of(from + 1) - digits_of(t->element) + 1));
}
static int64_t end_of(const Target *t, int64_t to) {
  int64_t last = rounded(t, to - 1);
  if (last < to)
    return to;
  return last - (1ll << (log2_of(to - 1) - digits_of(t->element) + 1));
}

/* Fills with integers in [from, to). */
static void fill_integers(FXGenerator *g, const Target *t, int64_t from,
                          int64_t to) {
  if (digits_of(t->element)) {
    from = first_of(t, from);
    to = end_of(t, to);
  }
  uint64_t range = (uint64_t)to - (uint64_t)from;
  int wide = range >= 1ull << 28;
  for (int64_t i = 0; i < t->n; ++i) {
    uint64_t v = wide ? random64(g) : random32(g);
    store_int(t, i, (int64_t)(v % range + (uint64_t)from));
  }
}

/* Fills with non-negative integers: all that an integer dtype represents, or
 * for a floating-point dtype those up to 2^digits. */
static void fill_any_integers(FXGenerator *g, const Target *t) {
  int bits = t->element == BOOL ? 1 : 8 * t->bytes - 1;
  int digits = digits_of(t->element);
  uint64_t range = digits ? (1ull << digits) + 1 : 1ull << bits;
  if (t->element == INT && t->is_unsigned)
    range <<= 1;
  int wide = t->bytes == 8;
  for (int64_t i = 0; i < t->n; ++i) {
    uint64_t v = wide ? random64(g) : random32(g);
    store_int(t, i, (int64_t)(range ? v % range : v));
  }
}

/* Fills with integers of the whole range of int64. */
static void fill_words(FXGenerator *g, const Target *t) {
  for (int64_t i = 0; i < t->n; ++i)
    store_int(t, i, (int64_t)random64(g));
}

/* Fills with the integers from 0 to n - 1 in random order (Fisher-Yates). */
static void fill_permutation(FXGenerator *g, const Target *t) {
  size_t size = (size_t)t->bytes;
  char a[8], *data = t->data;
  if (t->n >= (int64_t)(UINT32_MAX / 20)) {
    for (int64_t i = 0; i < t->n; ++i) {
      int64_t z = (int64_t)(random64(g) % (uint64_t)(i + 1));
      store_int(t, i, i);
      memcpy(a, data + size * (size_t)i, size);
      memcpy(data + size * (size_t)i, data + size * (size_t)z, size);
      memcpy(data + size * (size_t)z, a, size);
    }
    return;
  }
  for (int64_t i = 0; i < t->n; ++i)
    store_int(t, i, i);
  for (int64_t i = 0; i < t->n - 1; ++i) {
    char *at = data + size * (size_t)i;
    char *other = at + size * (size_t)(random32(g) % (uint64_t)(t->n - i));
    memcpy(a, at, size);
    memcpy(at, other, size);
    memcpy(other, a, size);
  }
}

//===----------------------------------------------------------------------===//
// The function that compiled code calls
//===----------------------------------------------------------------------===//

static void check(int holds, const char *what, const char *expected,
                  double got) {
  if (!holds)
    fx_rt_fail("random numbers: expected %s %s, got %g", what, expected, got);
}

/* Called before the generator is locked, because it may fail the run. */
static void check_parameters(int64_t distribution, int64_t first,
                             int64_t second) {
  double a, b;
  memcpy(&a, &first, sizeof a);
  memcpy(&b, &second, sizeof b);
  switch (distribution) {
  case FX_RANDOM_UNIFORM:
    if (!(a <= b))
      fx_rt_fail("random numbers: expected 'from' of at most 'to', got "
                 "from=%g, to=%g",
                 a, b);
    return;
  case FX_RANDOM_INTEGERS:
    if (first >= second)
      fx_rt_fail("random numbers: expected 'from' to be less than 'to', got "
                 "from=%lld, to=%lld",
                 (long long)first, (long long)second);
    return;
  case FX_RANDOM_NORMAL:
  case FX_RANDOM_STRIDED_NORMAL:
    return check(b >= 0, "a standard deviation", ">= 0", b);
  case FX_RANDOM_LOG_NORMAL:
    return check(b > 0, "a standard deviation", "> 0", b);
  case FX_RANDOM_BERNOULLI:
    return check(a >= 0 && a <= 1, "a probability", "in [0, 1]", a);
  case FX_RANDOM_GEOMETRIC:
    return check(a > 0 && a < 1, "a probability", "in (0, 1)", a);
  case FX_RANDOM_EXPONENTIAL:
    return check(a > 0, "lambda", "> 0", a);
  case FX_RANDOM_CAUCHY:
    return check(b > 0, "sigma", "> 0", b);
  }
}

INLINE void draw(FXGenerator *g, const Target *t, int64_t distribution,
                 int64_t first, int64_t second) {
  double a, b;
  memcpy(&a, &first, sizeof a);
  memcpy(&b, &second, sizeof b);
  switch (distribution) {
  case FX_RANDOM_UNIFORM:
    return fill_uniform(g, t, a, b);
  case FX_RANDOM_NORMAL:
    return t->n < NORMAL_BLOCK ? fill_normal_pairs(g, t, a, b)
                               : fill_normal_blocks(g, t, a, b);
  case FX_RANDOM_STRIDED_NORMAL:
    return fill_normal_pairs(g, t, a, b);
  case FX_RANDOM_INTEGERS:
    return fill_integers(g, t, first, second);
  case FX_RANDOM_ANY_INTEGERS:
    return fill_any_integers(g, t);
  case FX_RANDOM_WORDS:
    return fill_words(g, t);
  case FX_RANDOM_PERMUTATION:
    return fill_permutation(g, t);
  case FX_RANDOM_BERNOULLI:
    return fill_bernoulli(g, t, a);
  case FX_RANDOM_EXPONENTIAL:
    return fill_exponential(g, t, a);
  case FX_RANDOM_GEOMETRIC:
    for (int64_t i = 0; i < t->n; ++i)
      store_double(t, i, ceil(log(uniform_double(g)) / log1p(-a)));
    return;
  case FX_RANDOM_CAUCHY:
    for (int64_t i = 0; i < t->n; ++i)
      store_double(t, i, fma(b, tan(PI * (uniform_double(g) - 0.5)), a));
    return;
  case FX_RANDOM_LOG_NORMAL:
    for (int64_t i = 0; i < t->n; ++i)
      store_double(t, i, exp(fma(normal_double(g), b, a)));
    return;
  }
}

#if defined(__x86_64__)
/* Draws with the fma instructions of the CPU. */
__attribute__((target("avx2,fma"))) static void
draw_with_fma(FXGenerator *g, const Target *t, int64_t distribution,
              int64_t first, int64_t second) {
  draw(g, t, distribution, first, second);
}
#endif

static void draw_locked(FXInstance *i, const Target *t, int64_t distribution,
                        int64_t first, int64_t second) {
  pthread_mutex_lock(&i->common->generator_lock);
#if defined(__x86_64__)
  int64_t needed = INT64_C(1) << FX_X86_AVX2 | INT64_C(1) << FX_X86_FMA;
  if ((fx_rt_cpu_features() & needed) == needed)
    draw_with_fma(&i->common->generator, t, distribution, first, second);
  else
#endif
    draw(&i->common->generator, t, distribution, first, second);
  pthread_mutex_unlock(&i->common->generator_lock);
}

/* Fills a contiguous tensor of rank `rank`, whose dtype is DLPack's (code,
 * bits). For a model on a GPU the numbers are drawn on the host and copied.
 * `first` and `second` are the parameters of the distribution: integers, or the
 * bits of doubles. */
void fx_rt_random(int64_t distribution, int64_t first, int64_t second,
                  int64_t rank, int64_t code, int64_t bits,
                  const FXrtMemRef *out) {
  FXrtRun *run = fx_rt_thread.run;
  int bytes = (int)(bits + 7) / 8;
  DLTensor tensor = {.data = (char *)out->aligned + out->offset * bytes,
                     .device = {kDLCPU, 0},
                     .ndim = (int32_t)rank,
                     .dtype = {(uint8_t)code, (uint8_t)bits, 1},
                     .shape = (int64_t *)out->sizes_and_strides};
  Target t = {.data = tensor.data,
              .n = fx_rt_count(&tensor),
              .bytes = bytes,
              .is_unsigned = code == kDLUInt};
  t.element = code == kDLBool     ? BOOL
              : code == kDLBfloat ? BF16
              : code != kDLFloat  ? INT
              : bits == 16        ? F16
              : bits == 32        ? F32
                                  : F64;
  check_parameters(distribution, first, second);
  if (t.n == 0)
    return;
  if (!run->instance->model->device)
    return draw_locked(run->instance, &t, distribution, first, second);
  void *to = tensor.data;
  tensor.data = t.data = fx_rt_block_alloc(run, (size_t)(t.n * bytes));
  if (!t.data)
    fx_rt_fail("out of memory: random numbers");
  draw_locked(run->instance, &t, distribution, first, second);
  run->instance->model->device->ops->place_result(run, &tensor, to);
  fx_rt_block_free(run, t.data);
}
