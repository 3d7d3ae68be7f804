//===- JsonReader.h - a strict JSON pull parser -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads JSON into typed structures without an intermediate tree. The reader is
// strict: it requires UTF-8, 64-bit integers, unique keys and a bounded depth.
// It tracks the path of the current value, which error messages name.
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_JSONREADER_H
#define FX_SUPPORT_JSONREADER_H

#include "fx/Support/Deadline.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Allocator.h"

#include <cstdint>
#include <string>

namespace fx {

/// All `read…` and `skip…` functions return false after an error. The reader
/// keeps the first error, which names the path of the value, such as
/// `graph.nodes[3].target`.
class JsonReader {
public:
  enum class Kind { Null, Bool, Number, String, Array, Object, End };
  static constexpr unsigned maxDepth = 512;

  /// `text` must outlive the strings that are read. Strings with escapes are
  /// decoded into memory of `strings`. Reading fails after `deadline`,
  /// if any.
  JsonReader(llvm::StringRef text, llvm::BumpPtrAllocator &strings,
             Deadline *deadline = nullptr);

  /// Returns the kind of the next value, judged by its first character. Returns
  /// End if no value begins there, and after an error.
  Kind peek();

  bool readNull();
  bool readBool(bool &out);
  /// Rejects fractions, exponents and integers that do not fit in 64 bits.
  bool readInteger(int64_t &out);
  /// Also accepts the strings "NaN", "Infinity" and "-Infinity".
  bool readReal(double &out);
  bool readString(llvm::StringRef &out);
  /// Calls `element` with the index of each element, which the callback must
  /// read.
  bool readArray(llvm::function_ref<bool(size_t)> element);
  /// Calls `member` with the key of each value, which the callback must read.
  bool readObject(llvm::function_ref<bool(llvm::StringRef)> member);
  /// Skips a value. Sets `isDefault` to true if the value is null, false, or an
  /// empty string, list or object.
  bool skip(bool *isDefault = nullptr);
  /// Fails unless only white space follows the value.
  bool readEnd();

  /// Records an error at the value being read, and returns false.
  bool fail(const llvm::Twine &message);
  /// Returns `:json.path: message`, to be appended to the name of the text.
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
  Deadline *deadline;
  llvm::SmallVector<Segment> path;
  std::string error;
};

} // namespace fx

#endif // FX_SUPPORT_JSONREADER_H
