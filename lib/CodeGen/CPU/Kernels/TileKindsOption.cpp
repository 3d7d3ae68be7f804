//===- TileKindsOption.cpp - AMX tiles in options of passes ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/TileKindsOption.h"

#include "llvm/ADT/StringExtras.h"

using fx::kernel::TileKinds;

static constexpr std::pair<llvm::StringLiteral, bool TileKinds::*> kKinds[] = {
    {"int8", &TileKinds::int8},
    {"bf16", &TileKinds::bf16},
    {"f16", &TileKinds::f16}};

llvm::raw_ostream &fx::kernel::operator<<(llvm::raw_ostream &os,
                                          const TileKinds &tiles) {
  llvm::ListSeparator separator(",");
  for (auto [name, member] : kKinds)
    if (tiles.*member)
      os << separator << name;
  return os;
}

bool llvm::cl::parser<TileKinds>::parse(Option &option, StringRef,
                                        StringRef text, TileKinds &tiles) {
  tiles = {};
  SmallVector<StringRef> names;
  text.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef given : names) {
    const auto *kind = find_if(
        kKinds, [&](const auto &known) { return known.first == given; });
    if (kind == std::end(kKinds))
      return option.error("expected int8, bf16 or f16, got '" + given + "'");
    tiles.*kind->second = true;
  }
  return false;
}
