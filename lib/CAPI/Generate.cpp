//===- Generate.cpp - generation of tokens through the C interface --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx-c/Generate.h"
#include "Handles.h"
#include "Model.h"
#include "fx/Generate/GenerationPool.h"

using namespace fx;
using namespace fx::capi;

struct FXTextGenerator {
  std::unique_ptr<TextGenerator> generator;
};

struct FXGenerationPool {
  std::unique_ptr<GenerationPool> pool;
};

static int report(FXError **error, llvm::Error e) {
  return e ? fail(error, llvm::toString(std::move(e))) : 0;
}

/// Copies the options that a caller of another version passed. Members that it
/// did not know are zero.
template <typename T>
static int copyOptions(const char *function, const T *given, size_t least,
                       T &options, FXError **error) {
  options = {};
  if (!given)
    return failNull(error, function, "options");
  if (given->struct_size < least || given->struct_size > 4096)
    return fail(error, llvm::Twine(function) +
                           ": expected the options' struct_size, got " +
                           llvm::Twine(given->struct_size));
  memcpy(&options, given, std::min<size_t>(given->struct_size, sizeof options));
  return 0;
}

static int getSampling(const char *function, const FXSamplingOptions *given,
                       SamplingOptions &sampling, FXError **error) {
  FXSamplingOptions options;
  if (copyOptions(function, given, sizeof options, options, error))
    return 1;
  sampling.temperature = options.temperature;
  sampling.topK = options.top_k;
  sampling.topP = options.top_p == 0 ? 1 : options.top_p;
  sampling.minP = options.min_p;
  sampling.repetitionPenalty =
      options.repetition_penalty == 0 ? 1 : options.repetition_penalty;
  sampling.seed = options.seed;
  return report(error, sampling.check());
}

static int getSizes(const char *function, const FXTextGeneratorOptions *given,
                    TextGeneratorOptions &values, FXError **error) {
  FXTextGeneratorOptions options;
  if (copyOptions(function, given, sizeof options, options, error))
    return 1;
  values.maxPositions = options.max_positions;
  values.threads = options.threads;
  values.isRecurrent = options.recurrent;
  if (options.chunk)
    values.chunk = options.chunk;
  return 0;
}

FXTextGenerator *fxTextGeneratorCreate(FXModel *model,
                                       const FXTextGeneratorOptions *options,
                                       FXError **error) {
  const char *function = "fxTextGeneratorCreate";
  TextGeneratorOptions values;
  if (!model)
    failNull(error, function, "model");
  if (!model || getSizes(function, options, values, error))
    return nullptr;
  auto handle = std::make_unique<FXTextGenerator>();
  if (protect(error, nullptr, [&](FXError &) -> llvm::Error {
        return TextGenerator::create(*model->model, values)
            .moveInto(handle->generator);
      }))
    return nullptr;
  return handle.release();
}

void fxTextGeneratorDestroy(FXTextGenerator *generator) { delete generator; }

int64_t fxTextGeneratorGetVocabularySize(const FXTextGenerator *generator) {
  return generator ? generator->generator->getVocabularySize() : 0;
}

const int64_t *fxTextGeneratorGetTokens(const FXTextGenerator *generator,
                                        size_t *n) {
  llvm::ArrayRef<int64_t> tokens;
  if (generator)
    tokens = generator->generator->getTokens();
  if (n)
    *n = tokens.size();
  return tokens.data();
}

int fxTextGeneratorSetTokens(FXTextGenerator *generator, const int64_t *tokens,
                             size_t n, FXError **error) {
  if (!generator || (!tokens && n))
    return failNull(error, "fxTextGeneratorSetTokens",
                    generator ? "tokens" : "generator");
  return report(error, generator->generator->setTokens({tokens, n}));
}

int fxTextGeneratorAppend(FXTextGenerator *generator, const int64_t *tokens,
                          size_t n, FXError **error) {
  if (!generator || (!tokens && n))
    return failNull(error, "fxTextGeneratorAppend",
                    generator ? "tokens" : "generator");
  return report(error, generator->generator->append({tokens, n}));
}

int fxTextGeneratorTruncate(FXTextGenerator *generator, size_t n,
                            FXError **error) {
  if (!generator)
    return failNull(error, "fxTextGeneratorTruncate", "generator");
  return report(error, generator->generator->truncate(n));
}

int fxTextGeneratorGetSnapshot(FXTextGenerator *generator, FXTextFn write,
                               void *userData, FXError **error) {
  const char *function = "fxTextGeneratorGetSnapshot";
  if (!generator)
    return failNull(error, function, "generator");
  if (!write)
    return failNull(error, function, "write");
  llvm::Expected<std::string> bytes = generator->generator->getSnapshot();
  if (!bytes)
    return report(error, bytes.takeError());
  write(bytes->data(), bytes->size(), userData);
  return 0;
}

int fxTextGeneratorRestore(FXTextGenerator *generator, const void *data,
                           size_t size, FXError **error) {
  const char *function = "fxTextGeneratorRestore";
  if (!generator)
    return failNull(error, function, "generator");
  if (!data && size)
    return failNull(error, function, "data");
  return report(error, generator->generator->restore(llvm::StringRef(
                           static_cast<const char *>(data), size)));
}

void fxTextGeneratorReset(FXTextGenerator *generator) {
  if (generator)
    generator->generator->reset();
}

/// Converts the options of a generation, which `request` copies.
static int getRequest(const char *function, const FXGenerationOptions *given,
                      GenerationRequest &request, FXError **error) {
  FXGenerationOptions options;
  if (copyOptions(function, given, sizeof options, options, error))
    return 1;
  if (!options.stop_tokens && options.n_stop_tokens)
    return failNull(error, function, "stop_tokens");
  request.maxNewTokens = options.max_new_tokens;
  request.stopTokens.assign(options.stop_tokens,
                            options.stop_tokens + options.n_stop_tokens);
  request.lookup = options.lookup;
  for (size_t i = 0; i < options.n_stop_strings; ++i) {
    if (!options.stop_strings || !options.stop_strings[i])
      return failNull(error, function, "stop_strings");
    request.stopStrings.push_back(options.stop_strings[i]);
  }
  void *data = options.user_data;
  if (auto getBytes = options.get_bytes)
    request.getBytes = [=](int64_t id) {
      size_t size = 0;
      const char *bytes = getBytes(id, &size, data);
      return llvm::StringRef(bytes, bytes ? size : 0);
    };
  if (auto onToken = options.on_token)
    request.onToken = [=](const GeneratedToken &token) {
      FXGeneratedToken value = {token.id, token.position, token.text.data(),
                                token.text.size()};
      return onToken(&value, data) == 0;
    };
  if (!options.sampling)
    return 0;
  return getSampling(function, options.sampling, request.sampling, error);
}

static FXGenerationResult convert(const GenerationResult &result) {
  FXGenerationResult full = {};
  full.struct_size = sizeof full;
  full.reason = int32_t(result.reason);
  full.n_tokens = result.tokens.size();
  full.n_prefills = result.numPrefills;
  full.n_decodes = result.numDecodes;
  full.n_verifies = result.numVerifies;
  full.n_proposed = result.numProposed;
  full.n_accepted = result.numAccepted;
  return full;
}

// As for the functions that run a model, there is no crash recovery: it would
// have to catch what the caller's functions throw.
int fxTextGeneratorGenerate(FXTextGenerator *generator,
                            const FXGenerationOptions *options,
                            FXGenerationResult *result, FXError **error) {
  const char *function = "fxTextGeneratorGenerate";
  if (!generator)
    return failNull(error, function, "generator");
  GenerationRequest request;
  if (getRequest(function, options, request, error))
    return 1;
  llvm::Expected<GenerationResult> generated =
      generator->generator->generate(request.getOptions());
  if (!generated)
    return report(error, generated.takeError());
  if (!result)
    return 0;
  FXGenerationResult full = convert(*generated);
  full.struct_size = result->struct_size;
  memcpy(result, &full, std::min<size_t>(full.struct_size, sizeof full));
  return 0;
}

FXGenerationPool *fxGenerationPoolCreate(FXModel *model, size_t nSlots,
                                         int threads,
                                         const FXTextGeneratorOptions *options,
                                         FXError **error) {
  const char *function = "fxGenerationPoolCreate";
  TextGeneratorOptions values;
  if (!model)
    failNull(error, function, "model");
  if (!model || getSizes(function, options, values, error))
    return nullptr;
  if (threads < 0) {
    fail(error, "threads: expected at least 0, got " + llvm::Twine(threads));
    return nullptr;
  }
  auto handle = std::make_unique<FXGenerationPool>();
  if (protect(error, nullptr, [&](FXError &) -> llvm::Error {
        return GenerationPool::create(*model->model, nSlots, values, threads)
            .moveInto(handle->pool);
      }))
    return nullptr;
  return handle.release();
}

void fxGenerationPoolDestroy(FXGenerationPool *pool) { delete pool; }

int fxGenerationPoolSubmit(FXGenerationPool *pool, const int64_t *prompt,
                           size_t n, const FXGenerationOptions *options,
                           FXFinishFn onFinish, uint64_t *id, FXError **error) {
  const char *function = "fxGenerationPoolSubmit";
  if (!pool || (!prompt && n))
    return failNull(error, function, pool ? "prompt" : "pool");
  GenerationRequest request;
  if (getRequest(function, options, request, error))
    return 1;
  request.prompt.assign(prompt, prompt + n);
  if (onFinish)
    request.onFinish = [onFinish, data = options->user_data](
                           llvm::Expected<GenerationResult> result) {
      if (!result) {
        std::string text = llvm::toString(result.takeError());
        return onFinish(nullptr, nullptr, text.c_str(), data);
      }
      FXGenerationResult full = convert(*result);
      onFinish(result->tokens.data(), &full, nullptr, data);
    };
  llvm::Expected<uint64_t> submitted = pool->pool->submit(std::move(request));
  if (!submitted)
    return report(error, submitted.takeError());
  if (id)
    *id = *submitted;
  return 0;
}

int fxGenerationPoolCancel(FXGenerationPool *pool, uint64_t request) {
  return pool && pool->pool->cancel(request);
}

size_t fxGenerationPoolStep(FXGenerationPool *pool) {
  return pool ? pool->pool->step() : 0;
}

int fxComputeProbabilities(const FXSamplingOptions *options,
                           const float *logits, size_t n, const int64_t *tokens,
                           size_t nTokens, float *probabilities,
                           FXError **error) {
  const char *function = "fxComputeProbabilities";
  if (!logits || (!tokens && nTokens) || !probabilities)
    return failNull(error, function,
                    !logits         ? "logits"
                    : probabilities ? "tokens"
                                    : "probabilities");
  SamplingOptions sampling;
  if (getSampling(function, options, sampling, error))
    return 1;
  return protect(error, nullptr, [&](FXError &) {
    Sampler sampler(sampling, n);
    for (size_t i = 0; i < nTokens; ++i)
      sampler.addToken(tokens[i]);
    return sampler.getProbabilities({logits, n}, {probabilities, n});
  });
}
