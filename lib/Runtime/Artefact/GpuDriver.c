/*===- GpuDriver.c - the drivers of GPUs ----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that the runtime calls for every GPU: a part of CUDA's driver
// interface. CudaDriver.c and HipDriver.c find them in the vendor's library;
// VulkanDriver.c implements them. An artefact is for one platform, so there is
// one table, which is filled when its first instance is created.
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
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_NOT_FOUND = 500,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_MEM_ALLOCATION_TYPE_PINNED = 1,
  CU_MEM_LOCATION_TYPE_DEVICE = 1,
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_STREAM_NON_BLOCKING = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
  CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC = 1,
  CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC = 1,
  CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 = 11,
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

/* The functions that must exist: name in `driver`, symbols of CUDA and HIP,
 * parameters. Those that HIP has in another form have no symbol of HIP. */
#define DRIVER_FUNCTIONS(F)                                                    \
  F(init, "cuInit", "hipInit", (unsigned flags))                               \
  F(device_count, "cuDeviceGetCount", "hipGetDeviceCount", (int *count))       \
  F(device_get, "cuDeviceGet", "hipDeviceGet",                                 \
    (CUdevice * device, int ordinal))                                          \
  F(device_name, "cuDeviceGetName", "hipDeviceGetName",                        \
    (char *name, int size, CUdevice device))                                   \
  F(device_attribute, "cuDeviceGetAttribute", 0,                               \
    (int *value, int attribute, CUdevice device))                              \
  F(context_retain, "cuDevicePrimaryCtxRetain", 0,                             \
    (CUcontext * context, CUdevice device))                                    \
  F(context_push, "cuCtxPushCurrent_v2", 0, (CUcontext context))               \
  F(context_pop, "cuCtxPopCurrent_v2", 0, (CUcontext * context))               \
  F(context_synchronize, "cuCtxSynchronize", "hipDeviceSynchronize", (void))   \
  F(module_unload, "cuModuleUnload", "hipModuleUnload", (CUmodule module))     \
  F(module_function, "cuModuleGetFunction", "hipModuleGetFunction",            \
    (CUfunction * function, CUmodule module, const char *name))                \
  F(function_set, "cuFuncSetAttribute", 0,                                     \
    (CUfunction function, int attribute, int value))                           \
  F(memory_info, "cuMemGetInfo_v2", "hipMemGetInfo",                           \
    (size_t *free, size_t *total))                                             \
  F(memory_alloc, "cuMemAlloc_v2", "hipMalloc",                                \
    (CUdeviceptr * data, size_t bytes))                                        \
  F(memory_free, "cuMemFree_v2", "hipFree", (CUdeviceptr data))                \
  F(pool_create, "cuMemPoolCreate", "hipMemPoolCreate",                        \
    (CUmemoryPool * pool, const CUmemPoolProps *props))                        \
  F(pool_destroy, "cuMemPoolDestroy", "hipMemPoolDestroy",                     \
    (CUmemoryPool pool))                                                       \
  F(pool_set, "cuMemPoolSetAttribute", "hipMemPoolSetAttribute",               \
    (CUmemoryPool pool, int attribute, void *value))                           \
  F(pool_alloc, "cuMemAllocFromPoolAsync", "hipMallocFromPoolAsync",           \
    (CUdeviceptr * data, size_t bytes, CUmemoryPool pool, CUstream stream))    \
  F(pool_free, "cuMemFreeAsync", "hipFreeAsync",                               \
    (CUdeviceptr data, CUstream stream))                                       \
  F(to_device, "cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync",                   \
    (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))         \
  F(to_host, "cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync",                     \
    (void *to, CUdeviceptr from, size_t bytes, CUstream stream))               \
  F(copy, "cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync",                        \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))         \
  F(fill8, "cuMemsetD8Async", "hipMemsetD8Async",                              \
    (CUdeviceptr to, unsigned char value, size_t n, CUstream stream))          \
  F(fill16, "cuMemsetD16Async", "hipMemsetD16Async",                           \
    (CUdeviceptr to, unsigned short value, size_t n, CUstream stream))         \
  F(fill32, "cuMemsetD32Async", "hipMemsetD32Async",                           \
    (CUdeviceptr to, unsigned value, size_t n, CUstream stream))               \
  F(synchronize, "cuStreamSynchronize", "hipStreamSynchronize",                \
    (CUstream stream))                                                         \
  F(stream_create, "cuStreamCreate", "hipStreamCreateWithFlags",               \
    (CUstream * stream, unsigned flags))                                       \
  F(stream_destroy, "cuStreamDestroy_v2", "hipStreamDestroy",                  \
    (CUstream stream))                                                         \
  F(stream_wait, "cuStreamWaitEvent", "hipStreamWaitEvent",                    \
    (CUstream stream, CUevent event, unsigned flags))                          \
  F(event_create, "cuEventCreate", "hipEventCreateWithFlags",                  \
    (CUevent * event, unsigned flags))                                         \
  F(event_destroy, "cuEventDestroy_v2", "hipEventDestroy", (CUevent event))    \
  F(event_record, "cuEventRecord", "hipEventRecord",                           \
    (CUevent event, CUstream stream))                                          \
  F(error_name, "cuGetErrorName", 0, (CUresult code, const char **text))       \
  F(error_text, "cuGetErrorString", 0, (CUresult code, const char **text))

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

/* cuGraphAddDependencies_v2, which drivers of CUDA 12.3 and newer have, and
 * CUgraphEdgeData of cuda.h. */
typedef struct {
  unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdge;
typedef CUresult (*FXrtAddEdges)(CUgraph graph, const CUgraphNode *from,
                                 const CUgraphNode *to, const CUgraphEdge *data,
                                 size_t n);

static struct {
  pthread_mutex_t lock; /* held while the table is filled */
  int is_ready;
  FXrtEncodeTiled encode_tiled; /* null if the driver is older */
  FXrtEncodeIm2col encode_im2col;
  FXrtAddEdges add_edges; /* null if the driver is older */
#define FIELD(name, cuda, hip, params) CUresult(*name) params;
  DRIVER_FUNCTIONS(FIELD)
#undef FIELD
#define FIELD(name, symbol, params) CUresult(*name) params;
  GRAPH_FUNCTIONS(FIELD)
#undef FIELD
  int has_graphs; /* all of GRAPH_FUNCTIONS exist; only CUDA's driver has them
                   */
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

/* What differs between platforms besides the functions of `driver`. */
struct GpuPlatform {
  /* Prepares `driver` for a new instance. Returns 0, or 1 with a message. */
  int (*load)(char *err, size_t size);
  /* Loads the kernels of an image. On failure it may write the reason, one line
   * without a verb, to `why`. */
  CUresult (*load_image)(CUmodule *module, const FXrtImage *image, char *why,
                         size_t size);
  /* Launches a kernel whose `n` parameters are at `params`. If `overlaps`, it
   * may start before the kernel in front of it has ended, since it waits for
   * that itself. */
  CUresult (*launch)(CUfunction function, const unsigned grid[3],
                     const unsigned block[3], unsigned shared, CUstream stream,
                     void **params, int n, int overlaps);
  /* Called when an instance for which `load` succeeded is destroyed, with its
   * context if it has one; null: nothing to do. */
  void (*release)(CUcontext context);
};

/* Opens the library that the environment variable `variable` names, or, if it
 * is not set or empty, the first one of `names`, a list that ends with null.
 * Returns null with a message on failure. `*path` becomes its name. `gpu` is
 * what the model runs on, for the message: "an AMD GPU". */
static void *open_driver(const char *variable, const char *const *names,
                         const char *gpu, const char **path, char *err,
                         size_t size) {
  const char *only[] = {getenv(variable), 0};
  void *library = 0;
  int is_named = only[0] && *only[0];
  for (names = is_named ? only : names; *names && !library; ++names)
    library = dlopen(*path = *names, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    snprintf(err, size,
             "the model runs on %s, and its driver (%s) cannot be loaded", gpu,
             *path);
  return library;
}

/* Finds a function of the driver, or fails with a message. */
static int find_function(void *library, const char *symbol, void **out,
                         const char *path, char *err, size_t size) {
  *out = dlsym(library, symbol);
  if (!*out)
    snprintf(err, size, "%s: the driver is too old: expected the function '%s'",
             path, symbol);
  return !*out;
}

/* Loads a vendor's driver once per process: opens the library, finds its
 * functions by `find`, and initializes it. `gpus` are its devices, for
 * messages: "AMD GPUs". Returns 0, or 1 with a message. */
static int load_driver(const char *variable, const char *const *names,
                       const char *gpu, const char *gpus,
                       int (*find)(void *library, const char *path, char *err,
                                   size_t size),
                       char *err, size_t size) {
  const char *path = 0;
  int failed = 0;
  pthread_mutex_lock(&driver.lock);
  if (!driver.is_ready) {
    void *library = open_driver(variable, names, gpu, &path, err, size);
    failed = !library || find(library, path, err, size);
    CUresult code = failed ? 0 : driver.init(0);
    if (code)
      snprintf(err, size, "the driver of %s cannot be used: %s", gpus,
               get_error_text(code));
    failed |= code != 0;
    driver.is_ready = !failed;
  }
  pthread_mutex_unlock(&driver.lock);
  return failed;
}

/* The name of the device of an instance, "cuda:0". It is valid until the
 * thread's next call. */
static const char *gpu_name(const FXInstance *i) {
  static __thread char text[32];
  snprintf(text, sizeof text, "%s:%d", i->model->device->ops->name,
           (int)i->common->callbacks.device);
  return text;
}
