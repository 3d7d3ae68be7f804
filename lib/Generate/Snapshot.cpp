//===- Snapshot.cpp - a sequence and its caches as bytes ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes are: the magic number; as 64-bit integers of this machine the
// number of positions, of tokens, of those in the caches, and of states; the
// tokens; for each state, the length of its name, the name, the code and the
// bits of the dtype (DLPack's), the number of bytes, and the bytes. Of a state
// that has the positions as a dimension, these are only the positions that are
// in use.
//
//===----------------------------------------------------------------------===//

#include "fx/Generate/TextGenerator.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace fx;

static constexpr llvm::StringLiteral kMagic = "fxsnap2\n";

namespace {
/// The bytes of a state that a snapshot has: `count` parts of `size` bytes,
/// `stride` bytes apart.
struct StatePart {
  llvm::StringRef name;
  char *data;
  int64_t dtype; ///< the code, times 256, plus the bits
  int64_t count, size, stride;
  uint64_t bytes() const { return uint64_t(count) * size; }
};

/// Reads a snapshot. After a read past the end, all reads fail.
struct Reader {
  llvm::StringRef rest;
  bool failed = false;

  llvm::StringRef bytes(uint64_t n) {
    failed |= n > rest.size();
    llvm::StringRef result = failed ? "" : rest.take_front(n);
    rest = failed ? "" : rest.drop_front(n);
    return result;
  }
  int64_t number() {
    llvm::StringRef data = bytes(sizeof(int64_t));
    int64_t n = 0;
    if (!failed)
      memcpy(&n, data.data(), sizeof n);
    failed |= n < 0;
    return failed ? 0 : n;
  }
};
} // namespace

/// Returns the parts of the states of `model` of which `used` of `positions`
/// positions are in use.
static llvm::Expected<std::vector<StatePart>>
findParts(CompiledModel &model, int64_t positions, int64_t used) {
  std::vector<StatePart> parts;
  const FXModelInfo &info = model.getInfo();
  for (int32_t i = 0; i < info.n_states; ++i) {
    const FXStateInfo &state = info.states[i];
    if (!state.is_mutable)
      continue;
    DLTensor tensor;
    if (model.getApi().get_state(model.getInstance(), i, &tensor))
      return llvm::createStringError("state '" + llvm::Twine(state.name) +
                                     "': the model has no value of it");
    llvm::ArrayRef<int64_t> sizes(tensor.shape, size_t(tensor.ndim));
    auto bytes = [&](llvm::ArrayRef<int64_t> some) {
      int64_t n = (tensor.dtype.bits * tensor.dtype.lanes + 7) / 8;
      for (int64_t size : some)
        n *= size;
      return n;
    };
    StatePart part;
    part.name = state.name;
    part.data = static_cast<char *>(tensor.data) + tensor.byte_offset;
    part.dtype = tensor.dtype.code * 256 + tensor.dtype.bits;
    part.count = 1;
    part.size = part.stride = bytes(sizes);
    size_t dim = llvm::find(sizes, positions) - sizes.begin();
    if (dim < sizes.size()) {
      for (int64_t size : sizes.take_front(dim))
        part.count *= size;
      part.stride = bytes(sizes.drop_front(dim));
      part.size = bytes(sizes.drop_front(dim + 1)) * used;
    }
    parts.push_back(part);
  }
  return parts;
}

llvm::Expected<std::string> TextGenerator::getSnapshot() {
  llvm::Expected<std::vector<StatePart>> parts =
      findParts(*decode.model, options.isRecurrent ? -1 : options.maxPositions,
                numCached);
  if (!parts)
    return parts.takeError();
  std::string result = kMagic.str();
  auto append = [&](const void *data, size_t size) {
    result.append(static_cast<const char *>(data), size);
  };
  auto number = [&](int64_t n) { append(&n, sizeof n); };
  number(options.maxPositions);
  number(tokens.size());
  number(numCached);
  number(parts->size());
  append(tokens.data(), tokens.size() * sizeof(int64_t));
  for (const StatePart &part : *parts) {
    number(part.name.size());
    append(part.name.data(), part.name.size());
    number(part.dtype);
    number(part.bytes());
    for (int64_t i = 0; i < part.count; ++i)
      append(part.data + i * part.stride, part.size);
  }
  return result;
}

llvm::Error TextGenerator::restore(llvm::StringRef snapshot) {
  auto fail = [](const llvm::Twine &text) {
    return llvm::createStringError("snapshot: " + text);
  };
  Reader reader{snapshot};
  if (reader.bytes(kMagic.size()) != kMagic)
    return fail("expected the bytes of a snapshot");
  int64_t positions = reader.number(), numTokens = reader.number(),
          used = reader.number(), numStates = reader.number();
  if (!reader.failed && positions != options.maxPositions)
    return fail("expected " + llvm::Twine(options.maxPositions) +
                " positions, got " + llvm::Twine(positions));
  // A sequence can have one token more than there are positions.
  if (numTokens > options.maxPositions + 1 || used > numTokens ||
      used > options.maxPositions)
    return fail("expected tokens of at most " +
                llvm::Twine(options.maxPositions) + " positions");
  std::vector<int64_t> ids(numTokens);
  llvm::StringRef data = reader.bytes(numTokens * sizeof(int64_t));
  if (!data.empty())
    memcpy(ids.data(), data.data(), data.size());
  if (llvm::any_of(ids, [](int64_t id) { return id < 0; }))
    return fail("expected ids of tokens of at least 0");
  llvm::Expected<std::vector<StatePart>> parts = findParts(
      *decode.model, options.isRecurrent ? -1 : options.maxPositions, used);
  if (!parts)
    return parts.takeError();
  // Check everything before anything is changed.
  std::vector<llvm::StringRef> values;
  for (const StatePart &part : *parts) {
    llvm::StringRef name = reader.bytes(reader.number());
    int64_t dtype = reader.number(), size = reader.number();
    values.push_back(reader.bytes(size));
    if (!reader.failed && (name != part.name || uint64_t(size) != part.bytes()))
      return fail("expected the state '" + part.name + "' of " +
                  llvm::Twine(part.bytes()) + " bytes, got '" +
                  llvm::StringRef(name).take_front(80) + "' of " +
                  llvm::Twine(size));
    if (!reader.failed && dtype != part.dtype)
      return fail("expected the state '" + part.name +
                  "' of another dtype, whose code and bits are " +
                  llvm::Twine(part.dtype / 256) + " and " +
                  llvm::Twine(part.dtype % 256) + " (DLPack)");
  }
  if (reader.failed || !reader.rest.empty() ||
      numStates != int64_t(parts->size()))
    return fail("expected " + llvm::Twine(parts->size()) +
                " states, got more or less bytes");
  for (auto [part, value] : llvm::zip(*parts, values))
    for (int64_t i = 0; i < part.count; ++i)
      memcpy(part.data + i * part.stride, value.data() + i * part.size,
             part.size);
  tokens = std::move(ids);
  tokens.reserve(options.maxPositions + 1);
  numCached = used;
  return llvm::Error::success();
}
