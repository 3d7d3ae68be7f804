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

/// Maps the files that `#fx.external` attributes refer to and returns their
/// bytes. All members are thread-safe.
class ExternalData {
public:
  /// The alignment in memory of the bytes that `get` returns for an
  /// `#fx.external`.
  static constexpr size_t alignment = 64;

  /// Relative paths start at `folder`; empty: the current folder.
  explicit ExternalData(llvm::StringRef folder = "");
  ~ExternalData();

  /// Returns the bytes that `reference` refers to, which are the storage of a
  /// state. The bytes are mapped, or copied if they are not aligned in the
  /// file, and stay valid as long as this object. The first call for a
  /// reference checks its CRC.
  ///
  /// Error texts are `<path>[:<state>]: <what is wrong>`.
  llvm::Expected<llvm::ArrayRef<char>> get(ExternalAttr reference);

  /// Returns the bytes of the storage of `state`: external, dense or of a
  /// resource. Fails if the state has no value.
  llvm::Expected<llvm::ArrayRef<char>> get(StateOp state);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace fx

#endif // FX_IR_EXTERNALDATA_H
