//===- Constants.cpp - weights that are read, replaced and swapped --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants are the states of the model, by their names in the state_dict.
// An update copies, folds and packs them at once, so RunConstantFolding has
// nothing to do. Constants that the caller manages are copied, too.
//
//===----------------------------------------------------------------------===//

#include "Container.h"

#include <new>
#include <string>
#include <unordered_map>

/// What LibTorch passes as AOTInductorConstantMapHandle. `-fno-exceptions`
/// leaves the layout as it is.
using ConstantMap = std::unordered_map<std::string, AtenTensorHandle>;

// There are no exceptions to throw here, and older versions of libstdc++ lack
// some of these functions.
namespace std {
void __throw_bad_alloc() { abort(); }
void __throw_bad_array_new_length() { abort(); }
void __throw_length_error(const char *) { abort(); }
void __throw_logic_error(const char *) { abort(); }
} // namespace std

namespace {
constexpr uint64_t kBlobAlignment = 64;

uint64_t align(uint64_t n) {
  return (n + kBlobAlignment - 1) / kBlobAlignment * kBlobAlignment;
}

uint64_t getBytes(const FXStateInfo &state) {
  uint64_t bytes = (state.dtype.bits + 7) / 8;
  for (int32_t d = 0; d < state.rank; ++d)
    bytes *= uint64_t(state.sizes[d]);
  return bytes;
}

/// New values of constants: their names and views of them.
struct Update {
  explicit Update(size_t capacity)
      : names(capacity), values(capacity), pointers(capacity) {}
  bool isAllocated() { return names.data && values.data && pointers.data; }
  bool has(const char *name) {
    for (size_t i = 0; i < n; ++i)
      if (!strcmp(names[i], name))
        return true;
    return false;
  }
  int32_t add(const char *name, AtenTensorHandle tensor) {
    if (view(tensor, "constant", name, values[n]))
      return 1;
    names[n++] = name;
    return 0;
  }
  int32_t set(const FXModelApi &api, FXInstance *instance) {
    for (size_t i = 0; i < n; ++i)
      pointers[i] = &values[i];
    return api.set_states(instance, int(n), names.data, pointers.data,
                          lastError, sizeof lastError);
  }
  Array<const char *> names;
  Array<DLTensor> values;
  Array<const DLTensor *> pointers;
  size_t n = 0;
};

int32_t checkFull(const FXModelInfo &info, Update &update) {
  for (int32_t i = 0; i < info.n_states; ++i)
    if (!update.has(info.states[i].name))
      return fail("expected all constants, got none for '%s'",
                  info.states[i].name);
  return 0;
}

/// Adds the active values of all constants that `update` does not have.
void addActive(Container &c, Update &update) {
  const FXModelInfo &info = *c.api->info;
  for (int32_t i = 0; i < info.n_states; ++i) {
    const FXStateInfo &state = info.states[i];
    DLTensor value;
    if (!state.is_settable || update.has(state.name) ||
        c.api->get_state(c.active, i, &value))
      continue;
    update.values[update.n] = value;
    update.names[update.n++] = state.name;
  }
}

/// Replaces constants of the active or the inactive instance. Missing inactive
/// constants get the values of the active ones.
int32_t apply(Container &c, Update &update, bool inactive, bool isFull) {
  if (isFull && checkFull(*c.api->info, update))
    return 1;
  WriteLock lock(c);
  if (!inactive) {
    if (update.set(*c.api, c.active))
      return 1;
    c.isUpdated = true;
    return 0;
  }
  FXInstance *instance = c.inactive;
  if (!instance) {
    instance = createInstance(c);
    if (!instance)
      return 1;
    if (c.isUpdated)
      addActive(c, update);
  }
  if (update.set(*c.api, instance)) {
    if (!c.inactive)
      c.api->destroy(instance);
    return 1;
  }
  c.inactive = instance;
  return 0;
}

/// `fill` adds at most `n` constants to an update.
template <typename Fill>
int32_t applyFilled(Container &c, size_t n, bool inactive, bool isFull,
                    Fill fill) {
  Update update(n + size_t(c.api->info->n_states));
  if (!update.isAllocated())
    return fail("out of memory");
  return fill(update) ? 1 : apply(c, update, inactive, isFull);
}

int32_t applyMap(Container &c, const ConstantMap &map, bool inactive,
                 bool isFull) {
  return applyFilled(c, map.size(), inactive, isFull, [&](Update &update) {
    for (const auto &[name, tensor] : map)
      if (update.add(name.c_str(), tensor))
        return 1;
    return 0;
  });
}

int32_t applyEntries(Container &c, const ConstantMapEntry *entries, size_t n,
                     bool inactive, bool isFull) {
  return applyFilled(c, n, inactive, isFull, [&](Update &update) {
    for (size_t i = 0; i < n; ++i)
      if (update.add(entries[i].name, entries[i].handle))
        return 1;
    return 0;
  });
}

/// Sets `*out` to what `get` returns of constant `i`.
template <typename T, typename Get>
int32_t describe(Container &c, size_t i, T *out, Get get) {
  if (i >= size_t(c.api->info->n_states))
    return fail("expected a constant below %d", int(c.api->info->n_states));
  *out = get(c.api->info->states[i]);
  return 0;
}
} // namespace

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

/// Since torch 2.14, whose loaders print a warning if it is missing. `entries`
/// must have all constants. They are copied.
AOTI_EXPORT int32_t AOTInductorModelContainerCreateWithExternalConstants(
    Container **out, size_t models, const char *device, const char *folder,
    const ConstantMapEntry *entries, size_t n) {
  if (n && !entries)
    return fail("expected an array of %zu constants, got none", n);
  Container *c;
  if (AOTInductorModelContainerCreateWithDevice(&c, models, device, folder))
    return 1;
  if (applyEntries(*c, entries, n, /*inactive=*/false, /*isFull=*/true)) {
    AOTInductorModelContainerDelete(c);
    return 1;
  }
  *out = c;
  return 0;
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

AOTI_EXPORT int32_t AOTInductorModelContainerGetNumConstants(Container *c,
                                                             size_t *n) {
  *n = size_t(c->api->info->n_states);
  return 0;
}

/// Since torch 2.14, whose loaders call it without a check that it is there.
AOTI_EXPORT int32_t AOTInductorModelContainerDidCallLoadConstants(Container *,
                                                                  bool *did) {
  *did = true;
  return 0;
}

AOTI_EXPORT int32_t AOTInductorModelContainerGetConstantName(
    Container *c, size_t i, const char **name) {
  return describe(*c, i, name, [](const FXStateInfo &s) { return s.name; });
}

AOTI_EXPORT int32_t AOTInductorModelContainerGetConstantOriginalFQN(
    Container *c, size_t i, const char **name) {
  return AOTInductorModelContainerGetConstantName(c, i, name);
}

AOTI_EXPORT int32_t AOTInductorModelContainerGetConstantFromFolded(
    Container *c, size_t i, bool *folded) {
  return describe(*c, i, folded, [](const FXStateInfo &) { return false; });
}

AOTI_EXPORT int32_t AOTInductorModelContainerGetConstantType(Container *c,
                                                             size_t i,
                                                             int32_t *type) {
  // Parameter (1) or Buffer (2) of torch::aot_inductor::ConstantType
  return describe(*c, i, type,
                  [](const FXStateInfo &s) { return s.is_mutable ? 2 : 1; });
}

AOTI_EXPORT int32_t AOTInductorModelContainerGetConstantDtype(Container *c,
                                                              size_t i,
                                                              int32_t *dtype) {
  return describe(*c, i, dtype,
                  [](const FXStateInfo &s) { return getTorchDtype(s.dtype); });
}

AOTI_EXPORT int32_t AOTInductorModelContainerGetConstantDataSize(
    Container *c, size_t i, size_t *bytes) {
  return describe(*c, i, bytes, getBytes);
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

AOTI_EXPORT int32_t AOTInductorModelContainerUpdateConstantBuffer(
    Container *c, const ConstantMap *map, bool inactive, bool isFull) {
  return applyMap(*c, *map, inactive, isFull);
}

AOTI_EXPORT int32_t AOTInductorModelContainerUpdateConstantBufferPairs(
    Container *c, const ConstantMapEntry *entries, size_t n, bool inactive,
    bool isFull) {
  return applyEntries(*c, entries, n, inactive, isFull);
}

AOTI_EXPORT int32_t AOTInductorModelContainerUpdateConstantBufferFromCpu(
    Container *c, const ConstantMap *map, bool inactive, bool isFull) {
  return applyMap(*c, *map, inactive, isFull);
}

AOTI_EXPORT int32_t AOTInductorModelContainerUpdateConstantBufferFromCpuPairs(
    Container *c, const ConstantMapEntry *entries, size_t n, bool inactive,
    bool isFull) {
  return applyEntries(*c, entries, n, inactive, isFull);
}

AOTI_EXPORT int32_t AOTInductorModelContainerUpdateUserManagedConstantBuffer(
    Container *c, const ConstantMap *map, bool inactive, bool isFull) {
  return applyMap(*c, *map, inactive, isFull);
}

AOTI_EXPORT int32_t
AOTInductorModelContainerUpdateUserManagedConstantBufferPairs(
    Container *c, const ConstantMapEntry *entries, size_t n, bool inactive,
    bool isFull) {
  return applyEntries(*c, entries, n, inactive, isFull);
}

AOTI_EXPORT int32_t AOTInductorModelContainerUpdateInactiveConstantBuffer(
    Container *c, const ConstantMap *map) {
  return applyMap(*c, *map, /*inactive=*/true, /*isFull=*/true);
}

AOTI_EXPORT int32_t AOTInductorModelContainerUpdateInactiveConstantBufferPairs(
    Container *c, const ConstantMapEntry *entries, size_t n) {
  return applyEntries(*c, entries, n, /*inactive=*/true, /*isFull=*/true);
}

AOTI_EXPORT int32_t
AOTInductorModelContainerFreeInactiveConstantBuffer(Container *c) {
  WriteLock lock(*c);
  if (c->inactive)
    c->api->destroy(c->inactive);
  c->inactive = nullptr;
  return 0;
}

AOTI_EXPORT int32_t AOTInductorModelContainerRunConstantFolding(Container *,
                                                                bool, void *,
                                                                void *) {
  return 0;
}

AOTI_EXPORT int32_t AOTInductorModelContainerSwapConstantBuffer(Container *c) {
  WriteLock lock(*c);
  if (!c->inactive)
    return fail("expected inactive constants to swap, got none");
  FXInstance *instance = c->active;
  c->active = c->inactive;
  c->inactive = instance;
  c->isUpdated = true;
  return 0;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Makes a tensor on the memory of a constant, which must not outlive it.
static int32_t makeView(Container &c, FXInstance *instance, int32_t i,
                        AtenTensorHandle &out) {
  const char *name = c.api->info->states[i].name;
  DLTensor t;
  if (!instance)
    return fail("expected inactive constants, got none");
  if (c.api->get_state(instance, i, &t))
    return fail("constant '%s' was folded or packed: compile the model with "
                "--swappable-weights",
                name);
  Strides strides(t);
  int32_t dtype = getTorchDtype(t.dtype);
  if (!strides.values.data || dtype < 0 ||
      aoti_torch_create_tensor_from_blob(
          static_cast<char *>(t.data) + t.byte_offset, t.ndim, t.shape,
          strides.values.data, 0, dtype, aoti_torch_device_type_cpu(), kNoIndex,
          &out))
    return fail("constant '%s' cannot become a tensor of torch", name);
  return 0;
}

AOTI_EXPORT int32_t AOTInductorModelContainerExtractConstantsMap(
    Container *c, ConstantMap *map, bool inactive) {
  ReadLock lock(*c);
  for (int32_t i = 0; i < c->api->info->n_states; ++i) {
    AtenTensorHandle tensor;
    if (makeView(*c, inactive ? c->inactive : c->active, i, tensor))
      return 1;
    map->emplace(c->api->info->states[i].name, tensor);
  }
  return 0;
}

/// Since torch 2.14. The container owns the entries and their tensors until the
/// next call.
AOTI_EXPORT int32_t AOTInductorModelContainerExtractConstantsMapEntries(
    Container *c, const ConstantMapEntry **entries, size_t *n, bool inactive) {
  WriteLock lock(*c);
  releaseExtracted(*c);
  const int32_t nStates = c->api->info->n_states;
  c->extracted = static_cast<ConstantMapEntry *>(
      calloc(nStates ? nStates : 1, sizeof(ConstantMapEntry)));
  if (!c->extracted)
    return fail("out of memory");
  for (int32_t i = 0; i < nStates; ++i) {
    ConstantMapEntry &entry = c->extracted[i];
    entry.name = c->api->info->states[i].name;
    if (makeView(*c, inactive ? c->inactive : c->active, i, entry.handle))
      return 1;
    ++c->nExtracted;
  }
  *entries = c->extracted;
  *n = c->nExtracted;
  return 0;
}

AOTI_EXPORT int32_t
AOTInductorModelContainerGetConstantsBlobSize(Container *c, uint64_t *bytes) {
  *bytes = 0;
  for (int32_t i = 0; i < c->api->info->n_states; ++i)
    *bytes += align(getBytes(c->api->info->states[i]));
  return 0;
}

/// Replaces all constants by those of a blob: in their order, each one
/// contiguous and padded to 64 bytes.
AOTI_EXPORT int32_t
AOTInductorModelUpdateConstantsFromBlob(Container *c, const uint8_t *blob) {
  const FXModelInfo &info = *c->api->info;
  Update update{size_t(info.n_states)};
  if (!update.isAllocated())
    return fail("out of memory");
  for (int32_t i = 0; i < info.n_states; ++i) {
    const FXStateInfo &state = info.states[i];
    DLTensor &t = update.values[update.n];
    t.data = const_cast<uint8_t *>(blob);
    t.device = {kDLCPU, 0};
    t.ndim = state.rank;
    t.dtype = state.dtype;
    t.shape = const_cast<int64_t *>(state.sizes);
    update.names[update.n++] = state.name;
    blob += align(getBytes(state));
  }
  return apply(*c, update, /*inactive=*/false, /*isFull=*/false);
}
