//===- JsonWriter.h - JSON as Python's json.dumps writes it -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes JSON to a stream without an intermediate tree. The text is that of
// Python's json.dumps: it is ASCII only and has the shortest doubles that read
// back. This makes files comparable with those that torch writes.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_EXPORT_JSONWRITER_H
#define FX_LIB_EXPORT_JSONWRITER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace fx {

class JsonWriter {
public:
  explicit JsonWriter(llvm::raw_ostream &os) : os(os) {}

  void null() { value() << "null"; }
  void boolean(bool v) { value() << (v ? "true" : "false"); }
  void integer(int64_t v) { value() << v; }
  /// Writes a number. NaN and infinities, which JSON numbers cannot express,
  /// are the strings "NaN", "Infinity" and "-Infinity".
  void real(double v);
  /// Writes a string. Bytes of `v` that are not UTF-8 become U+FFFD.
  void string(llvm::StringRef v);

  template <typename Fn>
  void array(Fn &&elements) {
    open('[');
    elements();
    close(']');
  }
  template <typename Fn>
  void object(Fn &&members) {
    open('{');
    members();
    close('}');
  }
  /// Writes the key of the next value.
  void key(llvm::StringRef name);

private:
  /// Writes the separator before the next value, if it needs one.
  llvm::raw_ostream &value();
  void quote(llvm::StringRef text);
  void open(char c);
  void close(char c);

  llvm::raw_ostream &os;
  bool isFirst = true, afterKey = false;
};

} // namespace fx

#endif // FX_LIB_EXPORT_JSONWRITER_H
