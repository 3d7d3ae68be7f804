//===- Pickle.h - reads Python's pickles as data ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the pickles that torch.save writes. A pickle is a program that may call
// any function; this reader calls none. It represents a call by the name of the
// function and its arguments.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_IMPORT_PICKLE_H
#define FX_LIB_IMPORT_PICKLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <deque>
#include <vector>

namespace fx {

/// A value of a pickle.
struct PickleValue {
  enum class Kind {
    None,
    Bool,
    Int,
    String,
    /// A tuple or list.
    Sequence,
    /// The keys and values in turn in `elements`.
    Dict,
    /// A function or class, `module name`.
    Global,
    /// A call of the Global `elements[0]` with the tuple `elements[1]`.
    Call,
    /// A reference to data outside of the pickle: the id is `elements[0]`.
    Persistent
  };
  Kind kind = Kind::None;
  int64_t integer = 0;
  llvm::StringRef text;
  std::vector<const PickleValue *> elements;

  /// Returns true for the class or function `name`.
  bool isGlobal(llvm::StringRef name) const {
    return kind == Kind::Global && text == name;
  }
};

/// A pickle, whose strings refer to the bytes that it was read from.
class Pickle {
public:
  /// Fails on instructions that torch.save does not write for a dict of
  /// tensors. The error names the place in `bytes`.
  static llvm::Expected<Pickle> read(llvm::StringRef bytes);

  const PickleValue &getRoot() const { return *root; }

  /// Returns all functions and classes that the pickle names, also those that
  /// no value refers to.
  std::vector<llvm::StringRef> getGlobals() const;

private:
  class Reader;

  /// Deques, so that values do not move.
  std::deque<PickleValue> values;
  std::deque<std::string> names;
  const PickleValue *root = nullptr;
};

} // namespace fx

#endif // FX_LIB_IMPORT_PICKLE_H
