//===- LibTorch.h - the part of LibTorch's C interface that is used -------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares functions of torch/csrc/inductor/aoti_torch/c/shim.h and
// torch/csrc/stable/c/shim.h, whose ABI is stable. The compiler is built
// without LibTorch's headers. Functions return 0, or 1 after an error. Weak
// functions are absent in older versions of LibTorch.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_RUNTIME_AOTI_LIBTORCH_H
#define FX_LIB_RUNTIME_AOTI_LIBTORCH_H

#include <cstddef>
#include <cstdint>

extern "C" {
typedef struct AtenTensorOpaque *AtenTensorHandle;

int32_t aoti_torch_get_data_ptr(AtenTensorHandle, void **data);
int32_t aoti_torch_get_dim(AtenTensorHandle, int64_t *rank);
int32_t aoti_torch_get_sizes(AtenTensorHandle, int64_t **sizes);
int32_t aoti_torch_get_strides(AtenTensorHandle, int64_t **strides);
int32_t aoti_torch_get_dtype(AtenTensorHandle, int32_t *dtype);
int32_t aoti_torch_get_device_type(AtenTensorHandle, int32_t *type);
int32_t aoti_torch_delete_tensor_object(AtenTensorHandle);
int32_t aoti_torch_empty_strided(int64_t rank, const int64_t *sizes,
                                 const int64_t *strides, int32_t dtype,
                                 int32_t deviceType, int32_t device,
                                 AtenTensorHandle *out);
int32_t aoti_torch_create_tensor_from_blob(void *data, int64_t rank,
                                           const int64_t *sizes,
                                           const int64_t *strides,
                                           int64_t offset, int32_t dtype,
                                           int32_t deviceType, int32_t device,
                                           AtenTensorHandle *out);
int32_t aoti_torch_new_uninitialized_tensor(AtenTensorHandle *out);
int32_t aoti_torch_clone(AtenTensorHandle, AtenTensorHandle *out);
/// Calls an operator without Scalars. `stack` holds the arguments, which the
/// function owns, and then the results.
int32_t aoti_torch_call_dispatcher(const char *name, const char *overload,
                                   uint64_t *stack);
/// Calls the operator with number `node` of the package. The results are the
/// last ones of `tensors`.
int32_t aoti_torch_proxy_executor_call_function(void *proxy, int node,
                                                int nIntegers,
                                                int64_t *integers, int nTensors,
                                                AtenTensorHandle *tensors);
int32_t aoti_torch_device_type_cpu();
int32_t aoti_torch_layout_strided();

int32_t aoti_torch_dtype_bool();
int32_t aoti_torch_dtype_uint8();
int32_t aoti_torch_dtype_uint16();
int32_t aoti_torch_dtype_uint32();
int32_t aoti_torch_dtype_uint64();
int32_t aoti_torch_dtype_int8();
int32_t aoti_torch_dtype_int16();
int32_t aoti_torch_dtype_int32();
int32_t aoti_torch_dtype_int64();
int32_t aoti_torch_dtype_float16();
int32_t aoti_torch_dtype_bfloat16();
int32_t aoti_torch_dtype_float32();
int32_t aoti_torch_dtype_float64();
int32_t aoti_torch_dtype_complex32();
int32_t aoti_torch_dtype_complex64();
int32_t aoti_torch_dtype_complex128();
int32_t aoti_torch_dtype_float8_e4m3fn();
int32_t aoti_torch_dtype_float8_e4m3fnuz();
int32_t aoti_torch_dtype_float8_e5m2();
int32_t aoti_torch_dtype_float8_e5m2fnuz();

__attribute__((weak)) int32_t aoti_torch_is_defined(AtenTensorHandle,
                                                    bool *defined);
/// Since torch 2.10.
__attribute__((weak)) int32_t torch_get_num_threads(uint32_t *threads);
/// Since torch 2.11.
__attribute__((weak)) int32_t
torch_from_blob(void *data, int64_t rank, const int64_t *sizes,
                const int64_t *strides, int64_t offset, int32_t dtype,
                int32_t deviceType, int32_t device, AtenTensorHandle *out,
                int32_t layout, const uint8_t *metadata, int64_t metadataSize,
                void (*deleter)(void *data, void *context), void *context);
/// Since torch 2.13: the text of this thread's last exception.
__attribute__((weak)) const char *torch_exception_get_what_without_backtrace();
}

#endif // FX_LIB_RUNTIME_AOTI_LIBTORCH_H
