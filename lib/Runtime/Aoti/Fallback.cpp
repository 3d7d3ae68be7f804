//===- Fallback.cpp - operators that ATen runs ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls operators by the proxy executor, which the loader creates from a JSON
// file in the package. The executor knows the operators and most immediates.
// It takes tensors and integers from the caller.
//
//===----------------------------------------------------------------------===//

#include "Container.h"

namespace {
/// Tensors of LibTorch that this file owns.
struct Handles {
  explicit Handles(size_t n) : tensors(n), n(n) {}
  ~Handles() {
    for (size_t i = 0; tensors.data && i < n; ++i)
      if (tensors[i])
        aoti_torch_delete_tensor_object(tensors[i]);
  }
  AtenTensorHandle take(size_t i) {
    AtenTensorHandle tensor = tensors[i];
    tensors[i] = nullptr;
    return tensor;
  }
  Array<AtenTensorHandle> tensors;
  size_t n;
};

/// The entry `proxy` of a call's text.
struct ProxyCall {
  int node;
  bool mayReturnViews;
  /// The integers: `7`, or `$k` for a scalar.
  const char *integers;
};

/// Reads the entry, which is the first one of the text or follows `random`.
bool parse(const char *json, ProxyCall &call) {
  constexpr char random[] = "{\"random\":true,", key[] = "\"proxy\":\"";
  json += strncmp(json, random, sizeof random - 1) ? 1 : sizeof random - 1;
  if (strncmp(json, key, sizeof key - 1))
    return false;
  char *end;
  call.node = int(strtol(json + sizeof key - 1, &end, 10));
  call.mayReturnViews = !strncmp(end, " v", 2);
  call.integers = end + (call.mayReturnViews ? 2 : 0);
  return true;
}

/// Writes the integers of a call to `out`, which has room for each character of
/// their text. Returns their number, or -1.
int readIntegers(const char *text, int nScalars, const FXScalar *scalars,
                 int64_t *out) {
  int n = 0;
  while (*text == ' ') {
    ++text;
    bool isScalar = *text == '$';
    char *end;
    int64_t value = strtoll(text + isScalar, &end, 10);
    if (isScalar) {
      if (value < 0 || value >= nScalars)
        return -1;
      value = scalars[value].value.i;
    }
    out[n++] = value;
    text = end;
  }
  return n;
}

/// Makes a tensor on the memory of an operand.
int32_t borrow(const DLTensor &t, AtenTensorHandle &out) {
  int32_t dtype = getTorchDtype(t.dtype);
  return dtype < 0 ||
         aoti_torch_create_tensor_from_blob(
             static_cast<char *>(t.data) + t.byte_offset, t.ndim, t.shape,
             t.strides, 0, dtype, aoti_torch_device_type_cpu(), kNoIndex, &out);
}

/// Replaces a tensor by one that is neither conjugated nor negated lazily.
int32_t resolve(AtenTensorHandle &tensor) {
  constexpr const char *names[] = {"aten::resolve_conj", "aten::resolve_neg"};
  for (const char *name : names) {
    uint64_t stack = reinterpret_cast<uint64_t>(tensor);
    tensor = nullptr;
    if (aoti_torch_call_dispatcher(name, "", &stack))
      return 1;
    tensor = reinterpret_cast<AtenTensorHandle>(stack);
  }
  return 0;
}

/// Returns true if the memory of `t` begins in that of an operand.
bool isView(const DLTensor &t, int n, const DLTensor *const *operands) {
  for (int i = 0; i < n; ++i) {
    const DLTensor &operand = *operands[i];
    int64_t last = 0;
    for (int32_t d = 0; d < operand.ndim; ++d)
      last += (operand.shape[d] - 1) * operand.strides[d];
    const char *begin = static_cast<char *>(operand.data) + operand.byte_offset;
    const char *end = begin + (last + 1) * ((operand.dtype.bits + 7) / 8);
    if (t.data >= begin && t.data < end)
      return true;
  }
  return false;
}

struct Result {
  DLManagedTensor managed;
  AtenTensorHandle tensor;
};

void deleteResult(DLManagedTensor *managed) {
  auto *result = static_cast<Result *>(managed->manager_ctx);
  aoti_torch_delete_tensor_object(result->tensor);
  free(result);
}

/// Sets `out` to the result `tensor`, which it then owns; null if the operator
/// has not defined it. The memory is not that of an operand.
int32_t give(AtenTensorHandle tensor, bool mayBeView, int nOperands,
             const DLTensor *const *operands, DLManagedTensor *&out) {
  Handles owned(1);
  if (!owned.tensors.data)
    return fail("out of memory");
  AtenTensorHandle &handle = owned.tensors[0] = tensor;
  bool isDefined = true;
  if (aoti_torch_is_defined && aoti_torch_is_defined(handle, &isDefined))
    return fail("a result cannot be read");
  if (!isDefined)
    return 0;
  if (mayBeView && resolve(handle))
    return fail("a result cannot be made plain");
  DLTensor t;
  if (view(handle, "result", "", t))
    return 1;
  if (isView(t, nOperands, operands)) {
    AtenTensorHandle copy;
    if (aoti_torch_clone(handle, &copy))
      return fail("a result cannot be copied");
    aoti_torch_delete_tensor_object(handle);
    handle = copy;
    if (view(handle, "result", "", t))
      return 1;
  }
  auto *result = static_cast<Result *>(calloc(1, sizeof(Result)));
  if (!result)
    return fail("out of memory");
  result->managed = {t, result, deleteResult};
  result->tensor = owned.take(0);
  out = &result->managed;
  return 0;
}

int32_t callOperator(Container &c, const char *json, int nInputs,
                     const DLTensor *const *inputs, int nScalars,
                     const FXScalar *scalars, int nOutputs,
                     DLManagedTensor **outputs) {
  ProxyCall call;
  void *proxy = __atomic_load_n(&c.proxy, __ATOMIC_RELAXED);
  if (!proxy)
    return fail("the loader has no proxy executor");
  if (!parse(json, call))
    return fail("the call has no entry 'proxy'");
  Array<int64_t> integers(strlen(call.integers));
  Handles handles(size_t(nInputs) + size_t(nOutputs));
  if (!integers.data || !handles.tensors.data)
    return fail("out of memory");
  int nIntegers = readIntegers(call.integers, nScalars, scalars, integers.data);
  if (nIntegers < 0)
    return fail("the call has too few scalars");
  for (int i = 0; i < nInputs; ++i)
    if (borrow(*inputs[i], handles.tensors[size_t(i)]))
      return fail("operand %d cannot become a tensor of torch", i);
  for (int i = 0; i < nOutputs; ++i)
    if (aoti_torch_new_uninitialized_tensor(
            &handles.tensors[size_t(nInputs + i)]))
      return fail("out of memory");
  if (aoti_torch_proxy_executor_call_function(proxy, call.node, nIntegers,
                                              integers.data, int(handles.n),
                                              handles.tensors.data))
    return fail("%s", torch_exception_get_what_without_backtrace
                          ? torch_exception_get_what_without_backtrace()
                          : "the operator failed");
  for (int i = 0; i < nOutputs; ++i)
    if (give(handles.take(size_t(nInputs + i)), call.mayReturnViews, nInputs,
             inputs, outputs[i]))
      return 1;
  return 0;
}

/// The FXFallbackFn of a container.
int callFallback(void *context, const char *json, int nInputs,
                 const DLTensor *const *inputs, int nScalars,
                 const FXScalar *scalars, int nOutputs,
                 DLManagedTensor **outputs, char *error, size_t size) {
  if (!callOperator(*static_cast<Container *>(context), json, nInputs, inputs,
                    nScalars, scalars, nOutputs, outputs))
    return 0;
  for (int i = 0; i < nOutputs; ++i) {
    if (outputs[i])
      outputs[i]->deleter(outputs[i]);
    outputs[i] = nullptr;
  }
  // The first line of the message, after the name of the operator.
  constexpr char key[] = "\"target\":\"";
  const char *target = strstr(json, key);
  int n = target ? int(strcspn(target += sizeof key - 1, "\"")) : 0;
  snprintf(error, size, "%.*s: %.*s", n, target ? target : "",
           int(strcspn(lastError, "\n")), lastError);
  return 1;
}

FXInstance *createInstance(Container &c) {
  FXCallbacks callbacks = {};
  callbacks.struct_size = sizeof callbacks;
  callbacks.alloc = allocateBlock;
  callbacks.free = freeBlock;
  callbacks.fallback = callFallback;
  callbacks.fallback_context = &c;
  return c.api->create(&callbacks, lastError, sizeof lastError);
}
} // namespace
