//===- Generate.cpp - generation of tokens through the C interface --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx-c/Generate.h"
#include "Handles.h"
#include "Model.h"
#include "fx/Generate/TextGenerator.h"

using namespace fx;
using namespace fx::capi;

struct FXTextGenerator {
  std::unique_ptr<TextGenerator> generator;
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

FXTextGenerator *fxTextGeneratorCreate(FXModel *model,
                                       const FXTextGeneratorOptions *given,
                                       FXError **error) {
  if (!model) {
    failNull(error, "fxTextGeneratorCreate", "model");
    return nullptr;
  }
  FXTextGeneratorOptions options;
  if (copyOptions("fxTextGeneratorCreate", given, sizeof options, options,
                  error))
    return nullptr;
  auto handle = std::make_unique<FXTextGenerator>();
  if (protect(error, nullptr, [&](FXError &) -> llvm::Error {
        TextGeneratorOptions values;
        values.maxPositions = options.max_positions;
        values.threads = options.threads;
        if (options.chunk)
          values.chunk = options.chunk;
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

void fxTextGeneratorReset(FXTextGenerator *generator) {
  if (generator)
    generator->generator->reset();
}

/// Converts options that were checked, except for the sampling.
static int getOptions(const FXGenerationOptions &options,
                      std::vector<std::string> &stopStrings,
                      GenerationOptions &values, FXError **error) {
  const char *function = "fxTextGeneratorGenerate";
  if (!options.stop_tokens && options.n_stop_tokens)
    return failNull(error, function, "stop_tokens");
  values.maxNewTokens = options.max_new_tokens;
  values.stopTokens = {options.stop_tokens, options.n_stop_tokens};
  values.lookup = options.lookup;
  for (size_t i = 0; i < options.n_stop_strings; ++i) {
    if (!options.stop_strings || !options.stop_strings[i])
      return failNull(error, function, "stop_strings");
    stopStrings.push_back(options.stop_strings[i]);
  }
  values.stopStrings = stopStrings;
  if (!options.sampling)
    return 0;
  return getSampling(function, options.sampling, values.sampling, error);
}

// As for the functions that run a model, there is no crash recovery: it would
// have to catch what the caller's functions throw.
int fxTextGeneratorGenerate(FXTextGenerator *generator,
                            const FXGenerationOptions *given,
                            FXGenerationResult *result, FXError **error) {
  const char *function = "fxTextGeneratorGenerate";
  if (!generator)
    return failNull(error, function, "generator");
  FXGenerationOptions options;
  GenerationOptions values;
  std::vector<std::string> stopStrings;
  if (copyOptions(function, given, sizeof options, options, error) ||
      getOptions(options, stopStrings, values, error))
    return 1;
  auto getBytes = [&](int64_t id) {
    size_t size = 0;
    const char *bytes = options.get_bytes(id, &size, options.user_data);
    return llvm::StringRef(bytes, bytes ? size : 0);
  };
  if (options.get_bytes)
    values.getBytes = getBytes;
  auto onToken = [&](const GeneratedToken &token) {
    FXGeneratedToken value = {token.id, token.position, token.text.data(),
                              token.text.size()};
    return options.on_token(&value, options.user_data) == 0;
  };
  if (options.on_token)
    values.onToken = onToken;
  llvm::Expected<GenerationResult> generated =
      generator->generator->generate(values);
  if (!generated)
    return report(error, generated.takeError());
  if (!result)
    return 0;
  FXGenerationResult full = {};
  full.struct_size = result->struct_size;
  full.reason = int32_t(generated->reason);
  full.n_tokens = generated->tokens.size();
  full.n_prefills = generated->numPrefills;
  full.n_decodes = generated->numDecodes;
  full.n_verifies = generated->numVerifies;
  full.n_proposed = generated->numProposed;
  full.n_accepted = generated->numAccepted;
  memcpy(result, &full, std::min<size_t>(full.struct_size, sizeof full));
  return 0;
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
