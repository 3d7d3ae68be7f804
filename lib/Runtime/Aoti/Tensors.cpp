//===- Tensors.cpp - LibTorch's tensors as DLPack, and back ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Container.h"

namespace {

/// The index of a device of which there is one, as the CPU.
constexpr int32_t kNoIndex = -1;

struct DtypePair {
  int32_t (*torch)();
  DLDataType type;
};

constexpr DtypePair kDtypes[] = {
    {aoti_torch_dtype_float32, {kDLFloat, 32, 1}},
    {aoti_torch_dtype_int64, {kDLInt, 64, 1}},
    {aoti_torch_dtype_bool, {kDLBool, 8, 1}},
    {aoti_torch_dtype_bfloat16, {kDLBfloat, 16, 1}},
    {aoti_torch_dtype_float16, {kDLFloat, 16, 1}},
    {aoti_torch_dtype_float64, {kDLFloat, 64, 1}},
    {aoti_torch_dtype_int8, {kDLInt, 8, 1}},
    {aoti_torch_dtype_int16, {kDLInt, 16, 1}},
    {aoti_torch_dtype_int32, {kDLInt, 32, 1}},
    {aoti_torch_dtype_uint8, {kDLUInt, 8, 1}},
    {aoti_torch_dtype_uint16, {kDLUInt, 16, 1}},
    {aoti_torch_dtype_uint32, {kDLUInt, 32, 1}},
    {aoti_torch_dtype_uint64, {kDLUInt, 64, 1}},
    {aoti_torch_dtype_complex32, {kDLComplex, 32, 1}},
    {aoti_torch_dtype_complex64, {kDLComplex, 64, 1}},
    {aoti_torch_dtype_complex128, {kDLComplex, 128, 1}},
    {aoti_torch_dtype_float8_e4m3fn, {kDLFloat8_e4m3fn, 8, 1}},
    {aoti_torch_dtype_float8_e4m3fnuz, {kDLFloat8_e4m3fnuz, 8, 1}},
    {aoti_torch_dtype_float8_e5m2, {kDLFloat8_e5m2, 8, 1}},
    {aoti_torch_dtype_float8_e5m2fnuz, {kDLFloat8_e5m2fnuz, 8, 1}},
};

bool isSame(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

/// Returns LibTorch's number of the dtype, or -1.
int32_t getTorchDtype(DLDataType type) {
  for (const DtypePair &pair : kDtypes)
    if (isSame(pair.type, type))
      return pair.torch();
  return -1;
}

int64_t countElements(const DLTensor &t) {
  int64_t n = 1;
  for (int32_t d = 0; d < t.ndim; ++d)
    n *= t.shape[d];
  return n;
}

/// Sets `out` to a view of `tensor`. `what` and `name` are for errors.
int32_t view(AtenTensorHandle tensor, const char *what, const char *name,
             DLTensor &out) {
  int64_t rank;
  int32_t dtype, device;
  if (!tensor)
    return fail("%s '%s': expected a tensor, got None", what, name);
  if (aoti_torch_get_device_type(tensor, &device) ||
      aoti_torch_get_dim(tensor, &rank) || aoti_torch_get_dtype(tensor, &dtype))
    return fail("%s '%s': cannot be read", what, name);
  if (device != aoti_torch_device_type_cpu())
    return fail("%s '%s': expected a tensor on the CPU, got device type %d",
                what, name, int(device));
  out = DLTensor{};
  out.device = {kDLCPU, 0};
  out.ndim = int32_t(rank);
  const DtypePair *found = nullptr;
  for (const DtypePair &pair : kDtypes)
    if (pair.torch() == dtype) {
      found = &pair;
      break;
    }
  if (!found)
    return fail("%s '%s': its dtype is not supported", what, name);
  out.dtype = found->type;
  if (aoti_torch_get_data_ptr(tensor, &out.data) ||
      aoti_torch_get_sizes(tensor, &out.shape) ||
      aoti_torch_get_strides(tensor, &out.strides))
    return fail("%s '%s': expected a strided tensor", what, name);
  return 0;
}

/// The strides of a contiguous tensor.
struct Strides {
  explicit Strides(const DLTensor &t) : values(t.ndim) {
    int64_t stride = 1;
    for (int32_t d = t.ndim; values.data && d-- > 0;) {
      values[d] = stride;
      stride *= t.shape[d];
    }
  }
  Array<int64_t> values;
};

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//
//
// A tensor may outlive the shared object, which the loader closes, so no code
// of this file may free it. Memory of outputs comes from posix_memalign, and
// tensors free it by libc's `free`.

/// The bytes of the run-time's header in front of the data of an output.
constexpr int64_t kHeader = 64;
constexpr size_t kHugePage = 2 << 20;

/// The block that `freeBlock` must not free, since a tensor owns it.
thread_local void *stolen;

void *allocateBlock(void *, size_t bytes, size_t alignment) {
  void *p;
  bool isLarge = bytes >= kHugePage;
  if (posix_memalign(&p, isLarge ? kHugePage : alignment, bytes))
    return nullptr;
  if (isLarge)
    madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

void freeBlock(void *, void *block, size_t) {
  if (block != stolen)
    free(block);
}

/// Makes a tensor that owns the memory of `t`, which is the data of a block.
int32_t adopt(const DLTensor &t, const int64_t *strides, int32_t dtype,
              AtenTensorHandle &out) {
  void *block = static_cast<char *>(t.data) - kHeader;
  // Additional arguments of a function in C are ignored.
  auto *deleter = reinterpret_cast<void (*)(void *, void *)>(
      reinterpret_cast<void *>(free));
  if (torch_from_blob(
          block, t.ndim, t.shape, strides, kHeader / ((t.dtype.bits + 7) / 8),
          dtype, aoti_torch_device_type_cpu(), kNoIndex, &out,
          aoti_torch_layout_strided(), nullptr, 0, deleter, nullptr))
    return 1;
  stolen = block;
  return 0;
}

int32_t copy(const DLTensor &t, const int64_t *strides, int32_t dtype,
             AtenTensorHandle &out) {
  void *data;
  if (aoti_torch_empty_strided(t.ndim, t.shape, strides, dtype,
                               aoti_torch_device_type_cpu(), kNoIndex, &out))
    return 1;
  size_t bytes = size_t(countElements(t)) * ((t.dtype.bits + 7) / 8);
  if (bytes == 0)
    return 0;
  if (!aoti_torch_get_data_ptr(out, &data)) {
    memcpy(data, t.data, bytes);
    return 0;
  }
  aoti_torch_delete_tensor_object(out);
  out = nullptr;
  return 1;
}

/// Makes a tensor of `managed`, an output of a run, and deletes `managed`.
int32_t wrapOutput(DLManagedTensor *managed, AtenTensorHandle &out) {
  const DLTensor &t = managed->dl_tensor;
  Strides strides(t);
  int32_t dtype = getTorchDtype(t.dtype), failed = 1;
  if (strides.values.data && dtype >= 0)
    failed = torch_from_blob && countElements(t) > 0
                 ? adopt(t, strides.values.data, dtype, out)
                 : copy(t, strides.values.data, dtype, out);
  managed->deleter(managed);
  stolen = nullptr;
  return failed;
}

} // namespace
