//===- ExternalData.h - the bytes behind #fx.external -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_EXTERNALDATA_H
#define FX_IR_EXTERNALDATA_H

#include "fx/IR/FXDialect.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace fx {

/// Maps the files that `#fx.external` attributes name and gives their bytes.
/// All members may be called from several threads at once.
class ExternalData {
public:
  /// Bytes begin at a multiple of this.
  static constexpr size_t alignment = 64;

  /// Relative paths are looked up in `folder`; empty is the current one.
  explicit ExternalData(llvm::StringRef folder = "");
  ~ExternalData();

  /// The bytes of a state's storage. They are mapped from the file, not
  /// copied (unless they lie unaligned there), and stay valid as long as this
  /// object. The CRC is checked when the bytes are first asked for.
  ///
  /// Error texts are `<path>[:<state>]: <what is wrong>`.
  llvm::Expected<llvm::ArrayRef<char>> get(ExternalAttr reference);

  /// The bytes of a state: external or dense. A state whose value is not
  /// known is an error.
  llvm::Expected<llvm::ArrayRef<char>> get(StateOp state);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace fx

#endif // FX_IR_EXTERNALDATA_H
