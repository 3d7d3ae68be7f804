/*===- generate.c - generation of tokens from a C program ---------* C -*--===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// generate FOLDER: generates by a model that continues token i by the position
// of token i, and passes wrong arguments. Prints `ok` last.
//
//===----------------------------------------------------------------------===*/

#include "fx-c/Generate.h"
#include "fx-c/Compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FXError *error = NULL;

static void must(int holds, const char *what, int line) {
  if (holds)
    return;
  fprintf(stderr, "generate.c:%d: failed: %s %s\n", line, what,
          error ? fxErrorGetMessage(error) : "");
  exit(1);
}
#define MUST(condition) must(!!(condition), #condition, __LINE__)

static void refused(int failed, const char *part, int line) {
  const char *message = fxErrorGetMessage(error);
  must(failed && strstr(message, part) && !strchr(message, '\n'), part, line);
  fxErrorDestroy(error);
  error = NULL;
}
#define REFUSED(failed, part) refused(!!(failed), part, __LINE__)
#define NULLED(failed, name) REFUSED(failed, "expected '" name "', got null")

/* -|p - i| for the i-th of 8 logits, of the token at position p. */
static const char *kModel =
    "!logits = !fx.tensor<[1, 8], f32>\n"
    "fx.graph @main attributes {functional} {\n"
    "  %i = placeholder \"input_ids\" : !fx.tensor<[1, 1], i64>\n"
    "  %p = placeholder \"cache_position\" : !fx.tensor<[1], i64>\n"
    "  %a = call_function @aten.arange.default(8, dtype = i64, pin_memory = "
    "false) : () -> !fx.tensor<[8], i64>\n"
    "  %d = call_function @aten.sub.Tensor(%a, %p) : (!fx.tensor<[8], i64>, "
    "!fx.tensor<[1], i64>) -> !fx.tensor<[8], i64>\n"
    "  %u = call_function @aten.unsqueeze.default(%d, 0) : (!fx.tensor<[8], "
    "i64>) -> !fx.tensor<[1, 8], i64>\n"
    "  %b = call_function @aten.abs.default(%u) : (!fx.tensor<[1, 8], i64>) -> "
    "!fx.tensor<[1, 8], i64>\n"
    "  %z = call_function @aten.mul.Tensor(%i, 0) : (!fx.tensor<[1, 1], i64>) "
    "-> !fx.tensor<[1, 1], i64>\n"
    "  %n = call_function @aten.sub.Tensor(%z, %b) : (!fx.tensor<[1, 1], i64>, "
    "!fx.tensor<[1, 8], i64>) -> !fx.tensor<[1, 8], i64>\n"
    "  %y = call_function @aten.mul.Tensor(%n, 4.0) : (!fx.tensor<[1, 8], "
    "i64>) -> !logits\n"
    "  output(%y) : (!logits)\n}\n";

typedef struct {
  char text[64];
  size_t size;
  int64_t last;
  int stopAt;
} Output;

static const char *getBytes(int64_t id, size_t *size, void *user) {
  static char letter;
  (void)user;
  letter = (char)('a' + id);
  *size = 1;
  return &letter;
}

static int onToken(const FXGeneratedToken *token, void *user) {
  Output *output = user;
  memcpy(output->text + output->size, token->text, token->text_size);
  output->size += token->text_size;
  output->last = token->position;
  return output->stopAt && token->position >= output->stopAt;
}

static int collect(const FXGeneratedToken *token, void *user) {
  Output *output = user;
  memcpy(output->text + output->size, token->text, token->text_size);
  output->size += token->text_size;
  return 0;
}

static FXModel *makeModel(const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/m.so", folder);
  FXContext *context = fxContextCreate();
  FXModule *module =
      fxModuleParse(context, kModel, strlen(kModel), "m.mlir", NULL, &error);
  MUST(module && !fxModuleCompile(module, path, NULL, &error));
  fxModuleDestroy(module);
  fxContextDestroy(context);
  FXModel *model = fxModelLoad(path, NULL, &error);
  MUST(model);
  return model;
}

static void testGenerate(FXTextGenerator *generator) {
  const int64_t prompt[] = {5, 5};
  const char *stops[] = {"de"};
  const int64_t stopTokens[] = {7};
  Output output = {0};
  FXGenerationOptions options = {.struct_size = sizeof options,
                                 .max_new_tokens = 3,
                                 .get_bytes = getBytes,
                                 .on_token = onToken,
                                 .user_data = &output};
  FXGenerationResult result = {.struct_size = sizeof result};
  MUST(fxTextGeneratorGetVocabularySize(generator) == 8);
  MUST(!fxTextGeneratorSetTokens(generator, prompt, 2, &error));
  MUST(!fxTextGeneratorGenerate(generator, &options, &result, &error));
  size_t n;
  const int64_t *tokens = fxTextGeneratorGetTokens(generator, &n);
  MUST(n == 5 && tokens[2] == 1 && tokens[3] == 2 && tokens[4] == 3);
  MUST(result.reason == FX_FINISH_LENGTH && result.n_tokens == 3);
  MUST(result.n_decodes == 4 && output.size == 3 && output.last == 4);
  MUST(!memcmp(output.text, "bcd", 3));

  output.size = 0;
  options.stop_strings = stops;
  options.n_stop_strings = 1;
  MUST(!fxTextGeneratorTruncate(generator, 2, &error));
  options.max_new_tokens = 8;
  MUST(!fxTextGeneratorGenerate(generator, &options, &result, &error));
  MUST(result.reason == FX_FINISH_STOP_STRING && result.n_tokens == 4);
  MUST(output.size == 2 && !memcmp(output.text, "bc", 2));

  output.stopAt = 7;
  MUST(!fxTextGeneratorGenerate(generator, &options, NULL, &error));
  fxTextGeneratorGetTokens(generator, &n);
  MUST(n == 8 && output.last == 7);
  output.stopAt = 0;
  options.stop_tokens = stopTokens;
  options.n_stop_tokens = 1;
  MUST(!fxTextGeneratorGenerate(generator, &options, &result, &error));
  MUST(result.reason == FX_FINISH_STOP_TOKEN && result.n_tokens == 1);
  /* Position 9 and later continue with token 7. */
  options.n_stop_tokens = 0;
  options.max_new_tokens = 20;
  MUST(!fxTextGeneratorGenerate(generator, &options, &result, &error));
  MUST(result.reason == FX_FINISH_POSITIONS);
  fxTextGeneratorReset(generator);
  fxTextGeneratorGetTokens(generator, &n);
  MUST(n == 0);

  /* A caller that knows less of the result. */
  FXGenerationResult small = {.struct_size = 16};
  MUST(!fxTextGeneratorAppend(generator, prompt, 1, &error));
  options.max_new_tokens = 1;
  MUST(!fxTextGeneratorGenerate(generator, &options, &small, &error));
  MUST(small.n_tokens == 1 && small.n_decodes == 0);
}

static int numFinished = 0;

static void onFinish(const int64_t *tokens, const FXGenerationResult *result,
                     const char *message, void *user) {
  Output *output = user;
  MUST(!message && result && (result->n_tokens == 0 || tokens));
  MUST(output->size == (size_t)result->n_tokens);
  MUST(output->stopAt == result->reason);
  ++numFinished;
}

static void testPool(FXModel *model) {
  FXTextGeneratorOptions sizes = {
      .struct_size = sizeof sizes, .threads = 1, .max_positions = 16};
  NULLED(!fxGenerationPoolCreate(NULL, 2, 1, &sizes, &error), "model");
  REFUSED(!fxGenerationPoolCreate(model, 0, 1, &sizes, &error), "slots");
  REFUSED(!fxGenerationPoolCreate(model, 2, -1, &sizes, &error), "threads");
  FXGenerationPool *pool = fxGenerationPoolCreate(model, 2, 2, &sizes, &error);
  MUST(pool);
  const int64_t prompt[] = {1};
  Output outputs[4] = {{.stopAt = 0}};
  FXGenerationOptions options = {.struct_size = sizeof options,
                                 .get_bytes = getBytes};
  NULLED(fxGenerationPoolSubmit(NULL, prompt, 1, &options, NULL, NULL, &error),
         "pool");
  NULLED(fxGenerationPoolSubmit(pool, NULL, 1, &options, NULL, NULL, &error),
         "prompt");
  NULLED(fxGenerationPoolSubmit(pool, prompt, 1, NULL, NULL, NULL, &error),
         "options");
  REFUSED(fxGenerationPoolSubmit(pool, prompt, 0, &options, NULL, NULL, &error),
          "an empty one");
  uint64_t ids[4];
  for (int i = 0; i < 4; ++i) {
    options.max_new_tokens = 3 + i;
    options.user_data = &outputs[i];
    options.on_token = i == 3 ? NULL : collect;
    MUST(!fxGenerationPoolSubmit(pool, prompt, 1, &options, onFinish, &ids[i],
                                 &error));
  }
  outputs[3].stopAt = FX_FINISH_STOPPED;
  MUST(fxGenerationPoolCancel(pool, ids[3]));
  while (fxGenerationPoolStep(pool))
    ;
  MUST(numFinished == 4 && !fxGenerationPoolCancel(pool, ids[0]));
  MUST(!memcmp(outputs[2].text, "abcde", 5));
  MUST(!fxGenerationPoolSubmit(pool, prompt, 1, &options, NULL, NULL, &error));
  fxGenerationPoolDestroy(pool);
  MUST(fxGenerationPoolStep(NULL) == 0 && !fxGenerationPoolCancel(NULL, 0));
  fxGenerationPoolDestroy(NULL);
}

static void testWrong(FXModel *model, FXTextGenerator *generator) {
  FXTextGeneratorOptions sizes = {.struct_size = sizeof sizes};
  NULLED(!fxTextGeneratorCreate(NULL, &sizes, &error), "model");
  NULLED(!fxTextGeneratorCreate(model, NULL, &error), "options");
  REFUSED(!fxTextGeneratorCreate(model, &sizes, &error), "max_positions");
  sizes.struct_size = 3;
  REFUSED(!fxTextGeneratorCreate(model, &sizes, &error), "struct_size");
  const int64_t ids[] = {1, -2};
  NULLED(fxTextGeneratorSetTokens(NULL, ids, 1, &error), "generator");
  NULLED(fxTextGeneratorSetTokens(generator, NULL, 1, &error), "tokens");
  REFUSED(fxTextGeneratorSetTokens(generator, ids, 2, &error), "got -2");
  NULLED(fxTextGeneratorAppend(NULL, ids, 1, &error), "generator");
  NULLED(fxTextGeneratorAppend(generator, NULL, 1, &error), "tokens");
  NULLED(fxTextGeneratorTruncate(NULL, 0, &error), "generator");
  REFUSED(fxTextGeneratorTruncate(generator, (size_t)-1, &error), "got -1");
  FXGenerationOptions options = {.struct_size = sizeof options};
  NULLED(fxTextGeneratorGenerate(NULL, &options, NULL, &error), "generator");
  NULLED(fxTextGeneratorGenerate(generator, NULL, NULL, &error), "options");
  options.n_stop_tokens = options.n_stop_strings = 1;
  NULLED(fxTextGeneratorGenerate(generator, &options, NULL, &error),
         "stop_tokens");
  options.stop_tokens = ids;
  NULLED(fxTextGeneratorGenerate(generator, &options, NULL, &error),
         "stop_strings");
  FXSamplingOptions sampling = {.struct_size = sizeof sampling, .top_p = 2};
  options.n_stop_strings = 0;
  options.sampling = &sampling;
  REFUSED(fxTextGeneratorGenerate(generator, &options, NULL, &error), "top_p");
  float logits[2] = {0, 1}, out[2];
  NULLED(fxComputeProbabilities(NULL, logits, 2, ids, 1, out, &error),
         "options");
  sampling.top_p = 0;
  sampling.temperature = 1;
  NULLED(fxComputeProbabilities(&sampling, NULL, 2, ids, 1, out, &error),
         "logits");
  NULLED(fxComputeProbabilities(&sampling, logits, 2, NULL, 1, out, &error),
         "tokens");
  NULLED(fxComputeProbabilities(&sampling, logits, 2, ids, 1, NULL, &error),
         "probabilities");
  MUST(!fxComputeProbabilities(&sampling, logits, 2, ids, 1, out, &error));
  MUST(out[0] > 0.26f && out[0] < 0.27f && out[1] > 0.73f && out[1] < 0.74f);
  MUST(fxTextGeneratorGetVocabularySize(NULL) == 0);
  MUST(!fxTextGeneratorGetTokens(NULL, NULL));
  fxTextGeneratorReset(NULL);
  fxTextGeneratorDestroy(NULL);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return fprintf(stderr, "usage: generate FOLDER\n"), 2;
  FXModel *model = makeModel(argv[1]);
  FXTextGeneratorOptions sizes = {
      .struct_size = sizeof sizes, .threads = 1, .max_positions = 16};
  FXTextGenerator *generator = fxTextGeneratorCreate(model, &sizes, &error);
  MUST(generator);
  testGenerate(generator);
  testWrong(model, generator);
  testPool(model);
  fxTextGeneratorDestroy(generator);
  fxModelDestroy(model);
  puts("ok");
  return 0;
}
