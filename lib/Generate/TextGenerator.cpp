//===- TextGenerator.cpp - generates tokens by a language model -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Generate/TextGenerator.h"
#include "Generation.h"
#include "Tensors.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace fx;

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
  if (hasType(value, dtype, sizes))
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
  result->logits.reset(allocateFloats(rows * result->vocabularySize));
  if (!result->logits)
    return llvm::createStringError("out of memory");
  result->tokens.reserve(options.maxPositions + 1);
  return result;
}

/// Makes the caches end at `size` positions, or before.
void TextGenerator::rollBack(int64_t size) {
  if (numCached <= size)
    return;
  numCached = size;
  if (!options.isRecurrent)
    return;
  model->getApi().reset(model->getInstance());
  numCached = 0;
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

size_t TextGenerator::countCommon(llvm::ArrayRef<int64_t> ids) const {
  size_t n = std::min(ids.size(), tokens.size()), common = 0;
  while (common < n && ids[common] == tokens[common])
    ++common;
  return common;
}

llvm::Error TextGenerator::setTokens(llvm::ArrayRef<int64_t> ids) {
  if (llvm::Error e = checkIds(ids, 0))
    return e;
  size_t common = countCommon(ids);
  rollBack(common);
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
  rollBack(size);
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
  llvm::MutableArrayRef<int64_t> shape(idShape);
  DLTensor id = makeTensor(ids.data(), kInt64, shape),
           position = makeTensor(positions.data(), kInt64, shape.take_back(1)),
           output = &method == &verify
                        ? makeTensor(logits.get(), kFloat32, rows)
                        : makeTensor(logits.get(), kFloat32, row);
  return method.model->runInto({&id, &position}, {&output}, options.threads);
}

/// Runs the next chunk of the tokens that are not cached, at least the last
/// one. Returns true if that was the last chunk: the logits are those of the
/// last token.
llvm::Expected<bool> TextGenerator::runChunk(GenerationResult &result) {
  int64_t size = tokens.size();
  rollBack(size - 1);
  int64_t n = size - numCached;
  // A symbolic size is at least 2 in most programs.
  bool usesPrefill = prefill && (prefill.size < 0 ? n > 1 : n >= prefill.size);
  if (!usesPrefill)
    n = 1;
  else
    n = prefill.size > 0 ? prefill.size : std::min(n, options.chunk);
  std::copy_n(tokens.begin() + numCached, n, ids.begin());
  if (llvm::Error e = runMethod(usesPrefill ? prefill : decode, n))
    return e;
  ++(usesPrefill ? result.numPrefills : result.numDecodes);
  numCached += n;
  return numCached == size;
}

/// Finds the last earlier occurrence of up to `longest` last tokens, the
/// longest first, and proposes the tokens that follow it. Returns false if
/// there is none.
bool TextGenerator::propose(int64_t longest,
                            llvm::MutableArrayRef<int64_t> proposal) const {
  llvm::ArrayRef<int64_t> all(tokens);
  int64_t size = all.size();
  for (int64_t n = std::min(longest, size - 1); n > 0; --n) {
    llvm::ArrayRef<int64_t> last = all.take_back(n);
    for (int64_t i = size - n - 1; i >= 0; --i) {
      if (all[i] != last[0] || all.slice(i, n) != last)
        continue;
      // What follows the last token is the proposal itself: it repeats.
      int64_t next = i + n;
      for (int64_t &id : proposal) {
        id = next < size ? all[next] : proposal[next - size];
        ++next;
      }
      return true;
    }
  }
  return false;
}

llvm::Error
TextGenerator::checkRequest(llvm::ArrayRef<int64_t> prompt,
                            const GenerationOptions &options) const {
  if (llvm::Error e = checkIds(prompt, 0))
    return e;
  if (llvm::Error e = options.sampling.check())
    return e;
  auto fail = [](const llvm::Twine &text) {
    return llvm::createStringError(text);
  };
  if (prompt.empty())
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
  return llvm::Error::success();
}

llvm::Expected<GenerationResult>
TextGenerator::generate(const GenerationOptions &options) {
  // The sequence was checked before, and may have one token more than there are
  // positions.
  llvm::ArrayRef<int64_t> checked = tokens;
  if (llvm::Error e = checkRequest(checked.take_front(1), options))
    return e;
  Generation generation(*this, options);
  while (true) {
    llvm::Expected<bool> goesOn = generation.step();
    if (!goesOn)
      return goesOn.takeError();
    if (!*goesOn)
      return generation.takeResult();
  }
}
