//===- Safetensors.cpp - reads safetensors --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is the length of a JSON object (8 bytes), the object, and the bytes of
// the tensors without gaps. As in the package `safetensors`, the object has at
// most 100 MB, and the tensors cover the rest of the file.
//
//===----------------------------------------------------------------------===//

#include "fx/Support/JsonReader.h"
#include "fx/Support/MappedFile.h"
#include "fx/Weights/WeightFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace llvm;
using namespace fx;

static constexpr uint64_t kMaxHeader = 100'000'000;
/// PyTorch's limit.
static constexpr size_t kMaxRank = 64;

static std::optional<DType> getSafetensorsDtype(StringRef name) {
  return StringSwitch<std::optional<DType>>(name)
      .Case("BOOL", DType::Bool)
      .Case("U8", DType::U8)
      .Case("I8", DType::I8)
      .Case("I16", DType::I16)
      .Case("I32", DType::I32)
      .Case("I64", DType::I64)
      .Case("U16", DType::U16)
      .Case("U32", DType::U32)
      .Case("U64", DType::U64)
      .Case("F16", DType::F16)
      .Case("BF16", DType::BF16)
      .Case("F32", DType::F32)
      .Case("F64", DType::F64)
      .Case("C64", DType::C64)
      .Case("F8_E4M3", DType::F8E4M3FN)
      .Case("F8_E5M2", DType::F8E5M2)
      .Case("F8_E8M0", DType::F8E8M0FNU)
      .Default(std::nullopt);
}

/// Reads the description of a tensor, whose bytes are in `data`. Sets `begin`
/// and `end` to its place there.
static bool readTensor(JsonReader &json, StringRef data, WeightTensor &tensor,
                       uint64_t &begin, uint64_t &end) {
  bool hasDtype = false, hasShape = false;
  SmallVector<uint64_t, 2> places;
  bool isRead = json.readObject([&](StringRef member) {
    if (member == "dtype") {
      StringRef name;
      if (!json.readString(name))
        return false;
      std::optional<DType> dtype = getSafetensorsDtype(name);
      if (!dtype)
        return json.fail("expected a known dtype, got '" + showText(name) +
                         "'");
      tensor.dtype = *dtype;
      return hasDtype = true;
    }
    if (member == "shape") {
      hasShape = true;
      return json.readArray([&](size_t i) {
        int64_t size;
        if (!json.readInteger(size))
          return false;
        if (size < 0)
          return json.fail("expected a size of 0 or more, got " + Twine(size));
        if (i >= kMaxRank)
          return json.fail("expected at most " + Twine(kMaxRank) +
                           " dimensions");
        tensor.sizes.push_back(size);
        return true;
      });
    }
    if (member == "data_offsets")
      return json.readArray([&](size_t i) {
        int64_t place;
        if (!json.readInteger(place))
          return false;
        if (place < 0 || i >= 2)
          return json.fail("expected two offsets of 0 or more");
        places.push_back(place);
        return true;
      });
    return json.fail("expected dtype, shape and data_offsets, got '" +
                     showText(member) + "'");
  });
  if (!isRead)
    return false;
  if (!hasDtype || !hasShape || places.size() != 2)
    return json.fail("expected dtype, shape and data_offsets");
  begin = places[0], end = places[1];
  if (begin > end || end > data.size())
    return json.fail("expected offsets up to " + Twine(data.size()) + ", got " +
                     Twine(begin) + " to " + Twine(end));
  std::optional<int64_t> bytes =
      getCheckedBytes(getByteSize(tensor.dtype), tensor.sizes);
  if (bytes && is_contained(tensor.sizes, 0))
    bytes = 0;
  if (!bytes || uint64_t(*bytes) != end - begin)
    return json.fail("expected the bytes of " + tensor.describe() + ", got " +
                     Twine(end - begin));
  tensor.bytes = ArrayRef(data.data() + begin, end - begin);
  return true;
}

Error WeightFile::readSafetensors(StringRef file, StringRef bytes) {
  auto fail = [&](const Twine &message) {
    return createStringError(file + ": " + message);
  };
  if (bytes.size() < 8)
    return fail("expected a safetensors or GGUF file, got " +
                Twine(bytes.size()) + " bytes");
  uint64_t length = support::endian::read64le(bytes.data());
  if (length > kMaxHeader || length > bytes.size() - 8)
    return fail("expected a header of at most " +
                Twine(std::min(kMaxHeader, uint64_t(bytes.size() - 8))) +
                " bytes, got " + Twine(length));
  StringRef data = bytes.drop_front(8 + length);
  BumpPtrAllocator strings;
  JsonReader json(bytes.substr(8, length), strings);
  std::set<std::pair<uint64_t, uint64_t>> places;
  std::string shown;
  bool isRead = json.readObject([&](StringRef name) {
    if (name == "__metadata__")
      return json.readObject([&](StringRef key) {
        StringRef text;
        if (!json.readString(text))
          return false;
        metadata.insert({key.str(), text.str()});
        return true;
      });
    WeightTensor tensor;
    uint64_t begin, end;
    if (!readTensor(json, data, tensor, begin, end))
      return false;
    if (begin != end && !places.insert({begin, end}).second)
      return json.fail("the bytes from " + Twine(begin) + " to " + Twine(end) +
                       " belong to two tensors");
    if (!tensors.insert({name.str(), std::move(tensor)}).second)
      return json.fail("another file has this tensor, too");
    return true;
  });
  if (!isRead || !json.readEnd())
    return createStringError(file + json.getError());
  uint64_t next = 0;
  for (auto [begin, end] : places) {
    if (begin != next)
      return fail(
          "expected tensors without gaps and overlaps, got bytes from " +
          Twine(begin) + " after " + Twine(next));
    next = end;
  }
  if (next != data.size())
    return fail("expected " + Twine(next) + " bytes of tensors, got " +
                Twine(data.size()));
  return Error::success();
}

/// The name of a shard is that of a file beside the index.
static bool isFileName(StringRef name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(StringRef("/\\\0", 3)) == StringRef::npos;
}

Error WeightFile::openIndex(StringRef file) {
  Expected<sys::fs::mapped_file_region> map = mapFile(file);
  if (!map)
    return map.takeError();
  StringRef bytes(map->const_data(), *map ? map->size() : 0);
  BumpPtrAllocator strings;
  JsonReader json(bytes, strings);
  std::map<std::string, std::string> shards; // by the names of tensors
  std::set<std::string> files;
  bool isRead = json.readObject([&](StringRef member) {
    if (member != "weight_map")
      return json.skip();
    return json.readObject([&](StringRef name) {
      StringRef shard;
      if (!json.readString(shard))
        return false;
      if (!isFileName(shard))
        return json.fail("expected the name of a file beside the index, got '" +
                         showText(shard) + "'");
      shards[name.str()] = shard.str();
      files.insert(shard.str());
      return true;
    });
  });
  if (!isRead || !json.readEnd())
    return createStringError(file + json.getError());
  if (files.empty())
    return createStringError(file + ": expected a weight_map with tensors");
  for (const std::string &name : files) {
    SmallString<256> shard(file);
    sys::path::remove_filename(shard);
    sys::path::append(shard, name);
    std::set<std::string> known;
    for (auto &entry : tensors)
      known.insert(entry.first);
    if (Error e = openFile(shard))
      return e;
    for (auto &entry : tensors) {
      if (known.count(entry.first))
        continue;
      auto it = shards.find(entry.first);
      if (it == shards.end() || it->second != name)
        return createStringError(file + ": '" + showText(entry.first) +
                                 "' is in " + name +
                                 ", expected as in the weight_map");
      shards.erase(it);
    }
  }
  if (!shards.empty())
    return createStringError(file + ": '" + showText(shards.begin()->first) +
                             "' is not in " + shards.begin()->second);
  return Error::success();
}
