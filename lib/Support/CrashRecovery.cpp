//===- CrashRecovery.cpp - a crash becomes an error -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/CrashRecovery.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <cstdlib>
#include <memory>
#include <mutex>

/// The string to which a fatal error on this thread writes its reason.
static thread_local std::string *fatalReason = nullptr;

/// Stores the reason of a fatal error and aborts, so that crash recovery takes
/// over. LLVM would call exit after some fatal errors if the handler returned.
static void crashOnFatalError(void *, const char *reason, bool) {
  if (fatalReason)
    // Instruction selection adds what it could not select, in many lines.
    *fatalReason = llvm::StringRef(reason).split('\n').first.str();
  if (llvm::CrashRecoveryContext::GetCurrent())
    std::abort();
}

/// Makes the handler of `signal` run on the alternate stack, so that it can
/// handle a stack overflow.
static void useAlternateStack(int signal) {
  struct sigaction action;
  if (sigaction(signal, nullptr, &action) == 0 &&
      !(action.sa_flags & SA_ONSTACK)) {
    action.sa_flags |= SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
}

namespace {
/// Crash recovery is enabled while at least one instance lives.
class Recovery {
public:
  Recovery() {
    std::lock_guard guard(lock);
    if (users++)
      return;
    enable();
    llvm::install_fatal_error_handler(crashOnFatalError);
  }
  static void renew() {
    std::lock_guard guard(lock);
    if (users)
      enable();
  }
  ~Recovery() {
    std::lock_guard guard(lock);
    if (--users)
      return;
    llvm::remove_fatal_error_handler();
    llvm::CrashRecoveryContext::Disable();
  }

private:
  static void enable() {
    llvm::CrashRecoveryContext::Enable();
    useAlternateStack(SIGSEGV);
    useAlternateStack(SIGBUS);
  }
  static std::mutex lock;
  static unsigned users;
};
std::mutex Recovery::lock;
unsigned Recovery::users = 0;

/// Installs an alternate stack for this thread's signal handlers, unless the
/// thread has one.
class SignalStack {
public:
  SignalStack() {
    stack_t now;
    if (sigaltstack(nullptr, &now) != 0 || !(now.ss_flags & SS_DISABLE))
      return;
    memory = std::make_unique<char[]>(size);
    stack_t mine = {};
    mine.ss_sp = memory.get();
    mine.ss_size = size;
    if (sigaltstack(&mine, nullptr) != 0)
      memory.reset();
  }
  ~SignalStack() {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    if (memory)
      sigaltstack(&none, nullptr);
  }

private:
  static constexpr size_t size = 64 << 10;
  std::unique_ptr<char[]> memory;
};
} // namespace

void fx::renewRecovery() { Recovery::renew(); }

bool fx::runSafely(llvm::function_ref<void()> fn, std::string &fatal) {
  Recovery recovery;
  SignalStack stack;
  std::string *outer = fatalReason;
  fatalReason = &fatal;
  llvm::CrashRecoveryContext context;
  bool survived = context.RunSafely(fn);
  fatalReason = outer;
  return survived;
}

bool fx::runSafelyOnThread(llvm::function_ref<void()> fn, unsigned stackBytes,
                           std::string &fatal) {
  // Recovery also covers crashes of the thread outside of `fn`.
  Recovery recovery;
  bool survived = false;
  llvm::CrashRecoveryContext context;
  bool ended = context.RunSafelyOnThread(
      [&] { survived = runSafely(fn, fatal); }, stackBytes);
  return ended && survived;
}
