//===- Sampler.h - chooses tokens from logits -------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The filters are those of transformers 5 (LogitsProcessor and LogitsWarper),
// in the order in which `generate` applies them:
//
// 1. Repetition penalty: the logit x of each token that is in the sequence,
//    prompt included, becomes x * penalty if x < 0, and x / penalty otherwise.
// 2. Temperature: x / temperature.
// 3. Top-k: keeps the k largest logits, and all that are equal to the k-th.
// 4. Top-p: sorts by logit, and by id where logits are equal, and removes the
//    smallest as long as the sum of their probabilities is at most 1 - p.
// 5. Min-p: removes tokens whose probability is less than min-p times the
//    largest one.
//
// Probabilities are those of the tokens that the filter before has kept, and
// are rounded to f32. The token with the largest logit is always kept.
//
//===----------------------------------------------------------------------===//

#ifndef FX_GENERATE_SAMPLER_H
#define FX_GENERATE_SAMPLER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace fx {

struct SamplingOptions {
  /// 0: greedy, the largest logit; of equal ones, that of the smallest id.
  double temperature = 0;
  /// 0: all tokens.
  int64_t topK = 0;
  /// 1: all tokens.
  double topP = 1;
  /// 0: all tokens.
  double minP = 0;
  /// 1: none.
  double repetitionPenalty = 1;
  uint64_t seed = 0;

  /// Returns an error that names the first option that is out of range.
  llvm::Error check() const;
};

/// Returns a number in [0, 1): output number `index` of SplitMix64 that starts
/// from `seed`, whose upper 53 bits are the number's fraction.
double getUniform(uint64_t seed, uint64_t index);

/// Chooses tokens. The choice depends on the options, the logits, the tokens
/// that were added, and the token's index only, and is the same on every
/// platform: it uses no function of libm or of the standard library's <random>.
class Sampler {
public:
  /// `options` must be valid, see SamplingOptions::check.
  Sampler(const SamplingOptions &options, int64_t vocabularySize);

  /// Adds a token of the sequence, which the repetition penalty applies to.
  void addToken(int64_t id);

  /// Chooses the token with number `index` of the sequence. The candidates are
  /// ordered by id, and the first one whose cumulative probability is larger
  /// than getUniform(seed, index) is taken. Logits may be -inf, but neither NaN
  /// nor +inf, and not all of them -inf.
  llvm::Expected<int64_t> sample(llvm::ArrayRef<float> logits, uint64_t index);

  /// Computes the probabilities from which `sample` draws, 0 for the tokens
  /// that the filters remove.
  llvm::Error getProbabilities(llvm::ArrayRef<float> logits,
                               llvm::MutableArrayRef<float> probabilities);

private:
  llvm::Error checkLogits(llvm::ArrayRef<float> logits);
  void applyPenalty();
  llvm::Error filter(llvm::ArrayRef<float> logits);
  void takeCandidates(float atLeast);
  void keepTopP();
  void keepMinP();
  template <typename Fn>
  void keepIf(Fn isKept);
  float getKthLargest(llvm::ArrayRef<float> values, size_t k);

  SamplingOptions options;
  size_t vocabularySize;
  /// The tokens of the sequence, each one once. Empty without a penalty.
  std::vector<int64_t> seen;
  std::vector<bool> isSeen;

  // Memory that is used again for each token.
  std::vector<float> scores;
  /// The candidates: ids in increasing order, scores, exp(score - maximum).
  std::vector<int32_t> ids;
  std::vector<float> kept;
  std::vector<double> weights;
  double total = 0;
  std::vector<float> buffer;
  std::vector<uint64_t> keys;
};

} // namespace fx

#endif // FX_GENERATE_SAMPLER_H
