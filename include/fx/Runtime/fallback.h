/*===- fallback.h - how compiled code calls ATen ------------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operator without native code is a call through this interface. A model
// that has such operators names each of them by a JSON text (fixed at compile
// time); the values of the call are passed beside it. `libFXTorch.so` exports
// `fx_torch_fallback`, an implementation on LibTorch's dispatcher.
//
// The JSON text is one object:
//
//   {"random": true,                     first where the call may draw random
//                                        numbers, else absent
//    "target": "aten.sort.stable",       operator overload, dot separated
//    "args": [TREE, ...],                all argument trees, in node order
//    "kwnames": ["descending", ...],     names of the trailing arguments
//    "outs": [OUT, ...],                 one entry for each result value
//    "node": "sort_1"}                   FX node name, for messages
//
// TREE is one of
//   null, true, false                    None, bool
//   3                                    int (64 bit)
//   {"float": "0.5"}                     float; decimal text that reads back to
//                                        the same double, "inf", "-inf", "nan"
//   {"str": "floor"}                     str
//   {"tensor": k}                        the k-th entry of `inputs`
//   {"scalar": k}                        the k-th entry of `scalars`
//   {"dtype": "float32"}                 torch.float32 (torch's own names)
//   {"device": "cpu", "index": 0}        torch.device; index may be absent
//   {"memory_format": "channels_last"}   torch.memory_format
//   {"layout": "strided"}                torch.layout
//   {"complex": ["1.0", "0.0"]}          complex; as "float"
//   {"operator": "aten.add.Tensor"}      an operator as an argument
//   {"object": "queue",                  an object of a custom class: its name,
//    "class": "__torch__.torch.classes.my.Queue",
//    "pickle": "UEsDBA..."}              LibTorch's pickle of it, in base64
//   {"dict": [["key", TREE], ...]}       dict, in order
//   [TREE, ...]                          list or tuple
//
// A method is called as {"target": "call_torchbind", "args": [OBJECT,
// {"str": "push"}, TREE, ...]}. Objects of one name in one library are
// one object, which keeps what methods and operators change.
//
// OUT is one of
//   {"tensor": "float32", "rank": 2}     a tensor result: dtype and rank that
//                                        the graph expects
//   {"scalar": "int"}                    a Python int, float or bool result; it
//                                        is returned as a 0-d tensor of int64,
//                                        float64 or bool
// The results of the call are flattened in order (an operator that returns a
// list gives one OUT for each element; a None among them has no OUT if the
// graph does not use it, else {"none": true} and a null pointer).
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

/* A Python int, float or bool that is known only when the model runs. */
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
 * Tensors are on the host, unless a model for a GPU was told that the fallback
 * takes those of its device (FXCallbacks): inputs are on the device then, but
 * for numbers that the caller passed, which are 0-d and on the host, and so may
 * outputs be. All that writes to the inputs is over when this is called, on
 * every stream; when it returns, all that writes to the outputs must be.
 * Outputs are freed when nothing reads them any more.
 *
 * context     as registered in the model's call-backs
 * json        the operator and its immediates, as above; the pointer is the
 *             same on every call of the same node, so that an implementation
 *             can keep what it parsed (it may key on the address together
 *             with the text; addresses are reused after a model is unloaded)
 * inputs      n_inputs tensors, possibly strided. They belong to the
 *             caller and live until the call returns; results must not alias
 *             them (copy where the operator returns a view). Never written.
 * scalars     n_scalars values
 * outputs     n_outputs pointers, to be set to new tensors that the caller
 *             frees through their deleter; untouched slots stay null
 * error       at most error_size bytes incl. the final 0: why it failed, one
 *             line, lower case
 *
 * Returns 0, or 1 after having written `error` (outputs are then all null).
 * Must be callable from several threads at once; must not throw. */
typedef int (*FXFallbackFn)(void *context, const char *json, int n_inputs,
                            const DLTensor *const *inputs, int n_scalars,
                            const FXScalar *scalars, int n_outputs,
                            DLManagedTensor **outputs, char *error,
                            size_t error_size);

/* A random generator: the Mersenne Twister, and the second of a pair of normal
 * numbers, which PyTorch keeps for the next draw. */
enum { FX_GENERATOR_WORDS = 624 };
typedef struct {
  uint32_t state[FX_GENERATOR_WORDS];
  uint32_t next; /* the word to use next; FX_GENERATOR_WORDS: none is left */
  uint32_t has_normal;
  double normal;
} FXGenerator;

/* Called before (begin is 1) and after (begin is 0) a call of the fallback that
 * may draw random numbers: exchanges the model's generator for the one that the
 * fallback draws from, so that there is one sequence of numbers. Between the
 * two no other exchange begins. */
typedef void (*FXExchangeGeneratorFn)(void *context, FXGenerator *generator,
                                      int begin);
#define FX_TORCH_EXCHANGE_SYMBOL "fx_torch_exchange_generator"

/* The name under which libFXTorch.so exports a FXFallbackFn; its context is
 * ignored. */
#define FX_TORCH_FALLBACK_SYMBOL "fx_torch_fallback"

/* Nonzero if that function takes tensors of CUDA's device of this number:
 * LibTorch was built for CUDA, and finds it. libFXTorch.so exports one. */
typedef int (*FXFallbackDeviceFn)(int device);
#define FX_TORCH_FALLBACK_DEVICE_SYMBOL "fx_torch_fallback_on_cuda"

#ifdef __cplusplus
}
#endif

#endif /* FX_RUNTIME_FALLBACK_H */
