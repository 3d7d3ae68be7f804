//===- CrashRecovery.h - a crash becomes an error ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What llvm::CrashRecoveryContext leaves to its users, for a library that any
// number of threads call: it is switched on for the process as long as anyone
// needs it, LLVM's fatal errors count as crashes (some of them end the process
// by exit), and so does a stack that overflows.
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_CRASHRECOVERY_H
#define FX_SUPPORT_CRASHRECOVERY_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace fx {

/// Runs `fn` on this thread, or on one of its own with a stack of `stackBytes`.
/// False when it crashed: then what `fn` had allocated or locked stays so,
/// since its frames are left and not unwound, and `fatal` has LLVM's reason if
/// it gave one. Signal handlers of the process are back in place when no call
/// is running any more.
bool runSafely(llvm::function_ref<void()> fn, std::string &fatal);
bool runSafelyOnThread(llvm::function_ref<void()> fn, unsigned stackBytes,
                       std::string &fatal);

/// Makes the calls of runSafely that are under way safe again, which other
/// users of LLVM's recovery end for the whole process when they are done.
void renewRecovery();

} // namespace fx

#endif // FX_SUPPORT_CRASHRECOVERY_H
