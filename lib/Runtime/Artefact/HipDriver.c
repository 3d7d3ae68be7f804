/*===- HipDriver.c - AMD's driver -----------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the functions of `driver` in libamdhip64.so, or in the library that
// FX_LIBHIP names. HIP's functions for modules, memory, streams and events have
// the parameters and the error numbers of CUDA's. No part of ROCm is needed to
// build an artefact. The numbers of attributes are those of
hipDeviceAttribute_t
// in ROCm 6 and later.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  HIP_ATTRIBUTE_MULTIPROCESSOR_COUNT = 63,
  HIP_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 88
};

static struct {
  CUresult (*get_device)(int *device);
  CUresult (*set_device)(int device);
  CUresult (*device_attribute)(int *value, int attribute, int device);
  CUresult (*module_load)(CUmodule *module, const void *image);
  CUresult (*launch)(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                     unsigned bx, unsigned by, unsigned bz, unsigned shared,
                     CUstream stream, void **params, void **extra);
  const char *(*error_name)(CUresult code);
  const char *(*error_text)(CUresult code);
} hip;

/* HIP has a current device for each thread in the place of contexts. A context
 * is the number of a device plus one, because null means none. */
static CUresult retain_hip_context(CUcontext *context, CUdevice device) {
  *context = (CUcontext)(uintptr_t)(device + 1);
  return 0;
}

enum { HIP_CONTEXTS = 16 };
/* The devices that were current before the calls of context_push. */
static __thread struct {
  int devices[HIP_CONTEXTS], n;
} hip_stack;

static CUresult push_hip_context(CUcontext context) {
  enum { INVALID_CONTEXT = 201 };
  int before = 0;
  if (hip_stack.n == HIP_CONTEXTS)
    return INVALID_CONTEXT;
  CUresult code = hip.get_device(&before);
  if (!code)
    code = hip.set_device((int)(uintptr_t)context - 1);
  if (!code)
    hip_stack.devices[hip_stack.n++] = before;
  return code;
}

static CUresult pop_hip_context(CUcontext *context) {
  int now = 0;
  CUresult code = hip.get_device(&now);
  *context = (CUcontext)(uintptr_t)(now + 1);
  if (hip_stack.n)
    code = hip.set_device(hip_stack.devices[--hip_stack.n]);
  return code;
}

/* A code object is for one chip, which HIP compares with the device. So chips
 * have no numbers here. */
static CUresult get_hip_attribute(int *value, int attribute, CUdevice device) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return hip.device_attribute(value, HIP_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                device);
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    return hip.device_attribute(value, HIP_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
                                device);
  default:
    *value = 0;
    return 0;
  }
}

/* Kernels for AMD GPUs have no dynamic shared memory. */
static CUresult set_hip_function(CUfunction function, int attribute,
                                 int value) {
  (void)function, (void)attribute, (void)value;
  return CUDA_ERROR_INVALID_VALUE;
}

static CUresult get_hip_error_name(CUresult code, const char **text) {
  *text = hip.error_name(code);
  return 0;
}

static CUresult get_hip_error_text(CUresult code, const char **text) {
  *text = hip.error_text(code);
  return 0;
}

static int find_hip_functions(void *library, const char *path, char *err,
                              size_t size) {
#define FIND(out, symbol)                                                      \
  if (find_function(library, symbol, (void **)&(out), path, err, size))        \
    return 1;
#define FIND_FIELD(name, cuda, symbol, params)                                 \
  if (symbol)                                                                  \
  FIND(driver.name, symbol)
  DRIVER_FUNCTIONS(FIND_FIELD)
#undef FIND_FIELD
  FIND(hip.get_device, "hipGetDevice")
  FIND(hip.set_device, "hipSetDevice")
  FIND(hip.device_attribute, "hipDeviceGetAttribute")
  FIND(hip.module_load, "hipModuleLoadData")
  FIND(hip.launch, "hipModuleLaunchKernel")
  FIND(hip.error_name, "hipGetErrorName")
  FIND(hip.error_text, "hipGetErrorString")
#undef FIND
  driver.device_attribute = get_hip_attribute;
  driver.context_retain = retain_hip_context;
  driver.context_push = push_hip_context;
  driver.context_pop = pop_hip_context;
  driver.function_set = set_hip_function;
  driver.error_name = get_hip_error_name;
  driver.error_text = get_hip_error_text;
  return 0;
}

static int load_hip(char *err, size_t size) {
  static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                      "libamdhip64.so", 0};
  return load_driver("FX_LIBHIP", names, "an AMD GPU", "AMD GPUs",
                     find_hip_functions, err, size);
}

static CUresult load_hip_image(CUmodule *module, const FXrtImage *image,
                               char *why, size_t size) {
  (void)why, (void)size;
  return hip.module_load(module, image->data);
}

static CUresult launch_hip(CUfunction function, const unsigned grid[3],
                           const unsigned block[3], unsigned shared,
                           CUstream stream, void **params, int n,
                           int overlaps) {
  (void)n;
  (void)overlaps;
  return hip.launch(function, grid[0], grid[1], grid[2], block[0], block[1],
                    block[2], shared, stream, params, 0);
}

static const GpuPlatform hip_platform = {
    .load = load_hip, .load_image = load_hip_image, .launch = launch_hip};
