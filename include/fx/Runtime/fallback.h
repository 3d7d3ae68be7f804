/*===- fallback.h - how compiled code calls ATen ------------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled models call operators without native code through this interface. A
// JSON text, which is constant in the model, describes the call. The values of
// the call are passed separately. `libFXTorch.so` exports `fx_torch_fallback`,
// an implementation on LibTorch's dispatcher.
//
// The JSON text is one object:
//
//   {"random": true,                     first key if the call may draw random
//                                        numbers, else absent
//    "proxy": "0 v r c1 2 $0",           next key in a package for PyTorch's
//                                        loaders, else absent; see below
//    "target": "aten.sort.stable",       operator overload, dot separated
//    "args": [TREE, ...],                all argument trees, in node order
//    "kwnames": ["descending", ...],     names of the trailing arguments
//    "outs": [OUT, ...],                 one entry for each result value
//    "node": "sort_1"}                   FX node name, for messages
//
// TREE is one of
//   null, true, false                    None, bool
//   3                                    int (64 bit)
//   {"float": "0.5"}                     float; decimal text that round-trips,
//                                        "inf", "-inf" or "nan"
//   {"str": "floor"}                     str
//   {"tensor": k}                        the k-th entry of `inputs`
//   {"scalar": k}                        the k-th entry of `scalars`
//   {"work": k}                          the tensor of the collective whose
//                                        number is the k-th entry of `scalars`
//   {"dtype": "float32"}                 torch.float32 (torch's own names)
//   {"device": "cpu", "index": 0}        torch.device; index may be absent
//   {"memory_format": "channels_last"}   torch.memory_format
//   {"layout": "strided"}                torch.layout
//   {"complex": ["1.0", "0.0"]}          complex; numbers as for "float"
//   {"operator": "aten.add.Tensor"}      an operator as an argument
//   {"object": "queue",                  an object of a custom class: its name,
//    "class": "__torch__.torch.classes.my.Queue",
//    "pickle": "UEsDBA..."}              LibTorch's pickle of it, in base64
//   {"dict": [["key", TREE], ...]}       dict, in order
//   [TREE, ...]                          list or tuple
//
// A method is called as {"target": "call_torchbind", "args": [OBJECT,
// {"str": "push"}, TREE, ...]}. Objects with the same name in one library are
// the same object, so that changes by methods and operators persist.
//
// OUT is one of
//   {"tensor": "float32", "rank": 2}     a tensor result: dtype and rank that
//                                        the graph expects
//   {"scalar": "int"}                    a Python int, float or bool result; it
//                                        is returned as a 0-d tensor of int64,
//                                        float64 or bool
//   {"none": true}                       None; it is returned as a null pointer
//   {"work": "float32",                  the number of a collective that has
//    "sizes": [2, "s17"]}                been started, a 0-d tensor of int64;
//                                        the dtype and the sizes of its tensor.
//                                        Tensor results of collectives have
//                                        "sizes", too.
//
// The results of the call are flattened in order. A list has one OUT for each
// element. A None that the graph does not use has no OUT.
//
// A collective (_c10d_functional.all_reduce) whose results have "work" returns
// when the communication has started: it must not use the memory of its inputs
// afterwards. One call of _c10d_functional.wait_tensor takes each number, waits
// and returns the tensor. Collectives whose results are tensors wait before
// they return. A model runs the collectives of a process group in one order.
//
// The text of "proxy" is a call of the loader's proxy executor: the number of
// the operator in the package; "v" if a result may be a view, or conjugated or
// negated lazily; for each output, unless all are results, "r" for the next
// result of the executor, "n" for None, or "cK" for a copy of the K-th entry of
// `inputs`, which the operator writes; the integers of the call, "$K" for the
// K-th entry of `scalars`.
//
//===----------------------------------------------------------------------===*/

#ifndef FX_RUNTIME_FALLBACK_H
#define FX_RUNTIME_FALLBACK_H

#include "fx/Runtime/dlpack.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A Python int, float or bool that is computed at run time. */
typedef enum {
  FX_SCALAR_INT = 0,
  FX_SCALAR_FLOAT = 1,
  FX_SCALAR_BOOL = 2
} FXScalarKind;
typedef struct {
  int32_t kind; /* FXScalarKind */
  union {
    int64_t i; /* int, and bool as 0 or 1 */
    double f;
  } value;
} FXScalar;

/* Runs one operator.
 *
 * Tensors are on the host. If FXCallbacks::fallback_on_device of a model for a
 * GPU is set, inputs are on the device, except numbers that the caller passed,
 * which are 0-d tensors on the host; outputs may be on the device. When the
 * function is called, all writes to the inputs are complete on every stream.
 * When it returns, all writes to the outputs must be complete. Outputs are
 * freed when nothing reads them any more.
 *
 * context     FXCallbacks::fallback_context
 * json        the operator and its immediates, as above. The pointer is the
 *             same on every call of the same node, so that an implementation
 *             can cache the parsed text. The key of such a cache must include
 *             the text, since addresses are reused after a model is unloaded.
 * inputs      n_inputs tensors, possibly strided. They belong to the caller and
 *             live until the call returns. The function must not write them.
 *             Results must not alias them: copy the result of a view operator.
 * scalars     n_scalars values
 * outputs     n_outputs pointers, which the function sets to new tensors. The
 *             caller frees them by their deleter. They are initially null.
 * error       receives the reason of a failure, one line in lower case, of at
 *             most error_size bytes including the final 0
 *
 * Returns 0, or 1 after writing `error`; then all outputs must be null. The
 * function must be thread-safe and must not throw. */
typedef int (*FXFallbackFn)(void *context, const char *json, int n_inputs,
                            const DLTensor *const *inputs, int n_scalars,
                            const FXScalar *scalars, int n_outputs,
                            DLManagedTensor **outputs, char *error,
                            size_t error_size);

/* A random generator: the state of the Mersenne Twister, and the second of a
 * pair of normal numbers, which PyTorch keeps for the next draw. */
enum { FX_GENERATOR_WORDS = 624 };
typedef struct {
  uint32_t state[FX_GENERATOR_WORDS];
  uint32_t next; /* the next unused word; FX_GENERATOR_WORDS: none is left */
  uint32_t has_normal;
  double normal;
} FXGenerator;

/* Exchanges the model's generator for the one that the fallback draws from, so
 * that both draw from one sequence of numbers. Called before (begin is 1) and
 * after (begin is 0) a call of the fallback that may draw random numbers. No
 * other exchange begins between the two calls. */
typedef void (*FXExchangeGeneratorFn)(void *context, FXGenerator *generator,
                                      int begin);
#define FX_TORCH_EXCHANGE_SYMBOL "fx_torch_exchange_generator"

/* The name under which libFXTorch.so exports a FXFallbackFn; its context is
 * ignored. */
#define FX_TORCH_FALLBACK_SYMBOL "fx_torch_fallback"

/* Returns nonzero if fx_torch_fallback accepts tensors of CUDA device `device`:
 * LibTorch is built for CUDA and finds the device. libFXTorch.so exports such a
 * function under the name below. */
typedef int (*FXFallbackDeviceFn)(int device);
#define FX_TORCH_FALLBACK_DEVICE_SYMBOL "fx_torch_fallback_on_cuda"

#ifdef __cplusplus
}
#endif

#endif /* FX_RUNTIME_FALLBACK_H */
