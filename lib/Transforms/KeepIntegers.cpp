//===- KeepIntegers.cpp - pools and joins of quantized tensors ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/quantized_decomposed/dequantize_per_tensor.h"
#include "fx/Operators/quantized_decomposed/quantize_per_tensor.h"
#include "fx/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include <cmath>

namespace fx {
#define GEN_PASS_DEF_KEEPINTEGERSPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;
namespace qd = fx::quantized_decomposed;

namespace {
/// The scale, zero point and bounds of a quantize or dequantize call, and the
/// dtype of the integers.
struct Parameters {
  double scale = 0;
  int64_t zero = 0, min = 0, max = 0;
  Type dtype;
  bool operator==(const Parameters &) const = default;

  /// Returns true if the bounds are those of the dtype, so that no integer is
  /// clamped.
  bool isWhole() const {
    bool isUnsigned = dtype.isUnsignedInteger(8);
    if (!isUnsigned && !dtype.isSignlessInteger(8))
      return false;
    return min == (isUnsigned ? 0 : -128) && max == (isUnsigned ? 255 : 127);
  }
};
} // namespace

static Type getDtype(Value value) {
  auto type =
      dyn_cast_if_present<FakeTensorType>(value ? value.getType() : Type());
  return type ? type.getDtype() : Type();
}

/// Returns the parameters of a quantize or dequantize call; nullopt if they are
/// not immediates.
template <class View>
static std::optional<Parameters> getParameters(View call, Value integers) {
  std::optional<double> scale = call.scale().getFloat();
  auto zero = call.zero_point().getInt(), min = call.quant_min().getInt(),
       max = call.quant_max().getInt();
  Type dtype = getDtype(integers);
  if (!scale || !zero || !min || !max || !dtype || !(*scale > 0) ||
      std::isinf(*scale))
    return std::nullopt;
  return Parameters{*scale, *zero, *min, *max, dtype};
}

/// Returns true if each element of the result is an element of an operand, and
/// remains the same one if an increasing function is applied to all operands.
static bool takesValues(const OperatorView &call) {
  StringRef name = call.getSchema().getName();
  return name == "aten.max_pool2d.default" ||
         name == "aten.max_pool2d_with_indices.default" ||
         name == "aten.cat.default" || call.getSchema().isView();
}

namespace {
struct KeepIntegersPass : fx::impl::KeepIntegersPassBase<KeepIntegersPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto graph : getOperation().getOps<GraphOp>()) {
      if (!graph.getFunctional())
        continue;
      // `keep` erases the op and its users. Continue after the replacement.
      for (Operation *op = &graph.getBlock().front(); op;
           op = op->getNextNode())
        if (auto call = dyn_cast<CallFunctionOp>(op))
          if (Operation *kept = keep(call)) {
            op = kept;
            ++numKept;
          }
    }
  }

private:
  /// Makes `op` compute on integers if all its operands are dequantized and all
  /// users quantize its result again, with the same parameters. Returns the new
  /// op, or null if this is not the case.
  static Operation *keep(CallFunctionOp op) {
    OperatorView call = getOperatorView(op);
    if (!call || !takesValues(call) || op->getNumOperands() == 0 ||
        op->getNumResults() == 0 ||
        !isa<FakeTensorType>(op->getResult(0).getType()))
      return nullptr;
    std::optional<Parameters> common;
    auto agrees = [&](std::optional<Parameters> p) {
      if (!p || (common && !(*common == *p)))
        return false;
      common = p;
      return true;
    };
    SmallVector<Operation *> users(op->getResult(0).getUsers());
    for (OpResult other : op->getResults().drop_front())
      if (!other.use_empty())
        return nullptr;
    for (Operation *user : users) {
      auto quantize = dyn_cast<qd::QuantizePerTensor>(user);
      if (!quantize || !agrees(getParameters(quantize, user->getResult(0))))
        return nullptr;
    }
    if (!common || !common->isWhole())
      return nullptr;
    IRMapping mapping;
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      // Skip the sizes of views.
      if (!isa<FakeTensorType>(operand.getType()))
        continue;
      auto dequantize = dyn_cast_if_present<qd::DequantizePerTensor>(def);
      if (!dequantize || !agrees(getParameters(dequantize, dequantize.input())))
        return nullptr;
      mapping.map(operand, dequantize.input());
    }
    OpBuilder b(op);
    Operation *made = b.clone(*op, mapping);
    Value result = made->getResult(0);
    result.setType(
        cast<FakeTensorType>(result.getType()).withDtype(common->dtype));
    for (Operation *user : users) {
      user->getResult(0).replaceAllUsesWith(result);
      user->erase();
    }
    op->erase();
    return made;
  }
};
} // namespace
