//===- CrashRecovery.h - a crash becomes an error ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Crash recovery for a library that any number of threads call, based on
// llvm::CrashRecoveryContext. Recovery is enabled for the process as long as a
// call needs it. LLVM's fatal errors, some of which would call exit, and stack
// overflows count as crashes.
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_CRASHRECOVERY_H
#define FX_SUPPORT_CRASHRECOVERY_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace fx {

/// Runs `fn` on this thread. Returns false if `fn` crashed. The frames of `fn`
/// are then left without unwinding, so that its allocations leak and its locks
/// stay locked, and `fatal` is the reason of LLVM's fatal error, if any. The
/// last call that returns restores the signal handlers of the process.
bool runSafely(llvm::function_ref<void()> fn, std::string &fatal);
/// As `runSafely`, but runs `fn` on a new thread with a stack of `stackBytes`.
bool runSafelyOnThread(llvm::function_ref<void()> fn, unsigned stackBytes,
                       std::string &fatal);

/// Enables crash recovery again for the calls that are running. Other users of
/// llvm::CrashRecoveryContext disable it for the whole process when they are
/// done.
void renewRecovery();

} // namespace fx

#endif // FX_SUPPORT_CRASHRECOVERY_H
