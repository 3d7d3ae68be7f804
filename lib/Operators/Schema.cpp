//===- Schema.cpp - the table of operator schemas -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Schema.h"
#include "fx/Operators/TorchVersions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/DJB.h"

using namespace fx;
using llvm::StringRef;

// Defines stringPool, operators[], arguments[] (the arguments of each operator,
// followed by its results), buckets[], knownNamespaces[], otherVersions[] and
// others[]. buckets[] is a hash table with linear probing from djbHash(name)
// modulo its size, a power of two. An entry is the index of an operator plus 1,
// or 0 if the entry is free. The first `numOperators` of operators[] are those
// of the built-in version of torch. others[] has the rest, sorted by name, with
// the versions that have them. The last entries of otherVersions[] and others[]
// are empty.
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

llvm::ArrayRef<OperatorSchema> fx::getAllOperators() {
  return {operators, numOperators};
}

bool fx::isKnownNamespace(StringRef target) {
  StringRef name = target.split('.').first;
  return llvm::any_of(knownNamespaces,
                      [&](uint32_t offset) { return text(offset) == name; });
}

StringRef fx::getSchemaVersion() { return schemaVersion; }

//===----------------------------------------------------------------------===//
// Other versions of torch
//===----------------------------------------------------------------------===//

/// Returns the number of a version, 2010 for `2.10.0+cpu`; 0 for other text.
static unsigned getNumber(StringRef version) {
  unsigned major, minor;
  if (version.consumeInteger(10, major) || !version.consume_front(".") ||
      version.consumeInteger(10, minor) || major > 100 || minor >= 1000)
    return 0;
  return major * 1000 + minor;
}

static constexpr unsigned numOthers = std::size(others) - 1,
                          numVersions = std::size(otherVersions) - 1;

/// Returns the range of others[] that are called `target`.
static std::pair<unsigned, unsigned> findOthers(StringRef target) {
  auto name = [](const auto &other) {
    return operators[other.index].getName();
  };
  const auto *begin = std::begin(others), *end = begin + numOthers;
  const auto *first =
      std::lower_bound(begin, end, target, [&](const auto &other, StringRef t) {
        return name(other) < t;
      });
  const auto *last = first;
  while (last != end && name(*last) == target)
    ++last;
  return {first - begin, last - begin};
}

bool fx::hasOtherSchema(StringRef target) {
  auto [first, last] = findOthers(target);
  return first != last;
}

std::vector<std::string> fx::getKnownTorchVersions() {
  std::vector<std::string> versions;
  for (unsigned i = 0; i < numVersions; ++i)
    versions.push_back(otherVersions[i].rsplit('.').first.str());
  versions.push_back(schemaVersion.rsplit('.').first.str());
  llvm::sort(versions, [](const std::string &a, const std::string &b) {
    return getNumber(a) < getNumber(b);
  });
  return versions;
}

const OperatorSchema *fx::lookupOperator(StringRef target,
                                         StringRef torchVersion) {
  const OperatorSchema *builtIn = lookupOperator(target);
  auto [first, last] = findOthers(target);
  if (first == last)
    return builtIn;
  unsigned wanted = getNumber(torchVersion), nearest = UINT_MAX;
  const OperatorSchema *found = nullptr;
  for (unsigned i = first; i < last; ++i)
    for (unsigned v = 0; v < numVersions; ++v) {
      unsigned number = getNumber(otherVersions[v]);
      unsigned distance = number > wanted ? number - wanted : wanted - number;
      // A newer version than the newest has the schemas of that.
      bool isNewest = v + 1 == numVersions && wanted > number &&
                      number > getNumber(schemaVersion);
      if (!(others[i].versions & (1u << v)) || distance >= nearest)
        continue;
      nearest = isNewest ? 0 : distance;
      found = &operators[others[i].index];
    }
  return nearest == 0 || !builtIn ? found : builtIn;
}

std::string fx::getOtherVersionOf(StringRef target) {
  auto [first, last] = findOthers(target);
  if (first == last || lookupOperator(target))
    return "";
  return otherVersions[llvm::countr_zero(others[first].versions)]
      .rsplit('.')
      .first.str();
}

int fx::findRenamedArgument(const OperatorSchema &schema, StringRef name) {
  auto [first, last] = findOthers(schema.getName());
  for (unsigned i = first; i < last; ++i) {
    int position = operators[others[i].index].findArgument(name);
    if (position >= 0 && unsigned(position) < schema.numArguments)
      return position;
  }
  return -1;
}

/// Returns true if a value for `from` can be given for `to`.
static bool accepts(const ArgumentSchema &to, const ArgumentSchema &from) {
  using K = SchemaKind;
  bool sameKind = to.kind == from.kind || to.kind == K::Any ||
                  from.kind == K::Any ||
                  (to.kind == K::SymInt && from.kind == K::Int) ||
                  (to.kind == K::SymFloat && from.kind == K::Float) ||
                  (to.kind == K::SymBool && from.kind == K::Bool);
  return sameKind && to.listDepth == from.listDepth &&
         to.listSize == from.listSize &&
         (to.isOptional() || !from.isOptional()) &&
         (!from.hasDefault() || to.getDefaultText() == from.getDefaultText());
}

bool fx::isCompatible(const OperatorSchema &from, const OperatorSchema &to) {
  if (from.numResults != to.numResults)
    return false;
  for (auto [a, b] : llvm::zip_equal(from.getResults(), to.getResults()))
    if (a.kind != b.kind || a.listDepth != b.listDepth)
      return false;
  llvm::SmallVector<bool> isGiven(to.numArguments);
  for (auto [i, argument] : llvm::enumerate(from.getArguments())) {
    int at =
        argument.isKwargOnly() ? to.findArgument(argument.getName()) : int(i);
    if (at < 0 && argument.hasDefault())
      continue;
    if (at < 0 || at >= to.numArguments || isGiven[at] ||
        (!argument.isKwargOnly() && to.getArguments()[at].isKwargOnly()) ||
        !accepts(to.getArguments()[at], argument))
      return false;
    isGiven[at] = true;
  }
  return llvm::all_of(llvm::zip_equal(isGiven, to.getArguments()),
                      [](const auto &pair) {
                        auto &[given, argument] = pair;
                        return given || argument.hasDefault();
                      });
}

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
