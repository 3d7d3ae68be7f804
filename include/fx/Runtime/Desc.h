/*===- Desc.h - what fx-compile writes about a model --------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables that lib/CodeGen/CPU/Emit/EmitDescription.cpp emits as constants
// into each artefact. Both sides must agree field by field: every field is a
// pointer, an int64_t or an array of them, so that no padding can differ.
//
//===----------------------------------------------------------------------===*/

#ifndef FX_RUNTIME_DESC_H
#define FX_RUNTIME_DESC_H

#include "fx/Runtime/model.h"

/* The operations of an expression, in postfix order. The code ends with END.
 * The stack never holds more than 60 values. */
typedef enum {
  FX_EXPR_END = 0,
  FX_EXPR_INT = 1,    /* next word: the value */
  FX_EXPR_SYMBOL = 2, /* next word: the symbol's index */
  FX_EXPR_ADD = 3,
  FX_EXPR_MUL = 4,
  FX_EXPR_FLOORDIV = 5,
  FX_EXPR_MOD = 6, /* the sign is that of the divisor, as in Python */
  FX_EXPR_MIN = 7,
  FX_EXPR_MAX = 8,
  FX_EXPR_POW = 9,
  FX_EXPR_EQ = 10,
  FX_EXPR_NE = 11,
  FX_EXPR_LT = 12,
  FX_EXPR_LE = 13,
  FX_EXPR_GT = 14,
  FX_EXPR_GE = 15,
  FX_EXPR_AND = 16,
  FX_EXPR_OR = 17,
  FX_EXPR_NOT = 18,
  FX_EXPR_CEILDIV = 19,
  FX_EXPR_DIV = 20, /* exact division only */
  FX_EXPR_LSHIFT = 21,
  FX_EXPR_RSHIFT = 22,
  FX_EXPR_ABS = 23,
  FX_EXPR_WHERE = 24 /* condition, value if true, value if not */
} FXrtExprOp;

/* The distributions of fx_rt_random, in the order of the names in
 * lib/Kernels/IR/Random.cpp. */
typedef enum {
  FX_RANDOM_UNIFORM = 0,
  FX_RANDOM_NORMAL = 1,
  FX_RANDOM_BERNOULLI = 2,
  FX_RANDOM_EXPONENTIAL = 3,
  FX_RANDOM_GEOMETRIC = 4,
  FX_RANDOM_CAUCHY = 5,
  FX_RANDOM_LOG_NORMAL = 6,
  FX_RANDOM_STRIDED_NORMAL = 7,
  FX_RANDOM_INTEGERS = 8,
  FX_RANDOM_ANY_INTEGERS = 9,
  FX_RANDOM_WORDS = 10,
  FX_RANDOM_PERMUTATION = 11
} FXrtDistribution;

/* A passed input. `dims` has the code of each of the `info.inputs[i].rank`
 * sizes. */
typedef struct {
  const int64_t *const *dims;
  const int64_t
      *value; /* the code of an int input with an expression, or null */
  const char *value_text;
} FXrtInput;

/* A range or a guard. */
typedef struct {
  const int64_t *code;
  int64_t is_range;
  int64_t has_min, min, has_max, max;
} FXrtCondition;

typedef enum {
  FX_ARG_INPUT = 0,
  FX_ARG_CONSTANT = 1,
  FX_ARG_MUTABLE = 2
} FXrtArgKind;

/* An argument of the compiled function. */
typedef struct {
  int64_t kind;   /* FXrtArgKind */
  int64_t index;  /* the index among the inputs, or among the mutable states of
                   * all methods */
  int64_t offset; /* of the first value in the weights, in bytes; -1: a mutable
                   * state that begins as zeros */
  int64_t bytes;
  int64_t rank;
  const int64_t *sizes;
  int64_t prepared; /* the number of the result of @prepare, or -1 */
} FXrtArg;

/* A tensor that @prepare writes. */
typedef struct {
  int64_t bytes, rank;
  const int64_t *sizes;
} FXrtPrepared;

/* A user output. */
typedef struct {
  int64_t result; /* index of the compiled function's result, or -1 */
  int64_t bits;   /* if -1, the bits of an immediate: int64, double or bool */
} FXrtOutput;

/* The kernels for one kind of GPU. */
typedef struct {
  int64_t is_binary; /* machine code; else PTX, which the driver compiles */
  int64_t chip;      /* sm_90: 90 */
  int64_t family;    /* FXrtChipFamily */
  /* Every kernel waits for the one before it (griddepcontrol.wait), so that it
   * may be launched before that one ends. */
  int64_t overlaps;
  int64_t bytes;
  const char *data; /* PTX ends with a zero byte, which `bytes` includes */
} FXrtImage;

/* The chips that can run machine code for `chip`. PTX without a suffix runs on
 * all newer chips, too. */
typedef enum {
  FX_CHIP_PLAIN = 0, /* the chip and newer chips of its generation */
  FX_CHIP_EXACT = 1, /* sm_90a: only this chip */
  FX_CHIP_FAMILY = 2 /* sm_100f: the chip and newer chips of its generation */
} FXrtChipFamily;

/* A kernel. */
typedef struct {
  const char *name;
  int64_t chip; /* the only chip whose images contain the kernel; 0: all */
  /* The nodes that it computes, "add (model.py:12), mul (model.py:13)"; may be
   * empty. */
  const char *nodes;
} FXrtKernel;

/* The functions by which the run-time uses a device; see Cuda.c. */
typedef struct FXrtDeviceOps FXrtDeviceOps;

typedef struct {
  const FXrtDeviceOps *ops;
  int64_t n_images;
  const FXrtImage *images; /* the best ones first */
  int64_t n_kernels;
  const FXrtKernel *kernels; /* indexed by the numbers in compiled code */
} FXrtDevice;

typedef struct {
  const FXModelInfo *info;
  int64_t n_symbols;
  const char *const *symbols;
  const FXrtInput *inputs;
  const FXrtCondition *conditions; /* info->n_conditions */
  int64_t n_args;
  const FXrtArg *args;
  int64_t n_results;
  const int64_t *result_ranks;
  const FXrtOutput *outputs; /* info->n_outputs */
  const int64_t *state_args; /* info->n_states arguments; -1: unused */
  int64_t n_mutable;         /* of this method */
  uint64_t weight_bytes;
  /* `results` are the memref descriptors of all results, one after the other.
   * `args` are pointers to the memref descriptors of all arguments. */
  void (*entry)(void *results, void *const *args);
  int64_t cpu_features; /* bits of the features that the code needs */
  /* Packs and folds weights; null if the artefact does not contain it. The
   * calling convention is that of `entry`. The arguments are the states
   * `prepare_args`, which are indices of `args`, then the tensors `prepared`,
   * which it writes. It has no results. */
  void (*prepare)(void *results, void *const *args);
  int64_t n_prepare_args;
  const int64_t *prepare_args;
  int64_t n_prepared;
  const FXrtPrepared *prepared;
  const FXrtDevice *device; /* null: the CPU runs everything */
} FXrtModel;

/* The numbers of the bits of `cpu_features`, FX_X86_AVX2 for example. Those of
 * x86 and AArch64 overlap: a model is for one of them. */
enum {
#define FX_X86_FEATURE(ID, NAME, WORD, BIT, STATE) FX_X86_##ID,
#include "fx/Runtime/CpuFeatures.def"
};
enum {
#define FX_AARCH64_FEATURE(ID, NAME, WORD, BIT) FX_AARCH64_##ID,
#include "fx/Runtime/CpuFeatures.def"
};
/* Multiplications in tiles. The process needs a permission to use them. */
#define FX_X86_TILES                                                           \
  (INT64_C(1) << FX_X86_AMX_TILE | INT64_C(1) << FX_X86_AMX_INT8 |             \
   INT64_C(1) << FX_X86_AMX_BF16 | INT64_C(1) << FX_X86_AMX_FP16)

/* The versions of the model in an artefact, for one CPU each. One that demands
 * more of the CPU is before one that demands less. The versions differ in
 * `info->cpu`, in code and in the layout of weights. Each version has all
 * methods, in the same order. */
typedef struct {
  int64_t n, n_methods;
  const FXrtModel *const
      *models;             /* method m of version v: [v * n_methods + m] */
  const FXMethod *methods; /* in the same order */
  int64_t n_mutable; /* the mutable states of all methods, each counted once */
} FXrtVersions;

/* The table of an artefact, which the compiler defines. */
extern const FXrtVersions fx_rt_versions __attribute__((visibility("hidden")));

/* The structures of the arguments and of the result as treespec_dumps prints
 * them. Artefacts in packages for AOTInductor's loaders have this table. */
typedef struct {
  const char *in_spec, *out_spec;
} FXrtCallSpec;
extern const FXrtCallSpec fx_rt_call_spec __attribute__((visibility("hidden")));

#endif /* FX_RUNTIME_DESC_H */
