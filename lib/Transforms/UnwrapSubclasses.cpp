//===- UnwrapSubclasses.cpp - the tensors of tensor subclasses ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/View.h"
#include "fx/Operators/_export/access_subclass_inner_tensor.h"
#include "fx/Transforms/NodeNamer.h"
#include "fx/Transforms/Passes.h"

namespace fx {
#define GEN_PASS_DEF_UNWRAPSUBCLASSESPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;
using Access = fx::_export::AccessSubclassInnerTensor;

namespace {
class UnwrapSubclassesPass
    : public fx::impl::UnwrapSubclassesPassBase<UnwrapSubclassesPass> {
public:
  void runOnOperation() override {
    DenseMap<std::pair<Attribute, Attribute>, StateOp> inner;
    for (auto state : getOperation().getOps<StateOp>())
      if (auto outer = state->getAttrOfType<FlatSymbolRefAttr>("fx.inner_of"))
        inner[{outer, state->getAttr("fx.inner_name")}] = state;
    SymbolTable symbols(getOperation());
    for (auto graph : getOperation().getOps<GraphOp>()) {
      SmallVector<Access> calls;
      for (Operation &op : graph.getBlock())
        if (auto call = dyn_cast<Access>(&op))
          calls.push_back(call);
      if (calls.empty())
        continue;
      NodeNamer namer(graph);
      for (Access call : calls) {
        if (failed(replace(call, inner, symbols, namer)))
          return signalPassFailure();
      }
      for (PlaceholderOp input : graph.getPlaceholders())
        if (wrappers.contains(input.getOperation()) &&
            input.getResult().use_empty())
          input.erase();
      wrappers.clear();
      inputs.clear();
    }
  }

private:
  /// Replaces an access by a placeholder of the inner tensor's state.
  LogicalResult
  replace(Access call,
          const DenseMap<std::pair<Attribute, Attribute>, StateOp> &inner,
          SymbolTable &symbols, NodeNamer &namer) {
    Operation *op = call.getOperation();
    std::optional<StringRef> name = call.attr().getString();
    Value operand = call.src_subclass_tensor();
    auto input =
        operand ? operand.getDefiningOp<PlaceholderOp>() : PlaceholderOp();
    if (!name || !input || !input.getTarget() || op->getNumResults() != 1)
      return op->emitError("expected the name of a tensor of a weight");
    StateOp state = inner.lookup(
        {input.getTargetAttr(), StringAttr::get(op->getContext(), *name)});
    if (!state)
      return refuse(op, *name, symbols.lookup<StateOp>(*input.getTarget()));
    auto type = dyn_cast<FakeTensorType>(state.getType()),
         expected = dyn_cast<FakeTensorType>(op->getResult(0).getType());
    if (!type || !expected || type.getDtype() != expected.getDtype() ||
        type.getSizes() != expected.getSizes())
      return op->emitError("expected a tensor '")
             << *name << "' of type " << op->getResult(0).getType() << ", got "
             << state.getType();
    PlaceholderOp &known = inputs[state];
    if (!known) {
      OpBuilder b(input);
      known = cast<PlaceholderOp>(b.clone(*input));
      known.setName(namer.getUnique((input.getName() + "_" + *name).str()));
      known.setTargetAttr(FlatSymbolRefAttr::get(state));
      known.getResult().setType(state.getType());
      known->setLoc(NameLoc::get(b.getStringAttr(known.getName())));
    }
    op->getResult(0).replaceAllUsesWith(known.getResult());
    op->erase();
    wrappers.insert(input);
    return success();
  }

  static LogicalResult refuse(Operation *op, StringRef name, StateOp outer) {
    auto reason =
        outer ? outer->getAttrOfType<StringAttr>("fx.reason") : StringAttr();
    InFlightDiagnostic error = op->emitError("the weight '")
                               << (outer ? outer.getSymName() : StringRef())
                               << "' has no tensor '" << name
                               << "' that can be read";
    if (reason)
      error << ": " << reason.getValue();
    return error;
  }

  DenseMap<Operation *, PlaceholderOp> inputs;
  SmallPtrSet<Operation *, 8> wrappers;
};
} // namespace
