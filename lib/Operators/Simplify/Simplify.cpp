//===- Simplify.cpp - apply identities of operators -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operands.h"
#include "fx/Operators/Purity.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fx;

void Simplification::registerAll(HookTable<Simplification> &hooks) {
  registerArithmeticSimplifications(hooks);
  registerCopySimplifications(hooks);
  registerViewSimplifications(hooks);
}

/// Returns true if the sizes, dtypes and devices are equal.
static bool haveSameElements(FakeTensorType a, FakeTensorType b) {
  return a && b && a.getSizes() == b.getSizes() &&
         a.getDtype() == b.getDtype() && a.getDevice() == b.getDevice();
}

/// Returns true if the strides, storage offsets and layouts are equal. Ignores
/// requires_grad.
static bool haveSameLayout(FakeTensorType a, FakeTensorType b) {
  auto get = [](FakeTensorType type) {
    MetaAttr m = type.getMeta();
    return m ? std::tuple(m.getStrides(), m.getStorageOffset(), m.getLayout())
             : std::tuple(ArrayRef<ExprAttr>(), ExprAttr(), StringAttr());
  };
  return get(a) == get(b);
}

static bool leavesGraph(Value value) {
  return llvm::any_of(value.getUsers(), llvm::IsaPred<OutputOp>);
}

LogicalResult Simplifier::replaceByAlias(Value value) {
  Value result = call.getOperation()->getResult(0);
  if (!haveSameElements(getTensor(value), getTensor(result)) ||
      (leavesGraph(result) && value.getDefiningOp<PlaceholderOp>()))
    return failure();
  rewriter.replaceOp(call.getOperation(), value);
  return success();
}

/// Returns true if the strides in the type hold at run time. The type of a call
/// result may be inferred, and inferred types do not have strides.
static bool hasCertainStrides(Value value) {
  return value.getDefiningOp<PlaceholderOp>() != nullptr;
}

LogicalResult Simplifier::replaceByEqual(Value value) {
  Operation *op = call.getOperation();
  Value result = op->getResult(0);
  FakeTensorType have = getTensor(value), want = getTensor(result);
  if (!haveSameElements(have, want) || !haveSameLayout(have, want) ||
      leavesGraph(result))
    return failure();
  if (!llvm::all_of(op->getResults().drop_front(),
                    [](Value other) { return other.use_empty(); }))
    return failure();
  // A view may be impossible with other strides.
  if (!hasCertainStrides(value))
    for (Operation *user : result.getUsers()) {
      OperatorView view = getOperatorView(user);
      if (!view || view.getSchema().isView())
        return failure();
    }
  rewriter.replaceAllUsesWith(result, value);
  rewriter.eraseOp(op);
  return success();
}

/// Returns `tree` with operand leaf number `index` replaced by `by`. Decrements
/// `index` for each leaf visited.
static Attribute replaceLeaf(Attribute tree, unsigned &index, Attribute by) {
  if (isa<OperandAttr>(tree))
    return index-- == 0 ? by : tree;
  if (auto dict = dyn_cast<DictAttr>(tree))
    return DictAttr::get(
        tree.getContext(), dict.getKeys(),
        cast<ArrayAttr>(replaceLeaf(dict.getValues(), index, by)));
  auto list = dyn_cast<ArrayAttr>(tree);
  if (!list)
    return tree;
  SmallVector<Attribute> elements;
  for (Attribute element : list) {
    elements.push_back(replaceLeaf(element, index, by));
  }
  return ArrayAttr::get(tree.getContext(), elements);
}

LogicalResult Simplifier::replaceByInt(int64_t value) {
  Value result = call.getOperation()->getResult(0);
  Attribute number = rewriter.getI64IntegerAttr(value);
  bool changed = false;
  llvm::SmallSetVector<Operation *, 4> users(result.user_begin(),
                                             result.user_end());
  for (Operation *op : users) {
    auto user = dyn_cast<CallFunctionOp>(op);
    // Calls of subgraphs and outputs need values.
    if (!user)
      continue;
    // From the back, because erasing an operand moves those behind it.
    rewriter.modifyOpInPlace(user, [&] {
      for (unsigned i = user->getNumOperands(); i-- > 0;) {
        if (user->getOperand(i) != result)
          continue;
        unsigned leaf = i;
        user.setArgsAttr(
            cast<ArrayAttr>(replaceLeaf(user.getArgs(), leaf, number)));
        user->eraseOperand(i);
      }
    });
    changed = true;
  }
  return success(changed);
}

OperatorView fx::getProducer(Value value, ArrayRef<StringLiteral> targets) {
  auto call = value ? value.getDefiningOp<CallFunctionOp>() : CallFunctionOp();
  if (!call || !llvm::is_contained(targets, call.getTarget()))
    return OperatorView();
  return getOperatorView(call);
}

/// Replaces a symbolic int by an integer if its expression is one, or by a
/// value that it is computed from if both expressions are equal, as in
/// (2*s0)//2.
static LogicalResult simplifySymInt(const OperatorView &call,
                                    Simplifier &simplifier) {
  if (call->getNumResults() != 1)
    return failure();
  auto type = dyn_cast<SymIntType>(call->getResult(0).getType());
  if (!type || !type.getExpr())
    return failure();
  if (std::optional<int64_t> value = type.getExpr().getInteger())
    return simplifier.replaceByInt(*value);
  // Search the producers. The search stops after 8 values.
  SmallVector<Value, 8> worklist(call->getOperands());
  for (unsigned i = 0; i < worklist.size() && i < 8; ++i) {
    if (worklist[i].getType() == type) {
      simplifier.getRewriter().replaceOp(call.getOperation(), worklist[i]);
      return success();
    }
    OperatorView producer = getOperatorView(worklist[i].getDefiningOp());
    if (producer && isSymbolicComputation(producer))
      worklist.append(producer->operand_begin(), producer->operand_end());
  }
  return failure();
}

LogicalResult fx::simplifyCall(const OperatorView &call,
                               PatternRewriter &rewriter) {
  Simplifier simplifier(call, rewriter);
  if (isSymbolicComputation(call))
    return simplifySymInt(call, simplifier);
  auto graph = dyn_cast_if_present<GraphOp>(call->getParentOp());
  if (!graph || !graph.getFunctional() ||
      (call->getNumResults() == 0 && !call.getSchema().hasNoResults()))
    return failure();
  if (call.getSchema().getName().starts_with("aten.sym_size.") &&
      !definesSymbol(call))
    return simplifySymInt(call, simplifier);
  auto hook = HookTable<Simplification>::get().lookup(call.getSchema());
  return hook ? hook(call, simplifier) : failure();
}
