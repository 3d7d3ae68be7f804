/*===- Expr.c - symbolic sizes at run time --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates the postfix expressions of Desc.h with checked arithmetic.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"

static int floor_div(int64_t a, int64_t b, int64_t *out) {
  if (b == 0 || (a == INT64_MIN && b == -1))
    return 1;
  *out = a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
  return 0;
}

static int power(int64_t base, int64_t exponent, int64_t *out) {
  int64_t r = 1;
  if (exponent < 0)
    return 1;
  if (base == 0 || base == 1) {
    *out = exponent == 0 ? 1 : base;
    return 0;
  }
  if (base == -1) {
    *out = exponent % 2 ? -1 : 1;
    return 0;
  }
  for (; exponent > 0; --exponent)
    if (__builtin_mul_overflow(r, base, &r))
      return 1;
  *out = r;
  return 0;
}

static int binary(int64_t op, int64_t a, int64_t b, int64_t *out) {
  int64_t q;
  switch (op) {
  case FX_EXPR_ADD:
    return __builtin_add_overflow(a, b, out);
  case FX_EXPR_MUL:
    return __builtin_mul_overflow(a, b, out);
  case FX_EXPR_FLOORDIV:
    return floor_div(a, b, out);
  case FX_EXPR_CEILDIV:
    if (floor_div(a, b, &q))
      return 1;
    *out = q + (a % b != 0);
    return 0;
  case FX_EXPR_MOD:
    if (floor_div(a, b, &q))
      return 1;
    *out = a - q * b;
    return 0;
  case FX_EXPR_POW:
    return power(a, b, out);
  case FX_EXPR_MIN:
    *out = a < b ? a : b;
    return 0;
  case FX_EXPR_MAX:
    *out = a > b ? a : b;
    return 0;
  case FX_EXPR_EQ:
    *out = a == b;
    return 0;
  case FX_EXPR_NE:
    *out = a != b;
    return 0;
  case FX_EXPR_LT:
    *out = a < b;
    return 0;
  case FX_EXPR_LE:
    *out = a <= b;
    return 0;
  case FX_EXPR_GT:
    *out = a > b;
    return 0;
  case FX_EXPR_GE:
    *out = a >= b;
    return 0;
  case FX_EXPR_AND:
    *out = a && b;
    return 0;
  case FX_EXPR_OR:
    *out = a || b;
    return 0;
  case FX_EXPR_DIV:
    if (floor_div(a, b, out))
      return 1;
    return a % b != 0;
  case FX_EXPR_LSHIFT:
    return b < 0 || b > 62 || __builtin_mul_overflow(a, (int64_t)1 << b, out);
  case FX_EXPR_RSHIFT:
    if (b < 0 || b > 63)
      return 1;
    *out = a >> b;
    return 0;
  default:
    return 1;
  }
}

int fx_rt_eval(const int64_t *code, const int64_t *values, const char *bound,
               int64_t *out, int64_t *unbound) {
  enum { DEPTH = 64 }; /* the emitter refuses deeper expressions */
  int64_t stack[DEPTH + 4];
  int n = 0, missing = 0, bad = 0;
  int64_t first = -1;
  for (;;) {
    int64_t op = *code++;
    if (op == FX_EXPR_END)
      break;
    if (op == FX_EXPR_INT) {
      stack[n++] = *code++;
    } else if (op == FX_EXPR_SYMBOL) {
      int64_t s = *code++;
      if (!bound[s]) {
        missing = missing == 0 || first == s ? 1 : 2;
        if (missing == 1)
          first = s;
      }
      stack[n++] = values[s];
    } else if (op == FX_EXPR_NOT) {
      stack[n - 1] = !stack[n - 1];
    } else if (op == FX_EXPR_ABS) {
      bad |= stack[n - 1] == INT64_MIN;
      stack[n - 1] = stack[n - 1] < 0 && !bad ? -stack[n - 1] : stack[n - 1];
    } else if (op == FX_EXPR_WHERE) {
      n -= 2;
      stack[n - 1] = stack[n - 1] ? stack[n] : stack[n + 1];
    } else {
      --n;
      bad |= binary(op, stack[n - 1], stack[n], &stack[n - 1]);
    }
    if (n >= DEPTH)
      return 2;
  }
  if (unbound)
    *unbound = missing == 1 ? first : -1;
  if (missing)
    return 1;
  if (bad)
    return 2;
  *out = stack[0];
  return 0;
}
