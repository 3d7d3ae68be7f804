//===- TextGenerator.cpp - generates tokens by a language model -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Generate/TextGenerator.h"
#include "fx/Generate/StopText.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace fx;

static constexpr DLDataType kInt64 = {kDLInt, 64, 1};
static constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};

static std::string getTypeText(const FXValueInfo &value) {
  std::string text;
  switch (value.dtype.code) {
  case kDLInt:
    text = "int";
    break;
  case kDLFloat:
    text = "float";
    break;
  case kDLBfloat:
    text = "bfloat";
    break;
  default:
    text = "dtype " + std::to_string(value.dtype.code) + " of ";
  }
  text += std::to_string(value.dtype.bits) + " [";
  for (int i = 0; i < value.rank; ++i)
    text += (i ? ", " : "") + std::string(value.size_exprs[i]);
  return text + "]";
}

/// Checks a value whose sizes are `sizes`; -1 stands for any size.
static llvm::Error checkValue(const char *method, const FXValueInfo &value,
                              DLDataType dtype, llvm::ArrayRef<int64_t> sizes,
                              const char *expected) {
  bool fits = value.dtype.code == dtype.code &&
              value.dtype.bits == dtype.bits &&
              size_t(value.rank) == sizes.size();
  for (size_t i = 0; fits && i < sizes.size(); ++i)
    fits = sizes[i] == -1 || value.sizes[i] == sizes[i];
  if (fits)
    return llvm::Error::success();
  return llvm::createStringError("method '" + llvm::Twine(method) + "', '" +
                                 value.name + "': expected " + expected +
                                 ", got " + getTypeText(value));
}

llvm::Error TextGenerator::addMethod(Method &method, const char *name,
                                     size_t index) {
  const FXModelInfo &info = *model->getMethods()[index].info;
  bool isDecode = &method == &decode, isVerify = &method == &verify;
  if (info.n_inputs != 2 || info.n_outputs != 1)
    return llvm::createStringError(
        "method '" + llvm::Twine(name) +
        "': expected the inputs input_ids and cache_position and one output, "
        "got " +
        llvm::Twine(info.n_inputs) + " inputs and " +
        llvm::Twine(info.n_outputs) + " outputs");
  if (info.target)
    return llvm::createStringError("expected a model for the CPU, got one for "
                                   "'" +
                                   llvm::Twine(info.target) + "'");
  const FXValueInfo &input = info.inputs[0], &output = info.outputs[0];
  int64_t size = isDecode ? 1 : -1;
  if (llvm::Error e =
          checkValue(name, input, kInt64, {1, size},
                     isDecode ? "int64 [1, 1]" : "int64 [1, tokens]"))
    return e;
  size = input.sizes[1];
  if (llvm::Error e =
          checkValue(name, info.inputs[1], kInt64, {size}, "int64 [tokens]"))
    return e;
  if (llvm::Error e = isVerify
                          ? checkValue(name, output, kFloat32, {1, size, -1},
                                       "float32 [1, tokens, vocabulary]")
                          : checkValue(name, output, kFloat32, {1, -1},
                                       "float32 [1, vocabulary]"))
    return e;
  int64_t vocabulary = output.sizes[output.rank - 1];
  if (isDecode)
    vocabularySize = vocabulary;
  if (vocabulary <= 0 || vocabulary != vocabularySize)
    return llvm::createStringError(
        "method '" + llvm::Twine(name) + "': expected " +
        (isDecode ? "a static number of logits"
                  : llvm::Twine(vocabularySize) + " logits") +
        ", got " + output.size_exprs[output.rank - 1]);
  if (isVerify && size < 2)
    return llvm::createStringError(
        "method 'verify': expected a static number of at least 2 tokens, got " +
        llvm::Twine(input.size_exprs[1]));
  if (size > options.maxPositions)
    return llvm::createStringError("method '" + llvm::Twine(name) +
                                   "': expected at most " +
                                   llvm::Twine(options.maxPositions) +
                                   " tokens, the number of positions, "
                                   "got " +
                                   llvm::Twine(size));
  method.model = model->getMethod(index);
  method.size = size;
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<TextGenerator>>
TextGenerator::create(CompiledModel &model,
                      const TextGeneratorOptions &options) {
  if (options.maxPositions <= 0)
    return llvm::createStringError("max_positions: expected at least 1, got " +
                                   llvm::Twine(options.maxPositions));
  if (options.chunk <= 1)
    return llvm::createStringError("chunk: expected at least 2, got " +
                                   llvm::Twine(options.chunk));
  std::unique_ptr<TextGenerator> result(new TextGenerator);
  result->options = options;
  result->model = &model;
  llvm::ArrayRef<FXMethod> methods = model.getMethods();
  int64_t size = 1, rows = 1;
  // `decode` first: the other methods must agree with it.
  for (auto [name, method] : {std::pair("decode", &result->decode),
                              {"prefill", &result->prefill},
                              {"verify", &result->verify}}) {
    const FXMethod *found = llvm::find_if(methods, [&](const FXMethod &each) {
      return llvm::StringRef(each.name) == name;
    });
    bool isDecode = method == &result->decode;
    if (found == methods.end() && isDecode && methods.size() == 1)
      found = methods.begin();
    if (found == methods.end() && isDecode)
      return model.getMethod("decode").takeError();
    if (found == methods.end())
      continue;
    if (llvm::Error e =
            result->addMethod(*method, found->name, found - methods.begin()))
      return e;
    size = std::max(size, method->size < 0 ? options.chunk : method->size);
    if (method == &result->verify)
      rows = method->size;
  }
  result->ids.resize(size);
  result->positions.resize(size);
  // Aligned, so that the model writes the logits without a copy.
  size_t bytes = rows * result->vocabularySize * sizeof(float);
  bytes = (bytes + 63) / 64 * 64;
  result->logits.reset(static_cast<float *>(std::aligned_alloc(64, bytes)));
  if (!result->logits)
    return llvm::createStringError("out of memory");
  result->tokens.reserve(options.maxPositions + 1);
  return result;
}

/// Checks that `ids` can follow `size` tokens.
llvm::Error TextGenerator::checkIds(llvm::ArrayRef<int64_t> ids,
                                    size_t size) const {
  if (size + ids.size() > size_t(options.maxPositions))
    return llvm::createStringError("expected at most " +
                                   llvm::Twine(options.maxPositions) +
                                   " tokens, the number of positions, got " +
                                   llvm::Twine(size + ids.size()));
  for (int64_t id : ids)
    if (id < 0)
      return llvm::createStringError(
          "expected ids of tokens of at least 0, got " + llvm::Twine(id));
  return llvm::Error::success();
}

llvm::Error TextGenerator::append(llvm::ArrayRef<int64_t> ids) {
  if (llvm::Error e = checkIds(ids, tokens.size()))
    return e;
  tokens.insert(tokens.end(), ids.begin(), ids.end());
  return llvm::Error::success();
}

llvm::Error TextGenerator::setTokens(llvm::ArrayRef<int64_t> ids) {
  if (llvm::Error e = checkIds(ids, 0))
    return e;
  size_t n = std::min(ids.size(), tokens.size()), common = 0;
  while (common < n && ids[common] == tokens[common])
    ++common;
  numCached = std::min<int64_t>(numCached, common);
  tokens.resize(common);
  tokens.insert(tokens.end(), ids.begin() + common, ids.end());
  return llvm::Error::success();
}

llvm::Error TextGenerator::truncate(int64_t size) {
  if (size < 0 || size > int64_t(tokens.size()))
    return llvm::createStringError("expected a number of tokens from 0 to " +
                                   llvm::Twine(tokens.size()) + ", got " +
                                   llvm::Twine(size));
  tokens.resize(size);
  numCached = std::min(numCached, size);
  return llvm::Error::success();
}

void TextGenerator::reset() {
  tokens.clear();
  numCached = 0;
  model->getApi().reset(model->getInstance());
}

/// Runs the first `numTokens` of `ids` at the positions after the cached ones.
llvm::Error TextGenerator::runMethod(Method &method, int64_t numTokens) {
  std::iota(positions.begin(), positions.begin() + numTokens, numCached);
  int64_t idShape[] = {1, numTokens}, rows[] = {1, numTokens, vocabularySize},
          row[] = {1, vocabularySize};
  DLTensor id = {}, position = {}, output = {};
  for (DLTensor *tensor : {&id, &position, &output})
    tensor->device = {kDLCPU, 0};
  id.data = ids.data();
  id.dtype = position.dtype = kInt64;
  id.ndim = 2;
  id.shape = idShape;
  position.data = positions.data();
  position.ndim = 1;
  position.shape = idShape + 1;
  output.data = logits.get();
  output.dtype = kFloat32;
  output.ndim = &method == &verify ? 3 : 2;
  output.shape = &method == &verify ? rows : row;
  return method.model->runInto({&id, &position}, {&output}, options.threads);
}

/// Runs all tokens that are not cached, at least the last one, and computes its
/// logits.
llvm::Error TextGenerator::runPending(GenerationResult &result) {
  int64_t size = tokens.size();
  numCached = std::min(numCached, size - 1);
  while (numCached < size) {
    int64_t n = size - numCached;
    bool usesPrefill =
        // A symbolic size is at least 2 in most programs.
        prefill && (prefill.size < 0 ? n > 1 : n >= prefill.size);
    if (!usesPrefill)
      n = 1;
    else if (prefill.size > 0)
      n = prefill.size;
    else
      n = std::min(n, options.chunk);
    std::copy_n(tokens.begin() + numCached, n, ids.begin());
    if (llvm::Error e = runMethod(usesPrefill ? prefill : decode, n))
      return e;
    ++(usesPrefill ? result.numPrefills : result.numDecodes);
    numCached += n;
  }
  return llvm::Error::success();
}

/// Finds the last earlier occurrence of up to `longest` last tokens, the
/// longest first, and copies the tokens that follow it. Returns their number.
int64_t TextGenerator::propose(int64_t longest,
                               llvm::MutableArrayRef<int64_t> proposal) {
  llvm::ArrayRef<int64_t> all(tokens);
  int64_t size = all.size();
  for (int64_t n = std::min(longest, size - 1); n > 0; --n) {
    llvm::ArrayRef<int64_t> last = all.take_back(n);
    for (int64_t i = size - n - 1; i >= 0; --i) {
      if (all[i] != last[0] || all.slice(i, n) != last)
        continue;
      int64_t count = std::min<int64_t>(proposal.size(), size - n - i);
      std::copy_n(all.begin() + i + n, count, proposal.begin());
      return count;
    }
  }
  return 0;
}

/// One call of `generate`.
class TextGenerator::Run {
public:
  Run(TextGenerator &generator, const GenerationOptions &options)
      : generator(generator), options(options), text(options.stopStrings),
        sampler(options.sampling, generator.vocabularySize) {}

  llvm::Expected<GenerationResult> generate();

private:
  llvm::Error runNext();
  bool accept(int64_t id);
  llvm::Error fail(llvm::Error error) const {
    return llvm::createStringError(
        "token " + llvm::Twine(generator.tokens.size()) +
        " of the sequence: " + llvm::toString(std::move(error)));
  }

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

/// Adds a token. Returns false if it is the last one.
bool TextGenerator::Run::accept(int64_t id) {
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

/// Computes the logits of the token after the last one.
llvm::Error TextGenerator::Run::runNext() {
  TextGenerator &g = generator;
  int64_t size = g.verify.size;
  row = numProposed = 0;
  // Runs all tokens but the last one before `verify`.
  bool isNext = g.numCached + 1 == int64_t(g.tokens.size());
  int64_t left = options.maxNewTokens - int64_t(result.tokens.size());
  if (options.lookup && isNext && left > 1 &&
      g.numCached + size <= g.options.maxPositions) {
    proposal.resize(size - 1);
    numProposed = g.propose(options.lookup, proposal);
  }
  if (!numProposed)
    return g.runPending(result);
  g.ids[0] = g.tokens.back();
  // Entries of tokens that were not proposed are written, too, and later
  // overwritten.
  std::fill(proposal.begin() + numProposed, proposal.end(), 0);
  llvm::copy(proposal, g.ids.begin() + 1);
  if (llvm::Error e = g.runMethod(g.verify, size))
    return e;
  ++g.numCached;
  ++result.numVerifies;
  result.numProposed += numProposed;
  return llvm::Error::success();
}

llvm::Expected<GenerationResult> TextGenerator::Run::generate() {
  TextGenerator &g = generator;
  if (options.sampling.repetitionPenalty != 1)
    for (int64_t id : g.tokens)
      sampler.addToken(id);
  result.tokens.reserve(
      std::min(options.maxNewTokens,
               g.options.maxPositions + 1 - int64_t(g.tokens.size())));
  if (options.maxNewTokens == 0)
    return std::move(result);
  if (int64_t(g.tokens.size()) > g.options.maxPositions) {
    result.reason = FinishReason::Positions;
    return std::move(result);
  }
  if (llvm::Error e = runNext())
    return fail(std::move(e));
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
      return std::move(result);
    if (!isProposed)
      if (llvm::Error e = runNext())
        return fail(std::move(e));
  }
}

llvm::Expected<GenerationResult>
TextGenerator::generate(const GenerationOptions &options) {
  if (llvm::Error e = options.sampling.check())
    return e;
  auto fail = [](const llvm::Twine &text) {
    return llvm::createStringError(text);
  };
  if (tokens.empty())
    return fail("expected a sequence with tokens, got an empty one");
  if (options.maxNewTokens < 0)
    return fail("max_new_tokens: expected at least 0, got " +
                llvm::Twine(options.maxNewTokens));
  if (options.lookup < 0)
    return fail("lookup: expected at least 0, got " +
                llvm::Twine(options.lookup));
  if (options.lookup && !verify)
    return fail("lookup: expected a model with the method 'verify', got one "
                "without");
  if (llvm::is_contained(options.stopStrings, ""))
    return fail("stop_strings: expected no empty string, got one");
  if (!options.stopStrings.empty() && !options.getBytes)
    return fail("stop_strings: expected the bytes of tokens, got none");
  return Run(*this, options).generate();
}
