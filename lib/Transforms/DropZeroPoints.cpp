//===- DropZeroPoints.cpp - zero points that are 0 ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/ExternalData.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_channel.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_channel_group.h"
#include "fx/Transforms/ConstantAnalysis.h"
#include "fx/Transforms/Passes.h"

namespace fx {
#define GEN_PASS_DEF_DROPZEROPOINTSPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;
namespace qd = fx::quantized_decomposed;

namespace {
class DropZeroPointsPass
    : public fx::impl::DropZeroPointsPassBase<DropZeroPointsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    ExternalData files;
    SymbolTable symbols(getOperation());
    for (auto graph : getOperation().getOps<GraphOp>()) {
      if (!graph.getFunctional())
        continue;
      ConstantAnalysis constants(graph);
      SmallVector<CallFunctionOp> calls(
          graph.getBlock().getOps<CallFunctionOp>());
      for (CallFunctionOp call : calls) {
        OpBuilder b(call);
        TypeRange types = call->getResultTypes();
        Location loc = call.getLoc();
        auto isDroppable = [&](Value zeros) {
          return zeros && constants.contains(zeros) &&
                 isZero(zeros, symbols, files);
        };
        CallFunctionOp made;
        if (auto v = dyn_cast<qd::DequantizePerChannel>(call.getOperation())) {
          if (isDroppable(v.zero_points()))
            made = qd::DequantizePerChannel::create(
                b, loc, types, v.inputArg(), v.scalesArg(), std::nullopt,
                v.axis(), v.quant_min(), v.quant_max(), v.dtype(),
                v.out_dtype());
        } else if (auto v = dyn_cast<qd::DequantizePerChannelGroup>(
                       call.getOperation())) {
          if (isDroppable(v.zero_points()))
            made = qd::DequantizePerChannelGroup::create(
                b, loc, types, v.inputArg(), v.scalesArg(), std::nullopt,
                v.quant_min(), v.quant_max(), v.dtype(), v.group_size(),
                v.output_dtype());
        }
        if (!made)
          continue;
        ++numDropped;
        made->setDiscardableAttrs(call->getDiscardableAttrDictionary());
        call->replaceAllUsesWith(made);
        call->erase();
      }
    }
  }

private:
  /// Returns true if `value` is a state whose whole storage is zero. Returns
  /// false if the storage cannot be read: a later user of the elements reports
  /// the error.
  static bool isZero(Value value, SymbolTable &symbols, ExternalData &files) {
    auto input = value.getDefiningOp<PlaceholderOp>();
    if (!input || !input.getTarget())
      return false;
    auto state = symbols.lookup<StateOp>(*input.getTarget());
    if (!state)
      return false;
    // A splat in the module stores its value only once.
    if (auto dense =
            dyn_cast_if_present<DenseElementsAttr>(state.getInitAttr());
        dense && dense.isSplat())
      return llvm::all_of(dense.getRawData(), [](char c) { return c == 0; });
    llvm::Expected<ArrayRef<char>> bytes = files.get(state);
    if (!bytes) {
      llvm::consumeError(bytes.takeError());
      return false;
    }
    return llvm::all_of(*bytes, [](char c) { return c == 0; });
  }
};
} // namespace
