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
  bool mayAlias;
  /// The outputs, ` r`, ` n` or ` c1`. If there are none, all are results.
  const char *outputs;
  /// The integers: ` 7`, or ` $1` for a scalar.
  const char *integers;
};

/// Reads a decimal number and moves `text` behind it.
int64_t readInteger(const char *&text) {
  bool isNegative = *text == '-';
  text += isNegative;
  uint64_t value = 0;
  for (; *text >= '0' && *text <= '9'; ++text)
    value = value * 10 + uint64_t(*text - '0');
  return int64_t(isNegative ? 0 - value : value);
}

/// Reads the entry, which is the first one of the text or follows `random`.
bool parse(const char *json, ProxyCall &call) {
  constexpr char random[] = "{\"random\":true,", key[] = "\"proxy\":\"";
  json += strncmp(json, random, sizeof random - 1) ? 1 : sizeof random - 1;
  if (strncmp(json, key, sizeof key - 1))
    return false;
  json += sizeof key - 1;
  call.node = int(readInteger(json));
  call.mayAlias = !strncmp(json, " v", 2);
  json += call.mayAlias ? 2 : 0;
  call.outputs = json;
  while (*json == ' ' && json[1] >= 'a' && json[1] <= 'z') {
    json += 2;
    readInteger(json);
  }
  call.integers = json;
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
    text += isScalar;
    int64_t value = readInteger(text);
    if (isScalar) {
      if (value < 0 || value >= nScalars)
        return -1;
      value = scalars[value].value.i;
    }
    out[n++] = value;
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
/// has not defined it. The run-time copies the result, so it may be a view.
int32_t give(AtenTensorHandle tensor, bool mayAlias, DLManagedTensor *&out) {
  Handles owned(1);
  if (!owned.tensors.data) {
    aoti_torch_delete_tensor_object(tensor);
    return fail("out of memory");
  }
  AtenTensorHandle &handle = owned.tensors[0] = tensor;
  bool isDefined = true;
  if (aoti_torch_is_defined && aoti_torch_is_defined(handle, &isDefined))
    return fail("a result cannot be read");
  if (!isDefined)
    return 0;
  if (mayAlias && resolve(handle))
    return fail("a result cannot be made plain");
  DLTensor t;
  if (view(handle, "result", "", t))
    return 1;
  auto *result = static_cast<Result *>(calloc(1, sizeof(Result)));
  if (!result)
    return fail("out of memory");
  result->managed = {t, result, deleteResult};
  result->tensor = owned.take(0);
  out = &result->managed;
  return 0;
}

/// The tensors of a call.
struct CallTensors {
  CallTensors(int nInputs, int nOutputs)
      : handles(size_t(nInputs) + size_t(nOutputs)), places(size_t(nOutputs)),
        nInputs(nInputs), nOutputs(nOutputs), n(nInputs) {}
  bool isAllocated() const { return handles.tensors.data && places.data; }
  int32_t setInputs(const DLTensor *const *inputs);
  int32_t setOutputs(const char *text);

  /// The inputs, then the results of the executor.
  Handles handles;
  /// The index of each output among the handles, or -1 for None.
  Array<int> places;
  int nInputs, nOutputs, n;
};

int32_t CallTensors::setInputs(const DLTensor *const *inputs) {
  for (int i = 0; i < nInputs; ++i)
    if (borrow(*inputs[i], handles.tensors[size_t(i)]))
      return fail("operand %d cannot become a tensor of torch", i);
  return 0;
}

/// Makes tensors for the results, and copies of the inputs that the operator
/// writes.
int32_t CallTensors::setOutputs(const char *text) {
  bool areResults = *text != ' ' || text[1] < 'a';
  for (int i = 0; i < nOutputs; ++i) {
    char kind = 'r';
    int64_t input = -1;
    if (!areResults) {
      kind = text[1];
      text += 2;
      input = readInteger(text);
    }
    int &place = places[size_t(i)];
    place = -1;
    if (kind == 'n')
      continue;
    if (kind == 'r') {
      place = n++;
      if (aoti_torch_new_uninitialized_tensor(&handles.tensors[size_t(place)]))
        return fail("out of memory");
      continue;
    }
    if (input < 0 || input >= nInputs)
      return fail("the call writes an operand that it has not");
    place = int(input);
    AtenTensorHandle copy, &operand = handles.tensors[size_t(place)];
    if (aoti_torch_clone(operand, &copy))
      return fail("operand %d cannot be copied", place);
    aoti_torch_delete_tensor_object(operand);
    operand = copy;
  }
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
  CallTensors tensors(nInputs, nOutputs);
  if (!integers.data || !tensors.isAllocated())
    return fail("out of memory");
  int nIntegers = readIntegers(call.integers, nScalars, scalars, integers.data);
  if (nIntegers < 0)
    return fail("the call has too few scalars");
  if (tensors.setInputs(inputs) || tensors.setOutputs(call.outputs))
    return 1;
  if (aoti_torch_proxy_executor_call_function(proxy, call.node, nIntegers,
                                              integers.data, tensors.n,
                                              tensors.handles.tensors.data))
    return fail("%s", torch_exception_get_what_without_backtrace
                          ? torch_exception_get_what_without_backtrace()
                          : "the operator failed");
  for (int i = 0; i < nOutputs; ++i)
    if (tensors.places[size_t(i)] >= 0 &&
        give(tensors.handles.take(size_t(tensors.places[size_t(i)])),
             call.mayAlias, outputs[i]))
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
