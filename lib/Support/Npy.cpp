//===- Npy.cpp - reading and writing .npy files ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using llvm::StringRef;

namespace fx {

/// numpy itself refuses longer headers unless told to trust the file.
static constexpr size_t kMaxHeader = 1 << 16;
static constexpr size_t kMaxRank = 64;

template <typename... Ts>
static llvm::Error fail(const char *format, const Ts &...values) {
  return llvm::createStringError(std::errc::invalid_argument, format,
                                 values...);
}

std::string NpyArray::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  switch (kind) {
  case 'b':
    os << "bool";
    break;
  case 'i':
    os << "int" << itemBytes * 8;
    break;
  case 'u':
    os << "uint" << itemBytes * 8;
    break;
  case 'f':
    os << "float" << itemBytes * 8;
    break;
  case 'c':
    os << "complex" << itemBytes * 8;
    break;
  default:
    os << "V" << itemBytes;
  }
  os << "[";
  llvm::interleaveComma(sizes, os);
  os << "]";
  return text;
}

//===----------------------------------------------------------------------===//
// The header: a Python dict literal of three known keys
//===----------------------------------------------------------------------===//

namespace {
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : text(text) {}

  llvm::Error parse(NpyArray &array, bool &fortran) {
    bool haveDescr = false, haveOrder = false, haveShape = false;
    if (!consume('{'))
      return fail("header is not a dict");
    while (!consume('}')) {
      std::string key;
      if (!parseString(key) || !consume(':'))
        return fail("header is malformed near byte %zu", position());
      bool *seen = llvm::StringSwitch<bool *>(key)
                       .Case("descr", &haveDescr)
                       .Case("fortran_order", &haveOrder)
                       .Case("shape", &haveShape)
                       .Default(nullptr);
      if (!seen)
        return fail("header has unknown key '%s'", printable(key).c_str());
      if (*seen)
        return fail("header has key '%s' twice", key.c_str());
      *seen = true;
      if (llvm::Error error = key == "descr"           ? parseDescr(array)
                              : key == "fortran_order" ? parseBool(fortran)
                                                       : parseShape(array))
        return error;
      if (consume(','))
        continue;
      if (!consume('}'))
        return fail("header is malformed near byte %zu", position());
      break;
    }
    if (!haveDescr || !haveOrder || !haveShape)
      return fail("header lacks '%s'", !haveDescr   ? "descr"
                                       : !haveOrder ? "fortran_order"
                                                    : "shape");
    skipSpace();
    if (!rest().empty())
      return fail("header is followed by other text");
    return llvm::Error::success();
  }

private:
  StringRef rest() const { return text.drop_front(pos); }
  size_t position() const { return pos; }
  void skipSpace() {
    while (pos < text.size() && StringRef(" \t\n\r").contains(text[pos]))
      ++pos;
  }
  bool consume(char c) {
    skipSpace();
    if (pos >= text.size() || text[pos] != c)
      return false;
    ++pos;
    return true;
  }
  bool consumeWord(StringRef word) {
    skipSpace();
    if (!rest().starts_with(word))
      return false;
    pos += word.size();
    return true;
  }
  static std::string printable(StringRef s) {
    std::string out;
    llvm::raw_string_ostream os(out);
    llvm::printEscapedString(s.take_front(40), os);
    return out;
  }
  bool parseString(std::string &out) {
    skipSpace();
    if (pos >= text.size() || (text[pos] != '\'' && text[pos] != '"'))
      return false;
    size_t end = text.find(text[pos], pos + 1);
    if (end == StringRef::npos)
      return false;
    out = text.slice(pos + 1, end).str();
    pos = end + 1;
    return true;
  }
  llvm::Error parseBool(bool &out) {
    if (consumeWord("True"))
      out = true;
    else if (consumeWord("False"))
      out = false;
    else
      return fail("fortran_order is neither True nor False");
    return llvm::Error::success();
  }
  llvm::Error parseDescr(NpyArray &array) {
    std::string descr;
    if (!parseString(descr))
      return fail("descr is not a string; structured dtypes are not supported");
    StringRef d = descr;
    char order = d.empty() ? 0 : d.front();
    if (!order || !strchr("<|=>", order))
      return fail("unknown dtype '%s'", printable(d).c_str());
    if (order == '>')
      return fail("dtype '%s' is big endian, expected little endian",
                  printable(d).c_str());
    StringRef known = "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 V1 V2 V4";
    llvm::SmallVector<StringRef, 20> names;
    known.split(names, ' ');
    if (!llvm::is_contained(names, d.drop_front()))
      return fail("unsupported dtype '%s'", printable(d).c_str());
    array.kind = d[1];
    // Cannot fail: the name is one of the list.
    (void)d.drop_front(2).getAsInteger(10, array.itemBytes);
    return llvm::Error::success();
  }
  llvm::Error parseShape(NpyArray &array) {
    if (!consume('('))
      return fail("shape is not a tuple");
    while (!consume(')')) {
      skipSpace();
      StringRef digits = rest().take_while(llvm::isDigit);
      int64_t size;
      if (digits.empty() || digits.getAsInteger(10, size))
        return fail("shape holds something that is no size, near byte %zu",
                    position());
      pos += digits.size();
      if (array.sizes.size() == kMaxRank)
        return fail("rank is above %zu", kMaxRank);
      array.sizes.push_back(size);
      if (consume(','))
        continue;
      if (!consume(')'))
        return fail("shape is malformed near byte %zu", position());
      break;
    }
    return llvm::Error::success();
  }

  StringRef text;
  size_t pos = 0;
};
} // namespace

/// Returns the text of the header and sets `dataStart` to the offset of the
/// elements.
static llvm::Expected<StringRef> splitHeader(llvm::ArrayRef<char> bytes,
                                             size_t &dataStart) {
  if (bytes.size() < 10 || memcmp(bytes.data(), "\x93NUMPY", 6) != 0)
    return fail("not an npy file");
  unsigned major = static_cast<unsigned char>(bytes[6]);
  unsigned minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0)
    return fail("npy version %u.%u is unknown, expected 1.0, 2.0 or 3.0", major,
                minor);
  size_t lengthBytes = major == 1 ? 2 : 4, length;
  if (bytes.size() < 8 + lengthBytes)
    return fail("header is truncated");
  if (major == 1)
    length = llvm::support::endian::read16le(bytes.data() + 8);
  else
    length = llvm::support::endian::read32le(bytes.data() + 8);
  if (length > kMaxHeader)
    return fail("header of %zu bytes is longer than %zu", length, kMaxHeader);
  dataStart = 8 + lengthBytes + length;
  if (bytes.size() < dataStart)
    return fail("header is truncated");
  return StringRef(bytes.data() + 8 + lengthBytes, length);
}

/// Copies a Fortran-ordered array of `sizes` from `from` into C order.
static void copyFromFortran(const char *from, char *to,
                            llvm::ArrayRef<int64_t> sizes, size_t itemBytes,
                            int64_t count) {
  llvm::SmallVector<int64_t, 6> stride(sizes.size()), index(sizes.size());
  int64_t step = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    stride[i] = step;
    step *= sizes[i];
  }
  for (int64_t n = 0; n < count; ++n) {
    int64_t source = 0;
    for (size_t i = 0; i < sizes.size(); ++i)
      source += index[i] * stride[i];
    memcpy(to + n * itemBytes, from + source * itemBytes, itemBytes);
    for (size_t i = sizes.size(); i-- > 0;) {
      if (++index[i] < sizes[i])
        break;
      index[i] = 0;
    }
  }
}

llvm::Expected<NpyArray> parseNpy(llvm::ArrayRef<char> bytes) {
  size_t start = 0;
  llvm::Expected<StringRef> header = splitHeader(bytes, start);
  if (!header)
    return header.takeError();
  NpyArray array;
  bool fortran = false;
  if (llvm::Error error = HeaderParser(*header).parse(array, fortran))
    return std::move(error);
  std::optional<int64_t> size = getCheckedBytes(array.itemBytes, array.sizes);
  if (!size)
    return fail("shape overflows");
  size_t have = bytes.size() - start;
  if (have != static_cast<size_t>(*size))
    return fail("holds %zu bytes of elements, expected %lld for %s", have,
                static_cast<long long>(*size), array.describe().c_str());
  // The same allocation serves every dtype.
  HostTensor buffer = HostTensor::allocate(DType::U8, {*size});
  if (!buffer.data)
    return fail("no memory for %lld bytes", static_cast<long long>(*size));
  if (fortran && array.sizes.size() > 1)
    copyFromFortran(bytes.data() + start, buffer.data.get(), array.sizes,
                    array.itemBytes, *size / array.itemBytes);
  else
    memcpy(buffer.data.get(), bytes.data() + start, *size);
  // Kernels assume that a bool is 0 or 1.
  if (array.kind == 'b')
    for (int64_t i = 0; i < *size; ++i)
      if (static_cast<unsigned char>(buffer.data.get()[i]) > 1)
        return fail("bool element %lld is neither 0 nor 1",
                    static_cast<long long>(i));
  array.data = std::move(buffer.data);
  return array;
}

llvm::Expected<NpyArray> readNpy(StringRef path) {
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  int fd = ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return fail("cannot open: %s", strerror(errno));
  struct stat st;
  if (::fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
    ::close(fd);
    return fail("not a regular file");
  }
  // A large file is mapped and not read, so that parseNpy makes the only copy.
  llvm::sys::fs::file_t file = llvm::sys::fs::convertFDToNativeFile(fd);
  auto buffer = llvm::MemoryBuffer::getOpenFile(
      file, path, st.st_size, /*RequiresNullTerminator=*/false);
  ::close(fd);
  if (!buffer)
    return fail("cannot read: %s", buffer.getError().message().c_str());
  StringRef bytes = (*buffer)->getBuffer();
  return parseNpy(llvm::ArrayRef<char>(bytes.data(), bytes.size()));
}

//===----------------------------------------------------------------------===//
// dtypes
//===----------------------------------------------------------------------===//

/// Returns numpy's name for elements of `dtype`, such as "<f4".
static const char *getDescr(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "|b1";
  case DType::U8:
    return "|u1";
  case DType::I8:
    return "|i1";
  case DType::I16:
    return "<i2";
  case DType::I32:
    return "<i4";
  case DType::I64:
    return "<i8";
  case DType::U16:
    return "<u2";
  case DType::U32:
    return "<u4";
  case DType::U64:
    return "<u8";
  case DType::F16:
    return "<f2";
  case DType::F32:
    return "<f4";
  case DType::F64:
    return "<f8";
  case DType::C64:
    return "<c8";
  case DType::C128:
    return "<c16";
  case DType::BF16:
    return "|V2";
  case DType::C32:
    return "|V4";
  default:
    return "|V1";
  }
}

llvm::Expected<HostTensor> toHostTensor(const NpyArray &array, DType dtype) {
  StringRef descr = getDescr(dtype);
  unsigned bytes = getByteSize(dtype);
  if (array.kind != descr[1] || array.itemBytes != bytes)
    return fail("expected dtype %s, got %s", getName(dtype).str().c_str(),
                StringRef(array.describe()).split('[').first.str().c_str());
  HostTensor t;
  t.dtype = dtype;
  t.sizes = array.sizes;
  t.data = array.data;
  return t;
}

llvm::Error writeNpy(StringRef path, const HostTensor &tensor) {
  std::string header = "{'descr': '";
  llvm::raw_string_ostream os(header);
  os << getDescr(tensor.dtype) << "', 'fortran_order': False, 'shape': (";
  llvm::interleaveComma(tensor.sizes, os);
  os << (tensor.sizes.size() == 1 ? ",), }" : "), }");
  // numpy aligns the elements to 64 bytes and ends the header by a newline.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';

  std::error_code ec;
  llvm::raw_fd_ostream file(path, ec, llvm::sys::fs::CD_CreateNew);
  if (ec)
    return fail("cannot create: %s", ec.message().c_str());
  file << StringRef("\x93NUMPY\x01\x00", 8);
  char length[2];
  llvm::support::endian::write16le(length, header.size());
  file.write(length, 2);
  file << header;
  if (size_t bytes = tensor.getNumBytes())
    file.write(tensor.data.get(), bytes);
  file.close();
  if (file.has_error()) {
    std::string message = file.error().message();
    file.clear_error();
    return fail("cannot write: %s", message.c_str());
  }
  return llvm::Error::success();
}

} // namespace fx
