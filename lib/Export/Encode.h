//===- Encode.h - the typed schema to JSON ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_EXPORT_ENCODE_H
#define FX_LIB_EXPORT_ENCODE_H

#include "fx/Import/Schema.h"
#include <string>

namespace fx {

/// Returns the text of `models/<name>.json`, as torch's serializer writes it.
std::string encode(const schema::ExportedProgram &program);

/// Returns the text of `data/weights/<name>_weights_config.json` or
/// `data/constants/<name>_constants_config.json`.
std::string encode(const schema::PayloadConfig &config);

} // namespace fx

#endif // FX_LIB_EXPORT_ENCODE_H
