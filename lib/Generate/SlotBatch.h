//===- SlotBatch.h - decodes tokens of several sequences --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_GENERATE_SLOTBATCH_H
#define FX_LIB_GENERATE_SLOTBATCH_H

#include "fx/Generate/TextGenerator.h"

namespace fx {

/// An instance of a model with the methods `decode_slots` and `join`, see
/// GenerationPool.
class SlotBatch {
public:
  /// Returns null if the model does not have these methods. Fails if they are
  /// not as described there, or if there are fewer than `numSlots` slots.
  static llvm::Expected<std::unique_ptr<SlotBatch>>
  create(const CompiledModel &model, size_t numSlots,
         const TextGeneratorOptions &options);

  CompiledModel &getModel() { return *model; }
  /// Copies the caches of the single sequence to a slot.
  llvm::Error join(int64_t slot);
  /// Removes all tokens. A slot without a token writes its first position.
  void clear();
  /// Sets the token of a slot, and its position.
  void set(size_t slot, int64_t id, int64_t position);
  /// Runs the tokens of all slots.
  llvm::Error decode();
  llvm::ArrayRef<float> getLogits(size_t slot) const;
  /// Resets the caches of all sequences.
  void reset();

private:
  struct FreeMemory {
    void operator()(float *memory) const { free(memory); }
  };

  std::unique_ptr<CompiledModel> model, decodeMethod, joinMethod;
  std::vector<int64_t> ids, positions;
  int64_t vocabularySize = 0;
  int threads = 1;
  std::unique_ptr<float, FreeMemory> logits;
};

} // namespace fx

#endif // FX_LIB_GENERATE_SLOTBATCH_H
