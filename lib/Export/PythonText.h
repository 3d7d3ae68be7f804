//===- PythonText.h - values as Python prints them --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_EXPORT_PYTHONTEXT_H
#define FX_LIB_EXPORT_PYTHONTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace fx {

/// Prints `repr(v)` of a float: `1.0`, `1e-05`, `inf`, `nan`.
void printPythonFloat(llvm::raw_ostream &os, double v);

/// Prints `repr(v)` of a complex: `(1+2j)`, `2j`.
void printPythonComplex(llvm::raw_ostream &os, double real, double imag);

/// Prints `repr(v)` of a str, in UTF-8.
void printPythonString(llvm::raw_ostream &os, llvm::StringRef v);

} // namespace fx

#endif // FX_LIB_EXPORT_PYTHONTEXT_H
