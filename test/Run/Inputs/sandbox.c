/*===- sandbox.c - runs a model with few system calls ------------* C -*--===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// sandbox LIST exec PROGRAM ARGUMENT...: runs the program under a seccomp
// filter that allows the system calls of LIST, which are separated by commas.
// Another call kills the process by SIGSYS. The one execve that starts PROGRAM
// (an absolute path) is allowed, too.
//
// sandbox LIST load MODEL.so RUNS: loads the model with dlopen, installs the
// filter, runs the model on ones, and prints the sum of its first output. Its
// inputs are f32 tensors of static sizes.
//
// The exit status is that of the process in the sandbox. If SIGSYS killed it,
// the status is 1, and the message names the signal.
//
//===----------------------------------------------------------------------===*/

#include "fx/Runtime/model.h"

#include <dlfcn.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "error: sandbox: %s%s\n", what, detail);
  exit(2);
}

/*===----------------------------------------------------------------------===//
// The filter
//===----------------------------------------------------------------------===*/

static const struct {
  const char *name;
  int number;
} kCalls[] = {
#define CALL(NAME) {#NAME, SYS_##NAME}
#ifdef SYS_access /* architectures before arm64 */
    CALL(access),
    CALL(arch_prctl),
    CALL(getdents),
    CALL(mkdir),
    CALL(open),
    CALL(readlink),
    CALL(rename),
    CALL(unlink),
#endif
    CALL(brk),
    CALL(clock_nanosleep),
    CALL(clone3),
    CALL(close),
    CALL(exit),
    CALL(exit_group),
    CALL(faccessat),
    CALL(fstat),
    CALL(futex),
    CALL(getcwd),
    CALL(getdents64),
    CALL(getpid),
    CALL(getrandom),
    CALL(lseek),
    CALL(madvise),
    CALL(mkdirat),
    CALL(mmap),
    CALL(mprotect),
    CALL(mremap),
    CALL(munmap),
    CALL(newfstatat),
    CALL(openat),
    CALL(pread64),
    CALL(prlimit64),
    CALL(read),
    CALL(readlinkat),
    CALL(renameat),
    CALL(rseq),
    CALL(rt_sigaction),
    CALL(rt_sigprocmask),
    CALL(sched_yield),
    CALL(set_robust_list),
    CALL(set_tid_address),
    CALL(sigaltstack),
    CALL(socket),
    CALL(unlinkat),
    CALL(write),
#undef CALL
};

#if defined(__x86_64__)
static const uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
static const uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

enum { MAX_CODE = 512 };
static struct sock_filter code[MAX_CODE];
static unsigned codeSize = 0;

static void emit(struct sock_filter instruction) {
  if (codeSize == MAX_CODE)
    fail("too many system calls", "");
  code[codeSize++] = instruction;
}

static void load(size_t offset) {
  emit((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

/* Skips the next `n` instructions unless the loaded word is `value`. */
static void unlessEqualSkip(uint32_t value, unsigned n) {
  emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, n));
}

static void finish(uint32_t action) {
  emit((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void allowByName(const char *name, size_t size) {
  for (size_t i = 0; i < sizeof kCalls / sizeof *kCalls; ++i)
    if (strlen(kCalls[i].name) == size && !memcmp(kCalls[i].name, name, size)) {
      unlessEqualSkip(kCalls[i].number, 1);
      finish(SECCOMP_RET_ALLOW);
      return;
    }
  fail("expected the name of a system call, got ", name);
}

/* Builds the filter. If `program` is not null, it also allows an execve whose
 * path is at this address: after it, no code of the process knows a string
 * there. */
static void buildFilter(const char *list, const char *program) {
  load(offsetof(struct seccomp_data, arch));
  unlessEqualSkip(kArchitecture, 1);
  emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
  finish(SECCOMP_RET_KILL_PROCESS);
  load(offsetof(struct seccomp_data, nr));
  for (const char *name = list; *name;) {
    size_t size = strcspn(name, ",");
    allowByName(name, size);
    name += size + (name[size] == ',');
  }
  if (program) { /* little-endian: the low word is first */
    uint64_t address = (uintptr_t)program;
    unlessEqualSkip(SYS_execve, 5);
    load(offsetof(struct seccomp_data, args));
    unlessEqualSkip((uint32_t)address, 3);
    load(offsetof(struct seccomp_data, args) + 4);
    unlessEqualSkip((uint32_t)(address >> 32), 1);
    finish(SECCOMP_RET_ALLOW);
  }
  finish(SECCOMP_RET_KILL_PROCESS);
}

static void installFilter(void) {
  struct sock_fprog program = {.len = codeSize, .filter = code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    fail("this system has no seccomp filters", "");
}

/*===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===*/

static char message[512];

static DLTensor makeOnes(const FXValueInfo *info) {
  DLTensor tensor = {.device = {kDLCPU, 0},
                     .ndim = info->rank,
                     .dtype = info->dtype,
                     .shape = (int64_t *)info->sizes};
  int64_t size = 1;
  for (int i = 0; i < info->rank; ++i)
    size *= info->sizes[i];
  float *data = malloc(size * sizeof *data);
  if (info->dtype.code != kDLFloat || info->dtype.bits != 32 || size < 0)
    fail("expected inputs of f32 and static sizes, got ", info->name);
  for (int64_t i = 0; i < size; ++i)
    data[i] = 1;
  tensor.data = data;
  return tensor;
}

static void runModel(const char *list, const char *path, int runs) {
  enum { MAX_VALUES = 8 };
  void *library = dlopen(path, RTLD_NOW);
  if (!library)
    fail("", dlerror());
  const FXModelApi *(*getApi)(void) =
      (const FXModelApi *(*)(void))dlsym(library, FX_MODEL_API_SYMBOL);
  const FXModelApi *api = getApi();
  FXInstance *model = api->create(NULL, message, sizeof message);
  if (!model)
    fail("", message);
  const FXModelInfo *info = api->info;
  if (info->n_inputs > MAX_VALUES || info->n_outputs > MAX_VALUES)
    fail("expected few inputs and outputs", "");
  DLTensor tensors[MAX_VALUES];
  const DLTensor *inputs[MAX_VALUES];
  for (int i = 0; i < info->n_inputs; ++i) {
    tensors[i] = makeOnes(&info->inputs[i]);
    inputs[i] = &tensors[i];
  }
  buildFilter(list, NULL);
  installFilter();
  for (int run = 0; run < runs; ++run) {
    DLManagedTensor *outputs[MAX_VALUES];
    if (api->run(model, inputs, info->n_inputs, outputs, info->n_outputs, NULL,
                 message, sizeof message))
      fail("", message);
    double sum = 0;
    int64_t size = 1;
    for (int i = 0; i < outputs[0]->dl_tensor.ndim; ++i)
      size *= outputs[0]->dl_tensor.shape[i];
    for (int64_t i = 0; i < size; ++i)
      sum += ((const float *)outputs[0]->dl_tensor.data)[i];
    for (int i = 0; i < info->n_outputs; ++i)
      outputs[i]->deleter(outputs[i]);
    int length = snprintf(message, sizeof message, "sum %g\n", sum);
    if (write(1, message, length) != length)
      _exit(1);
  }
  api->destroy(model);
  _exit(0);
}

int main(int argc, char **argv) {
  if (argc < 5)
    fail("expected LIST exec PROGRAM ARGUMENT... or LIST load MODEL RUNS", "");
  pid_t child = fork();
  if (child < 0)
    fail("cannot fork", "");
  if (child == 0) {
    if (!strcmp(argv[2], "load"))
      runModel(argv[1], argv[3], atoi(argv[4]));
    buildFilter(argv[1], argv[3]);
    installFilter();
    execv(argv[3], argv + 3);
    _exit(3);
  }
  int status;
  if (waitpid(child, &status, 0) != child)
    fail("cannot wait", "");
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  fprintf(stderr, "killed by %s\n",
          WTERMSIG(status) == SIGSYS ? "SIGSYS" : "another signal");
  return 1;
}
