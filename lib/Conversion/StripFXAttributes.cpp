//===- StripFXAttributes.cpp - prepare linalg for other compilers ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandRandom.h"
#include "ExpandStrides.h"
#include "StateElements.h"
#include "fx/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fx {
#define GEN_PASS_DEF_STRIPFXATTRIBUTES
#include "fx/Conversion/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

/// Returns true for attributes of the contract between passes, and of this
/// project's own kernels.
static bool isContract(NamedAttribute attr) {
  StringRef name = attr.getName().getValue();
  return name.starts_with("fx.") || name.starts_with("fx_kernel.");
}

/// Returns the dictionary without them.
static DictionaryAttr withoutContract(DictionaryAttr attrs, MLIRContext *ctx) {
  NamedAttrList kept;
  if (attrs)
    for (NamedAttribute attr : attrs)
      if (!isContract(attr))
        kept.append(attr);
  return kept.getDictionary(ctx);
}

namespace {
struct StripFXAttributes : fx::impl::StripFXAttributesBase<StripFXAttributes> {
  using StripFXAttributesBase::StripFXAttributesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool failed = false;
    module.walk([&](Operation *op) {
      if (isa_and_present<FXDialect>(op->getDialect()) && !isa<StateOp>(op)) {
        InFlightDiagnostic error = op->emitError("expected linalg only, got ");
        if (auto eager = dyn_cast<EagerOp>(op)) {
          error << "the operator '" << eager.getTarget()
                << "', which only ATen runs";
          if (auto reason = op->getAttrOfType<StringAttr>("fx.reason"))
            error << ": " << reason.getValue();
        } else {
          error << "'" << op->getName() << "'";
        }
        failed = true;
        return isa<GraphOp>(op) ? WalkResult::skip() : WalkResult::advance();
      }
      return WalkResult::advance();
    });
    if (failed)
      return signalPassFailure();
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (embedStates && mlir::failed(embed(module, function)))
        return signalPassFailure();
    if (mlir::failed(expandRandom(module)))
      return signalPassFailure();
    expandStridedInserts(module);
    module.walk([&](Operation *op) {
      for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs()))
        if (isContract(attr))
          op->removeDiscardableAttr(attr.getName());
      if (auto function = dyn_cast<func::FuncOp>(op)) {
        for (unsigned i = 0; i < function.getNumArguments(); ++i)
          function.setArgAttrs(
              i, withoutContract(function.getArgAttrDict(i), &getContext()));
        for (unsigned i = 0; i < function.getNumResults(); ++i)
          function.setResultAttrs(
              i, withoutContract(function.getResultAttrDict(i), &getContext()));
      }
    });
    for (StateOp state : llvm::make_early_inc_range(module.getOps<StateOp>()))
      state.erase();
  }

  /// Replaces the arguments that are states by constants. A state that the
  /// function mutates stays an argument: the caller owns its value.
  LogicalResult embed(ModuleOp module, func::FuncOp function) {
    ExternalData files;
    llvm::BitVector erased(function.getNumArguments());
    OpBuilder b(&function.getBody().front(),
                function.getBody().front().begin());
    for (BlockArgument argument : function.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto name = function.getArgAttrOfType<FlatSymbolRefAttr>(i, "fx.state");
      if (!name || function.getArgAttr(i, "fx.mutable"))
        continue;
      auto state = module.lookupSymbol<StateOp>(name.getAttr());
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!state || !type || !isa<FakeTensorType>(state.getType()) ||
          !type.hasStaticShape())
        return function.emitError("argument ")
               << i << ": expected a state of static size, got " << name;
      llvm::Expected<DenseElementsAttr> value =
          readStateElements(state, type, files);
      if (!value)
        return state.emitError("state '")
               << name.getValue() << "': " << llvm::toString(value.takeError());
      argument.replaceAllUsesWith(
          arith::ConstantOp::create(b, state.getLoc(), *value));
      erased.set(i);
    }
    return function.eraseArguments(erased);
  }
};
} // namespace
