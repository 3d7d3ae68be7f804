//===- Decode.h - JSON to the typed schema ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_IMPORT_DECODE_H
#define FX_LIB_IMPORT_DECODE_H

#include "fx/Import/Schema.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"

namespace fx {

/// Decodes `models/<name>.json`. The error text is
/// `:json.path: message`, to stand behind the record's name.
/// Fields of a newer minor version are accepted where they hold defaults;
/// another major version, an unknown field or kind is an error.
llvm::Expected<schema::ExportedProgram>
decodeProgram(llvm::StringRef json, llvm::BumpPtrAllocator &strings);

/// Decodes `data/weights/<name>_weights_config.json` and its like.
llvm::Expected<schema::PayloadConfig>
decodePayloadConfig(llvm::StringRef json, llvm::BumpPtrAllocator &strings);

} // namespace fx

#endif // FX_LIB_IMPORT_DECODE_H
