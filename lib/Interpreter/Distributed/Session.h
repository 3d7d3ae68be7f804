//===- Session.h - the process groups of this process -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_DISTRIBUTED_SESSION_H
#define FX_LIB_INTERPRETER_DISTRIBUTED_SESSION_H

#include "fx/Interpreter/Distributed.h"

namespace fx::interp {

/// Implements fx::joinProcessGroups.
llvm::Expected<std::unique_ptr<DistributedSession>>
joinProcessGroups(const DistributedOptions &options);

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_DISTRIBUTED_SESSION_H
