//===- Outline.cpp - make a kernel function of a group --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/Outline.h"
#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/Attention.h"
#include "fx/Kernels/IR/KernelDialect.h"
#include "fx/Kernels/StridedViews.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fx;
using namespace fx::kernel;

Outliner::Outliner(ModuleOp module, bool stridedViews)
    : module(module), stridedViews(stridedViews) {
  for (auto func : module.getOps<func::FuncOp>()) {
    unsigned id;
    StringRef name = func.getSymName();
    if (name.consume_front("kernel_") && !name.getAsInteger(10, id))
      nextId = std::max(nextId, id + 1);
  }
}

/// Returns true for ops that are copied into each kernel that reads them.
static bool isCopied(Operation *op) {
  return matchPattern(op, m_Constant()) ||
         isa<tensor::EmptyOp, linalg::FillOp, UnpackOp, UntransformOp>(op);
}

/// Returns the tensor.empty that `init` is, or that it fills; null if there is
/// none.
static tensor::EmptyOp emptyOf(Value init) {
  while (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.getOutputs()[0];
  return init.getDefiningOp<tensor::EmptyOp>();
}

/// Returns an empty tensor of the type and sizes of `result`, its destination.
static Value makeDestination(OpBuilder &b, OpResult result) {
  Operation *op = result.getOwner();
  if (auto dps = dyn_cast<DestinationStyleOpInterface>(op)) {
    Value init = dps.getTiedOpOperand(result)->get();
    if (tensor::EmptyOp empty = emptyOf(init))
      return empty;
    return tensor::EmptyOp::create(b, op->getLoc(),
                                   tensor::getMixedSizes(b, op->getLoc(), init),
                                   getElementTypeOrSelf(init.getType()));
  }
  // Dimensions that a tensor.pad of a group pads are static.
  auto pad = cast<tensor::PadOp>(op);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, op->getLoc(), pad.getSource());
  for (auto [d, size] : llvm::enumerate(pad.getResultType().getShape()))
    if (!ShapedType::isDynamic(size))
      sizes[d] = b.getIndexAttr(size);
  return tensor::EmptyOp::create(b, op->getLoc(), sizes,
                                 pad.getResultType().getElementType());
}

namespace {
/// A group of ops and what its kernel takes and returns.
struct KernelGroup {
  explicit KernelGroup(ArrayRef<Operation *> group);

  /// The ops in the order of their block.
  SmallVector<Operation *> ops;
  llvm::SmallPtrSet<Operation *, 16> members;
  /// The results that ops outside of the group read.
  SmallVector<OpResult> outputs;
  /// The values that the group reads, and the ops that are copied into the
  /// kernel instead of being read, in the order of their uses.
  llvm::SetVector<Value> inputs;
  llvm::SetVector<Operation *> copies;
};
} // namespace

KernelGroup::KernelGroup(ArrayRef<Operation *> group)
    : ops(group), members(group.begin(), group.end()) {
  llvm::sort(ops,
             [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  for (Operation *op : ops)
    for (OpResult result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            Operation *at = op->getBlock()->findAncestorOpInBlock(*user);
            return !members.contains(at);
          }))
        outputs.push_back(result);
}

/// Adds `v`, which the group reads, to its inputs. If `v` is defined by an op
/// that is copied, adds this op to the copies and its operands to the inputs
/// instead. With `stridedViews`, views that are read in place are copied, too.
static void addInput(KernelGroup &group, Value v, bool stridedViews) {
  Operation *def = v.getDefiningOp();
  if (def && group.members.contains(def))
    return;
  if (stridedViews && isReadInPlace(v)) {
    // The views of the view are copied, whatever their strides.
    SmallVector<Operation *> views;
    for (Value source = getStridedView(v)->source; v != source;
         v = v.getDefiningOp()->getOperand(0))
      views.push_back(v.getDefiningOp());
    addInput(group, v, stridedViews);
    group.copies.insert(views.rbegin(), views.rend());
    return;
  }
  SplatElementsAttr splat;
  bool isTable = def && matchPattern(def, m_Constant()) &&
                 isa<ShapedType>(v.getType()) &&
                 !matchPattern(v, m_Constant(&splat));
  if (!def || !isCopied(def) || isTable) {
    group.inputs.insert(v);
    return;
  }
  for (Value operand : def->getOperands())
    addInput(group, operand, stridedViews);
  group.copies.insert(def);
}

static void findInputs(KernelGroup &group, bool stridedViews) {
  for (Operation *op : group.ops) {
    llvm::SetVector<Value> used;
    used.insert(op->getOperands().begin(), op->getOperands().end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value v : used)
      addInput(group, v, stridedViews);
  }
}

/// Returns `mapping` for the copy of `op`, with the inits of outputs mapped to
/// the destinations that are arguments of the kernel.
static IRMapping mapDestinations(OpBuilder &b, Operation *op,
                                 const KernelGroup &group, Block &body,
                                 const IRMapping &mapping) {
  IRMapping local = mapping;
  auto dps = dyn_cast<DestinationStyleOpInterface>(op);
  if (!dps)
    return local;
  for (OpResult result : op->getResults()) {
    const OpResult *it = llvm::find(group.outputs, result);
    if (it == group.outputs.end())
      continue;
    Value out =
        body.getArgument(group.inputs.size() + (it - group.outputs.begin()));
    Value init = dps.getTiedOpOperand(result)->get();
    if (!emptyOf(init))
      continue;
    if (auto fill = init.getDefiningOp<linalg::FillOp>();
        fill && fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>()) {
      Value value = mapping.lookupOrDefault(fill.getInputs()[0]);
      out = linalg::FillOp::create(b, fill.getLoc(), ValueRange{value},
                                   ValueRange{out})
                ->getResult(0);
    }
    local.map(init, out);
  }
  return local;
}

/// Copies the group into a new function, which takes the inputs and a
/// destination for each output.
static func::FuncOp buildKernel(const KernelGroup &group, FunctionType type) {
  Location loc = group.ops.back()->getLoc();
  auto func = func::FuncOp::create(loc, "kernel", type);
  func.setPrivate();
  func->setAttr(kKernelAttr, UnitAttr::get(type.getContext()));
  Block *body = func.addEntryBlock();
  OpBuilder b = OpBuilder::atBlockBegin(body);
  IRMapping mapping;
  for (auto [from, to] : llvm::zip(group.inputs, body->getArguments()))
    mapping.map(from, to);
  for (Operation *op : group.copies)
    b.clone(*op, mapping);
  for (Operation *op : group.ops) {
    IRMapping local = mapDestinations(b, op, group, *body, mapping);
    Operation *clone = b.clone(*op, local);
    mapping.map(op->getResults(), clone->getResults());
  }
  SmallVector<Value> returned;
  for (OpResult result : group.outputs)
    returned.push_back(mapping.lookup(result));
  func::ReturnOp::create(b, loc, returned);
  // Erase copies without uses.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();

  // This attribute records where an op comes from. It would keep equal kernels
  // from being shared.
  func.walk([](Operation *op) { op->removeDiscardableAttr(kAttentionAttr); });
  return func;
}

func::FuncOp Outliner::findOrInsert(func::FuncOp func) {
  std::string text;
  llvm::raw_string_ostream os(text);
  func->print(os, OpPrintingFlags().useLocalScope());
  auto [it, isNew] = kernels.try_emplace(text, func);
  if (isNew) {
    func.setSymName("kernel_" + std::to_string(nextId++));
    module.push_back(func);
    return func;
  }
  func.erase();
  ++shared;
  return it->second;
}

/// Invokes `callee` in place of the group.
static void replaceGroup(OpBuilder &b, KernelGroup &group, func::FuncOp callee,
                         TypeRange resultTypes, ValueRange destinations) {
  // Fuse the locations of all ops. The last op comes first: it gives its name.
  SmallVector<Location> locs;
  for (Operation *op : llvm::reverse(group.ops))
    locs.push_back(op->getLoc());
  auto invoke = kernel::InvokeOp::create(
      b, b.getFusedLoc(locs), resultTypes,
      FlatSymbolRefAttr::get(b.getContext(), callee.getSymName()),
      group.inputs.getArrayRef(), destinations);
  for (auto [from, to] : llvm::zip(group.outputs, invoke->getResults()))
    from.replaceAllUsesWith(to);
  for (Operation *op : llvm::reverse(group.ops))
    if (op->use_empty())
      op->erase();
}

void Outliner::outline(ArrayRef<Operation *> ops) {
  KernelGroup group(ops);
  if (group.outputs.empty())
    return;
  for (OpResult result : group.outputs)
    if (!isa<RankedTensorType>(result.getType()))
      return;
  findInputs(group, stridedViews);

  OpBuilder b(group.ops.back()->getContext());
  b.setInsertionPointAfter(group.ops.back());
  SmallVector<Value> outs;
  for (OpResult result : group.outputs)
    outs.push_back(makeDestination(b, result));
  SmallVector<Type> types, resultTypes;
  for (Value v : group.inputs)
    types.push_back(v.getType());
  for (Value v : outs) {
    types.push_back(v.getType());
    resultTypes.push_back(v.getType());
  }
  for (auto [result, type] : llvm::zip(group.outputs, resultTypes))
    if (result.getType() != type)
      return; // the types differ by a cast: do not outline

  func::FuncOp kernel = findOrInsert(buildKernel(
      group, FunctionType::get(b.getContext(), types, resultTypes)));
  replaceGroup(b, group, kernel, resultTypes, outs);
}

void fx::kernel::inlineKernel(func::FuncOp kernel, kernel::InvokeOp invoke) {
  OpBuilder b(invoke);
  IRMapping mapping;
  Block &body = kernel.getBody().front();
  mapping.map(body.getArguments(), invoke->getOperands());
  for (Operation &op : body.without_terminator()) {
    Operation *clone = b.clone(op, mapping);
    clone->removeAttr(kScheduleAttr);
  }
  for (auto [result, value] :
       llvm::zip(invoke->getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  invoke->erase();
}
