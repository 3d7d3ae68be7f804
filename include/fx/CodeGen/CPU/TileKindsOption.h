//===- TileKindsOption.h - AMX tiles in options of passes -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_TILEKINDSOPTION_H
#define FX_CODEGEN_CPU_TILEKINDSOPTION_H

#include "fx/Kernels/TargetInfo.h"

#include "llvm/Support/CommandLine.h"

namespace fx::kernel {

/// Prints the names of the kinds with commas, such as `int8,bf16`.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const TileKinds &tiles);

} // namespace fx::kernel

namespace llvm::cl {

/// Parses what `operator<<` prints. The empty text has no kinds.
template <>
class parser<fx::kernel::TileKinds>
    : public basic_parser<fx::kernel::TileKinds> {
public:
  using basic_parser::basic_parser;

  bool parse(Option &option, StringRef name, StringRef text,
             fx::kernel::TileKinds &tiles);
  StringRef getValueName() const override { return "int8,bf16,f16"; }
  void printOptionDiff(const Option &option, const fx::kernel::TileKinds &,
                       OptVal, size_t width) const {
    printOptionNoValue(option, width);
  }
};

} // namespace llvm::cl

#endif // FX_CODEGEN_CPU_TILEKINDSOPTION_H
