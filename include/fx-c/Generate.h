/*===- fx-c/Generate.h - generates tokens by a language model -----*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model has up to three methods, whose inputs are int64 and whose outputs
// are f32:
//
//   decode(input_ids[1, 1], cache_position[1]) -> logits[1, V]
//   prefill(input_ids[1, T], cache_position[T]) -> logits[1, V], optional
//   verify(input_ids[1, K], cache_position[K]) -> logits[1, K, V], optional
//
// `prefill` returns the logits of the last token, `verify` those of all tokens.
// T may be symbolic. Caches are mutable states of the model. A method writes
// the entries at `cache_position`, and a token reads only the entries up to its
// own position. docs/Interfaces.md has an example.
//
//===----------------------------------------------------------------------===*/

#ifndef FX_C_GENERATE_H
#define FX_C_GENERATE_H

#include "fx-c/Run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A sequence of tokens that a model continues. It uses the caches of the model:
 * a model has one generator at a time. One thread at a time may use it. */
typedef struct FXTextGenerator FXTextGenerator;

typedef struct {
  uint32_t struct_size; /* sizeof(FXTextGeneratorOptions) */
  int32_t threads;      /* as in fxModelRun; 0 uses all CPUs */
  /* The number of positions of the caches. Required. */
  int64_t max_positions;
  /* The largest number of tokens of a call of `prefill` with a symbolic T. 0:
   * 256. */
  int64_t chunk;
  /* Not 0: the model has states that are not read by position, as in Mamba. To
   * roll back, the model is reset and the sequence is run from its beginning.
   */
  int32_t recurrent;
} FXTextGeneratorOptions;

/* `model` must outlive the generator. */
FX_CAPI FXTextGenerator *
fxTextGeneratorCreate(FXModel *model, const FXTextGeneratorOptions *options,
                      FXError **error);
FX_CAPI void fxTextGeneratorDestroy(FXTextGenerator *generator);

/* Returns the number of logits of the model. */
FX_CAPI int64_t
fxTextGeneratorGetVocabularySize(const FXTextGenerator *generator);
/* Returns the tokens of the sequence, valid until it changes, and sets `n` to
 * their number. */
FX_CAPI const int64_t *
fxTextGeneratorGetTokens(const FXTextGenerator *generator, size_t *n);
/* Replaces the sequence, by a prompt or by a longer conversation. Tokens that
 * both begin with are not run again. */
FX_CAPI int fxTextGeneratorSetTokens(FXTextGenerator *generator,
                                     const int64_t *tokens, size_t n,
                                     FXError **error);
FX_CAPI int fxTextGeneratorAppend(FXTextGenerator *generator,
                                  const int64_t *tokens, size_t n,
                                  FXError **error);
/* Rolls back to the first `n` tokens. */
FX_CAPI int fxTextGeneratorTruncate(FXTextGenerator *generator, size_t n,
                                    FXError **error);
/* Removes all tokens and resets the states of the model. This is necessary only
 * after an error, which may leave NaN in the caches. */
FX_CAPI void fxTextGeneratorReset(FXTextGenerator *generator);

/* Passes the sequence and the caches as bytes to `write`: of caches, the
 * positions that are in use. */
FX_CAPI int fxTextGeneratorGetSnapshot(FXTextGenerator *generator,
                                       FXTextFn write, void *user_data,
                                       FXError **error);
/* Replaces the sequence and the caches by those of a snapshot of the same
 * model. Other bytes are an error, and change nothing. */
FX_CAPI int fxTextGeneratorRestore(FXTextGenerator *generator, const void *data,
                                   size_t size, FXError **error);

/* How tokens are chosen. The filters are those of transformers, in this order:
 * repetition penalty, temperature, top-k, top-p, min-p. fx/Generate/Sampler.h
 * defines them. A seed gives the same tokens on every platform if the logits
 * are the same. Zero means the default value, except for `seed`. */
typedef struct {
  uint32_t struct_size;      /* sizeof(FXSamplingOptions) */
  double temperature;        /* 0: greedy */
  int64_t top_k;             /* 0: all tokens */
  double top_p;              /* 0, 1: all tokens */
  double min_p;              /* 0: all tokens */
  double repetition_penalty; /* 0, 1: none */
  uint64_t seed;
} FXSamplingOptions;

/* A token that was generated. `position` is its number in the sequence. `text`
 * is what has become certain of the text: whole characters that cannot become
 * a part of a stop string. */
typedef struct {
  int64_t id;
  int64_t position;
  const char *text;
  size_t text_size;
} FXGeneratedToken;

typedef enum FX_CAPI_INT {
  FX_FINISH_LENGTH = 0,      /* max_new_tokens tokens were generated */
  FX_FINISH_STOP_TOKEN = 1,  /* the last token is a stop token */
  FX_FINISH_STOP_STRING = 2, /* the text would contain a stop string */
  FX_FINISH_STOPPED = 3,     /* on_token stopped the generation */
  FX_FINISH_POSITIONS = 4    /* the caches have no position left */
} FXFinishReason;

typedef struct {
  uint32_t struct_size;              /* sizeof(FXGenerationOptions) */
  const FXSamplingOptions *sampling; /* null: greedy */
  int64_t max_new_tokens;
  /* A stop token is part of the sequence, but not of the text. */
  const int64_t *stop_tokens;
  size_t n_stop_tokens;
  /* Not empty. They need get_bytes. The tokens of a stop string are part of the
   * sequence. */
  const char *const *stop_strings;
  size_t n_stop_strings;
  /* Returns the bytes of a token's text and sets `size`; they must be valid
   * until the next call. Null: no text. */
  const char *(*get_bytes)(int64_t id, size_t *size, void *user_data);
  /* Called for each token; another value than 0 stops the generation. May be
   * null. */
  int (*on_token)(const FXGeneratedToken *token, void *user_data);
  void *user_data;
  /* Prompt lookup: if up to this many last tokens occur earlier in the
   * sequence, `verify` runs the tokens that follow there, and keeps those that
   * are chosen as well. 0: off. */
  int64_t lookup;
} FXGenerationOptions;

typedef struct {
  uint32_t struct_size; /* sizeof(FXGenerationResult), set by the caller */
  int32_t reason;       /* FXFinishReason */
  /* The new tokens are the last ones of the sequence. */
  int64_t n_tokens;
  /* Calls of the methods. */
  int64_t n_prefills, n_decodes, n_verifies;
  /* Tokens that prompt lookup proposed, and those of them that were kept. */
  int64_t n_proposed, n_accepted;
} FXGenerationResult;

/* Continues the sequence, which must not be empty. If a step fails, the error
 * names the token, and the sequence has the tokens before it. `result` may be
 * null. */
FX_CAPI int fxTextGeneratorGenerate(FXTextGenerator *generator,
                                    const FXGenerationOptions *options,
                                    FXGenerationResult *result,
                                    FXError **error);

/* Several requests at a time. Each one runs in a slot: an instance of the model
 * with caches of its own. All slots share the weights in the model's file.
 *
 * If the model has the methods
 *
 *   decode_slots(input_ids[B, 1], cache_position[B]) -> logits[B, V]
 *   join(slot[1])
 *
 * then one instance has up to B slots. One call of `decode_slots` decodes a
 * token of each, and `join` copies the caches of a single sequence to a slot.
 */
typedef struct FXGenerationPool FXGenerationPool;

/* `threads` is the number of slots that run at the same time. `model` must
 * outlive the pool. */
FX_CAPI FXGenerationPool *
fxGenerationPoolCreate(FXModel *model, size_t n_slots, int threads,
                       const FXTextGeneratorOptions *options, FXError **error);
/* Requests that have not ended are dropped; on_finish is not called. */
FX_CAPI void fxGenerationPoolDestroy(FXGenerationPool *pool);

/* Receives the tokens that a request has generated, or an error. Exactly one of
 * `result` and `error` is null. */
typedef void (*FXFinishFn)(const int64_t *tokens,
                           const FXGenerationResult *result, const char *error,
                           void *user_data);

/* Adds a request, which starts when a slot is free, and sets `request` to its
 * number. The options are copied. Their functions are called on threads of the
 * pool, on_finish in fxGenerationPoolStep. May be called on any thread, also in
 * these functions. `on_finish` and `request` may be null. */
FX_CAPI int fxGenerationPoolSubmit(FXGenerationPool *pool,
                                   const int64_t *prompt, size_t n,
                                   const FXGenerationOptions *options,
                                   FXFinishFn on_finish, uint64_t *request,
                                   FXError **error);
/* Ends a request in the next step, with the reason FX_FINISH_STOPPED. Returns 0
 * if it has ended before. May be called on any thread. */
FX_CAPI int fxGenerationPoolCancel(FXGenerationPool *pool, uint64_t request);
/* Lets requests start and end, and makes one call of a method for each one that
 * runs. Returns the number of requests that have not ended. */
FX_CAPI size_t fxGenerationPoolStep(FXGenerationPool *pool);

/* Computes the probabilities from which a token is drawn after a sequence of
 * tokens, 0 for tokens that the filters remove. `n` is the number of logits and
 * of probabilities. */
FX_CAPI int fxComputeProbabilities(const FXSamplingOptions *options,
                                   const float *logits, size_t n,
                                   const int64_t *tokens, size_t n_tokens,
                                   float *probabilities, FXError **error);

#ifdef __cplusplus
}
#endif

#endif /* FX_C_GENERATE_H */
