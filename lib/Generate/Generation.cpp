//===- Generation.cpp - one generation, step by step ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generation.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace fx;

Generation::Generation(TextGenerator &generator,
                       const GenerationOptions &options)
    : generator(generator), options(options), text(options.stopStrings),
      sampler(options.sampling, generator.vocabularySize) {
  if (options.sampling.repetitionPenalty != 1)
    for (int64_t id : generator.tokens)
      sampler.addToken(id);
  result.tokens.reserve(
      std::min(options.maxNewTokens, generator.options.maxPositions + 1 -
                                         int64_t(generator.tokens.size())));
}

llvm::Error Generation::fail(llvm::Error error) const {
  return llvm::createStringError(
      "token " + llvm::Twine(generator.tokens.size()) +
      " of the sequence: " + llvm::toString(std::move(error)));
}

/// Adds a token. Returns false if it is the last one.
bool Generation::accept(int64_t id) {
  int64_t position = generator.tokens.size();
  generator.tokens.push_back(id);
  sampler.addToken(id);
  result.tokens.push_back(id);
  bool isStop = llvm::is_contained(options.stopTokens, id);
  bool hasStop =
      options.getBytes && !isStop && text.append(options.getBytes(id));
  bool isFull = int64_t(result.tokens.size()) == options.maxNewTokens;
  bool hasPosition = position < generator.options.maxPositions;
  bool isLast = isStop || hasStop || isFull || !hasPosition;
  llvm::StringRef certain = text.take(isLast);
  result.text += certain;
  bool goesOn = !options.onToken || options.onToken({id, position, certain});
  if (goesOn && !isLast)
    return true;
  result.reason = isStop    ? FinishReason::StopToken
                  : hasStop ? FinishReason::StopString
                  : !goesOn ? FinishReason::Stopped
                  : isFull  ? FinishReason::Length
                            : FinishReason::Positions;
  return false;
}

/// Calls one method. Returns true if the logits are those of the last token.
llvm::Expected<bool> Generation::runNext() {
  TextGenerator &g = generator;
  int64_t size = g.verify.size;
  row = numProposed = 0;
  // All tokens but the last one must be cached before `verify`.
  bool isNext = g.numCached + 1 == int64_t(g.tokens.size());
  int64_t left = options.maxNewTokens - int64_t(result.tokens.size());
  if (options.lookup && isNext && left > 1 &&
      g.numCached + size <= g.options.maxPositions) {
    proposal.resize(size - 1);
    if (g.propose(options.lookup, proposal))
      numProposed = proposal.size();
  }
  if (!numProposed)
    return g.runChunk(result);
  g.ids[0] = g.tokens.back();
  // The entries of proposals that are not kept are overwritten later.
  llvm::copy(proposal, g.ids.begin() + 1);
  if (llvm::Error e = g.runMethod(g.verify, size))
    return e;
  ++g.numCached;
  ++result.numVerifies;
  result.numProposed += numProposed;
  return true;
}

bool Generation::canStep() {
  if (options.maxNewTokens == 0)
    return false;
  if (int64_t(generator.tokens.size()) <= generator.options.maxPositions)
    return true;
  result.reason = FinishReason::Positions;
  return false;
}

llvm::Expected<bool> Generation::step() {
  if (!canStep())
    return false;
  llvm::Expected<bool> hasLogits = runNext();
  if (!hasLogits)
    return fail(hasLogits.takeError());
  return *hasLogits ? chooseTokens() : true;
}

llvm::Expected<bool> Generation::takeLogits(llvm::ArrayRef<float> logits) {
  llvm::copy(logits, generator.logits.get());
  row = numProposed = 0;
  ++generator.numCached;
  ++result.numDecodes;
  return chooseTokens();
}

/// Chooses tokens from the logits: the next one, and those after proposed ones.
llvm::Expected<bool> Generation::chooseTokens() {
  TextGenerator &g = generator;
  while (true) {
    llvm::ArrayRef<float> logits(g.logits.get() + row * g.vocabularySize,
                                 g.vocabularySize);
    llvm::Expected<int64_t> id = sampler.sample(logits, g.tokens.size());
    if (!id)
      return fail(id.takeError());
    bool isProposed = row < numProposed && proposal[row] == *id;
    if (isProposed) {
      // Its entry is in the caches.
      ++row;
      ++g.numCached;
      ++result.numAccepted;
    }
    if (!accept(*id))
      return false;
    if (!isProposed)
      return true;
  }
}
