//===- NoteNarrowWeights.cpp - weights of four bits -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/ExternalData.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_channel.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_channel_group.h"
#include "fx/Operators/quantized_decomposed/dequantize_per_tensor.h"
#include "fx/Transforms/ConstantAnalysis.h"
#include "fx/Transforms/Passes.h"

namespace fx {
#define GEN_PASS_DEF_NOTENARROWWEIGHTSPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;
namespace qd = fx::quantized_decomposed;

namespace {
class NoteNarrowWeightsPass
    : public fx::impl::NoteNarrowWeightsPassBase<NoteNarrowWeightsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    ExternalData files;
    SymbolTable symbols(getOperation());
    Builder b(&getContext());
    for (auto graph : getOperation().getOps<GraphOp>()) {
      if (!graph.getFunctional())
        continue;
      ConstantAnalysis constants(graph);
      for (auto call : graph.getBlock().getOps<CallFunctionOp>()) {
        if (!isa<qd::DequantizePerTensor, qd::DequantizePerChannel,
                 qd::DequantizePerChannelGroup>(call.getOperation()) ||
            call->getNumOperands() == 0)
          continue;
        Value input = call->getOperand(0);
        if (!constants.contains(input) || !hasWholeRows(input) ||
            !isNarrow(input, symbols, files))
          continue;
        call->setAttr("fx.bits", b.getI64IntegerAttr(4));
        ++numNoted;
      }
    }
  }

private:
  /// Returns true if the size of the last dimension is a multiple of
  /// `multiple`.
  bool hasWholeRows(Value value) {
    auto type = dyn_cast<FakeTensorType>(value.getType());
    int64_t size = type && type.getRank() ? type.getDimSize(type.getRank() - 1)
                                          : ShapedType::kDynamic;
    return multiple == 1 ||
           (!ShapedType::isDynamic(size) && size % multiple == 0);
  }

  /// Returns true if `value` is an int8 state and all bytes of its storage are
  /// in [-8, 7]. Returns false if the storage cannot be read: a later user of
  /// the elements reports the error.
  static bool isNarrow(Value value, SymbolTable &symbols, ExternalData &files) {
    auto type = dyn_cast<FakeTensorType>(value.getType());
    auto input = value.getDefiningOp<PlaceholderOp>();
    if (!type || !type.getDtype().isSignlessInteger(8) || !input ||
        !input.getTarget())
      return false;
    auto state = symbols.lookup<StateOp>(*input.getTarget());
    if (!state)
      return false;
    auto isSmall = [](char c) {
      auto v = static_cast<signed char>(c);
      return v >= -8 && v <= 7;
    };
    // A splat in the module stores its value only once.
    if (auto dense =
            dyn_cast_if_present<DenseElementsAttr>(state.getInitAttr());
        dense && dense.isSplat())
      return llvm::all_of(dense.getRawData(), isSmall);
    llvm::Expected<ArrayRef<char>> bytes = files.get(state);
    if (!bytes) {
      llvm::consumeError(bytes.takeError());
      return false;
    }
    return llvm::all_of(*bytes, isSmall);
  }
};
} // namespace
