/*===- CudaGraph.c - many launches as one ---------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code is executed in every run. Its launches and copies are collected in
// a sequence until something needs the stream: the end of the run, or a value
// that the host reads. A sequence that occurs for the second time becomes a
// CUDA graph, in which operations run at the same time if their memory permits
// it (CudaOrder.c). When it occurs again, only the nodes whose parameters have
// changed are updated. This works for every model, also if its launches depend
// on values that the host reads.
//
// Graphs are built node by node. Capturing the caller's stream instead would
// not work for the default stream, would forbid some calls to other threads,
// and would make nodes whose parameters are hard to find when an address
// changes.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sequences of fewer operations do not become graphs. */
enum { GPU_GRAPH_LEAST = 3 };

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static void fill_kernel(const FXrtGpu *gpu, const GpuOp *op, void **list,
                        CUkernelParams *out) {
  *out = (CUkernelParams){.function = gpu->kernels[op->kernel],
                          .shared = op->shared,
                          .params = list};
  memcpy(out->grid, op->grid, sizeof out->grid);
  memcpy(out->block, op->block, sizeof out->block);
}

static CUcopyParams copy_of(const GpuOp *op) {
  CUcopyParams params = {.width = op->bytes, .height = 1, .depth = 1};
  params.from.kind = params.to.kind = CU_MEMORYTYPE_DEVICE;
  params.from.device = op->from;
  params.to.device = op->to;
  params.from.pitch = params.to.pitch = op->bytes;
  params.from.height = params.to.height = 1;
  return params;
}

static CUfillParams fill_of(const GpuOp *op) {
  return (CUfillParams){.to = op->to,
                        .value = (unsigned)op->from,
                        .element = (unsigned)op->bytes,
                        .width = 1,
                        .height = 1};
}

/* Adds a kernel that may start before the kernel `after` has ended, since it
 * waits for that itself. */
static CUresult add_early_kernel(CUgraphNode *node, CUgraph graph,
                                 const CUgraphNode *after,
                                 const CUkernelParams *params) {
  const CUgraphEdge edge = {.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
                            .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};
  CUresult code = driver.graph_kernel(node, graph, 0, 0, params);
  return code ? code : driver.add_edges(graph, after, node, &edge, 1);
}

/* Adds the node of operation `k` behind those that it waits for. `after` has
 * room for them. A kernel that waits for one kernel starts early. */
static CUresult add_node(const FXrtGpu *gpu, GpuGraph *g, int k,
                         CUgraphNode *after) {
  const GpuOp *op = &g->sequence.ops[k];
  const int *edges = g->order.edges + g->order.first[k];
  int n = g->order.first[k + 1] - g->order.first[k];
  CUgraphNode *node = &g->nodes[k];
  void *list[GPU_MOST_PARAMS];
  for (int e = 0; e < n; ++e)
    after[e] = g->nodes[edges[e]];
  if (op->kind == GPU_LAUNCH) {
    CUkernelParams params;
    fill_kernel(gpu, op, list_params(op, g->sequence.params, list), &params);
    if (n == 1 && g->sequence.ops[edges[0]].kind == GPU_LAUNCH && g->overlaps)
      return add_early_kernel(node, g->graph, after, &params);
    return driver.graph_kernel(node, g->graph, after, (size_t)n, &params);
  }
  if (op->kind == GPU_COPY) {
    CUcopyParams params = copy_of(op);
    return driver.graph_copy(node, g->graph, after, (size_t)n, &params,
                             gpu->context);
  }
  CUfillParams params = fill_of(op);
  return driver.graph_fill(node, g->graph, after, (size_t)n, &params,
                           gpu->context);
}

static CUresult set_node(const FXrtGpu *gpu, const GpuGraph *g,
                         const GpuSequence *s, int k) {
  const GpuOp *op = &s->ops[k];
  void *list[GPU_MOST_PARAMS];
  if (op->kind == GPU_LAUNCH) {
    CUkernelParams params;
    fill_kernel(gpu, op, list_params(op, s->params, list), &params);
    return driver.exec_kernel(g->exec, g->nodes[k], &params);
  }
  if (op->kind == GPU_COPY) {
    CUcopyParams params = copy_of(op);
    return driver.exec_copy(g->exec, g->nodes[k], &params, gpu->context);
  }
  CUfillParams params = fill_of(op);
  return driver.exec_fill(g->exec, g->nodes[k], &params, gpu->context);
}

/* Logs that the driver cannot do something, and why. */
static void log_off(const FXrtGpu *gpu, const char *feature, const char *what,
                    CUresult code) {
  char line[512];
  int n =
      snprintf(line, sizeof line, "{\"%s\": \"off\", \"why\": \"%s: %s\"}\n",
               feature, what, get_error_text(code));
  gpu_log(gpu, line, n, sizeof line);
}

/* Frees the nodes of a graph and keeps its sequence. */
static void drop_nodes(GpuGraph *g) {
  if (g->exec)
    driver.exec_destroy(g->exec);
  if (g->graph)
    driver.graph_destroy(g->graph);
  free(g->nodes);
  g->exec = 0;
  g->graph = 0;
  g->nodes = 0;
}

static void drop_graph(GpuGraph *g) {
  drop_nodes(g);
  drop_order(&g->order);
  drop_sequence(&g->sequence);
  *g = (GpuGraph){0};
}

/* Makes the nodes of a sequence. On failure `*what` says what failed. */
static CUresult make_nodes(const FXrtGpu *gpu, GpuGraph *g, const char **what) {
  drop_nodes(g);
  int n = g->sequence.n;
  g->nodes = calloc((size_t)n, sizeof *g->nodes);
  CUgraphNode *after = calloc((size_t)n, sizeof *after);
  *what = "a graph cannot be made";
  CUresult code =
      g->nodes && after && !make_order(&g->order, &g->sequence, g->branches)
          ? driver.graph_create(&g->graph, 0)
          : CUDA_ERROR_OUT_OF_MEMORY;
  for (int k = 0; !code && k < n; ++k)
    code = add_node(gpu, g, k, after);
  free(after);
  if (code)
    return code;
  *what = "a graph cannot be instantiated";
  return driver.graph_instantiate(&g->exec, g->graph, 0);
}

static CUresult launch_nodes(const GpuGraph *g, CUstream stream,
                             const char **what) {
  *what = "a graph cannot be launched";
  return driver.graph_launch(g->exec, stream);
}

/* From now on graphs are made without a feature, because the driver refused it
 * with `code`. */
static void give_up(FXrtGpu *gpu, atomic_int *feature, const char *name,
                    const char *what, CUresult code) {
  if (atomic_exchange(feature, 0))
    log_off(gpu, name, what, code);
}

/* Makes the nodes of a graph and launches it. */
static CUresult try_graph(const FXrtGpu *gpu, GpuGraph *g, int branches,
                          int overlaps, CUstream stream, const char **what) {
  g->branches = branches;
  g->overlaps = overlaps;
  CUresult code = make_nodes(gpu, g, what);
  return code ? code : launch_nodes(g, stream, what);
}

/* Makes the nodes of a graph if it `is_new`, and launches it. If the driver
 * refuses it, makes it again without branches, then without overlap, then
 * without both. The instance gives up what the driver refuses. */
static CUresult run_graph(FXrtGpu *gpu, GpuGraph *g, int is_new,
                          CUstream stream, const char **what) {
  int branches = g->branches,
      overlaps = is_new ? atomic_load(&gpu->overlaps) && driver.add_edges
                        : g->overlaps;
  CUresult refusal = is_new
                         ? try_graph(gpu, g, branches, overlaps, stream, what)
                         : launch_nodes(g, stream, what),
           code = refusal;
  const char *refused = *what;
  int has_branches = branches && !is_chain(&g->order, g->sequence.n);
  for (int without = 1; without < 4 && code && !is_sticky(code); ++without) {
    int drops_branches = without & 1, drops_overlaps = without >> 1;
    if ((drops_branches && !has_branches) || (drops_overlaps && !overlaps))
      continue;
    code = try_graph(gpu, g, branches && !drops_branches,
                     overlaps && !drops_overlaps, stream, what);
    if (!code && drops_branches)
      give_up(gpu, &gpu->branches, "branches", refused, refusal);
    if (!code && drops_overlaps)
      give_up(gpu, &gpu->overlaps, "overlaps", refused, refusal);
  }
  return code;
}

/* Updates the nodes that have changed and swaps the sequences. Returns the
 * number of these nodes, or -1 if the driver cannot update one. */
static int update_graph(const FXrtGpu *gpu, GpuGraph *g, GpuSequence *s) {
  int changed = 0;
  for (int k = 0; k < s->n; ++k) {
    if (!has_changed(&g->sequence, s, k))
      continue;
    if (set_node(gpu, g, s, k))
      return -1;
    ++changed;
  }
  GpuSequence was = g->sequence;
  g->sequence = *s;
  *s = was;
  return changed;
}

/* Stops making graphs: from now on kernels are launched one by one. */
static void give_graphs_up(FXrtGpu *gpu, const char *what, CUresult code) {
  atomic_store(&gpu->makes_graphs, 0);
  log_off(gpu, "graphs", what, code);
}

static void log_replay(FXrtGpu *gpu, int nodes, int changed) {
  char line[128];
  long times = atomic_fetch_add(&gpu->replays, 1) + 1;
  /* Log only powers of two, so that the log stays short. */
  if (times & (times - 1))
    return;
  int n = snprintf(line, sizeof line,
                   "{\"graph\": \"replayed\", \"times\": %ld, \"nodes\": %d, "
                   "\"changed\": %d}\n",
                   times, nodes, changed);
  gpu_log(gpu, line, n, sizeof line);
}

static GpuGraph *find_graph(GpuSlot *slot, uint64_t hash) {
  for (int k = 0; k < GPU_GRAPHS; ++k) {
    GpuGraph *g = &slot->graphs[k];
    if (g->exec && g->hash == hash &&
        is_same_sequence(&g->sequence, &slot->pending))
      return g;
  }
  return 0;
}

/* Returns the least recently used graph of the slot. */
static GpuGraph *find_place(GpuSlot *slot) {
  GpuGraph *oldest = slot->graphs;
  for (int k = 0; k < GPU_GRAPHS; ++k)
    if (slot->graphs[k].used < oldest->used)
      oldest = &slot->graphs[k];
  return oldest;
}

/* Returns true if the sequence has occurred before, and remembers it. */
static int note_sequence(GpuSlot *slot, uint64_t hash) {
  for (int k = 0; k < GPU_SEEN; ++k)
    if (slot->seen[k] == hash)
      return 1;
  slot->seen[slot->n_seen++ % GPU_SEEN] = hash;
  return 0;
}

/* Launches the pending sequence as a graph. Returns 0 if it was not launched:
 * the sequence is new, or the driver failed. */
static int launch_graph(FXrtRun *run, GpuSlot *slot) {
  FXrtGpu *gpu = run->instance->gpu;
  uint64_t hash = hash_sequence(&slot->pending);
  int nodes = slot->pending.n, changed = 0;
  const char *what = 0;
  ++slot->clock;
  GpuGraph *g = find_graph(slot, hash);
  if (!g && !note_sequence(slot, hash))
    return 0;
  /* A graph with other conflicts than before becomes a chain, which is right
   * for all addresses. */
  int becomes_chain = g && !is_ordered(&g->order, &g->sequence, &slot->pending);
  changed = g && !becomes_chain ? update_graph(gpu, g, &slot->pending) : -1;
  int is_new = changed < 0;
  if (is_new) { /* no graph, or one that cannot be updated */
    g = g ? g : find_place(slot);
    drop_graph(g);
    g->sequence = slot->pending;
    slot->pending = (GpuSequence){0};
    g->branches = !becomes_chain && atomic_load(&gpu->branches);
  }
  g->hash = hash;
  g->used = slot->clock;
  CUresult code = run_graph(gpu, g, is_new, run->options.stream, &what);
  if (!code) {
    if (is_new) {
      char line[96];
      int n = snprintf(line, sizeof line,
                       "{\"graph\": \"made\", \"nodes\": %d, \"levels\": %d}\n",
                       nodes, count_levels(&g->order, nodes));
      gpu_log(gpu, line, n, sizeof line);
    } else {
      log_replay(gpu, nodes, changed);
    }
    clear_sequence(&slot->pending);
    return 1;
  }
  /* Restore the pending sequence, which is then launched one by one. */
  drop_sequence(&slot->pending);
  slot->pending = g->sequence;
  g->sequence = (GpuSequence){0};
  drop_graph(g);
  gpu_check(is_sticky(code) ? code : 0, what);
  give_graphs_up(gpu, what, code);
  return 0;
}

//===----------------------------------------------------------------------===//
// Single launches
//===----------------------------------------------------------------------===//

static void launch_now(FXrtRun *run, const GpuOp *op, void *const *params) {
  FXrtGpu *gpu = run->instance->gpu;
  CUstream stream = run->options.stream;
  GpuGeometry geometry = {{op->grid[0], op->grid[1], op->grid[2]},
                          {op->block[0], op->block[1], op->block[2]},
                          op->shared};
  const FXrtKernel *named = &run->instance->model->device->kernels[op->kernel];
  const GpuPlatform *platform = run->instance->model->device->ops->platform;
  CUfunction function = gpu->kernels[op->kernel];
  /* A capture that has no programmatic edges would become invalid. */
  int overlaps =
      atomic_load(&gpu->overlaps) && (!run->is_captured || driver.add_edges);
  CUresult code = platform->launch(function, op->grid, op->block, op->shared,
                                   stream, (void **)params, op->n, overlaps);
  if (code && overlaps && !is_sticky(code)) {
    CUresult refusal = code;
    code = platform->launch(function, op->grid, op->block, op->shared, stream,
                            (void **)params, op->n, /*overlaps=*/0);
    if (!code)
      give_up(gpu, &gpu->overlaps, "overlaps", "a kernel cannot be launched",
              refusal);
  }
  gpu_check_launch(code, "cannot be launched", named, &geometry);
  if (gpu->is_synchronous && !run->is_captured)
    gpu_check_launch(driver.synchronize(stream), "failed", named, &geometry);
}

static void issue_now(FXrtRun *run, const GpuOp *op, void *const *params) {
  CUstream stream = run->options.stream;
  if (op->kind == GPU_LAUNCH)
    launch_now(run, op, params);
  else if (op->kind == GPU_COPY)
    gpu_check(driver.copy(op->to, op->from, op->bytes, stream),
              "a copy failed");
  else
    gpu_check(op->bytes == 4
                  ? driver.fill32(op->to, (unsigned)op->from, 1, stream)
              : op->bytes == 2
                  ? driver.fill16(op->to, (unsigned short)op->from, 1, stream)
                  : driver.fill8(op->to, (unsigned char)op->from, 1, stream),
              "a copy failed");
}

/* Appends the operation to the pending sequence, or puts it on the stream at
 * once if the run has no slot or the instance makes no graphs. */
static void gpu_issue(FXrtRun *run, const GpuOp *op, void *const *params) {
  GpuSlot *slot = run->gpu_slot;
  if (!slot || !atomic_load(&run->instance->gpu->makes_graphs)) {
    gpu_flush(run); /* pending if another thread has just given graphs up */
    if (slot)
      drop_ranges(&slot->pending);
    issue_now(run, op, params);
    return;
  }
  if (append(&slot->pending, op, params))
    fx_rt_fail("out of memory");
}

/* Puts the pending operations on the stream, then frees the memory whose
 * release was delayed until then. */
static void gpu_flush(FXrtRun *run) {
  GpuSlot *slot = run->gpu_slot;
  void *list[GPU_MOST_PARAMS];
  if (!slot || !slot->pending.n)
    return;
  int is_graph = slot->pending.n >= GPU_GRAPH_LEAST &&
                 atomic_load(&run->instance->gpu->makes_graphs) &&
                 launch_graph(run, slot);
  GpuSequence *s = &slot->pending;
  for (int k = 0; !is_graph && k < s->n; ++k)
    issue_now(run, &s->ops[k], list_params(&s->ops[k], s->params, list));
  clear_sequence(s);
  for (FXrtGpuBlock *block = run->gpu_blocks, *next; block; block = next) {
    next = block->next;
    if (block->is_freed)
      gpu_free(run, block->data);
  }
}

//===----------------------------------------------------------------------===//
// Begin and end of a run
//===----------------------------------------------------------------------===//

/* Returns the slot that the stream used before, or else an unused slot, or the
 * least recently used one. Returns null if other runs use all slots. */
static GpuSlot *choose_slot(FXrtGpu *gpu, CUstream stream) {
  GpuSlot *best = 0;
  for (int k = 0; k < GPU_SLOTS; ++k) {
    GpuSlot *slot = &gpu->slots[k];
    if (slot->is_busy)
      continue;
    if (slot->used && slot->stream == stream)
      return slot;
    if (!best || slot->used < best->used)
      best = slot;
  }
  return best;
}

/* Takes a slot for the run and orders the run after the last one that used the
 * slot. An event is needed even if the stream's handle is the same: the handle
 * may have been reused for a new stream, or denote a different stream in each
 * thread. */
static void take_slot(FXrtRun *run) {
  FXInstance *i = run->instance;
  pthread_mutex_lock(&i->common->lock);
  GpuSlot *slot = choose_slot(i->gpu, run->options.stream);
  int was_used = slot && slot->used;
  if (slot) {
    slot->is_busy = 1;
    slot->used = ++i->gpu->clock;
    slot->stream = run->options.stream;
  }
  pthread_mutex_unlock(&i->common->lock);
  if (!slot)
    return;
  run->gpu_slot = slot;
  slot->is_given = 0;
  clear_sequence(&slot->pending);
  if (!slot->done)
    gpu_check(driver.event_create(&slot->done, CU_EVENT_DISABLE_TIMING),
              "an event cannot be made");
  else if (was_used)
    gpu_check(driver.stream_wait(run->options.stream, slot->done, 0),
              "an event cannot be waited for");
}

/* Begins a run after the context was pushed: orders it after the runs with
 * which it shares memory. */
static void gpu_begin(FXrtRun *run) {
  FXrtGpu *gpu = run->instance->gpu;
  int status = 0;
  if (driver.has_graphs) {
    CUresult code = driver.is_capturing(run->options.stream, &status);
    /* An error means that another stream is being captured, and that work on
     * this stream would invalidate the capture. */
    run->is_captured = code || status;
    gpu_check(code, "the stream cannot be used");
  }
  if ((run->options.flags & (FX_RUN_ASYNC | FX_RUN_HOST_OUTPUTS)) !=
      FX_RUN_ASYNC)
    gpu_refuse_capture(run, "one that waits for the device");
  if (run->is_captured)
    return; /* the caller orders the work that it captures */
  if (gpu->states_done)
    gpu_check(driver.stream_wait(run->options.stream, gpu->states_done, 0),
              "an event cannot be waited for");
  if (atomic_load(&gpu->makes_graphs) &&
      !(run->options.flags & FX_RUN_NO_GRAPHS))
    take_slot(run);
}

/* Ends a run after its work was put on the stream; also called after a run that
 * failed. */
static void gpu_finish(FXrtRun *run) {
  FXrtGpu *gpu = run->instance->gpu;
  GpuSlot *slot = run->gpu_slot;
  CUstream stream = run->options.stream;
  if (!run->is_captured && gpu->states_done)
    driver.event_record(gpu->states_done, stream);
  if (!slot)
    return;
  run->gpu_slot = 0;
  if (slot->done)
    driver.event_record(slot->done, stream);
  pthread_mutex_lock(&run->instance->common->lock);
  slot->is_busy = 0;
  pthread_mutex_unlock(&run->instance->common->lock);
}

/* Decides if the instance makes graphs. If not, logs the reason. */
static void gpu_choose_graphs(FXrtGpu *gpu) {
  const char *value = getenv("FX_CUDA_GRAPHS"), *why = 0;
  char line[128];
  if (value && !strcmp(value, "0"))
    why = "FX_CUDA_GRAPHS=0";
  else if (gpu->is_synchronous)
    why = "FX_GPU_SYNC";
  else if (!driver.has_graphs)
    why = "the driver is not CUDA's, or is older than CUDA 11.4";
  atomic_init(&gpu->makes_graphs, !why);
  value = getenv("FX_CUDA_OVERLAP");
  atomic_init(&gpu->overlaps, gpu->image && gpu->image->overlaps &&
                                  !(value && !strcmp(value, "0")));
  value = getenv("FX_CUDA_BRANCHES");
  atomic_init(&gpu->branches, !(value && !strcmp(value, "0")));
  if (!why)
    return;
  int n = snprintf(line, sizeof line,
                   "{\"graphs\": \"off\", \"why\": \"%s\"}\n", why);
  gpu_log(gpu, line, n, sizeof line);
}

/* Frees the slots. The device must have finished all work. */
static void gpu_drop_slots(FXInstance *i) {
  FXrtGpu *gpu = i->gpu;
  for (int k = 0; k < GPU_SLOTS; ++k) {
    GpuSlot *slot = &gpu->slots[k];
    for (int g = 0; g < GPU_GRAPHS; ++g)
      drop_graph(&slot->graphs[g]);
    drop_sequence(&slot->pending);
    if (slot->arena)
      gpu_block_put(&i->common->callbacks, gpu->pool != 0, slot->arena,
                    slot->arena_bytes, 0);
    if (slot->done)
      driver.event_destroy(slot->done);
  }
  if (gpu->states_done)
    driver.event_destroy(gpu->states_done);
}
