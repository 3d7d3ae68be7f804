//===- Generation.h - one generation, step by step --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_GENERATE_GENERATION_H
#define FX_LIB_GENERATE_GENERATION_H

#include "fx/Generate/StopText.h"
#include "fx/Generate/TextGenerator.h"

namespace fx {

/// A generation, which can be left between steps.
class Generation {
public:
  /// The options must be valid, see TextGenerator::checkRequest. Both arguments
  /// must outlive the generation.
  Generation(TextGenerator &generator, const GenerationOptions &options);

  /// Calls one method of the model, and chooses the tokens that follow, if any.
  /// Returns false if the generation has ended.
  llvm::Expected<bool> step();
  /// Returns false, and sets the reason, if no token can follow.
  bool canStep();
  /// As `step`, with logits that follow from a call of another method for the
  /// last token.
  llvm::Expected<bool> takeLogits(llvm::ArrayRef<float> logits);
  /// The number of tokens that were generated.
  size_t countTokens() const { return result.tokens.size(); }
  GenerationResult takeResult() { return std::move(result); }

private:
  llvm::Expected<bool> runNext();
  llvm::Expected<bool> chooseTokens();
  bool accept(int64_t id);
  llvm::Error fail(llvm::Error error) const;

  TextGenerator &generator;
  const GenerationOptions &options;
  StopText text;
  Sampler sampler;
  GenerationResult result;
  /// The proposed tokens, and the number of those that were kept. Row i of the
  /// logits is for the token after i proposed ones.
  llvm::SmallVector<int64_t> proposal;
  size_t numProposed = 0, row = 0;
};

} // namespace fx

#endif // FX_LIB_GENERATE_GENERATION_H
