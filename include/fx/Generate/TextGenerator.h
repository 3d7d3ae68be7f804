//===- TextGenerator.h - generates tokens by a language model ---*- C++ -*-===//
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
//   prefill(input_ids[1, T], cache_position[T]) -> logits[1, V]
//   verify(input_ids[1, K], cache_position[K]) -> logits[1, K, V]
//
// - `decode` is required. A model with one method may have any name for it.
// - `prefill` returns the logits of the last token. If T is symbolic, it runs
//   the prompt in chunks; if T is static, it runs as many chunks of T tokens as
//   the prompt has. `decode` runs a rest of one token, or of less than T.
// - `verify` returns the logits of all tokens. Prompt lookup needs it.
//
// Caches are mutable states of the model. A method writes the entries at
// `cache_position`, and a token reads only the entries up to its own position.
// So a sequence is rolled back by running other tokens at smaller positions.
// For other models, see TextGeneratorOptions::isRecurrent.
//
//===----------------------------------------------------------------------===//

#ifndef FX_GENERATE_TEXTGENERATOR_H
#define FX_GENERATE_TEXTGENERATOR_H

#include "fx/Generate/Sampler.h"
#include "fx/Runtime/Loader.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <string>
#include <vector>

namespace fx {

struct TextGeneratorOptions {
  /// The number of positions of the caches. Required.
  int64_t maxPositions = 0;
  /// The largest chunk of a `prefill` with a symbolic T.
  int64_t chunk = 256;
  /// As in FXRunOptions.
  int threads = 1;
  /// The model has states that are not read by position, as in Mamba. To roll
  /// back, the model is reset and the sequence is run from its beginning.
  bool isRecurrent = false;
};

/// A token that was generated.
struct GeneratedToken {
  int64_t id;
  /// The number of the token in the sequence.
  int64_t position;
  /// The text that has become certain; see StopText. Valid during the call.
  llvm::StringRef text;
};

/// Why a generation ended.
enum class FinishReason {
  Length,     ///< `maxNewTokens` tokens were generated.
  StopToken,  ///< The last token is one of `stopTokens`.
  StopString, ///< The text would contain one of `stopStrings`.
  Stopped,    ///< `onToken` returned false.
  Positions   ///< The caches have no position for another token.
};

struct GenerationOptions {
  int64_t maxNewTokens = 128;
  SamplingOptions sampling;
  /// A stop token is part of the sequence, but not of the text.
  llvm::ArrayRef<int64_t> stopTokens;
  /// Not empty strings. They need `getBytes`. The tokens of a stop string are
  /// part of the sequence.
  llvm::ArrayRef<std::string> stopStrings;
  /// Returns the bytes of a token's text, valid until the next call. Null: no
  /// text.
  llvm::function_ref<llvm::StringRef(int64_t id)> getBytes;
  /// Called for each token; returns false to stop.
  llvm::function_ref<bool(const GeneratedToken &token)> onToken;
  /// Prompt lookup: if up to this many last tokens occur earlier in the
  /// sequence, `verify` runs the tokens that follow there, and those that the
  /// sampler chooses as well are kept. The tokens are those of a generation
  /// without lookup, as far as `verify` and `decode` compute the same logits.
  /// 0: off.
  int64_t lookup = 0;
};

struct GenerationResult {
  FinishReason reason = FinishReason::Length;
  std::vector<int64_t> tokens;
  /// The texts that `onToken` gets, together.
  std::string text;
  /// Calls of the methods.
  int64_t numPrefills = 0, numDecodes = 0, numVerifies = 0;
  /// Tokens that prompt lookup proposed, and those of them that were kept.
  int64_t numProposed = 0, numAccepted = 0;
};

/// A sequence of tokens that a model continues. The generator uses the caches
/// of the model, so a model instance has one generator at a time.
class TextGenerator {
public:
  /// `model` must outlive the generator. Fails if the methods are not as
  /// described above.
  static llvm::Expected<std::unique_ptr<TextGenerator>>
  create(CompiledModel &model, const TextGeneratorOptions &options);

  llvm::ArrayRef<int64_t> getTokens() const { return tokens; }
  int64_t getVocabularySize() const { return vocabularySize; }

  /// Appends tokens, which the next `generate` runs.
  llvm::Error append(llvm::ArrayRef<int64_t> ids);
  /// Replaces the sequence. Tokens that both begin with are not run again.
  llvm::Error setTokens(llvm::ArrayRef<int64_t> ids);
  /// Returns the number of tokens that the sequence and `ids` both begin with.
  size_t countCommon(llvm::ArrayRef<int64_t> ids) const;
  /// Rolls back to the first `size` tokens.
  llvm::Error truncate(int64_t size);
  /// Removes all tokens and resets the states of the model. This is necessary
  /// only after an error, which may leave NaN in the caches.
  void reset();

  /// Returns the sequence and the caches as bytes: of caches, the positions
  /// that are in use. They are for this model on a machine of this byte order.
  llvm::Expected<std::string> getSnapshot();
  /// Replaces the sequence and the caches by those of a snapshot. Any bytes are
  /// accepted or refused; if they are refused, nothing is changed.
  llvm::Error restore(llvm::StringRef snapshot);

  /// Continues the sequence, which must not be empty. The seed and the position
  /// determine the random number of a token, so two calls for ten tokens each
  /// give the tokens of one call for twenty. If a step fails, the sequence has
  /// the tokens before it.
  llvm::Expected<GenerationResult> generate(const GenerationOptions &options);
  /// Returns an error if `setTokens(prompt)` or `generate(options)` would
  /// refuse their arguments.
  llvm::Error checkRequest(llvm::ArrayRef<int64_t> prompt,
                           const GenerationOptions &options) const;

private:
  friend class Generation;
  friend class GenerationPool;

  /// A method of the model.
  struct Method {
    std::unique_ptr<CompiledModel> model;
    /// The number of tokens; -1: symbolic.
    int64_t size = 0;
    explicit operator bool() const { return model != nullptr; }
  };
  struct FreeMemory {
    void operator()(float *memory) const { free(memory); }
  };

  TextGenerator() = default;
  llvm::Error addMethod(Method &method, const char *name, size_t index);
  llvm::Error runMethod(Method &method, int64_t numTokens);
  llvm::Expected<bool> runChunk(GenerationResult &result);
  void rollBack(int64_t size);
  llvm::Error checkIds(llvm::ArrayRef<int64_t> ids, size_t size) const;
  bool propose(int64_t longest, llvm::MutableArrayRef<int64_t> proposal) const;

  TextGeneratorOptions options;
  CompiledModel *model = nullptr;
  Method prefill, decode, verify;
  int64_t vocabularySize = 0;
  std::vector<int64_t> tokens;
  /// The number of first tokens whose entries the caches have.
  int64_t numCached = 0;

  // The tensors of a run.
  std::vector<int64_t> ids, positions;
  std::unique_ptr<float, FreeMemory> logits;
};

} // namespace fx

#endif // FX_GENERATE_TEXTGENERATOR_H
