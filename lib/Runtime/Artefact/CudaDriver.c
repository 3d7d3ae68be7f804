/*===- CudaDriver.c - NVIDIA's driver -------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the functions of `driver` in libcuda.so.1, or in the library that
// FX_LIBCUDA names. No CUDA toolkit is needed.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { CU_JIT_ERROR_LOG_BUFFER = 5, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6 };

/* CUlaunchAttribute and CUlaunchConfig of cuda.h. */
typedef struct {
  int id;
  char pad[4];
  union {
    int number;
    char bytes[64];
  } value;
} CUlaunchAttribute;
typedef struct {
  unsigned grid[3], block[3], shared;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned n;
} CUlaunchConfig;
enum { CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6 };

_Static_assert(sizeof(CUlaunchAttribute) == 72 && sizeof(CUlaunchConfig) == 56,
               "as cuda.h has them");

static struct {
  CUresult (*module_load)(CUmodule *module, const void *image, unsigned n,
                          int *options, void **values);
  CUresult (*launch)(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                     unsigned bx, unsigned by, unsigned bz, unsigned shared,
                     CUstream stream, void **params, void **extra);
  /* null if the driver is older than CUDA 11.8 */
  CUresult (*launch_with)(const CUlaunchConfig *config, CUfunction function,
                          void **params, void **extra);
} cuda;

static int find_cuda_functions(void *library, const char *path, char *err,
                               size_t size) {
#define FIND(out, symbol)                                                      \
  if (find_function(library, symbol, (void **)&(out), path, err, size))        \
    return 1;
#define FIND_FIELD(name, symbol, hip, params) FIND(driver.name, symbol)
  DRIVER_FUNCTIONS(FIND_FIELD)
#undef FIND_FIELD
  FIND(cuda.module_load, "cuModuleLoadDataEx")
  FIND(cuda.launch, "cuLaunchKernel")
#undef FIND
  *(void **)&cuda.launch_with = dlsym(library, "cuLaunchKernelEx");
  driver.has_graphs = 1;
#define FIND_FIELD(name, symbol, params)                                       \
  driver.name = (CUresult(*) params)dlsym(library, symbol);                    \
  driver.has_graphs &= driver.name != 0;
  GRAPH_FUNCTIONS(FIND_FIELD)
#undef FIND_FIELD
  driver.encode_tiled =
      (FXrtEncodeTiled)dlsym(library, "cuTensorMapEncodeTiled");
  driver.encode_im2col =
      (FXrtEncodeIm2col)dlsym(library, "cuTensorMapEncodeIm2col");
  driver.add_edges = (FXrtAddEdges)dlsym(library, "cuGraphAddDependencies_v2");
  return 0;
}

static int load_cuda(char *err, size_t size) {
  static const char *const names[] = {"libcuda.so.1", 0};
  return load_driver("FX_LIBCUDA", names, "an NVIDIA GPU", "NVIDIA GPUs",
                     find_cuda_functions, err, size);
}

static CUresult load_cuda_image(CUmodule *module, const FXrtImage *image,
                                char *why, size_t size) {
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {why, (void *)(uintptr_t)size};
  return cuda.module_load(module, image->data, 2, options, values);
}

static CUresult launch_cuda(CUfunction function, const unsigned grid[3],
                            const unsigned block[3], unsigned shared,
                            CUstream stream, void **params, int n,
                            int overlaps) {
  (void)n;
  if (overlaps && cuda.launch_with) {
    CUlaunchAttribute attribute = {
        .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        .value.number = 1};
    CUlaunchConfig config = {{grid[0], grid[1], grid[2]},
                             {block[0], block[1], block[2]},
                             shared,
                             stream,
                             &attribute,
                             1};
    return cuda.launch_with(&config, function, params, 0);
  }
  return cuda.launch(function, grid[0], grid[1], grid[2], block[0], block[1],
                     block[2], shared, stream, params, 0);
}

static const GpuPlatform cuda_platform = {
    .load = load_cuda, .load_image = load_cuda_image, .launch = launch_cuda};
