//===- JsonWriter.h - JSON as Python's json.dumps writes it -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straight to a stream, without a tree between. The text is that of
// json.dumps: ASCII only, the shortest doubles that read back, so that a file
// written by torch and one written here can be compared.
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
  /// What JSON has no number for is a string: "NaN", "Infinity", "-Infinity".
  void real(double v);
  /// `v` must be UTF-8.
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
  /// The key of the value that is written next.
  void key(llvm::StringRef name);

private:
  /// Separates the next value from what stands before it.
  llvm::raw_ostream &value();
  void quote(llvm::StringRef text);
  void open(char c);
  void close(char c);

  llvm::raw_ostream &os;
  bool isFirst = true, afterKey = false;
};

} // namespace fx

#endif // FX_LIB_EXPORT_JSONWRITER_H
