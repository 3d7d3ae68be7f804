//===- Namespace.cpp - names as torch.fx makes them -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Namespace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace fx;

/// The keywords and builtins of Python 3, and the names that generated code
/// imports. Sorted.
static constexpr StringLiteral kReserved[] = {"ArithmeticError",
                                              "AssertionError",
                                              "AttributeError",
                                              "BaseException",
                                              "BaseExceptionGroup",
                                              "BlockingIOError",
                                              "BrokenPipeError",
                                              "BufferError",
                                              "BytesWarning",
                                              "ChildProcessError",
                                              "ConnectionAbortedError",
                                              "ConnectionError",
                                              "ConnectionRefusedError",
                                              "ConnectionResetError",
                                              "DeprecationWarning",
                                              "EOFError",
                                              "Ellipsis",
                                              "EncodingWarning",
                                              "EnvironmentError",
                                              "Exception",
                                              "ExceptionGroup",
                                              "False",
                                              "FileExistsError",
                                              "FileNotFoundError",
                                              "FloatingPointError",
                                              "FutureWarning",
                                              "GeneratorExit",
                                              "IOError",
                                              "ImportError",
                                              "ImportWarning",
                                              "IndentationError",
                                              "IndexError",
                                              "InterruptedError",
                                              "IsADirectoryError",
                                              "KeyError",
                                              "KeyboardInterrupt",
                                              "LookupError",
                                              "MemoryError",
                                              "ModuleNotFoundError",
                                              "NameError",
                                              "None",
                                              "NoneType",
                                              "NotADirectoryError",
                                              "NotImplemented",
                                              "NotImplementedError",
                                              "OSError",
                                              "OverflowError",
                                              "PendingDeprecationWarning",
                                              "PermissionError",
                                              "ProcessLookupError",
                                              "RecursionError",
                                              "ReferenceError",
                                              "ResourceWarning",
                                              "RuntimeError",
                                              "RuntimeWarning",
                                              "StopAsyncIteration",
                                              "StopIteration",
                                              "SyntaxError",
                                              "SyntaxWarning",
                                              "SystemError",
                                              "SystemExit",
                                              "TabError",
                                              "TimeoutError",
                                              "True",
                                              "TypeError",
                                              "UnboundLocalError",
                                              "UnicodeDecodeError",
                                              "UnicodeEncodeError",
                                              "UnicodeError",
                                              "UnicodeTranslateError",
                                              "UnicodeWarning",
                                              "UserWarning",
                                              "ValueError",
                                              "Warning",
                                              "ZeroDivisionError",
                                              "__build_class__",
                                              "__debug__",
                                              "__doc__",
                                              "__import__",
                                              "__loader__",
                                              "__name__",
                                              "__package__",
                                              "__spec__",
                                              "abs",
                                              "aiter",
                                              "all",
                                              "and",
                                              "anext",
                                              "any",
                                              "as",
                                              "ascii",
                                              "assert",
                                              "async",
                                              "await",
                                              "bin",
                                              "bool",
                                              "break",
                                              "breakpoint",
                                              "bytearray",
                                              "bytes",
                                              "callable",
                                              "chr",
                                              "class",
                                              "classmethod",
                                              "compile",
                                              "complex",
                                              "continue",
                                              "copyright",
                                              "credits",
                                              "def",
                                              "del",
                                              "delattr",
                                              "device",
                                              "dict",
                                              "dir",
                                              "divmod",
                                              "elif",
                                              "else",
                                              "enumerate",
                                              "eval",
                                              "except",
                                              "exec",
                                              "exit",
                                              "filter",
                                              "finally",
                                              "float",
                                              "for",
                                              "format",
                                              "from",
                                              "frozenset",
                                              "fx_pytree",
                                              "getattr",
                                              "global",
                                              "globals",
                                              "hasattr",
                                              "hash",
                                              "help",
                                              "hex",
                                              "id",
                                              "if",
                                              "import",
                                              "in",
                                              "inf",
                                              "input",
                                              "int",
                                              "is",
                                              "isinstance",
                                              "issubclass",
                                              "iter",
                                              "lambda",
                                              "len",
                                              "license",
                                              "list",
                                              "locals",
                                              "map",
                                              "max",
                                              "memoryview",
                                              "min",
                                              "nan",
                                              "next",
                                              "nonlocal",
                                              "not",
                                              "object",
                                              "oct",
                                              "open",
                                              "or",
                                              "ord",
                                              "pass",
                                              "pow",
                                              "print",
                                              "property",
                                              "pytree",
                                              "quit",
                                              "raise",
                                              "range",
                                              "repr",
                                              "return",
                                              "reversed",
                                              "round",
                                              "set",
                                              "setattr",
                                              "slice",
                                              "sorted",
                                              "staticmethod",
                                              "str",
                                              "sum",
                                              "super",
                                              "torch",
                                              "try",
                                              "tuple",
                                              "type",
                                              "vars",
                                              "while",
                                              "with",
                                              "yield",
                                              "zip"};

bool fx::isReservedName(StringRef name) {
  return llvm::binary_search(kReserved, name);
}

static constexpr StringLiteral kKeywords[] = {
    "False",  "None",   "True",    "and",      "as",       "assert", "async",
    "await",  "break",  "class",   "continue", "def",      "del",    "elif",
    "else",   "except", "finally", "for",      "from",     "global", "if",
    "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
    "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};

bool fx::isPythonKeyword(StringRef name) {
  return llvm::binary_search(kKeywords, name);
}

/// Returns `wanted` as an identifier. Each run of characters that no identifier
/// has becomes one `_`.
static std::string toIdentifier(StringRef wanted) {
  std::string result;
  bool inRun = false;
  for (char c : wanted) {
    bool legal = isAlnum(c) || c == '_';
    if (legal || !inRun)
      result += legal ? c : '_';
    inRun = !legal;
  }
  if (result.empty())
    result = "_unnamed";
  if (isDigit(result.front()))
    result.insert(0, "_");
  return result;
}

std::string Namespace::create(StringRef wanted) {
  std::string name = toIdentifier(wanted);
  // If `base_3` is taken, continue with its number: `base_4`.
  StringRef base = StringRef(name).rtrim("0123456789");
  StringRef digits = StringRef(name).drop_front(base.size());
  uint64_t number = 0;
  bool hasNumber = base.size() > 1 && base.ends_with("_") && !digits.empty() &&
                   !digits.getAsInteger(10, number);
  std::string stem = hasNumber ? base.drop_back().str() : name;
  if (!hasNumber || used.contains(name)) {
    number = counts.lookup(stem);
    if (isReservedName(name))
      name = stem + "_" + std::to_string(++number);
  }
  while (used.contains(name))
    name = stem + "_" + std::to_string(++number);
  used.insert(name);
  counts[stem] = number;
  return name;
}
