/*===- Eager.c - operators that ATen runs ---------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code packs the operands of an `fx.eager` op. The functions of this
// file call the fallback and turn its outputs into memrefs that the run owns. A
// call is made, run and finished; Async.c runs calls in other threads.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdlib.h>
#include <string.h>

/* Checks an output of the fallback and copies it to memory of the run. */
static void take_output(DLManagedTensor *t, const FXrtEagerTensor *want,
                        int index, const char *json) {
  FXrtRun *run = fx_rt_thread.run;
  if (!t)
    fx_rt_fail("fallback %.80s: result %d: expected a tensor, got none", json,
               index);
  DLTensor *d = &t->dl_tensor;
  int64_t elements = 1;
  if (d->ndim != want->rank || d->dtype.code != want->code ||
      d->dtype.bits != want->bits)
    fx_rt_fail("fallback %.80s: result %d: expected rank %lld and dtype (%lld, "
               "%lld), got rank "
               "%d and dtype (%d, %d)",
               json, index, (long long)want->rank, (long long)want->code,
               (long long)want->bits, d->ndim, d->dtype.code, d->dtype.bits);
  /* Numbers (no sizes) are read by the host. */
  const FXrtDeviceOps *device = run->instance->model->device && want->sizes
                                    ? run->instance->model->device->ops
                                    : 0;
  int number = run->instance->common->callbacks.device;
  if (d->device.device_type != kDLCPU &&
      !(device && device->shares_tensors &&
        (int)d->device.device_type == device->device_type &&
        d->device.device_id == number))
    fx_rt_fail(
        "fallback %.80s: result %d: expected a tensor on the host%s, got "
        "one on device %d of type %d",
        json, index, device ? " or the model's device" : "",
        (int)d->device.device_id, (int)d->device.device_type);
  for (int k = 0; k < d->ndim; ++k) {
    if (want->sizes[k] >= 0 && d->shape[k] != want->sizes[k])
      fx_rt_fail(
          "fallback %.80s: result %d: dimension %d: expected %lld, got %lld",
          json, index, k, (long long)want->sizes[k], (long long)d->shape[k]);
    elements *= d->shape[k];
  }
  FXrtMemRef *m = want->memref;
  int64_t stride = 1;
  for (int k = d->ndim - 1; k >= 0; --k) {
    m->sizes_and_strides[k] = d->shape[k];
    m->sizes_and_strides[d->ndim + k] = stride;
    stride *= d->shape[k];
  }
  m->offset = 0;
  size_t bytes = (size_t)(elements * (want->bits / 8));
  m->allocated = m->aligned =
      device ? device->alloc(run, bytes) : fx_rt_block_alloc(run, bytes);
  if (!m->aligned)
    fx_rt_fail("out of memory: result %d of fallback %.80s", index, json);
  if (device)
    device->place_result(run, d, m->aligned);
  else
    fx_rt_copy_strided(d, m->aligned, 0);
}

FXrtCall *fx_rt_call_make(const char *json, int64_t n_in,
                          const FXrtEagerTensor *in, int64_t n_scalars,
                          const FXScalar *scalars, int64_t n_out) {
  FXrtRun *run = fx_rt_thread.run;
  if (!run->instance->common->callbacks.fallback)
    fx_rt_fail("no fallback is registered for %.160s", json);
  /* The call is one block, which is freed with the run if the call fails. */
  size_t bytes =
      sizeof(FXrtCall) +
      (size_t)n_in * (sizeof(DLTensor) + sizeof(DLTensor *) + sizeof(void *)) +
      (size_t)n_out * sizeof(DLManagedTensor *) +
      (size_t)n_scalars * sizeof(FXScalar);
  FXrtCall *call = fx_rt_block_alloc(run, bytes);
  if (!call)
    fx_rt_fail("out of memory");
  memset(call, 0, bytes);
  DLTensor *tensors = (DLTensor *)(call + 1);
  call->run = run;
  call->json = json;
  call->n_in = (int)n_in;
  call->n_scalars = (int)n_scalars;
  call->n_out = (int)n_out;
  call->inputs = (const DLTensor **)(tensors + n_in);
  call->copies = (void **)(call->inputs + n_in);
  call->outputs = (DLManagedTensor **)(call->copies + n_in);
  call->scalars = (FXScalar *)(call->outputs + n_out);
  if (n_scalars)
    memcpy(call->scalars, scalars, (size_t)n_scalars * sizeof *scalars);
  for (int64_t i = 0; i < n_in; ++i) {
    FXrtMemRef *m = in[i].memref;
    DLTensor *t = &tensors[i];
    t->data = (char *)m->aligned + m->offset * (in[i].bits / 8);
    t->device.device_type = kDLCPU;
    t->ndim = (int32_t)in[i].rank;
    t->dtype = (DLDataType){(uint8_t)in[i].code, (uint8_t)in[i].bits, 1};
    t->shape = m->sizes_and_strides;
    t->strides = m->sizes_and_strides + in[i].rank;
    call->inputs[i] = t;
    if (run->instance->model->device)
      call->copies[i] =
          run->instance->model->device->ops->fetch_operand(run, t);
  }
  return call;
}

void fx_rt_call_run(FXrtCall *call) {
  FXInstance *instance = call->run->instance;
  const FXCallbacks *cb = &instance->common->callbacks;
  static const char random[] = "{\"random\":true,";
  int draws =
      cb->exchange_generator && !memcmp(call->json, random, sizeof random - 1);
  if (draws) {
    pthread_mutex_lock(&instance->common->generator_lock);
    cb->exchange_generator(cb->fallback_context, &instance->common->generator,
                           1);
  }
  call->failed =
      cb->fallback(cb->fallback_context, call->json, call->n_in, call->inputs,
                   call->n_scalars, call->scalars, call->n_out, call->outputs,
                   call->err, sizeof call->err);
  if (draws) {
    cb->exchange_generator(cb->fallback_context, &instance->common->generator,
                           0);
    pthread_mutex_unlock(&instance->common->generator_lock);
  }
}

void fx_rt_call_drop(FXrtCall *call) {
  for (int i = 0; i < call->n_out; ++i)
    if (call->outputs[i] && call->outputs[i]->deleter)
      call->outputs[i]->deleter(call->outputs[i]);
  for (int i = 0; i < call->n_in; ++i)
    if (call->copies[i])
      fx_rt_block_free(call->run, call->copies[i]);
  fx_rt_block_free(call->run, call);
}

void fx_rt_call_finish(FXrtCall *call, const FXrtEagerTensor *out) {
  if (call->failed) {
    call->err[sizeof call->err - 1] = 0;
    fx_rt_fail("%s", call->err[0] ? call->err
                                  : "the fallback failed without a message");
  }
  /* take_output leaves by a jump if it fails: catch it to free the call. */
  jmp_buf *outer = fx_rt_thread.on_error;
  jmp_buf on_error;
  if (!_setjmp(on_error)) {
    fx_rt_thread.on_error = &on_error;
    for (int i = 0; i < call->n_out; ++i)
      if (out[i].memref)
        take_output(call->outputs[i], &out[i], i, call->json);
    fx_rt_thread.on_error = outer;
    fx_rt_call_drop(call);
    return;
  }
  fx_rt_thread.on_error = outer;
  fx_rt_call_drop(call);
  _longjmp(*outer, 1);
}

void fx_rt_eager(const char *json, int64_t n_in, const FXrtEagerTensor *in,
                 int64_t n_scalars, const FXScalar *scalars, int64_t n_out,
                 const FXrtEagerTensor *out) {
  FXrtCall *call = fx_rt_call_make(json, n_in, in, n_scalars, scalars, n_out);
  fx_rt_call_run(call);
  fx_rt_call_finish(call, out);
}
