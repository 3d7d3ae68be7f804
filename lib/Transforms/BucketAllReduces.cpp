//===- BucketAllReduces.cpp - combine small all-reduces -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A communication takes a time that does not depend on its size. Small ones,
// such as those of the gradients of biases, take little more.
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"
#include "fx/Operators/Collectives.h"
#include "fx/Operators/Cost.h"
#include "fx/Transforms/NodeNamer.h"
#include "fx/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fx {
#define GEN_PASS_DEF_BUCKETALLREDUCESPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {
/// All-reduces that can be one communication, and the nodes in between that
/// depend on them.
class Bucket {
public:
  bool isEmpty() const { return members.empty(); }
  size_t size() const { return members.size(); }

  /// Returns true if `op` uses a result of a member.
  bool reaches(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *maker = operand.getDefiningOp();
      return maker &&
             (dependents.contains(maker) || llvm::is_contained(members, maker));
    });
  }
  bool accepts(const OperatorView &call, int64_t callBytes,
               int64_t maxBytes) const;
  void add(const OperatorView &call, int64_t callBytes) {
    members.push_back(call);
    bytes += callBytes;
    numBefore = dependents.size();
  }
  void addDependent(Operation *op) { dependents.insert(op); }

  /// Replaces the members by one call.
  void combine(NodeNamer &namer);

private:
  SmallVector<Operation *> members;
  /// In the order of the graph.
  llvm::SetVector<Operation *> dependents;
  /// The number of dependents in front of the last member.
  size_t numBefore = 0;
  int64_t bytes = 0;
};

struct BucketAllReducesPass
    : fx::impl::BucketAllReducesPassBase<BucketAllReducesPass> {
  using BucketAllReducesPassBase::BucketAllReducesPassBase;

  void runOnOperation() override {
    FailureOr<SizeMap> parsed = parseSizes(getOperation(), sizeText);
    if (failed(parsed))
      return signalPassFailure();
    for (GraphOp graph : getOperation().getOps<GraphOp>())
      if (graph.getFunctional())
        visit(graph, *parsed);
  }
  void visit(GraphOp graph, const SizeMap &sizes);
};
} // namespace

static Type getDtype(Operation *op) {
  auto type = dyn_cast<FakeTensorType>(op->getOperand(0).getType());
  return type ? type.getDtype() : Type();
}

bool Bucket::accepts(const OperatorView &call, int64_t callBytes,
                     int64_t maxBytes) const {
  if (members.empty())
    return callBytes <= maxBytes;
  OperatorView first = getOperatorView(members.front());
  return !reaches(call) && callBytes <= maxBytes - bytes &&
         getDtype(first) == getDtype(call) &&
         first.getArg("reduce_op").tree == call.getArg("reduce_op").tree &&
         first.getArg("group_name").tree == call.getArg("group_name").tree;
}

void Bucket::combine(NodeNamer &namer) {
  Operation *last = members.back();
  OperatorView call = getOperatorView(last);
  MLIRContext *context = last->getContext();
  SmallVector<ArgumentTree> inputs;
  SmallVector<Type> types;
  for (Operation *member : members) {
    inputs.push_back(member->getOperand(0));
    types.push_back(member->getResult(0).getType());
  }
  OpBuilder b(last);
  CallFunctionOp combined =
      createCall(b, namer.rename(last->getLoc(), "all_reduce_coalesced"),
                 "_c10d_functional.all_reduce_coalesced.default", types,
                 {ArgumentTree::list(context, inputs),
                  ArgumentTree(call.getArg("reduce_op")),
                  ArgumentTree(call.getArg("group_name"))});
  SmallVector<Attribute> outs(types.size(), OperandAttr::get(context));
  combined.setOutsAttr(b.getArrayAttr(b.getArrayAttr(outs)));
  Operation *place = last;
  for (Operation *op :
       ArrayRef(dependents.getArrayRef()).take_front(numBefore)) {
    op->moveAfter(place);
    place = op;
  }
  for (auto [member, result] : llvm::zip_equal(members, combined->getResults()))
    member->getResult(0).replaceAllUsesWith(result);
  for (Operation *member : members) {
    namer.release(member);
    member->erase();
  }
}

void BucketAllReducesPass::visit(GraphOp graph, const SizeMap &sizes) {
  NodeNamer namer(graph);
  Bucket bucket;
  auto flush = [&] {
    if (bucket.size() > 1) {
      bucket.combine(namer);
      ++numBuckets;
    }
    bucket = Bucket();
  };
  for (Operation &op : llvm::make_early_inc_range(graph.getBlock())) {
    OperatorView call = getOperatorView(&op);
    if (call &&
        call.getSchema().getName() == "_c10d_functional.all_reduce.default" &&
        isa<FakeTensorType>(op.getResult(0).getType())) {
      std::optional<int64_t> bytes =
          evaluate(getByteCount(op.getResult(0).getType()), sizes);
      if (!bytes || !bucket.accepts(call, *bytes, maxBytes))
        flush();
      if (bytes && bucket.accepts(call, *bytes, maxBytes))
        bucket.add(call, *bytes);
      continue;
    }
    bool reached = bucket.reaches(&op);
    // A node with effects keeps its place: it cannot move behind the next
    // member. That of a node without a schema may be a communication.
    bool isFixed = !isMemoryEffectFree(&op) && !isa<PlaceholderOp>(op);
    if (isFixed &&
        (reached || !call || isCollective(call.getSchema().getName())))
      flush();
    else if (reached)
      bucket.addDependent(&op);
  }
  flush();
}
