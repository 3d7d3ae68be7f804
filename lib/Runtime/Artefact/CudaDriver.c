/*===- CudaDriver.c - NVIDIA's driver -------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of CUDA's driver interface that the runtime calls. They are
// found in libcuda.so.1 (or the library that FX_LIBCUDA names) when the first
// instance of a model for a GPU is created. No CUDA toolkit is needed.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;

enum {
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_MEM_ALLOCATION_TYPE_PINNED = 1,
  CU_MEM_LOCATION_TYPE_DEVICE = 1,
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_STREAM_NON_BLOCKING = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9,
  CU_TENSOR_MAP_INTERLEAVE_NONE = 0,
  CU_TENSOR_MAP_SWIZZLE_128B = 3,
  CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3,
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0 /* zeros */
};

/* CUmemPoolProps of cuda.h, 88 bytes. */
typedef struct {
  int alloc_type, handle_types, location_type, location_id;
  void *win32_security;
  size_t max_size;
  unsigned short usage;
  unsigned char reserved[54];
} CUmemPoolProps;

/* CUDA_KERNEL_NODE_PARAMS_v1, 56 bytes. */
typedef struct {
  CUfunction function;
  unsigned grid[3], block[3], shared;
  void **params, **extra;
} CUkernelParams;

/* CUDA_MEMCPY3D, 200 bytes, and the fields of its source or destination. */
typedef struct {
  size_t x, y, z, lod;
  int kind; /* CU_MEMORYTYPE_DEVICE */
  const void *host;
  CUdeviceptr device;
  void *array, *reserved;
  size_t pitch, height;
} CUcopySide;
typedef struct {
  CUcopySide from, to;
  size_t width, height, depth;
} CUcopyParams;

/* CUDA_MEMSET_NODE_PARAMS_v1, 40 bytes. */
typedef struct {
  CUdeviceptr to;
  size_t pitch;
  unsigned value, element;
  size_t width, height;
} CUfillParams;

_Static_assert(sizeof(CUkernelParams) == 56 && sizeof(CUcopyParams) == 200 &&
                   sizeof(CUfillParams) == 40,
               "as cuda.h has them");

/* The functions that must exist: name in `driver`, symbol, parameters. */
#define DRIVER_FUNCTIONS(F)                                                    \
  F(init, "cuInit", (unsigned flags))                                          \
  F(device_count, "cuDeviceGetCount", (int *count))                            \
  F(device_get, "cuDeviceGet", (CUdevice * device, int ordinal))               \
  F(device_name, "cuDeviceGetName", (char *name, int size, CUdevice device))   \
  F(device_attribute, "cuDeviceGetAttribute",                                  \
    (int *value, int attribute, CUdevice device))                              \
  F(context_retain, "cuDevicePrimaryCtxRetain",                                \
    (CUcontext * context, CUdevice device))                                    \
  F(context_push, "cuCtxPushCurrent_v2", (CUcontext context))                  \
  F(context_pop, "cuCtxPopCurrent_v2", (CUcontext * context))                  \
  F(context_synchronize, "cuCtxSynchronize", (void))                           \
  F(module_load, "cuModuleLoadDataEx",                                         \
    (CUmodule * module, const void *image, unsigned n, int *options,           \
     void **values))                                                           \
  F(module_unload, "cuModuleUnload", (CUmodule module))                        \
  F(module_function, "cuModuleGetFunction",                                    \
    (CUfunction * function, CUmodule module, const char *name))                \
  F(function_set, "cuFuncSetAttribute",                                        \
    (CUfunction function, int attribute, int value))                           \
  F(launch, "cuLaunchKernel",                                                  \
    (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,  \
     unsigned by, unsigned bz, unsigned shared, CUstream stream,               \
     void **params, void **extra))                                             \
  F(memory_info, "cuMemGetInfo_v2", (size_t *free, size_t *total))             \
  F(memory_alloc, "cuMemAlloc_v2", (CUdeviceptr * data, size_t bytes))         \
  F(memory_free, "cuMemFree_v2", (CUdeviceptr data))                           \
  F(pool_create, "cuMemPoolCreate",                                            \
    (CUmemoryPool * pool, const CUmemPoolProps *props))                        \
  F(pool_destroy, "cuMemPoolDestroy", (CUmemoryPool pool))                     \
  F(pool_set, "cuMemPoolSetAttribute",                                         \
    (CUmemoryPool pool, int attribute, void *value))                           \
  F(pool_alloc, "cuMemAllocFromPoolAsync",                                     \
    (CUdeviceptr * data, size_t bytes, CUmemoryPool pool, CUstream stream))    \
  F(pool_free, "cuMemFreeAsync", (CUdeviceptr data, CUstream stream))          \
  F(to_device, "cuMemcpyHtoDAsync_v2",                                         \
    (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))         \
  F(to_host, "cuMemcpyDtoHAsync_v2",                                           \
    (void *to, CUdeviceptr from, size_t bytes, CUstream stream))               \
  F(copy, "cuMemcpyDtoDAsync_v2",                                              \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))         \
  F(fill8, "cuMemsetD8Async",                                                  \
    (CUdeviceptr to, unsigned char value, size_t n, CUstream stream))          \
  F(fill16, "cuMemsetD16Async",                                                \
    (CUdeviceptr to, unsigned short value, size_t n, CUstream stream))         \
  F(fill32, "cuMemsetD32Async",                                                \
    (CUdeviceptr to, unsigned value, size_t n, CUstream stream))               \
  F(synchronize, "cuStreamSynchronize", (CUstream stream))                     \
  F(stream_create, "cuStreamCreate", (CUstream * stream, unsigned flags))      \
  F(stream_destroy, "cuStreamDestroy_v2", (CUstream stream))                   \
  F(stream_wait, "cuStreamWaitEvent",                                          \
    (CUstream stream, CUevent event, unsigned flags))                          \
  F(event_create, "cuEventCreate", (CUevent * event, unsigned flags))          \
  F(event_destroy, "cuEventDestroy_v2", (CUevent event))                       \
  F(event_record, "cuEventRecord", (CUevent event, CUstream stream))           \
  F(error_name, "cuGetErrorName", (CUresult code, const char **text))          \
  F(error_text, "cuGetErrorString", (CUresult code, const char **text))

/* The functions for graphs, which drivers of CUDA 11.4 and newer have. */
#define GRAPH_FUNCTIONS(F)                                                     \
  F(is_capturing, "cuStreamIsCapturing", (CUstream stream, int *status))       \
  F(exchange_mode, "cuThreadExchangeStreamCaptureMode", (int *mode))           \
  F(graph_create, "cuGraphCreate", (CUgraph * graph, unsigned flags))          \
  F(graph_destroy, "cuGraphDestroy", (CUgraph graph))                          \
  F(graph_kernel, "cuGraphAddKernelNode",                                      \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t n,    \
     const CUkernelParams *params))                                            \
  F(graph_copy, "cuGraphAddMemcpyNode",                                        \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t n,    \
     const CUcopyParams *params, CUcontext context))                           \
  F(graph_fill, "cuGraphAddMemsetNode",                                        \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t n,    \
     const CUfillParams *params, CUcontext context))                           \
  F(graph_instantiate, "cuGraphInstantiateWithFlags",                          \
    (CUgraphExec * exec, CUgraph graph, unsigned long long flags))             \
  F(exec_destroy, "cuGraphExecDestroy", (CUgraphExec exec))                    \
  F(exec_kernel, "cuGraphExecKernelNodeSetParams",                             \
    (CUgraphExec exec, CUgraphNode node, const CUkernelParams *params))        \
  F(exec_copy, "cuGraphExecMemcpyNodeSetParams",                               \
    (CUgraphExec exec, CUgraphNode node, const CUcopyParams *params,           \
     CUcontext context))                                                       \
  F(exec_fill, "cuGraphExecMemsetNodeSetParams",                               \
    (CUgraphExec exec, CUgraphNode node, const CUfillParams *params,           \
     CUcontext context))                                                       \
  F(graph_launch, "cuGraphLaunch", (CUgraphExec exec, CUstream stream))

/* cuTensorMapEncodeTiled, which drivers of CUDA 12 and newer have. */
typedef CUresult (*FXrtEncodeTiled)(void *map, int type, unsigned rank,
                                    void *data, const unsigned long long *sizes,
                                    const unsigned long long *strides,
                                    const unsigned *box, const unsigned *steps,
                                    int interleave, int swizzle, int promotion,
                                    int fill);
/* cuTensorMapEncodeIm2col, which the same drivers have. */
typedef CUresult (*FXrtEncodeIm2col)(void *map, int type, unsigned rank,
                                     void *data,
                                     const unsigned long long *sizes,
                                     const unsigned long long *strides,
                                     const int *lower, const int *upper,
                                     unsigned channels, unsigned pixels,
                                     const unsigned *steps, int interleave,
                                     int swizzle, int promotion, int fill);

static struct {
  pthread_mutex_t lock;
  int is_ready;
  FXrtEncodeTiled encode_tiled; /* null if the driver is older */
  FXrtEncodeIm2col encode_im2col;
#define FIELD(name, symbol, params) CUresult(*name) params;
  DRIVER_FUNCTIONS(FIELD)
  GRAPH_FUNCTIONS(FIELD)
#undef FIELD
  int has_graphs; /* all of GRAPH_FUNCTIONS exist */
} driver = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Returns "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected), number
 * 100". The text is valid until the thread's next call. */
static const char *get_error_text(CUresult code) {
  static __thread char text[256];
  const char *name = 0, *meaning = 0;
  if (driver.error_name(code, &name) || !name)
    name = "an error without a name";
  if (driver.error_text(code, &meaning) || !meaning)
    meaning = "the driver has no text for it";
  snprintf(text, sizeof text, "%s (%s), number %d", name, meaning, code);
  return text;
}

/* Returns 1 for errors of a kernel that corrupt the context: every later call
 * returns the same error. */
static int is_sticky(CUresult code) {
  switch (code) {
  case 700: /* an illegal address */
  case 702: /* a timeout of the launch */
  case 710: /* an assertion */
  case 714: /* the stack */
  case 715: /* an illegal instruction */
  case 716: /* a misaligned address */
  case 717: /* an address of another space */
  case 718: /* a program counter */
  case 719: /* another exception */
    return 1;
  default:
    return 0;
  }
}

/* Undoes context_push. */
static void pop_context(void) {
  CUcontext popped;
  driver.context_pop(&popped);
}

static int find_functions(void *library, const char *path, char *err,
                          size_t size) {
#define FIND(name, symbol, params)                                             \
  if (!(driver.name = (CUresult(*) params)dlsym(library, symbol))) {           \
    snprintf(err, size,                                                        \
             "%s: the driver is too old: expected the function '%s'", path,    \
             symbol);                                                          \
    return 1;                                                                  \
  }
  DRIVER_FUNCTIONS(FIND)
#undef FIND
  driver.has_graphs = 1;
#define FIND(name, symbol, params)                                             \
  driver.name = (CUresult(*) params)dlsym(library, symbol);                    \
  driver.has_graphs &= driver.name != 0;
  GRAPH_FUNCTIONS(FIND)
#undef FIND
  driver.encode_tiled =
      (FXrtEncodeTiled)dlsym(library, "cuTensorMapEncodeTiled");
  driver.encode_im2col =
      (FXrtEncodeIm2col)dlsym(library, "cuTensorMapEncodeIm2col");
  return 0;
}

/* Loads and initializes the driver once per process. Returns 0, or 1 with a
 * message in err. */
static int load_driver(char *err, size_t size) {
  int failed = 0;
  pthread_mutex_lock(&driver.lock);
  if (!driver.is_ready) {
    const char *path = getenv("FX_LIBCUDA");
    if (!path)
      path = "libcuda.so.1";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      snprintf(err, size,
               "the model runs on an NVIDIA GPU, and its driver (%s) cannot be "
               "loaded",
               path);
      failed = 1;
    } else if (find_functions(library, path, err, size)) {
      failed = 1;
    } else {
      CUresult code = driver.init(0);
      if (code)
        snprintf(err, size, "the driver of NVIDIA GPUs cannot be used: %s",
                 get_error_text(code));
      failed = code != 0;
      driver.is_ready = !code;
    }
  }
  pthread_mutex_unlock(&driver.lock);
  return failed;
}
