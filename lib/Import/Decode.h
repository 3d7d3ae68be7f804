//===- Decode.h - JSON to the typed schema ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_IMPORT_DECODE_H
#define FX_LIB_IMPORT_DECODE_H

#include "fx/Import/Schema.h"
#include "fx/Support/Deadline.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"

namespace fx {

/// Decodes `models/<name>.json`. Strings with escapes are decoded into memory
/// of `strings`; the other strings refer to `json`. The error text is
/// `:json.path: message`, to be appended to the record's name. Unknown fields
/// of a newer minor version are accepted if they hold defaults. Another major
/// version, any other unknown field and an unknown kind are errors.
/// Sets `numNodes` to the number of nodes of all graphs. Fails after
/// `deadline`, if any.
llvm::Expected<schema::ExportedProgram>
decodeProgram(llvm::StringRef json, llvm::BumpPtrAllocator &strings,
              uint64_t &numNodes, Deadline *deadline = nullptr);

/// Decodes `data/weights/<name>_weights_config.json` or
/// `data/constants/<name>_constants_config.json`.
llvm::Expected<schema::PayloadConfig>
decodePayloadConfig(llvm::StringRef json, llvm::BumpPtrAllocator &strings,
                    Deadline *deadline = nullptr);

} // namespace fx

#endif // FX_LIB_IMPORT_DECODE_H
