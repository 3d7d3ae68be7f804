//===- Graphs.cpp - graphs of an emulated GPU -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes are done in an order that their edges allow, the last one that was made
// first: who forgets an edge gets another order. Addresses are looked at when
// the graph is launched, so that those that were freed since show.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <algorithm>
#include <set>

using namespace emulator;

namespace {
/// CUDA_KERNEL_NODE_PARAMS_v1 of cuda.h.
struct KernelParams {
  Function *function;
  unsigned grid[3], block[3], shared;
  void **params, **extra;
};
static_assert(sizeof(KernelParams) == 56);

/// One side of CUDA_MEMCPY3D.
struct CopySide {
  size_t x, y, z, lod;
  int kind; ///< 1: host, 2: device
  const void *host;
  uint64_t device;
  void *array, *reserved;
  size_t pitch, height;
};
struct CopyParams {
  CopySide from, to;
  size_t width, height, depth;
};
static_assert(sizeof(CopyParams) == 200);

/// CUDA_MEMSET_NODE_PARAMS_v1.
struct FillParams {
  uint64_t to;
  size_t pitch;
  unsigned value, element;
  size_t width, height;
};
static_assert(sizeof(FillParams) == 40);

/// CUgraphEdgeData.
struct EdgeData {
  unsigned char fromPort, toPort, type, reserved[5];
};
static_assert(sizeof(EdgeData) == 8);

struct Exec {
  std::vector<std::unique_ptr<Node>> nodes;
  /// By the node of the graph that it was made of.
  std::map<const Node *, Node *> of;
  std::vector<Node *> order;
  std::shared_ptr<const Order> before;
  std::shared_ptr<GraphMemory> memory;
  size_t programmatic; ///< edges
  /// Of the last launch: the next one is behind it, on whatever stream.
  ItemRef last;
};
} // namespace

static std::set<Graph *> graphs;
static std::set<Exec *> execs;

GraphMemory::~GraphMemory() {
  for (uint64_t address : addresses)
    freeMemory(address);
}

static Result addNode(Node **out, Graph *graph, Node *const *after,
                      size_t count, Operation operation) {
  auto node = std::make_unique<Node>();
  for (size_t i = 0; i < count; ++i) {
    auto it = std::find_if(graph->nodes.begin(), graph->nodes.end(),
                           [&](auto &n) { return n.get() == after[i]; });
    if (it == graph->nodes.end())
      return kInvalidValue;
    node->after.push_back(it - graph->nodes.begin());
  }
  node->operation = std::move(operation);
  *out = node.get();
  graph->nodes.push_back(std::move(node));
  return kSuccess;
}

static Result makeKernel(Operation &operation, const KernelParams &params) {
  return makeLaunch(operation, params.function, params.grid, params.block,
                    params.shared, params.params);
}

static Result makeCopy(Operation &operation, const CopyParams &params) {
  const CopySide &from = params.from, &to = params.to;
  bool isPlain = from.kind == 2 && to.kind == 2 && params.height == 1 &&
                 params.depth == 1 && !from.x && !from.y && !from.z && !to.x &&
                 !to.y && !to.z && params.width > 0 &&
                 from.pitch >= params.width && to.pitch >= params.width;
  if (!isPlain)
    return kInvalidValue;
  operation = {Operation::Copy};
  operation.to = to.device;
  operation.from = from.device;
  operation.bytes = params.width;
  return kSuccess;
}

static Result makeFill(Operation &operation, const FillParams &params) {
  unsigned size = params.element;
  if ((size != 1 && size != 2 && size != 4) || params.height != 1 ||
      !params.width || params.to % size)
    return kInvalidValue;
  operation = {Operation::Fill};
  operation.to = params.to;
  operation.bytes = params.width * size;
  operation.value = params.value;
  operation.element = size;
  return kSuccess;
}

/// Replaces what a node of an instance does by the same kind of operation.
static Result setNode(Exec *exec, const Node *node, const Operation &made) {
  if (!execs.contains(exec))
    return kInvalidHandle;
  auto it = exec->of.find(node);
  if (it == exec->of.end())
    return kInvalidValue;
  Operation &operation = it->second->operation;
  if (operation.kind != made.kind || operation.function != made.function)
    return kInvalidValue;
  size_t number = operation.node;
  operation = made;
  operation.order = exec->before;
  operation.node = number;
  log("\"call\": \"graph update\"");
  return kSuccess;
}

/// Drops the edge that FX_FAKE_CUDA_FORGETS_EDGE numbers, from 1 on.
static void forgetEdge(std::vector<std::unique_ptr<Node>> &nodes) {
  size_t number = getNumber("FX_FAKE_CUDA_FORGETS_EDGE", "0");
  for (auto &node : nodes) {
    if (number && number <= node->after.size()) {
      node->after.erase(node->after.begin() + (number - 1));
      return;
    }
    number -= std::min(number, node->after.size());
  }
}

/// Finds the nodes from which there is a path to each node.
static std::shared_ptr<const Order>
findOrder(const std::vector<std::unique_ptr<Node>> &nodes) {
  Order order(nodes.size(), std::vector<bool>(nodes.size()));
  for (size_t i = 0; i < nodes.size(); ++i)
    for (size_t k : nodes[i]->after) {
      order[i][k] = true;
      for (size_t j = 0; j < k; ++j)
        order[i][j] = order[i][j] || order[k][j];
    }
  return std::make_shared<const Order>(std::move(order));
}

extern "C" {
Result cuGraphCreate(Graph **graph, unsigned) {
  ENTER;
  graphs.insert(*graph = new Graph);
  return kSuccess;
}
Result cuGraphDestroy(Graph *graph) {
  ENTER;
  graphs.erase(graph);
  delete graph;
  return kSuccess;
}

Result cuGraphAddKernelNode(Node **node, Graph *graph, Node *const *after,
                            size_t count, const KernelParams *params) {
  ENTER;
  Operation made = {};
  if (Result error = makeKernel(made, *params))
    return error;
  return addNode(node, graph, after, count, std::move(made));
}
Result cuGraphAddMemcpyNode(Node **node, Graph *graph, Node *const *after,
                            size_t count, const CopyParams *params, void *) {
  ENTER;
  Operation made = {};
  if (Result error = makeCopy(made, *params))
    return error;
  return addNode(node, graph, after, count, std::move(made));
}
Result cuGraphAddMemsetNode(Node **node, Graph *graph, Node *const *after,
                            size_t count, const FillParams *params, void *) {
  ENTER;
  Operation made = {};
  if (Result error = makeFill(made, *params))
    return error;
  return addNode(node, graph, after, count, std::move(made));
}

/// Programmatic edges, from kernels to kernels. Their nodes are done in order:
/// what a kernel does before it waits is for the tests of its code.
Result cuGraphAddDependencies_v2(Graph *graph, Node *const *from,
                                 Node *const *to, const EdgeData *data,
                                 size_t count) {
  ENTER;
  for (size_t i = 0; i < count; ++i) {
    auto find = [&](const Node *node) {
      return std::find_if(graph->nodes.begin(), graph->nodes.end(),
                          [&](auto &n) { return n.get() == node; });
    };
    auto source = find(from[i]), target = find(to[i]);
    if (source == graph->nodes.end() || target == graph->nodes.end() ||
        data[i].fromPort != 1 || data[i].toPort || data[i].type != 1)
      return kInvalidValue;
    if ((*source)->operation.kind != Operation::Launch ||
        (*target)->operation.kind != Operation::Launch)
      return kInvalidValue;
    (*target)->after.push_back(source - graph->nodes.begin());
    ++graph->programmatic;
  }
  return kSuccess;
}

Result cuGraphInstantiateWithFlags(Exec **out, Graph *graph,
                                   unsigned long long) {
  ENTER;
  auto exec = std::make_unique<Exec>();
  size_t n = graph->nodes.size();
  for (auto &node : graph->nodes) {
    exec->nodes.push_back(std::make_unique<Node>(*node));
    exec->of[node.get()] = exec->nodes.back().get();
  }
  forgetEdge(exec->nodes);
  std::vector<bool> isOrdered(n);
  while (exec->order.size() < n)
    for (size_t i = n; i-- > 0;) {
      const std::vector<size_t> &after = exec->nodes[i]->after;
      if (isOrdered[i] || !std::all_of(after.begin(), after.end(),
                                       [&](size_t k) { return isOrdered[k]; }))
        continue;
      isOrdered[i] = true;
      exec->order.push_back(exec->nodes[i].get());
      break;
    }
  exec->before = findOrder(exec->nodes);
  for (size_t i = 0; i < n; ++i) {
    exec->nodes[i]->operation.order = exec->before;
    exec->nodes[i]->operation.node = i;
  }
  exec->memory = graph->memory;
  exec->programmatic = graph->programmatic;
  log("\"call\": \"instantiate\"" + field("nodes", n) +
      (graph->programmatic ? field("programmatic", graph->programmatic) : ""));
  execs.insert(*out = exec.release());
  return kSuccess;
}
Result cuGraphExecDestroy(Exec *exec) {
  ENTER;
  if (!execs.erase(exec))
    return kInvalidHandle;
  if (exec->last && !exec->last->isDone)
    finish(*exec->last->stream);
  delete exec;
  return kSuccess;
}

Result cuGraphExecKernelNodeSetParams(Exec *exec, const Node *node,
                                      const KernelParams *params) {
  ENTER;
  Operation made = {};
  if (Result error = makeKernel(made, *params))
    return error;
  return setNode(exec, node, made);
}
Result cuGraphExecMemcpyNodeSetParams(Exec *exec, const Node *node,
                                      const CopyParams *params, void *) {
  ENTER;
  Operation made = {};
  if (Result error = makeCopy(made, *params))
    return error;
  return setNode(exec, node, made);
}
Result cuGraphExecMemsetNodeSetParams(Exec *exec, const Node *node,
                                      const FillParams *params, void *) {
  ENTER;
  Operation made = {};
  if (Result error = makeFill(made, *params))
    return error;
  return setNode(exec, node, made);
}

Result cuGraphLaunch(Exec *exec, void *handle) {
  ENTER;
  Stream *stream = findStream(handle);
  if (!stream || !execs.contains(exec))
    return kInvalidHandle;
  if (exec->programmatic && !getNumber("FX_FAKE_CUDA_OVERLAPS", "1"))
    return kNotSupported;
  bool isChain = true;
  for (size_t i = 1; i < exec->nodes.size(); ++i)
    isChain &= exec->nodes[i]->after == std::vector<size_t>{i - 1};
  if (!isChain && !getNumber("FX_FAKE_CUDA_BRANCHES", "1"))
    return kNotSupported;
  if (stream->capture)
    die("a graph is launched on a stream that is captured");
  for (Node *node : exec->order)
    checkAddresses(node->operation, *stream->device);
  log("\"call\": \"graph\"" + field("nodes", exec->order.size()) +
      field("stream", (uint64_t)handle));
  ItemRef before = exec->last;
  exec->last = enqueue(*stream, {Operation::Nothing});
  if (before && !before->isDone)
    exec->last->after.push_back(before);
  static uint16_t launches;
  launches += launches == 0xffff ? 2 : 1;
  for (Node *node : exec->order) {
    node->operation.graph = launches;
    exec->last = enqueue(*stream, node->operation);
  }
  return kSuccess;
}
}
