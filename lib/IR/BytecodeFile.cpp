//===- BytecodeFile.cpp - bytecode that knows whether it is whole ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/BytecodeFile.h"
#include "fx/Support/Crc32.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace fx;
using llvm::StringRef;

/// The magic number and the version, which is one byte long.
static constexpr size_t kHeader = 5;
static constexpr StringLiteral kMagic = "ML\xefR";
static constexpr StringLiteral kName = "fx-mlir ";

/// Returns the producer text, such as "fx-mlir 000001a4 1234abcd". It holds the
/// length and the CRC-32 of all bytes except this text and the zero behind it.
static std::string getProducer(StringRef header, StringRef body) {
  uint32_t crc = getCrc32(body, getCrc32(header));
  std::string text;
  llvm::raw_string_ostream(text)
      << kName << llvm::format_hex_no_prefix(header.size() + body.size(), 8)
      << ' ' << llvm::format_hex_no_prefix(crc, 8);
  return text;
}

llvm::Error fx::writeBytecode(Operation *op, llvm::raw_ostream &os) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (failed(writeBytecodeToFile(op, stream, BytecodeWriterConfig(kName))))
    return llvm::createStringError("cannot write bytecode");
  StringRef header = StringRef(bytes).take_front(kHeader);
  StringRef body = StringRef(bytes).drop_front(kHeader + kName.size() + 1);
  os << header << getProducer(header, body) << '\0' << body;
  return llvm::Error::success();
}

llvm::Error fx::checkBytecode(StringRef bytes) {
  StringRef header = bytes.take_front(kHeader);
  auto [producer, body] = bytes.drop_front(header.size()).split('\0');
  std::string expected = getProducer(header, body);
  // A producer text of ours that is damaged still has the expected length.
  bool isOurs =
      producer.starts_with(kName) || producer.size() == expected.size();
  if (!header.starts_with(kMagic) || !isOurs || producer == expected)
    return llvm::Error::success();
  return llvm::createStringError(
      "the bytecode is damaged: expected length and checksum '" +
      producer.drop_front(std::min(kName.size(), producer.size())) +
      "', got '" + StringRef(expected).drop_front(kName.size()) + "'");
}
