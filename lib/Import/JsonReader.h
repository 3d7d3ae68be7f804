//===- JsonReader.h - a strict JSON pull parser -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads JSON straight into typed structures, without a tree between. Strict:
// UTF-8, exact 64-bit integers, no duplicate keys, bounded depth. The path of
// the value being read is kept, so that errors say where they are.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_IMPORT_JSONREADER_H
#define FX_LIB_IMPORT_JSONREADER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Allocator.h"

#include <cstdint>
#include <string>

namespace fx {

/// All `read…` and `skip…` functions return false after an error; the first
/// error stays and names the path of the value, `graph.nodes[3].target`.
class JsonReader {
public:
  enum class Kind { Null, Bool, Number, String, Array, Object, End };
  static constexpr unsigned maxDepth = 512;

  /// `text` must outlive the strings that are read; those that hold escapes
  /// are decoded into `strings`.
  JsonReader(llvm::StringRef text, llvm::BumpPtrAllocator &strings);

  /// The kind of the next value, by its first character.
  Kind peek();

  bool readNull();
  bool readBool(bool &out);
  /// Refuses fractions, exponents and what needs more than 64 bits.
  bool readInteger(int64_t &out);
  /// Also takes the strings "NaN", "Infinity" and "-Infinity".
  bool readReal(double &out);
  bool readString(llvm::StringRef &out);
  /// Calls `element` before each element, which it must read.
  bool readArray(llvm::function_ref<bool(size_t)> element);
  /// Calls `member` before each value, which it must read.
  bool readObject(llvm::function_ref<bool(llvm::StringRef)> member);
  /// Reads past a value. `isDefault` tells whether it was null, false, or an
  /// empty string, list or object.
  bool skip(bool *isDefault = nullptr);
  /// Expects nothing but white space behind the value.
  bool readEnd();

  /// Records an error at the value being read, and returns false.
  bool fail(const llvm::Twine &message);
  /// `:json.path: message`, to stand behind the name of the text.
  std::string getError() const { return error; }

private:
  struct Segment {
    llvm::StringRef key;
    size_t index;
  };

  void skipSpace();
  bool consume(char c);
  bool readLiteral(llvm::StringRef word);
  bool readNumber(llvm::StringRef &out);
  bool readEscaped(llvm::StringRef &out);
  bool readHex4(size_t at, unsigned &out);
  bool failSyntax(const llvm::Twine &expected);
  bool expected(llvm::StringRef what);

  llvm::StringRef text;
  size_t at = 0;
  llvm::BumpPtrAllocator &strings;
  llvm::SmallVector<Segment> path;
  std::string error;
};

} // namespace fx

#endif // FX_LIB_IMPORT_JSONREADER_H
