//===- Sampler.cpp - chooses tokens from logits ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Generate/Sampler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

// Contraction to fused multiply-adds differs among platforms.
#pragma STDC FP_CONTRACT OFF

using namespace fx;

static constexpr float kInfinity = std::numeric_limits<float>::infinity();

llvm::Error SamplingOptions::check() const {
  auto fail = [](const char *name, const char *expected, double got) {
    return llvm::createStringError("%s: expected %s, got %g", name, expected,
                                   got);
  };
  // The comparisons are false for NaN.
  if (!(temperature >= 0 && temperature < kInfinity))
    return fail("temperature", "a finite number of at least 0", temperature);
  if (topK < 0)
    return fail("top_k", "at least 0", topK);
  if (!(topP >= 0 && topP <= 1))
    return fail("top_p", "a number from 0 to 1", topP);
  if (!(minP >= 0 && minP <= 1))
    return fail("min_p", "a number from 0 to 1", minP);
  if (!(repetitionPenalty > 0 && repetitionPenalty < kInfinity))
    return fail("repetition_penalty", "a finite number larger than 0",
                repetitionPenalty);
  return llvm::Error::success();
}

double fx::getUniform(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return double(z >> 11) * 0x1p-53;
}

/// Returns exp(x) for x <= 0, with an error of a few units in the last place.
/// libm's result depends on its version.
static inline double exponential(double x) {
  constexpr double kRound = 0x1.8p52;
  x = x < -708 ? -708 : x;
  // x = n * log(2) + r with |r| <= log(2) / 2.
  double shifted = x * 0x1.71547652b82fep0 + kRound;
  double n = shifted - kRound;
  double r = x - n * 0x1.62e42feep-1 - n * 0x1.a39ef35793c76p-33;
  // The Taylor series up to r^13 / 13!.
  double y = 1.0 / 6227020800.0;
  for (double c : {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                   1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24,
                   1.0 / 6, 1.0 / 2, 1.0, 1.0})
    y = y * r + c;
  // The lowest bits of `shifted` are those of n.
  uint64_t power = (llvm::bit_cast<uint64_t>(shifted) + 1023) << 52;
  return y * llvm::bit_cast<double>(power);
}

Sampler::Sampler(const SamplingOptions &options, int64_t vocabularySize)
    : options(options), vocabularySize(vocabularySize) {}

void Sampler::addToken(int64_t id) {
  // A model may have more embeddings than logits.
  if (options.repetitionPenalty == 1 || id < 0 ||
      uint64_t(id) >= vocabularySize)
    return;
  isSeen.resize(vocabularySize);
  if (isSeen[id])
    return;
  isSeen[id] = true;
  seen.push_back(id);
}

/// Returns the largest value. The lanes are independent, so that the loop uses
/// vectors.
static float getMaximum(llvm::ArrayRef<float> values) {
  constexpr size_t kLanes = 16;
  float lanes[kLanes];
  std::fill_n(lanes, kLanes, -kInfinity);
  size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes)
    for (size_t k = 0; k < kLanes; ++k)
      lanes[k] = values[i + k] > lanes[k] ? values[i + k] : lanes[k];
  for (; i < values.size(); ++i)
    lanes[0] = values[i] > lanes[0] ? values[i] : lanes[0];
  return *std::max_element(lanes, lanes + kLanes);
}

llvm::Error Sampler::checkLogits(llvm::ArrayRef<float> logits) {
  if (logits.size() != vocabularySize)
    return llvm::createStringError("expected " + llvm::Twine(vocabularySize) +
                                   " logits, got " +
                                   llvm::Twine(logits.size()));
  unsigned wrong = 0;
  for (float x : logits)
    wrong += !(x <= std::numeric_limits<float>::max());
  if (wrong) {
    const float *found = llvm::find_if(logits, [](float x) {
      return !(x <= std::numeric_limits<float>::max());
    });
    return llvm::createStringError(llvm::Twine("expected finite logits, got ") +
                                   (std::isnan(*found) ? "nan" : "inf") +
                                   " for token " +
                                   llvm::Twine(found - logits.begin()));
  }
  if (getMaximum(logits) == -kInfinity)
    return llvm::createStringError(
        "expected finite logits, got -inf for all tokens");
  return llvm::Error::success();
}

void Sampler::applyPenalty() {
  float penalty = options.repetitionPenalty;
  for (int64_t id : seen)
    scores[id] = scores[id] < 0 ? scores[id] * penalty : scores[id] / penalty;
}

/// Returns the k-th largest value, or -inf if there are not more than k. Keeps
/// the k largest values so far in a buffer; most values are below these, so
/// that the loop mostly compares.
float Sampler::getKthLargest(llvm::ArrayRef<float> values, size_t k) {
  if (k >= values.size())
    return -kInfinity;
  size_t capacity = std::min(values.size(), std::max<size_t>(1024, 2 * k));
  float atLeast = -kInfinity;
  buffer.clear();
  buffer.reserve(capacity);
  auto select = [&] {
    std::nth_element(buffer.begin(), buffer.begin() + (k - 1), buffer.end(),
                     std::greater<float>());
    atLeast = buffer[k - 1];
  };
  for (float x : values) {
    if (!(x > atLeast))
      continue;
    if (buffer.size() == capacity) {
      select();
      buffer.resize(k);
      if (!(x > atLeast))
        continue;
    }
    buffer.push_back(x);
  }
  // The rest may be -inf.
  if (buffer.size() < k)
    return -kInfinity;
  select();
  return atLeast;
}

void Sampler::takeCandidates(float atLeast) {
  ids.clear();
  kept.clear();
  for (size_t id = 0; id < scores.size(); ++id) {
    float x = scores[id];
    if (x >= atLeast && x > -kInfinity) {
      ids.push_back(id);
      kept.push_back(x);
    }
  }
  float maximum = getMaximum(kept);
  weights.resize(kept.size());
  for (size_t i = 0; i < kept.size(); ++i)
    weights[i] = exponential(kept[i] - maximum);
  total = 0;
  for (double weight : weights)
    total += weight;
}

template <typename Fn>
void Sampler::keepIf(Fn isKept) {
  size_t n = 0;
  total = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (!isKept(i))
      continue;
    ids[n] = ids[i];
    kept[n] = kept[i];
    weights[n] = weights[i];
    total += weights[n++];
  }
  ids.resize(n);
  kept.resize(n);
  weights.resize(n);
}

/// Returns a key whose order is that of the value, then of the index.
static uint64_t getKey(float value, uint32_t index) {
  // -0 and 0 are equal.
  uint32_t bits = llvm::bit_cast<uint32_t>(value + 0.0f);
  bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return uint64_t(bits) << 32 | index;
}

void Sampler::keepTopP() {
  float removable = 1 - options.topP;
  auto getProbability = [&](size_t i) { return float(weights[i] / total); };
  // Tokens that are this unlikely can be removed together.
  double unlikely = removable / 2 / kept.size() * total, below = 0;
  keys.clear();
  for (size_t i = 0; i < kept.size(); ++i) {
    if (weights[i] >= unlikely)
      keys.push_back(getKey(kept[i], i));
    else
      below += getProbability(i);
  }
  // Find the part where the sum passes the limit. Only a short part is sorted.
  auto begin = keys.begin(), end = keys.end();
  while (end - begin > 64) {
    auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end);
    double sum = below;
    for (auto key = begin; key != middle; ++key)
      sum += getProbability(uint32_t(*key));
    bool isBelow = float(sum) <= removable;
    below = isBelow ? sum : below;
    (isBelow ? begin : end) = middle;
  }
  std::sort(begin, end);
  for (; begin != end - 1; ++begin) {
    below += getProbability(uint32_t(*begin));
    if (!(float(below) <= removable))
      break;
  }
  uint64_t limit = *begin;
  keepIf([&](size_t i) { return getKey(kept[i], i) >= limit; });
}

void Sampler::keepMinP() {
  // The weight of the largest logit is 1.
  float atLeast = float(options.minP) * float(1 / total);
  keepIf([&, sum = total](size_t i) {
    return weights[i] == 1 || float(weights[i] / sum) >= atLeast;
  });
}

llvm::Error Sampler::filter(llvm::ArrayRef<float> logits) {
  if (llvm::Error e = checkLogits(logits))
    return e;
  scores.assign(logits.begin(), logits.end());
  applyPenalty();
  if (options.temperature != 1 && options.temperature != 0) {
    float temperature = options.temperature;
    for (float &x : scores)
      x /= temperature;
  }
  float maximum = getMaximum(scores);
  if (!(std::fabs(maximum) < kInfinity))
    return llvm::createStringError(
        "expected finite logits after the repetition penalty and the "
        "temperature, got %g",
        maximum);
  bool isGreedy = options.temperature == 0;
  takeCandidates(isGreedy       ? maximum
                 : options.topK ? getKthLargest(scores, options.topK)
                                : -kInfinity);
  if (isGreedy) {
    keepIf([](size_t i) { return i == 0; });
    return llvm::Error::success();
  }
  if (options.topP < 1)
    keepTopP();
  if (options.minP > 0)
    keepMinP();
  return llvm::Error::success();
}

llvm::Expected<int64_t> Sampler::sample(llvm::ArrayRef<float> logits,
                                        uint64_t index) {
  if (llvm::Error e = filter(logits))
    return e;
  double left = getUniform(options.seed, index) * total, sum = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    sum += weights[i];
    if (sum > left)
      return ids[i];
  }
  return ids.back();
}

llvm::Error
Sampler::getProbabilities(llvm::ArrayRef<float> logits,
                          llvm::MutableArrayRef<float> probabilities) {
  if (llvm::Error e = filter(logits))
    return e;
  llvm::fill(probabilities, 0.0f);
  for (size_t i = 0; i < ids.size(); ++i)
    probabilities[ids[i]] = weights[i] / total;
  return llvm::Error::success();
}
