//===- Schema.cpp - the table of operator schemas -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Schema.h"
#include "llvm/Support/DJB.h"

using namespace fx;
using llvm::StringRef;

// Defines stringPool, operators[], arguments[] (the arguments of each operator,
// followed by its results), buckets[] and knownNamespaces[]. buckets[] is a
// hash table with linear probing from djbHash(name) modulo its size, a power of
// two. An entry is the index of an operator plus 1, or 0 if the entry is free.
#include "OperatorTable.inc"

static StringRef text(uint32_t offset) {
  return StringRef(stringPool + offset);
}

StringRef ArgumentSchema::getName() const { return text(nameOffset); }
StringRef ArgumentSchema::getTypeText() const { return text(typeOffset); }
std::optional<StringRef> ArgumentSchema::getDefaultText() const {
  if (!hasDefault())
    return std::nullopt;
  return text(defaultOffset);
}

StringRef OperatorSchema::getName() const { return text(nameOffset); }
llvm::ArrayRef<ArgumentSchema> OperatorSchema::getArguments() const {
  return {arguments + firstArgument, numArguments};
}
llvm::ArrayRef<ArgumentSchema> OperatorSchema::getResults() const {
  return {arguments + firstArgument + numArguments, numResults};
}
int OperatorSchema::findArgument(StringRef name) const {
  for (auto [i, argument] : llvm::enumerate(getArguments()))
    if (argument.getName() == name)
      return i;
  return -1;
}
unsigned OperatorSchema::getNumPositional() const {
  return llvm::count_if(
      getArguments(), [](const ArgumentSchema &a) { return !a.isKwargOnly(); });
}

const OperatorSchema *fx::lookupOperator(StringRef target) {
  constexpr unsigned mask = std::size(buckets) - 1;
  for (unsigned i = llvm::djbHash(target) & mask; buckets[i];
       i = (i + 1) & mask) {
    const OperatorSchema &candidate = operators[buckets[i] - 1];
    if (candidate.getName() == target)
      return &candidate;
  }
  return nullptr;
}

llvm::ArrayRef<OperatorSchema> fx::getAllOperators() { return operators; }

bool fx::isKnownNamespace(StringRef target) {
  StringRef name = target.split('.').first;
  return llvm::any_of(knownNamespaces,
                      [&](uint32_t offset) { return text(offset) == name; });
}

StringRef fx::getSchemaVersion() { return schemaVersion; }

//===----------------------------------------------------------------------===//
// Exceptions
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral runningStats[] = {"running_mean",
                                                       "running_var"};

// These batch norms update their running statistics during training, although
// their schemas do not annotate the mutation. A seeded operator is
// deterministic if training is off or if the dropout probability is 0; exported
// inference graphs contain many such calls.
static const PurityException exceptions[] = {
    {"aten.batch_norm.default", "training", "", runningStats},
    {"aten.native_batch_norm.default", "training", "", runningStats},
    {"aten._batch_norm_impl_index.default", "training", "", runningStats},
    {"aten.cudnn_batch_norm.default", "training", "", runningStats},
    {"aten.miopen_batch_norm.default", "training", "", runningStats},
    {"aten.instance_norm.default", "use_input_stats", "", runningStats},
    {"aten.dropout.default", "train", "p", {}},
    {"aten.dropout_.default", "train", "p", {}},
    {"aten.native_dropout.default", "train", "p", {}},
    {"aten.feature_dropout.default", "train", "p", {}},
    {"aten.feature_dropout_.default", "train", "p", {}},
    {"aten.alpha_dropout.default", "train", "p", {}},
    {"aten.alpha_dropout_.default", "train", "p", {}},
    {"aten.feature_alpha_dropout.default", "train", "p", {}},
    {"aten.feature_alpha_dropout_.default", "train", "p", {}},
    {"aten.rrelu.default", "training", "", {}},
    {"aten.rrelu_.default", "training", "", {}},
    {"aten.rrelu_with_noise_functional.default", "training", "", {}},
    {"aten.lstm.input", "train", "dropout", {}},
    {"aten.lstm.data", "train", "dropout", {}},
    {"aten.gru.input", "train", "dropout", {}},
    {"aten.gru.data", "train", "dropout", {}},
    {"aten.rnn_tanh.input", "train", "dropout", {}},
    {"aten.rnn_tanh.data", "train", "dropout", {}},
    {"aten.rnn_relu.input", "train", "dropout", {}},
    {"aten.rnn_relu.data", "train", "dropout", {}},
    {"aten.scaled_dot_product_attention.default", "", "dropout_p", {}},
    {"aten._scaled_dot_product_flash_attention.default", "", "dropout_p", {}},
    {"aten._scaled_dot_product_flash_attention_for_cpu.default",
     "",
     "dropout_p",
     {}},
    {"aten._scaled_dot_product_efficient_attention.default",
     "",
     "dropout_p",
     {}},
    {"aten._scaled_dot_product_cudnn_attention.default", "", "dropout_p", {}},
    {"aten._scaled_dot_product_attention_math.default", "", "dropout_p", {}},
    {"aten._scaled_dot_product_attention_math_for_mps.default",
     "",
     "dropout_p",
     {}},
    {"aten._scaled_dot_product_fused_attention_overrideable.default",
     "",
     "dropout_p",
     {}},
    {"aten._flash_attention_forward.default", "", "dropout_p", {}},
    {"aten._efficient_attention_forward.default", "", "dropout_p", {}},
};

const PurityException *fx::lookupPurityException(StringRef target) {
  for (const PurityException &exception : exceptions)
    if (exception.target == target)
      return &exception;
  return nullptr;
}
