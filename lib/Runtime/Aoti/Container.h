//===- Container.h - a model behind AOTInductor's interface ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_RUNTIME_AOTI_CONTAINER_H
#define FX_LIB_RUNTIME_AOTI_CONTAINER_H

#include "LibTorch.h"
#include "fx/Runtime/Desc.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

namespace {

/// The text of AOTInductorGetLastError.
thread_local char lastError[1024];

__attribute__((format(printf, 1, 2))) int32_t fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(lastError, sizeof lastError, format, args);
  va_end(args);
  return 1;
}

/// AOTInductorConstantMapEntry
struct ConstantMapEntry {
  const char *name;
  AtenTensorHandle handle;
};

/// One instance holds the active constants. The inactive ones are a second
/// instance, which is created when they are set. Runs hold `lock` for reading.
struct Container {
  const FXModelApi *api;
  FXInstance *active, *inactive;
  pthread_rwlock_t lock;
  /// The loader's executor of operators that ATen runs, known since the first
  /// run. A loader has one.
  void *proxy;
  /// The active constants differ from those in the file.
  bool isUpdated;
  /// What AOTInductorModelContainerExtractConstantsMapEntries returned.
  ConstantMapEntry *extracted;
  size_t nExtracted;
};

void releaseExtracted(Container &c) {
  for (size_t i = 0; i < c.nExtracted; ++i)
    aoti_torch_delete_tensor_object(c.extracted[i].handle);
  free(c.extracted);
  c.extracted = nullptr;
  c.nExtracted = 0;
}

struct ReadLock {
  explicit ReadLock(Container &c) : lock(c.lock) {
    pthread_rwlock_rdlock(&lock);
  }
  ~ReadLock() { pthread_rwlock_unlock(&lock); }
  pthread_rwlock_t &lock;
};

struct WriteLock {
  explicit WriteLock(Container &c) : lock(c.lock) {
    pthread_rwlock_wrlock(&lock);
  }
  ~WriteLock() { pthread_rwlock_unlock(&lock); }
  pthread_rwlock_t &lock;
};

/// An array that malloc allocates.
template <typename T>
struct Array {
  explicit Array(size_t n) : data((T *)calloc(n ? n : 1, sizeof(T))) {}
  ~Array() { free(data); }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  T &operator[](size_t i) { return data[i]; }
  T *data;
};

} // namespace

#endif // FX_LIB_RUNTIME_AOTI_CONTAINER_H
