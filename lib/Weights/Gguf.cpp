//===- Gguf.cpp - reads GGUF ----------------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Versions 2 and 3 of the format, as ggml's docs/gguf.md describes it: counts,
// metadata, descriptions of tensors, padding, and the bytes of the tensors.
// Numbers are little-endian.
//
//===----------------------------------------------------------------------===//

#include "fx/Weights/WeightFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace fx;

namespace {
/// The types of metadata.
enum class ValueType : uint32_t {
  U8,
  I8,
  U16,
  I16,
  U32,
  I32,
  F32,
  Bool,
  String,
  Array,
  U64,
  I64,
  F64
};

class Reader {
public:
  Reader(StringRef file, StringRef bytes) : file(file), bytes(bytes) {}

  Error fail(const Twine &message) const {
    return createStringError(file + ": " + message);
  }

  template <typename T>
  Error read(T &value, StringRef what) {
    if (left() < sizeof(T))
      return failEnd(sizeof(T), what);
    value = support::endian::read<T, endianness::little>(bytes.data() + at);
    at += sizeof(T);
    return Error::success();
  }
  Error readString(StringRef &text, StringRef what) {
    uint64_t length;
    if (Error e = read(length, what))
      return e;
    if (length > left())
      return failEnd(length, what);
    text = bytes.substr(at, length);
    at += length;
    return Error::success();
  }
  /// Reads a value. Lists give nothing.
  Error readValue(uint32_t type, StringRef what,
                  std::optional<WeightFile::Metadata> &value,
                  unsigned depth = 0);
  uint64_t left() const { return bytes.size() - at; }
  uint64_t getPlace() const { return at; }

private:
  Error failEnd(uint64_t size, StringRef what) const {
    return fail("expected " + Twine(size) + " bytes of " + what + " at byte " +
                Twine(at) + ", got " + Twine(left()));
  }
  template <typename T, typename As = T>
  Error readNumber(StringRef what, std::optional<WeightFile::Metadata> &value) {
    T number;
    if (Error e = read(number, what))
      return e;
    value = WeightFile::Metadata(As(number));
    return Error::success();
  }
  Error readList(StringRef what, unsigned depth);

  StringRef file, bytes;
  uint64_t at = 0;
};

/// A tensor whose offset is not checked yet.
struct Described {
  std::string name;
  WeightTensor tensor;
  uint64_t offset, size;
};
} // namespace

/// Returns the bytes of a value of a type, 0 for texts and lists.
static unsigned getSize(ValueType type) {
  switch (type) {
  case ValueType::U8:
  case ValueType::I8:
  case ValueType::Bool:
    return 1;
  case ValueType::U16:
  case ValueType::I16:
    return 2;
  case ValueType::U32:
  case ValueType::I32:
  case ValueType::F32:
    return 4;
  case ValueType::U64:
  case ValueType::I64:
  case ValueType::F64:
    return 8;
  case ValueType::String:
  case ValueType::Array:
    break;
  }
  return 0;
}

Error Reader::readList(StringRef what, unsigned depth) {
  uint32_t type;
  uint64_t count;
  if (Error e = read(type, what))
    return e;
  if (Error e = read(count, what))
    return e;
  if (type > uint32_t(ValueType::F64))
    return fail(what + ": expected a type of values, got " + Twine(type));
  if (unsigned size = getSize(ValueType(type))) {
    if (count > left() / size)
      return fail(what + ": expected at most " + Twine(left() / size) +
                  " elements, got " + Twine(count));
    at += count * size;
    return Error::success();
  }
  // Each element has at least 8 bytes, so a wrong count ends at the file's end.
  std::optional<WeightFile::Metadata> ignored;
  for (uint64_t i = 0; i < count; ++i)
    if (Error e = readValue(type, what, ignored, depth + 1))
      return e;
  return Error::success();
}

Error Reader::readValue(uint32_t type, StringRef what,
                        std::optional<WeightFile::Metadata> &value,
                        unsigned depth) {
  constexpr unsigned maxDepth = 8;
  value.reset();
  if (type > uint32_t(ValueType::F64))
    return fail(what + ": expected a type of values, got " + Twine(type));
  switch (ValueType(type)) {
  case ValueType::U8:
    return readNumber<uint8_t, uint64_t>(what, value);
  case ValueType::I8:
    return readNumber<int8_t, int64_t>(what, value);
  case ValueType::U16:
    return readNumber<uint16_t, uint64_t>(what, value);
  case ValueType::I16:
    return readNumber<int16_t, int64_t>(what, value);
  case ValueType::U32:
    return readNumber<uint32_t, uint64_t>(what, value);
  case ValueType::I32:
    return readNumber<int32_t, int64_t>(what, value);
  case ValueType::F32:
    return readNumber<float, double>(what, value);
  case ValueType::Bool: {
    uint8_t truth;
    if (Error e = read(truth, what))
      return e;
    if (truth > 1)
      return fail(what + ": expected a truth value, got " +
                  Twine(unsigned(truth)));
    value = WeightFile::Metadata(truth != 0);
    return Error::success();
  }
  case ValueType::String: {
    StringRef text;
    if (Error e = readString(text, what))
      return e;
    value = WeightFile::Metadata(text.str());
    return Error::success();
  }
  case ValueType::Array:
    if (depth >= maxDepth)
      return fail(what + ": expected lists in at most " + Twine(maxDepth) +
                  " levels");
    return readList(what, depth);
  case ValueType::U64:
    return readNumber<uint64_t>(what, value);
  case ValueType::I64:
    return readNumber<int64_t>(what, value);
  case ValueType::F64:
    return readNumber<double>(what, value);
  }
  return Error::success();
}

static bool isUtf8(StringRef text) {
  auto *at = reinterpret_cast<const UTF8 *>(text.begin());
  return isLegalUTF8String(&at, reinterpret_cast<const UTF8 *>(text.end()));
}

/// Sets the dtype or the blocks of a tensor of ggml's type `type`.
static bool setType(WeightTensor &tensor, uint32_t type) {
  switch (type) {
  case 0:
    tensor.dtype = DType::F32;
    return true;
  case 1:
    tensor.dtype = DType::F16;
    return true;
  case 2:
    tensor.blocks = BlockFormat::Q4_0;
    return true;
  case 8:
    tensor.blocks = BlockFormat::Q8_0;
    return true;
  case 12:
    tensor.blocks = BlockFormat::Q4_K;
    return true;
  case 14:
    tensor.blocks = BlockFormat::Q6_K;
    return true;
  case 24:
    tensor.dtype = DType::I8;
    return true;
  case 25:
    tensor.dtype = DType::I16;
    return true;
  case 26:
    tensor.dtype = DType::I32;
    return true;
  case 27:
    tensor.dtype = DType::I64;
    return true;
  case 28:
    tensor.dtype = DType::F64;
    return true;
  case 30:
    tensor.dtype = DType::BF16;
    return true;
  }
  return false;
}

static Error readTensor(Reader &reader, Described &described) {
  constexpr unsigned maxRank = 4; // ggml's limit
  StringRef name;
  if (Error e = reader.readString(name, "a tensor's name"))
    return e;
  if (!isUtf8(name))
    return reader.fail("'" + showText(name) + "': expected a name in UTF-8");
  described.name = name.str();
  std::string shown = "'" + showText(name) + "'";
  uint32_t rank, type;
  if (Error e = reader.read(rank, "a tensor's rank"))
    return e;
  if (rank > maxRank)
    return reader.fail(shown + ": expected at most " + Twine(maxRank) +
                       " dimensions, got " + Twine(rank));
  WeightTensor &tensor = described.tensor;
  for (unsigned d = 0; d < rank; ++d) {
    uint64_t size;
    if (Error e = reader.read(size, "a tensor's size"))
      return e;
    if (size > uint64_t(INT64_MAX))
      return reader.fail(shown + ": expected a size that fits memory, got " +
                         Twine(size));
    tensor.sizes.insert(tensor.sizes.begin(), int64_t(size));
  }
  if (Error e = reader.read(type, "a tensor's type"))
    return e;
  if (!setType(tensor, type))
    return reader.fail(shown +
                       ": expected F32, F16, BF16, F64, I8 to I64, Q4_0, Q8_0, "
                       "Q4_K or Q6_K, got type " +
                       Twine(type));
  if (Error e = reader.read(described.offset, "a tensor's offset"))
    return e;
  SmallVector<int64_t, 4> units(tensor.sizes);
  unsigned unitBytes = getByteSize(tensor.dtype);
  if (tensor.blocks != BlockFormat::None) {
    unsigned elements = getBlockElements(tensor.blocks);
    unitBytes = getBlockBytes(tensor.blocks);
    if (units.empty() || units.back() % elements)
      return reader.fail(shown + ": expected rows of a multiple of " +
                         Twine(elements) + " elements, got " +
                         tensor.describe());
    units.back() /= elements;
  }
  // The elements are counted, too: blocks are smaller than their values.
  std::optional<int64_t> bytes = getCheckedBytes(unitBytes, units);
  if (!bytes || !getCheckedBytes(getByteSize(tensor.dtype), tensor.sizes))
    return reader.fail(shown + ": expected sizes that fit memory, got " +
                       tensor.describe());
  described.size = is_contained(tensor.sizes, 0) ? 0 : uint64_t(*bytes);
  return Error::success();
}

/// Reads the metadata and returns the alignment of the tensors.
static Expected<uint64_t>
readMetadata(Reader &reader, uint64_t count,
             std::map<std::string, WeightFile::Metadata, std::less<>> &out) {
  uint64_t alignment = 32;
  for (uint64_t i = 0; i < count; ++i) {
    StringRef key;
    uint32_t type;
    std::optional<WeightFile::Metadata> value;
    if (Error e = reader.readString(key, "a key"))
      return std::move(e);
    if (!isUtf8(key))
      return reader.fail("'" + showText(key) + "': expected a key in UTF-8");
    std::string shown = "'" + showText(key) + "'";
    if (Error e = reader.read(type, "the type of " + shown))
      return std::move(e);
    if (Error e = reader.readValue(type, shown, value))
      return std::move(e);
    if (key == "general.alignment") {
      auto *number = value ? std::get_if<uint64_t>(&*value) : nullptr;
      if (!number || !isPowerOf2_64(*number) || *number > 1 << 20)
        return reader.fail(shown + ": expected a power of two up to 1048576");
      alignment = *number;
    }
    if (value && !out.insert({key.str(), std::move(*value)}).second)
      return reader.fail(shown + ": expected one value, got two");
  }
  return alignment;
}

Error WeightFile::readGguf(StringRef file, StringRef bytes) {
  gguf = true;
  Reader reader(file, bytes);
  uint32_t magic, version;
  uint64_t tensorCount, valueCount;
  if (Error e = reader.read(magic, "the header"))
    return e;
  if (Error e = reader.read(version, "the header"))
    return e;
  if (version != 2 && version != 3)
    return reader.fail("expected version 2 or 3 of GGUF in little-endian "
                       "order, got " +
                       Twine(version));
  if (Error e = reader.read(tensorCount, "the header"))
    return e;
  if (Error e = reader.read(valueCount, "the header"))
    return e;
  Expected<uint64_t> alignment = readMetadata(reader, valueCount, metadata);
  if (!alignment)
    return alignment.takeError();
  // A wrong count ends at the end of the file.
  std::vector<Described> list;
  for (uint64_t i = 0; i < tensorCount; ++i)
    if (Error e = readTensor(reader, list.emplace_back()))
      return e;
  uint64_t start = alignTo(reader.getPlace(), *alignment);
  StringRef data = start < bytes.size() ? bytes.drop_front(start) : "";
  SmallVector<const Described *> placed;
  for (const Described &each : list) {
    std::string shown = "'" + showText(each.name) + "'";
    if (each.offset % *alignment)
      return reader.fail(shown + ": expected an offset that is a multiple of " +
                         Twine(*alignment) + ", got " + Twine(each.offset));
    if (each.offset > data.size() || each.size > data.size() - each.offset)
      return reader.fail(shown + ": expected its " + Twine(each.size) +
                         " bytes at offset " + Twine(each.offset) +
                         " in the file's " + Twine(data.size()) +
                         " bytes of tensors");
    if (each.size)
      placed.push_back(&each);
  }
  llvm::sort(placed, [](const Described *a, const Described *b) {
    return a->offset < b->offset;
  });
  for (size_t i = 1; i < placed.size(); ++i)
    if (placed[i]->offset < placed[i - 1]->offset + placed[i - 1]->size)
      return reader.fail("'" + showText(placed[i]->name) + "' overlaps '" +
                         showText(placed[i - 1]->name) + "'");
  for (Described &each : list) {
    each.tensor.bytes = ArrayRef(data.data() + each.offset, each.size);
    if (!tensors.insert({each.name, std::move(each.tensor)}).second)
      return reader.fail("'" + showText(each.name) +
                         "': expected one tensor, got two");
  }
  return Error::success();
}
