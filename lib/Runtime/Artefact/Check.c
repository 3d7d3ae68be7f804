/*===- Check.c - what a call must satisfy before anything runs ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks dtypes, ranks, sizes, equal symbols across inputs, ranges and guards.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The values of the symbols, and the input and dimension that each value comes
 * from. */
typedef struct {
  int64_t *values;
  char *bound;
  int64_t *from_input;
  int64_t *from_dim; /* -1: the value of an int input */
} Symbols;

static const char *dtype_name(DLDataType t, char *buf, size_t n) {
  static const char *const names[] = {"int",    "uint",    "float", 0,
                                      "bfloat", "complex", "bool"};
  static const char *const fp8[] = {
      "float8_e3m4",     "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
      "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",    "float8_e8m0fnu"};
  if (t.code == kDLBool && t.bits == 8 && t.lanes == 1)
    return "bool";
  if (t.code >= 7 && t.code <= 14 && t.lanes == 1)
    return fp8[t.code - 7];
  if (t.code > 6 || !names[t.code] || t.lanes != 1)
    snprintf(buf, n, "dtype(code %d, bits %d, lanes %d)", t.code, t.bits,
             t.lanes);
  else
    snprintf(buf, n, "%s%d", names[t.code], t.bits);
  return buf;
}

int fx_rt_check_tensor(const FXrtModel *model, const char *what,
                       const DLTensor *t, const FXValueInfo *v, char *err,
                       size_t size) {
  char a[64], b[64];
  if (!t) {
    snprintf(err, size, "%s '%s': expected a tensor, got a null pointer", what,
             v->name);
    return 1;
  }
  int is_host = t->device.device_type == kDLCPU ||
                t->device.device_type == kDLCUDAHost ||
                t->device.device_type == kDLROCMHost;
  const FXrtDeviceOps *ops = model->device ? model->device->ops : 0;
  int takes_device = ops && ops->shares_tensors && v->kind == FX_VALUE_TENSOR;
  if (!is_host &&
      !(takes_device && (int)t->device.device_type == ops->device_type)) {
    snprintf(
        err, size,
        "%s '%s': expected a tensor in host memory%s%s, got device type %d",
        what, v->name, takes_device ? " or on a device of " : "",
        takes_device ? ops->name : "", (int)t->device.device_type);
    return 1;
  }
  if (t->dtype.code != v->dtype.code || t->dtype.bits != v->dtype.bits ||
      t->dtype.lanes != v->dtype.lanes) {
    snprintf(err, size, "%s '%s': expected dtype %s, got %s", what, v->name,
             dtype_name(v->dtype, a, sizeof a),
             dtype_name(t->dtype, b, sizeof b));
    return 1;
  }
  if (t->ndim != v->rank) {
    snprintf(err, size, "%s '%s': expected rank %d, got %d", what, v->name,
             v->rank, t->ndim);
    return 1;
  }
  if (t->ndim > 0 && !t->shape) {
    snprintf(err, size, "%s '%s': expected a shape, got a null pointer", what,
             v->name);
    return 1;
  }
  int64_t bytes = (t->dtype.bits + 7) / 8;
  int is_empty = 0;
  for (int d = 0; d < t->ndim; ++d) {
    is_empty |= t->shape[d] == 0;
    if (t->shape[d] < 0 ||
        __builtin_mul_overflow(bytes, t->shape[d] ? t->shape[d] : 1, &bytes)) {
      snprintf(
          err, size,
          "%s '%s': dimension %d: expected a size that fits memory, got %lld",
          what, v->name, d, (long long)t->shape[d]);
      return 1;
    }
    if (v->sizes[d] >= 0 && t->shape[d] != v->sizes[d]) {
      snprintf(err, size, "%s '%s': dimension %d: expected %lld, got %lld",
               what, v->name, d, (long long)v->sizes[d],
               (long long)t->shape[d]);
      return 1;
    }
  }
  if (!t->data && !is_empty) {
    snprintf(err, size, "%s '%s': expected data, got a null pointer", what,
             v->name);
    return 1;
  }
  return 0;
}

/* Solves `code == got` for `s`, the only unbound symbol of the expression, if
 * the expression is linear in it. Returns 0 if a value was found. */
static int solve(const int64_t *code, Symbols *sym, int64_t s, int64_t got) {
  int64_t f0, f1, f2, slope, rest;
  sym->bound[s] = 1;
  sym->values[s] = 0;
  int bad = fx_rt_eval(code, sym->values, sym->bound, &f0, 0);
  sym->values[s] = 1;
  bad |= fx_rt_eval(code, sym->values, sym->bound, &f1, 0);
  if (!bad && !__builtin_sub_overflow(f1, f0, &slope) && slope != 0 &&
      !__builtin_sub_overflow(got, f0, &rest) && rest % slope == 0) {
    sym->values[s] = rest / slope;
    if (!fx_rt_eval(code, sym->values, sym->bound, &f2, 0) && f2 == got)
      return 0;
  }
  sym->bound[s] = 0;
  return 1;
}

/* A symbolic expression and the size, or the value of an int input, that it
 * must be equal to. */
typedef struct {
  const int64_t *code;
  const char *text;
  int64_t got;
} Fact;

/* Gets the fact of dimension `d` of an input, or of its value if `d` is -1.
 * Returns 0 if the size is static, or the value is not symbolic. */
static int fact_at(const FXrtModel *model, const DLTensor *const *inputs, int i,
                   int d, Fact *f) {
  const FXValueInfo *v = &model->info->inputs[i];
  const FXrtInput *in = &model->inputs[i];
  if (d < 0) {
    if (!in->value)
      return 0;
    f->code = in->value;
    f->text = in->value_text;
    memcpy(&f->got, (const char *)inputs[i]->data + inputs[i]->byte_offset, 8);
    return 1;
  }
  if (v->sizes[d] >= 0)
    return 0;
  f->code = in->dims[d];
  f->text = v->size_exprs[d];
  f->got = inputs[i]->shape[d];
  return 1;
}

/* Writes the place of a size in a message: "input 'x': dimension 0". */
static void where(const FXrtModel *model, char *buf, size_t n, int64_t input,
                  int64_t dim) {
  const char *name = model->info->inputs[input].name;
  if (dim < 0)
    snprintf(buf, n, "input '%s'", name);
  else
    snprintf(buf, n, "input '%s': dimension %lld", name, (long long)dim);
}

/* Binds the symbols: first those that are a size by themselves, then those in
 * linear expressions. */
static void bind_symbols(const FXrtModel *model, const DLTensor *const *inputs,
                         Symbols *sym) {
  int n = model->info->n_inputs;
  for (int pass = 0; pass < 3; ++pass)
    for (int i = 0; i < n; ++i)
      for (int d = -1; d < model->info->inputs[i].rank; ++d) {
        Fact f;
        int64_t s = -1, ignored;
        if (!fact_at(model, inputs, i, d, &f))
          continue;
        int plain = f.code[0] == FX_EXPR_SYMBOL && f.code[2] == FX_EXPR_END;
        if (pass == 0 && !plain)
          continue;
        if (fx_rt_eval(f.code, sym->values, sym->bound, &ignored, &s) != 1 ||
            s < 0)
          continue;
        if (!solve(f.code, sym, s, f.got)) {
          sym->from_input[s] = i;
          sym->from_dim[s] = d;
        }
      }
}

static int check_facts(const FXrtModel *model, const DLTensor *const *inputs,
                       Symbols *sym, char *err, size_t size) {
  int n = model->info->n_inputs;
  for (int i = 0; i < n; ++i)
    for (int d = -1; d < model->info->inputs[i].rank; ++d) {
      Fact f;
      int64_t expected, s;
      char at[256], from[256];
      if (!fact_at(model, inputs, i, d, &f))
        continue;
      int rc = fx_rt_eval(f.code, sym->values, sym->bound, &expected, &s);
      if (rc == 0 && expected == f.got)
        continue;
      where(model, at, sizeof at, i, d);
      if (rc == 0 && f.code[0] == FX_EXPR_SYMBOL && f.code[2] == FX_EXPR_END) {
        where(model, from, sizeof from, sym->from_input[f.code[1]],
              sym->from_dim[f.code[1]]);
        snprintf(err, size, "%s: expected %s = %lld (as in %s), got %lld", at,
                 f.text, (long long)expected, from, (long long)f.got);
      } else if (rc == 0) {
        snprintf(err, size, "%s: expected %s = %lld, got %lld", at, f.text,
                 (long long)expected, (long long)f.got);
      } else {
        snprintf(err, size,
                 "%s: expected %s, got %lld, which no size of the symbol gives",
                 at, f.text, (long long)f.got);
      }
      return 1;
    }
  return 0;
}

/* Writes the values of the symbols in `code` and where they come from. */
static void describe(const FXrtModel *model, const int64_t *code,
                     const Symbols *sym, char *buf, size_t n) {
  size_t at = 0;
  buf[0] = 0;
  for (; *code != FX_EXPR_END; ++code) {
    if (*code == FX_EXPR_INT) {
      ++code;
      continue;
    }
    if (*code != FX_EXPR_SYMBOL)
      continue;
    int64_t s = *++code;
    if (!sym->bound[s] || at >= n)
      continue;
    char from[256];
    where(model, from, sizeof from, sym->from_input[s], sym->from_dim[s]);
    int w = snprintf(buf + at, n - at, "%s%s = %lld (%s)", at ? ", " : "",
                     model->symbols[s], (long long)sym->values[s], from);
    at += w > 0 ? (size_t)w : 0;
  }
}

static int check_condition(const FXrtModel *model, int64_t c,
                           const Symbols *sym, char *err, size_t size) {
  const FXrtCondition *cond = &model->conditions[c];
  const FXConditionInfo *info = &model->info->conditions[c];
  int64_t value;
  int rc = fx_rt_eval(cond->code, sym->values, sym->bound, &value, 0);
  if (rc == 1)
    return 0; /* it depends on a size that is only known during the run */
  if (rc == 0 && !cond->is_range && value)
    return 0;
  if (rc == 0 && cond->is_range && (!cond->has_min || value >= cond->min) &&
      (!cond->has_max || value <= cond->max))
    return 0;
  char from[512];
  describe(model, cond->code, sym, from, sizeof from);
  if (rc == 2) {
    snprintf(err, size, "condition '%s' overflows with %s", info->text, from);
  } else if (cond->is_range && cond->code[0] == FX_EXPR_SYMBOL) {
    char at[256];
    int64_t s = cond->code[1];
    where(model, at, sizeof at, sym->from_input[s], sym->from_dim[s]);
    snprintf(err, size, "%s: expected %s, got %lld", at, info->text,
             (long long)value);
  } else if (cond->is_range) {
    snprintf(err, size, "expected %s, got %lld with %s", info->text,
             (long long)value, from);
  } else {
    snprintf(err, size, "guard '%s' (%s) does not hold: got %s", info->text,
             info->code ? info->code : "", from);
  }
  return 1;
}

/* Memory of an input. */
typedef struct {
  const char *begin, *end;
  int input;
} Range;

static int compare_ranges(const void *a, const void *b) {
  const Range *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Gets the range of the elements of a contiguous tensor, or the first element
 * of another one: the ranges of strided tensors may overlap where their
 * elements do not. Returns 0 if there are no elements. */
static int get_range(const DLTensor *t, Range *r) {
  int64_t size = (t->dtype.bits + 7) / 8, bytes = size;
  for (int d = 0; d < t->ndim; ++d)
    bytes *= t->shape[d];
  if (bytes == 0)
    return 0;
  r->begin = (const char *)t->data + t->byte_offset;
  r->end = r->begin + (fx_rt_is_contiguous(t) ? bytes : size);
  return 1;
}

/* Returns 1 and writes a message if two ranges, one of them written, overlap.
 */
static int check_overlap(const FXModelInfo *info, const Range *first,
                         const Range *second, char *err, size_t size) {
  if (!first || first->end <= second->begin)
    return 0;
  int is_first = info->inputs[first->input].mutated != 0;
  snprintf(err, size,
           "input '%s': expected memory of its own, because the program writes "
           "it, got a part of the memory of input '%s'",
           info->inputs[(is_first ? first : second)->input].name,
           info->inputs[(is_first ? second : first)->input].name);
  return 1;
}

/* The compiled code reads an input before or after it writes another one, so an
 * input that is written must have memory of its own. */
static int check_written(const FXModelInfo *info, const DLTensor *const *inputs,
                         char *err, size_t size) {
  int n_written = 0, n = 0, failed = 0;
  for (int i = 0; i < info->n_inputs; ++i) {
    const DLTensor *t = inputs[i];
    Range range;
    if (!info->inputs[i].mutated)
      continue;
    ++n_written;
    for (int d = 0; d < t->ndim && t->strides; ++d)
      if (t->strides[d] == 0 && t->shape[d] > 1 && get_range(t, &range)) {
        snprintf(err, size,
                 "input '%s': dimension %d: expected elements of their own, "
                 "because the program writes them, got stride 0",
                 info->inputs[i].name, d);
        return 1;
      }
  }
  if (n_written == 0 || info->n_inputs == 1)
    return 0;
  Range *ranges = malloc((size_t)info->n_inputs * sizeof *ranges);
  if (!ranges) {
    snprintf(err, size, "out of memory");
    return 1;
  }
  for (int i = 0; i < info->n_inputs; ++i)
    if (get_range(inputs[i], &ranges[n]))
      ranges[n++].input = i;
  qsort(ranges, (size_t)n, sizeof *ranges, compare_ranges);
  /* Of the ranges in front, the one that ends last, and of those written. */
  const Range *any = 0, *written = 0;
  for (int k = 0; k < n && !failed; ++k) {
    const Range *r = &ranges[k];
    int is_written = info->inputs[r->input].mutated != 0;
    failed = check_overlap(info, is_written ? any : written, r, err, size);
    if (!any || r->end > any->end)
      any = r;
    if (is_written && (!written || r->end > written->end))
      written = r;
  }
  free(ranges);
  return failed;
}

int fx_rt_check_inputs(const FXrtModel *model, const DLTensor *const *inputs,
                       int n_inputs, char *err, size_t size) {
  const FXModelInfo *info = model->info;
  if (n_inputs != info->n_inputs) {
    snprintf(err, size, "expected %d inputs, got %d", info->n_inputs, n_inputs);
    return 1;
  }
  for (int i = 0; i < n_inputs; ++i)
    if (fx_rt_check_tensor(model, "input", inputs[i], &info->inputs[i], err,
                           size))
      return 1;
  int64_t n = model->n_symbols;
  if (n == 0)
    return check_written(info, inputs, err, size);
  int64_t *words = calloc((size_t)n * 4, sizeof(int64_t));
  if (!words) {
    snprintf(err, size, "out of memory");
    return 1;
  }
  Symbols sym = {words, (char *)(words + 3 * n), words + n, words + 2 * n};
  bind_symbols(model, inputs, &sym);
  int failed = check_facts(model, inputs, &sym, err, size);
  for (int64_t c = 0; !failed && c < info->n_conditions; ++c)
    failed = check_condition(model, c, &sym, err, size);
  free(words);
  return failed || check_written(info, inputs, err, size);
}
